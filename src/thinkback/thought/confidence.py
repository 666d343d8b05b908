"""Is an answer an answer? The model's word, and what its text says. When in doubt: no.

An *abstention* says only that the question cannot be answered from what was given. It is recognised by whole
sentences, never by single words: an answer that gives something besides is an answer.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from thinkback.thought.abstention import phrases
from thinkback.thought.words import is_cjk, sentences, words

__all__ = ["Verdict", "is_abstention", "is_hypothetical", "read_confidence", "verdict"]

_LEAST = 0.5
_LONGEST = 500  # characters looked at in one sentence: an abstention is short, and patterns over more get slow
_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
_MARKER = re.compile(r"\[\s*\d+(?:\s*[,;\u2013-]\s*\d+)*\s*\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether an answer may go on to be remembered, and if not, why."""

    ok: bool
    status: Literal["confident", "abstained", "doubtful", "unreadable", "hypothetical"]
    confidence: float
    """The model's own, 0 to 1; 0 where it could not be read."""
    reason: str


def is_abstention(text: str) -> bool:
    """Tell whether a text says only that the question cannot be answered, in any of ten languages.

    The empty text is one. Citation markers do not count as content. A text is an abstention if its first sentence
    says so and no later sentence gives anything but an explanation or an offer of help.
    """
    bare = " ".join(_MARKER.sub(" ", _INVISIBLE.sub("", text)).split())
    if not any(c.isalnum() for c in bare):
        return True
    if phrases().short.fullmatch(bare.strip(" .!?\u3002\uff01'\"*_")):
        return True
    abstains = False
    for sentence in sentences(bare):
        kind = _kind(bare[sentence.start : min(sentence.end, sentence.start + _LONGEST)])
        if kind == "gives":
            return False
        abstains |= kind == "abstains"
    return abstains


def _kind(sentence: str) -> Literal["abstains", "neutral", "gives"]:
    """Say what one sentence of an answer does: abstain, add nothing, or give something."""
    for pattern in phrases().abstains:
        match = pattern.search(sentence)
        if match:
            return "gives" if _gives_besides(sentence[match.end() :]) else "abstains"
    if phrases().closer.search(sentence):
        return "neutral"
    return "gives"


def _gives_besides(rest: str) -> bool:
    """Tell whether the part of a sentence after "does not say" turns to giving something ("..., but it was 3.5")."""
    turn = phrases().turn.search(rest)
    if turn is None:
        return False
    said = turn.group("rest") or turn.group("cjk") or ""
    if phrases().closer.search(said) or any(pattern.search(said) for pattern in phrases().abstains):
        return False
    return is_cjk(said) or sum(1 for word in words(said) if word.content) >= 2


def is_hypothetical(question: str) -> bool:
    """Tell whether a question asks what would be, not what is: its answer is no fact to remember."""
    return any(pattern.search(question) for pattern in phrases().hypothetical)


def read_confidence(value: object) -> float | None:
    """Return a number from 0 to 1 that stands for confidence, or None for anything else.

    Words ("high"), numbers outside the range, NaN and truth values are not confidence.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value.strip())
        except ValueError:
            return None
    if not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        return None
    return float(value)


def verdict(
    text: str, *, valid: object = None, confidence: object = None, question: str = "", measured: bool = True
) -> Verdict:
    """Return whether an answer may be remembered; anything unreadable means no.

    Args:
        text: the answer or the knowledge point.
        valid: the model's flag as it came; only True, or the words true and yes, count as yes. None: not asked for.
        confidence: the model's number as it came. None: not asked for. At least one of the two must be given.
        question: what was asked; a hypothetical one gives no fact.
        measured: also look whether the text itself abstains (off in the presets that follow the paper).
    """
    number = read_confidence(confidence)
    flag = _read_flag(valid)
    if (valid is None and confidence is None) or (valid is not None and flag is None):
        return _no("unreadable", "the reply does not say whether the answer is valid", 0.0)
    if confidence is not None and number is None:
        return _no("unreadable", "the confidence in the reply is not a number from 0 to 1", 0.0)
    known = number if number is not None else float(bool(flag))
    if flag is False:
        return _no("abstained", "the model says that the answer is not valid", known)
    if number is not None and number < _LEAST:
        return _no("doubtful", f"the model's confidence is {number:.2f}", known)
    if measured and is_abstention(text):
        return _no("abstained", "the answer says that it cannot be answered", known)
    if measured and is_hypothetical(question):
        return _no("hypothetical", "the question asks what would be, not what is", known)
    return Verdict(ok=True, status="confident", confidence=known, reason="")


def _read_flag(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(value.strip().casefold())
    return None


def _no(
    status: Literal["abstained", "doubtful", "unreadable", "hypothetical"], reason: str, confidence: float
) -> Verdict:
    return Verdict(ok=False, status=status, confidence=confidence, reason=reason)
