"""Admission: an atom becomes a thought only if spans of what was shown carry it, and it is not there already.

Two pure steps. ``ground`` finds evidence and so earns sources, roots, level and trust, or says why there is none.
``compare`` looks at the thoughts that are near by cosine and says twin, conflict, related or new.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from thinkback.ids import normalise
from thinkback.ports import Judge
from thinkback.thought.fragment import fragment
from thinkback.thought.level import level
from thinkback.thought.steering import steers
from thinkback.thought.support import SupportVerdict, best_span, supports
from thinkback.thought.twins import decide, guard
from thinkback.types import Atom, Evidence, ItemKind, OutcomeStatus, Root, Thought, Trust

__all__ = [
    "Comparison",
    "Grounded",
    "Neighbour",
    "Refusal",
    "Source",
    "compare",
    "ground",
    "ground_in_all",
    "lowest",
    "one_sentence",
]

_TRUST_ORDER: dict[Trust, int] = {"untrusted": 0, "normal": 1, "trusted": 2}
_MOST_EVIDENCE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Something that an atom may stand on: a shown item, a testimony, or an atom admitted a moment ago."""

    kind: ItemKind
    id: str
    text: str
    level: float
    trust: Trust
    roots: tuple[Root, ...]
    title: str = ""
    """Of a chunk's document; its names belong to what the chunk says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """An atom with its evidence, best first."""

    text: str
    evidence: tuple[Evidence, ...]
    roots: tuple[Root, ...]
    level: float
    trust: Trust
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why an atom does not become a thought."""

    status: OutcomeStatus
    reason: str
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A thought near to an atom."""

    thought: Thought
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How an atom stands to the thoughts near it."""

    twin: Thought | None = None
    conflicts: tuple[Thought, ...] = ()
    related: tuple[Thought, ...] = ()
    reason: str = ""


def lowest(labels: Sequence[Trust]) -> Trust:
    """Return the lowest trust label; ``untrusted`` where there is none."""
    return min(labels, key=_TRUST_ORDER.__getitem__, default="untrusted")


def ground(
    atom: Atom,
    sources: Sequence[Source],
    *,
    threshold: float,
    idf: Callable[[str], float] | None = None,
    question: str = "",
    quotes: Mapping[str, Sequence[str]] | None = None,
) -> Grounded | Refusal:
    """Return the atom with its evidence, or the reason why none was found.

    Raw items come before thoughts, and items above ``untrusted`` before the rest: what can stand on better ground does,
    and an untrusted item is never evidence beside a trusted one. Fails closed.

    Args:
        atom: the note.
        sources: what was shown, in that order.
        threshold: least support.
        idf: weights of stems.
        question: what the note came of.
        quotes: what the model quoted of sources, by their id; looked at for the sources that the note names.
    """
    if fault := fragment(atom.text):
        return Refusal(status="unsupported", reason=f"not self-contained: {fault}")
    asked = _Asked(threshold=threshold, idf=idf, question=question)
    claimed = [sources[number - 1] for number in atom.item_numbers if 1 <= number <= len(sources)]
    named = {source.id for source in claimed}
    told = {source_id: tuple(said) for source_id, said in (quotes or {}).items() if source_id in named}
    verdicts = [(source, _verdict(atom.text, source, asked, told.get(source.id, ()))) for source in sources]
    carried = [(source, verdict) for source, verdict in verdicts if verdict.ok]
    if carried:
        trusted = [pair for pair in carried if pair[0].trust != "untrusted"]
        carried = trusted or carried
        carried.sort(key=lambda pair: (pair[0].kind == "thought", pair[0] not in claimed, -pair[1].score))
        on_thoughts = carried[0][0].kind == "thought"
        chosen = [pair for pair in carried if (pair[0].kind == "thought") == on_thoughts][:_MOST_EVIDENCE]
    else:
        chosen = _together(atom.text, claimed, asked)
        if len({source.trust == "untrusted" for source, _ in chosen}) > 1:  # both are needed, and may not be mixed
            return Refusal(status="unsupported", reason="only untrusted text carries the rest of it")
    if not chosen:
        nearest = max((verdict for _, verdict in verdicts), key=lambda verdict: verdict.score, default=None)
        reason = nearest.reason if nearest else "nothing was shown"
        return Refusal(status="unsupported", reason=reason, score=nearest.score if nearest else 0.0)
    return _steered(atom.text, chosen) or _grounded(atom.text, chosen)


