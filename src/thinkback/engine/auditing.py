"""Audit: what is wrong with a memory, found offline and without any model call."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from thinkback.engine.parts import Parts
from thinkback.engine.writing import ancestors
from thinkback.ports import Reader
from thinkback.thought.admit import one_sentence
from thinkback.thought.steering import steers
from thinkback.thought.support import supports
from thinkback.thought.twins import guard
from thinkback.types import Derivation, Record, Thought

__all__ = ["AuditReport", "Finding", "audit"]

FindingKind = Literal["duplicate", "conflict", "unsupported", "stale", "unused", "loop", "secret", "steering", "damage"]

_NEAR_COPY = 0.95  # cosine; the guard must also find nothing that differs
_NEIGHBOURS = 6
_UNUSED_AFTER = 30 * 86_400.0  # seconds
_SECRETS: Mapping[str, re.Pattern[str]] = {
    "a private key": re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"),
    "an API key": re.compile(r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{20,}"),
    "a cloud access key": re.compile(r"\bA(?:KIA|SIA)[0-9A-Z]{16}\b"),
    "a token of a code host": re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|glpat-[A-Za-z0-9_-]{20,})"),
    "a web token": re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    "a password": re.compile(r"\b(?:password|passwd|passwort|mot de passe|密码)\s*[:=]\s*\S{6,}", re.IGNORECASE),
    "a card number": re.compile(r"\b(?:\d[ -]?){15}\d\b"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Record):
    """One thing that somebody should look at. Never quotes a secret."""

    kind: FindingKind
    item_id: str
    detail: str
    other_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport(Record):
    """Everything found, grouped by kind, and how much was looked at."""

    findings: tuple[Finding, ...]
    thoughts: int
    chunks: int

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of findings of each kind that has any."""
        return Counter(finding.kind for finding in self.findings)


def audit(parts: Parts, namespace: str) -> AuditReport:
    """Look through one namespace."""
    with parts.store.read() as reader:
        thoughts = reader.thoughts(namespace, ("active", "stale"))
        active = [thought for thought in thoughts if thought.status == "active"]
        ways = reader.derivations(namespace, [thought.id for thought in thoughts])
        findings = [
            *(Finding(kind="stale", item_id=t.id, detail=t.reason) for t in thoughts if t.status == "stale"),
            *_near_copies(reader, namespace, active),
            *_conflicts(reader, namespace),
            *_unsupported(parts, reader, namespace, active, ways),
            *_unused(parts, active),
            *_loops(reader, namespace, active, ways),
            *_leaks(reader, namespace, active),
        ]
        chunks = reader.counts(namespace)["chunks"]
    # outside the snapshot: the check takes a connection of its own, which a small pool might not have to spare
    findings += [Finding(kind="damage", item_id="", detail=fault) for fault in parts.store.check()]
    order = list(FindingKind.__args__)  # type: ignore[attr-defined] # a Literal has its values there
    findings.sort(key=lambda finding: (order.index(finding.kind), finding.item_id, finding.other_id or ""))
    return AuditReport(findings=tuple(findings), thoughts=len(thoughts), chunks=chunks)


def _near_copies(reader: Reader, namespace: str, active: Sequence[Thought]) -> Iterator[Finding]:
    vectors = reader.vectors(namespace, [thought.id for thought in active])
    for thought, vector in zip(active, vectors, strict=True):
        ranking = reader.search_dense(namespace, vector, _NEIGHBOURS, kind="thought")
        for other, cosine in zip(reader.items_at(namespace, ranking.rows), ranking.scores.tolist(), strict=True):
            if (
                other.id > thought.id
                and cosine >= _NEAR_COPY
                and guard(thought.text, other.text).verdict != "different"
            ):
                yield Finding(
                    kind="duplicate",
                    item_id=thought.id,
                    other_id=other.id,
                    detail=f"cosine {cosine:.2f}, nothing differs",
                )


def _conflicts(reader: Reader, namespace: str) -> Iterator[Finding]:
    for link in reader.links(namespace):
        if link.kind == "conflict":
            yield Finding(kind="conflict", item_id=link.left, other_id=link.right, detail="they say different things")


