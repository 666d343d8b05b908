"""The numbers of a text with their units, so that "1,500 MB", "1.5 GB" and "one and a half gigabytes" compare.

Digits with separators, percentages, currencies, scales (k, million), spelled English numbers, fractions, ordinals,
months, dates, times of day and Chinese numerals before a counter. A digit inside a name ("GPT-4") is no number.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

__all__ = ["Number", "is_year", "numbers", "same_number"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A quantity; ``text[start:end]`` is what was written, unit included."""

    value: float
    """In the base unit: seconds, grams, metres, bytes, parts of one for percent."""
    unit: str
    """Empty for a bare count; a currency; the dimension; ``month``, ``clock``, ``ordinal``, ``times``, ``decade``."""
    start: int
    end: int
    soft: bool = False
    """True for words that are numbers only sometimes: one, first, second, couple, pair."""


_UNITS: dict[str, tuple[str, float]] = {}


def _define(dimension: str, table: str) -> None:
    for entry in table.split():
        names, _, factor = entry.partition("=")
        for name in names.split(","):
            _UNITS[name] = (dimension, float(factor))


_define(
    "time",
    "ns,nanosecond,nanoseconds=1e-9 us,\u00b5s,\u03bcs,microsecond,microseconds=1e-6 "
    "ms,msec,millisecond,milliseconds=1e-3 s,sec,secs,second,seconds=1 min,mins,minute,minutes=60 "
    "h,hr,hrs,hour,hours=3600 day,days=86400 week,weeks=604800 month,months=2629800 year,years,yr,yrs=31557600 "
    "decade,decades=315576000 century,centuries=3155760000",
)
_define(
    "mass",
    "ng=1e-9 \u00b5g,\u03bcg,ug,mcg=1e-6 mg,milligram,milligrams=1e-3 g,gram,grams=1 "
    "kg,kilo,kilos,kilogram,kilograms=1e3 ton,tons,tonne,tonnes=1e6 lb,lbs,pound,pounds=453.59237 oz,ounce,ounces=28.349523",
)
_define(
    "length",
    "nm,nanometre,nanometres,nanometer,nanometers=1e-9 \u00b5m,\u03bcm,um,micron,microns=1e-6 "
    "mm,millimetre,millimetres,millimeter,millimeters=1e-3 cm,centimetre,centimetres,centimeter,centimeters=1e-2 "
    "m,metre,metres,meter,meters=1 km,kilometre,kilometres,kilometer,kilometers=1e3 mile,miles=1609.344 "
    "ft,foot,feet=0.3048 inch,inches=0.0254 yard,yards=0.9144",
)
_define(
    "data",
    "byte,bytes=1 kb,kilobyte,kilobytes=1e3 mb,megabyte,megabytes=1e6 gb,gigabyte,gigabytes=1e9 "
    "tb,terabyte,terabytes=1e12 kib=1024 mib=1048576 gib=1073741824 tib=1099511627776",
)
_define("volume", "ml,millilitre,millilitres,milliliter,milliliters=1e-3 l,litre,litres,liter,liters=1")
_define("ratio", "%,percent,percents,pct,\uff05=0.01 \u2030=0.001")
_define("points", "pp,percentage-points=1")
_define("frequency", "hz,hertz=1 khz=1e3 mhz=1e6 ghz=1e9")
_define("power", "w,watt,watts=1 kw,kilowatt,kilowatts=1e3 mw,megawatt,megawatts=1e6 gw,gigawatt,gigawatts=1e9")
_define("temperature", "\u00b0c,celsius,\u2103=1 \u00b0f,fahrenheit=1 k,kelvin=1")
_define("usd", "$,usd,dollar,dollars=1")
_define("eur", "\u20ac,eur,euro,euros=1")
_define("gbp", "\u00a3,gbp=1")
_define("jpy", "\u00a5,\uffe5,jpy,yen=1")
_define("times", "x,\u00d7,times,fold,-fold=1")