def _steered(claim: str, chosen: Sequence[tuple[Source, SupportVerdict]]) -> Refusal | None:
    """Quarantine what rests on untrusted text alone that tries to steer."""
    grounds = [source for source, _ in chosen if source.trust == "untrusted"]
    if len(grounds) < len(chosen) or not grounds:
        return None
    for text in (claim, *(source.text for source in grounds)):
        if tries := steers(text):
            return Refusal(status="quarantined", reason=f"it rests on untrusted text that tries to steer: {tries}")
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What the looks at all sources of one note have in common."""

    threshold: float
    idf: Callable[[str], float] | None
    question: str


def _verdict(claim: str, source: Source, asked: _Asked, quotes: Sequence[str]) -> SupportVerdict:
    """Return whether a source carries a claim: by the first of the quotes that does, else by any span."""

    def look(quote: str | None) -> SupportVerdict:
        return supports(
            claim,
            source.text,
            quote=quote,
            threshold=asked.threshold,
            idf=asked.idf,
            question=asked.question,
            title=source.title,
        )

    return next((found for quote in quotes if (found := look(quote)).ok), None) or look(None)


def _together(claim: str, claimed: Sequence[Source], asked: _Asked) -> list[tuple[Source, SupportVerdict]]:
    """Return the first two claimed items if their best spans carry the claim together though neither does alone."""
    if len(claimed) < 2:
        return []
    pair = claimed[:2]
    spans = [best_span(claim, source.text, asked.idf, title=source.title) for source in pair]
    quotes = [source.text[span.start : span.end] for source, span in zip(pair, spans, strict=True)]
    joint = supports(
        claim,
        one_sentence(quotes),
        threshold=asked.threshold,
        idf=asked.idf,
        question=asked.question,
        title="; ".join(source.title for source in pair),
    )
    if not joint.ok:
        return []
    return [
        (
            source,
            SupportVerdict(
                ok=True, start=span.start, end=span.end, quote=quote, score=span.score, reason="with another item"
            ),
        )
        for source, span, quote in zip(pair, spans, quotes, strict=True)
    ]


def one_sentence(texts: Sequence[str]) -> str:
    """Return texts joined as one sentence: what is looked for in a sentence may then stand in any of them."""
    return "; ".join(text.rstrip().rstrip(".!?。！？") for text in texts) + "."


def _grounded(text: str, chosen: Sequence[tuple[Source, SupportVerdict]]) -> Grounded:
    roots = sorted({(root.kind, root.id) for source, _ in chosen for root in source.roots})
    return Grounded(
        text=text,
        evidence=tuple(
            Evidence(
                item_kind=source.kind,
                item_id=source.id,
                start=verdict.start,
                end=verdict.end,
                quote=verdict.quote,
                score=verdict.score,
            )
            for source, verdict in chosen
        ),
        roots=tuple(Root(kind=kind, id=root_id) for kind, root_id in roots),
        level=level([source.level for source, _ in chosen]),
        trust=lowest([source.trust for source, _ in chosen]),
        score=max(verdict.score for _, verdict in chosen),
    )


def ground_in_all(text: str, sources: Sequence[Source]) -> Grounded | Refusal:
    """Return the text standing on everything that was shown, whatever it says: the paper's rule, but for quarantine."""
    if not sources:
        return Refusal(status="unsupported", reason="nothing was shown")
    for shown in (source for source in sources if source.trust == "untrusted"):
        if tries := steers(text) or steers(shown.text):
            return Refusal(status="quarantined", reason=f"untrusted text that tries to steer was shown: {tries}")
    whole = [
        (source, SupportVerdict(ok=True, start=0, end=len(source.text), quote=source.text, score=0.0, reason="shown"))
        for source in sources
    ]
    return _grounded(text, whole)


def compare(text: str, neighbours: Sequence[Neighbour], *, related: float, judge: Judge | None) -> Comparison:
    """Return how a claim stands to the thoughts whose cosine to it is at least ``related``, nearest first.

    The nearest thought with the same claim is its twin; one that says otherwise is a conflict; undecided is related.
    An equal text is a twin whatever its cosine.
    """
    conflicts: list[Thought] = []
    undecided: list[Thought] = []
    reasons: list[str] = []
    for near in sorted(neighbours, key=lambda neighbour: -neighbour.cosine):
        if normalise(near.thought.text) == normalise(text):
            return Comparison(twin=near.thought, reason="the same words")
        if near.cosine < related:
            continue
        guarded = guard(text, near.thought.text)
        asks = guarded.verdict == "undecided" and guarded.open
        word = judge.same_claim(text, near.thought.text) if judge and asks else None
        claim = decide(guarded, word)
        if claim == "same":
            return Comparison(twin=near.thought, reason=guarded.reason or "the judge says it is the same claim")
        (conflicts if claim == "different" else undecided).append(near.thought)
        if claim == "different":
            reasons.append(guarded.reason)
    return Comparison(conflicts=tuple(conflicts), related=tuple(undecided), reason="; ".join(filter(None, reasons)))