def _unsupported(
    parts: Parts, reader: Reader, namespace: str, active: Sequence[Thought], ways: Mapping[str, Sequence[Derivation]]
) -> Iterator[Finding]:
    """Find thoughts that their evidence does not carry by today's rule (thoughts of the paper's presets are let in unlooked).

    Read as admission reads: one item alone, the quotes of one derivation together, or for an overview the texts of all the
    thoughts that a derivation stands on.
    """
    ids = {piece.item_id for group in ways.values() for way in group for piece in way.evidence}
    items = reader.items(namespace, sorted(ids))
    titles = {one.id: one.title for one in reader.documents(namespace)}
    texts = {item.id: (item.text, titles.get(getattr(item, "document_id", ""), "")) for item in items}
    texts |= {said.id: (said.answer, "") for said in reader.testimonies(namespace, sorted(ids))}
    for thought in active:
        below = list(dict.fromkeys(ground for way in ways.get(thought.id, ()) for ground in _grounds(way, texts)))
        verdicts = [supports(thought.text, text, threshold=parts.preset.support, title=title) for text, title in below]
        if not any(verdict.ok for verdict in verdicts):
            best = max(verdicts, key=lambda verdict: verdict.score, default=None)
            yield Finding(kind="unsupported", item_id=thought.id, detail=best.reason if best else "it has no evidence")


def _grounds(way: Derivation, texts: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the texts any of which may carry what a derivation claims, each with the title of its document."""
    there = [piece for piece in way.evidence if piece.item_id in texts]
    yield from (texts[piece.item_id] for piece in there)
    if len(there) > 1:
        yield one_sentence([piece.quote for piece in there]), "; ".join(texts[piece.item_id][1] for piece in there)
        above = [texts[piece.item_id][0] for piece in there if piece.item_kind == "thought"]
        if above:
            yield one_sentence(above), ""


def _unused(parts: Parts, active: Sequence[Thought]) -> Iterator[Finding]:
    now = parts.clock()
    for thought in active:
        if thought.use_count == 0 and now - thought.created_at > _UNUSED_AFTER:
            days = int((now - thought.created_at) // 86_400)
            yield Finding(kind="unused", item_id=thought.id, detail=f"never retrieved in {days} days")


def _loops(
    reader: Reader, namespace: str, active: Sequence[Thought], ways: Mapping[str, Sequence[Derivation]]
) -> Iterator[Finding]:
    """Find thoughts that rest on thoughts alone, more than two deep, or on themselves: hearsay grows there."""
    for thought in active:
        below = ancestors(reader, namespace, [thought.id])
        direct = {
            piece.item_id for way in ways.get(thought.id, ()) for piece in way.evidence if piece.item_kind == "thought"
        }
        if any(thought.id in {p.item_id for way in group for p in way.evidence} for group in below.values()):
            yield Finding(kind="loop", item_id=thought.id, detail="it rests on itself")
        elif thought.level > 4 and direct:
            yield Finding(
                kind="loop", item_id=thought.id, detail=f"it stands at level {thought.level:.1f}, far from any text"
            )


def _leaks(reader: Reader, namespace: str, active: Sequence[Thought]) -> Iterator[Finding]:
    for thought in active:
        yield from _secrets(thought.id, thought.text)
    for document in reader.documents(namespace):
        for chunk in reader.chunks(namespace, document.id):
            yield from _secrets(chunk.id, chunk.text)
            if document.trust == "untrusted" and (reason := steers(chunk.text)):
                yield Finding(kind="steering", item_id=chunk.id, detail=reason)


def _secrets(item_id: str, text: str) -> Iterator[Finding]:
    for what, pattern in _SECRETS.items():
        match = pattern.search(text)
        if match and (what != "a card number" or _luhn(match.group())):
            yield Finding(kind="secret", item_id=item_id, detail=f"it seems to hold {what}")


def _luhn(text: str) -> bool:
    """Return whether digits have the check digit of a card number (ISO/IEC 7812)."""
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0