_SCALES = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9, "billions": 1e9,
    "trillion": 1e12, "k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9,
    "\u4e07": 1e4, "\u842c": 1e4, "\u4ebf": 1e8, "\u5104": 1e8,
}  # fmt: skip
_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "twentieth": 20,
    "thirtieth": 30,
}  # fmt: skip
_FRACTIONS = {"third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5, "tenth": 10, "tenths": 10}
_SPECIAL = {
    "dozen": (12.0, "", False), "half": (0.5, "ratio", False), "halves": (0.5, "ratio", False),
    "couple": (2.0, "", True), "pair": (2.0, "", True), "both": (2.0, "", True),
    "twice": (2.0, "times", False), "thrice": (3.0, "times", False), "double": (2.0, "times", False),
    "doubled": (2.0, "times", False), "doubles": (2.0, "times", False), "doubling": (2.0, "times", False),
    "triple": (3.0, "times", False), "tripled": (3.0, "times", False), "triples": (3.0, "times", False),
    "quadrupled": (4.0, "times", False), "halved": (0.5, "ratio", False),
    "halve": (0.5, "ratio", False), "halving": (0.5, "ratio", False),
}  # fmt: skip
_MONTHS = {
    "january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "mar": 3, "april": 4, "apr": 4, "may": 5, "june": 6,
    "jun": 6, "july": 7, "jul": 7, "august": 8, "aug": 8, "september": 9, "sep": 9, "sept": 9, "october": 10, "oct": 10,
    "november": 11, "nov": 11, "december": 12, "dec": 12,
}  # fmt: skip
_CJK_DIGITS = dict(zip("\u96f6\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d", range(10), strict=True)) | {
    "\u3007": 0,
    "\u4e24": 2,
    "\u5169": 2,
}
_CJK_TENS = {"\u5341": 10, "\u767e": 100, "\u5343": 1000}
_COUNTERS = (
    "\u5e74\u6708\u65e5\u53f7\u4e2a\u500b\u4eba\u540d\u6b21\u5929\u5c0f\u5c81\u6b73\u516c\u5143\u500d\u53f0\u672c"
    "\u4ef6\u56de\u3064\u5186\u7ae0\u5206\u70b9\u4f4d\u6761\u7bc7\u79cd\u7a2e\u9031\u5468\u5c42"
)

_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_DIGITS = re.compile(
    r"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)(?P<currency>[$\u20ac\u00a3\u00a5\uffe5]\s?)?"
    r"(?P<digits>\d+(?:[.,]\d+)*)"
    r"(?::(?P<minutes>[0-5]\d)(?::[0-5]\d)?(?!\d))?"
    r"(?P<gap>[\s\u00a0-]?)(?P<suffix>%|\u2030|\uff05|\u2103|\u00b0\s?[CF]|\u00d7|[A-Za-z\u00b5\u03bc]+|[\u4e07\u842c\u4ebf\u5104])?"
)
_ISO_DATE = re.compile(r"(?<!\d)(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)")
_WORD = re.compile(r"[A-Za-z]+")
_CJK_NUMBER = re.compile("[" + "".join(_CJK_DIGITS) + "".join(_CJK_TENS) + "\u4e07\u842c]+(?=[" + _COUNTERS + "])")
_MONTH_CONTEXT = re.compile(
    r"(?:\b(?:in|of|on|for|last|next|since|until|till|by|this|early|late|mid|from|to|every|before|after|through)\s+"
    r"|\d(?:st|nd|rd|th)?,?\s+)$",
    re.IGNORECASE,
)
_BETWEEN_DATE = re.compile(r"\.?[\s/-]*(?:of\s+|the\s+)?")
_AFTER_NUMBER = re.compile(r"^(?:\s+|-)([A-Za-z%\u00b5]+)")


def numbers(text: str) -> tuple[Number, ...]:
    """Return the numbers of a text in the order in which they are written."""
    found = list(_dates(text))
    taken = [(n.start, n.end) for n in found]
    for number in (*_written(text), *_spelled(text), *_months(text), *_chinese(text)):
        if not any(number.start < end and start < number.end for start, end in taken):
            found.append(number)
            taken.append((number.start, number.end))
    return tuple(sorted(found, key=lambda n: (n.start, n.end)))


def is_year(number: Number) -> bool:
    """Tell whether a number without a unit may be a year: a whole number from 1000 to 2100."""
    return not number.unit and float(number.value).is_integer() and _FIRST_YEAR <= number.value <= _LAST_YEAR


def same_number(left: Number, right: Number) -> bool:
    """Tell whether two numbers are equal; a bare count equals one with a unit, two different units never do."""
    if {left.unit, right.unit} == {"mass", "gbp"}:  # pounds of either kind
        left, right = (
            replace(n, value=n.value / _UNITS["pound"][1], unit="gbp") if n.unit == "mass" else n for n in (left, right)
        )
    close = math.isclose(left.value, right.value, rel_tol=1e-9, abs_tol=1e-12)
    return close and (left.unit == right.unit or "" in (left.unit, right.unit))


def days(text: str, found: Iterable[Number]) -> frozenset[tuple[float, float]]:
    """Return month and day of the dates among the numbers of a text: (4, 3) for "3 April" and "April 3rd"."""
    ordered = sorted(found, key=lambda n: n.start)
    return frozenset(
        (month.value, day.value)
        for one, other in itertools.pairwise(ordered)
        for month, day in ((one, other), (other, one))
        if month.unit == "month"
        and not day.unit
        and day.value in range(1, 32)
        and _BETWEEN_DATE.fullmatch(text[one.end : other.start])
    )


def _dates(text: str) -> Iterable[Number]:
    for match in _ISO_DATE.finditer(text):
        year, month, day = (int(part) for part in match.groups())
        if 1 <= month <= 12 and 1 <= day <= 31:
            for group, value, unit in ((1, year, ""), (2, month, "month"), (3, day, "")):
                yield Number(value=value, unit=unit, start=match.start(group), end=match.end(group))


def _written(text: str) -> Iterable[Number]:
    for match in _DIGITS.finditer(text):
        suffix = (match["suffix"] or "").replace(" ", "")
        end = match.end("digits")
        if match["minutes"]:
            yield _clock(match, text)
            continue
        if suffix and not match["gap"] and not _known_suffix(suffix):
            continue  # 3D, 5G: a name
        value = _figure(match["digits"])
        unit = _UNITS[match["currency"].strip()][0] if match["currency"] else ""
        lower = suffix.casefold()
        if lower in ("st", "nd", "rd", "th") and not match["gap"]:
            # the ordinal of a date ("3rd of May") equals the plain number of it
            yield Number(value=value, unit="", start=match.start(), end=match.end("suffix"))
            continue
        if lower == "s" and not match["gap"] and value >= 1000:
            yield Number(value=value, unit="decade", start=match.start(), end=match.end("suffix"))
            continue
        if lower in ("am", "pm") and 1 <= value <= 12:
            yield Number(
                value=_minutes(int(value), 0, lower), unit="clock", start=match.start(), end=match.end("suffix")
            )
            continue
        if lower in _SCALES and (lower not in ("k", "m", "b") or not match["gap"]) and (lower != "m" or suffix == "M"):
            value *= _SCALES[lower]
            end = match.end("suffix")
            following = _AFTER_NUMBER.match(text[end:])
            if following and not unit:
                lower = following.group(1).casefold()
                if lower in _UNITS and len(lower) > 1:
                    end += following.end()
                    dimension, factor = _UNITS[lower]
                    value, unit = value * factor, dimension
        elif lower in _UNITS and not unit and (not match["gap"] or len(lower) > 1 or lower in "smghlw%"):
            dimension, factor = _UNITS[lower]
            value, unit, end = value * factor, dimension, match.end("suffix")
        yield Number(value=value, unit=unit, start=match.start(), end=end)


def _known_suffix(suffix: str) -> bool:
    lower = suffix.casefold()
    return lower in _UNITS or lower in _SCALES or lower in ("st", "nd", "rd", "th", "s", "am", "pm")


def _clock(match: re.Match[str], text: str) -> Number:
    half = re.match(r"\s?([ap])\.?m\b", text[match.end("minutes") :], re.IGNORECASE)
    end = match.end("minutes") + (half.end() if half else 0)
    marker = f"{half.group(1).casefold()}m" if half else ""
    value = _minutes(int(float(match["digits"])), int(match["minutes"]), marker)
    return Number(value=value, unit="clock", start=match.start(), end=end)


def _minutes(hour: int, minute: int, half: str) -> float:
    """Return minutes since midnight."""
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return hour * 60.0 + minute


def _figure(digits: str) -> float:
    """Read digits with separators: 1,200 and 1.200.000 are thousands, 3,5 and 3.5 decimals."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        return float(digits.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}(?:\.\d{3})+,\d+", digits):
        return float(digits.replace(".", "").replace(",", "."))
    if digits.count(".") + digits.count(",") == 1:
        return float(digits.replace(",", "."))
    return float(re.sub(r"[.,]", "", digits))


def _spelled(text: str) -> Iterable[Number]:
    tokens = [(m.group().casefold(), m.start(), m.end()) for m in _WORD.finditer(text)]
    i = 0
    while i < len(tokens):
        step, number = _spelled_at(tokens, i, text)
        if number is not None:
            yield number
        i += step


def _spelled_at(tokens: list[tuple[str, int, int]], i: int, text: str) -> tuple[int, Number | None]:
    """Read one spelled number that begins at token i; return how many tokens it takes (at least 1)."""
    word, start, end = tokens[i]
    if word in _WORDS or (word in ("a", "an") and i + 1 < len(tokens) and tokens[i + 1][0] in _SCALES):
        return _cardinal(tokens, i, text)
    before = tokens[i - 1][0] if i else ""
    if word in _ORDINALS:
        if word == "second" and (before in _WORDS or before in ("per", "a", "each", "every", "")):
            return 1, None
        soft = word in ("first", "second")
        if before in ("a", "one") and word == "third" and i + 1 < len(tokens) and tokens[i + 1][0] == "of":
            return 1, Number(value=1 / 3, unit="ratio", start=start, end=end)
        return 1, Number(value=_ORDINALS[word], unit="", start=start, end=end, soft=soft)
    if word == "thirds" and before in ("two", "one"):
        return 1, None
    if word == "quarter" and before in ("a", "one"):
        return 1, Number(value=0.25, unit="ratio", start=start, end=end)
    if word in _SPECIAL:
        value, unit, soft = _SPECIAL[word]
        if word == "half" and (measured := _half_of_unit(tokens, i, text)) is not None:
            return measured
        return 1, Number(value=value, unit=unit, start=start, end=end, soft=soft)
    return 1, None


def _half_of_unit(tokens: list[tuple[str, int, int]], i: int, text: str) -> tuple[int, Number] | None:
    """Read "half an hour" and "half hour" from token i on."""
    at = i + 2 if i + 1 < len(tokens) and tokens[i + 1][0] in ("a", "an") else i + 1
    if at >= len(tokens) or text[tokens[i][2] : tokens[at][1]].strip(" -") not in ("", "a", "an"):
        return None
    word, _, end = tokens[at]
    if word == "dozen":
        return at - i + 1, Number(value=6, unit="", start=tokens[i][1], end=end)
    if word not in _UNITS or len(word) < 3:
        return None
    unit, factor = _UNITS[word]
    return at - i + 1, Number(value=factor / 2, unit=unit, start=tokens[i][1], end=end)


def _cardinal(tokens: list[tuple[str, int, int]], i: int, text: str) -> tuple[int, Number | None]:
    """Read "two hundred and fifty thousand kilometres" from token i on."""
    total, current, at = 0.0, 0.0, i
    while at < len(tokens):
        word = tokens[at][0]
        gap = text[tokens[at - 1][2] : tokens[at][1]] if at > i else ""
        if at > i and gap.strip() not in ("", "-"):
            break
        if word in _WORDS and (
            at == i or current == 0 or (current % 100 >= 20 and _WORDS[word] < 10) or current % 100 == 0
        ):
            current += _WORDS[word]
        elif word in ("a", "an") and at == i:
            current = 1
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in ("thousand", "million", "billion", "trillion"):
            total += (current or 1) * _SCALES[word]
            current = 0
        elif not (word == "and" and at + 1 < len(tokens) and tokens[at + 1][0] in _WORDS and (total or current >= 100)):
            break
        at += 1
    value, unit, end = total + current, "", tokens[at - 1][2]
    if at < len(tokens):
        word = tokens[at][0]
        gap = text[tokens[at - 1][2] : tokens[at][1]]
        if gap.strip() in ("", "-") and word in _UNITS and len(word) > 1:
            unit, factor = _UNITS[word]
            value, end, at = value * factor, tokens[at][2], at + 1
        elif word in _FRACTIONS and gap.strip() in ("", "-"):
            value, unit, end, at = value / _FRACTIONS[word], "ratio", tokens[at][2], at + 1
        elif word == "dozen":
            value, end, at = value * 12, tokens[at][2], at + 1
    soft = at - i == 1 and tokens[i][0] == "one" and not unit
    return at - i, Number(value=value, unit=unit, start=tokens[i][1], end=end, soft=soft)


def _months(text: str) -> Iterable[Number]:
    for match in _WORD.finditer(text):
        name = match.group()
        month = _MONTHS.get(name.casefold())
        if month is None or not name[0].isupper():
            continue
        near = _MONTH_CONTEXT.search(text[: match.start()]) or re.match(r"\.?,?\s+\d", text[match.end() :])
        if near or name.casefold() not in ("may", "march", "mar", "jan", "august"):
            yield Number(value=month, unit="month", start=match.start(), end=match.end())


def _chinese(text: str) -> Iterable[Number]:
    for match in _CJK_NUMBER.finditer(text):
        yield Number(value=_chinese_value(match.group()), unit="", start=match.start(), end=match.end())


def _chinese_value(run: str) -> float:
    if all(char in _CJK_DIGITS for char in run):
        return float("".join(str(_CJK_DIGITS[char]) for char in run))
    total, section, digit = 0, 0, 0
    for char in run:
        if char in _CJK_DIGITS:
            digit = _CJK_DIGITS[char]
        elif char in _CJK_TENS:
            section += (digit or 1) * _CJK_TENS[char]
            digit = 0
        else:
            total = (total + section + digit) * 10_000
            section = digit = 0
    return float(total + section + digit)
