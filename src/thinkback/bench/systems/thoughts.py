"""Thought-Retriever on the bench: the product's own store, loop and retrieval, under the bench's chunks and prompts.

What is asked before (``pre_queries``) goes through the product's ``ask``, so that thoughts are born, refused and joined as
users' are. What is asked at the end is retrieved and packed by the product, and written with the prompt of all systems.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.kit import Kit
from thinkback.bench.ports import Allowance, Output, Query, Shown
from thinkback.bench.records import Note, Task
from thinkback.config import Preset, load_preset, load_settings
from thinkback.engine.face import Engine
from thinkback.engine.parts import Parts
from thinkback.errors import InvalidInput
from thinkback.ids import content_hash, counting_ids, normalise
from thinkback.retrieve.candidates import Kind
from thinkback.retrieve.pack import pack
from thinkback.retrieve.search import search
from thinkback.types import Chunk, Derivation, Document, Evidence, Hit, Root, Thought
from thinkback.wiring import make_parts

__all__ = ["GivenThoughts", "Thoughts", "make_thoughts"]

_NAMESPACE = "bench"
_BOTH: frozenset[Kind] = frozenset({"chunk", "thought"})


def make_thoughts(kit: Kit, argument: str) -> Thoughts:
    """Return Thought-Retriever under a preset: "paper", "paper-code", "default" (also without an argument) or "fast".

    ``paper@1000`` gives the questions that are asked before a context of so many tokens instead of the preset's.

    Raises:
        InvalidInput: there is no such preset, or no such number.
    """
    name, _, tokens = argument.partition("@")
    if tokens and not tokens.isdecimal():
        raise InvalidInput(f"A context is a number of tokens, not {tokens!r}.")
    change = {"context_tokens": int(tokens), "context_tokens_small": int(tokens)} if tokens else {}
    return Thoughts(kit, preset=load_preset(name or "default", **change), name=f"thoughts:{argument or 'default'}")


class Thoughts:
    """Chunks and thoughts in a store of their own, which is deleted with the system.

    Args:
        kit: what all systems share.
        preset: how the loop runs; how much is shown at the end is the bench's to say, not the preset's.
        name: of the row; None: "thoughts:" and the preset's name.
        kinds: what may be shown at the end.
        highest: thoughts of a higher level are not shown; None: all are.
        remember_answers: also learn from what is asked at the end, so that later tasks of the corpus find it.
    """

    def __init__(
        self,
        kit: Kit,
        *,
        preset: Preset,
        name: str | None = None,
        kinds: frozenset[Kind] = _BOTH,
        highest: float | None = None,
        remember_answers: bool = False,
    ) -> None:
        self.name = name or f"thoughts:{preset.name}"
        self._kit = kit
        self._preset = preset
        self._kinds = kinds
        self._highest = highest
        self._remember = remember_answers
        self._stack = ExitStack()
        self._engine: Engine | None = None
        self._parts: Parts | None = None
        self._outcomes: Counter[str] = Counter()

    def reset(self) -> None:
        """Forget chunks and thoughts."""
        self.close()
        self._stack = ExitStack()
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="thinkback-bench-")))
        settings = load_settings()
        parts = make_parts(
            settings=settings, path=folder / "memory.sqlite", llm=self._kit.llm, embedder=self._kit.embedder,
            preset=self._preset, use_llm=self._kit.llm is not None,
        )  # fmt: skip
        ticks = iter(range(10**9))
        parts.fresh_id, parts.clock = (
            counting_ids(),
            lambda: float(next(ticks)),
        )  # so that a run comes out the same again
        self._parts = parts
        self._engine = Engine(parts, namespace=_NAMESPACE)
        self._stack.callback(parts.store.close)
        self._outcomes = Counter()

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:
        """Store the chunks as they are, then ask what is asked before.

        Raises:
            InvalidInput: questions to ask, and no model.
            ModelError
        """
        parts, engine = self._open()
        self._put_chunks(parts, chunked)
        if pre_queries and self._kit.llm is None:
            raise InvalidInput(f"{self.name} needs a model to ask its {len(pre_queries)} questions.")
        for question in pre_queries:
            answer = engine.ask(question)
            self._outcomes.update(outcome.status for outcome in answer.outcomes)

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Retrieve and pack as the product does, and write as all systems do.

        Raises:
            ModelError
        """
        parts, engine = self._open()
        parts.tune()
        shown, details = self._retrieve(parts, query, allowance)
        text = self._kit.write(query, shown, allowance)
        if self._remember and text:
            answer = engine.ask(query.text)
            self._outcomes.update(outcome.status for outcome in answer.outcomes)
        ranking = self._ranking(parts, query) if query.kind == "search" else ()
        return Output(text=text, shown=shown, ranking=ranking, details=details)

    def close(self) -> None:
        """Delete the store."""
        self._stack.close()
        self._engine = self._parts = None

    def _open(self) -> tuple[Parts, Engine]:
        if self._parts is None or self._engine is None:
            self.reset()
        assert self._parts is not None  # noqa: S101 - reset made both
        assert self._engine is not None  # noqa: S101
        return self._parts, self._engine

    def _put_chunks(self, parts: Parts, chunked: ChunkedCorpus) -> None:
        vectors = parts.embedder.embed([piece.text for piece in chunked.pieces], kind="document")
        places: dict[str, list[int]] = {}
        for place, piece in enumerate(chunked.pieces):
            places.setdefault(piece.document_id, []).append(place)
        at = parts.clock()
        with parts.store.write() as writer:
            for document in chunked.corpus.documents:
                own = places.get(document.id, [])
                chunks = [
                    Chunk(
                        id=piece.id, namespace=_NAMESPACE, document_id=document.id, ordinal=piece.ordinal,
                        start=piece.start, end=piece.end, text=piece.text, content_hash=content_hash(piece.text),
                    )
                    for piece in (chunked.pieces[place] for place in own)
                ]  # fmt: skip
                record = Document(
                    id=document.id, namespace=_NAMESPACE, uri=f"bench:{document.id}", title=document.title,
                    content_hash=content_hash(document.text), created_at=at, updated_at=at, chunk_count=len(chunks),
                )  # fmt: skip
                writer.put_document(record, document.text, chunks, vectors[own])

    def _retrieve(self, parts: Parts, query: Query, allowance: Allowance) -> tuple[tuple[Shown, ...], dict[str, float]]:
        preset = parts.preset.model_copy(update={"context_tokens": allowance.context_tokens})
        vector = parts.embed_query(query.text)
        with parts.store.read() as reader:
            found = search(reader, _NAMESPACE, question=query.text, vector=vector, preset=preset, kinds=self._kinds)
            ways = reader.derivations(_NAMESPACE, [hit.item.id for hit in found.hits if hit.kind == "thought"])
            hits = [hit for hit in found.hits if self._may_show(hit, ways.get(hit.item.id, ()), query)]
            stored = len(reader.thoughts(_NAMESPACE))
        roots = {key: frozenset(root.id for way in group for root in way.roots) for key, group in ways.items()}
        packed = pack(
            hits,
            budget=allowance.context_tokens,
            cost=lambda number, hit: self._kit.price(number, hit.item.text),
            top_k=preset.top_k,
            raw_share=preset.raw_share,
            roots=roots if preset.sources == "earned" else None,
        )
        shown = tuple(_shown(hit, ways) for hit in packed.hits)
        details = {"below_gate": found.below_gate, "overview": float(found.door == "overview"), "thoughts": stored}
        return shown, {**details, **{f"outcome_{name}": count for name, count in sorted(self._outcomes.items())}}

    def _may_show(self, hit: Hit, ways: Sequence[Derivation], query: Query) -> bool:  # noqa: ARG002 - for subclasses
        """Return whether a hit may be shown for a query."""
        return self._highest is None or _level(hit) <= self._highest

    def _ranking(self, parts: Parts, query: Query) -> tuple[tuple[str, float], ...]:
        with parts.store.read() as reader:
            found = search(
                reader, _NAMESPACE, question=query.text, vector=parts.embed_query(query.text),
                preset=parts.preset.model_copy(update={"depth": 1000}), kinds=frozenset({"chunk"}), limit=1000,
            )  # fmt: skip
        return tuple((hit.item.id, hit.score) for hit in found.hits)


class GivenThoughts(Thoughts):
    """Chunks, and notes that were made elsewhere as thoughts: no model is asked.

    Args:
        kit: what all systems share.
        preset: how retrieval works.
        name: of the row.
        note_kinds: which of a corpus's own notes become thoughts; empty: none of them.
        notes: corpus id to further notes.
        leave_own_out: a note that answers the very question that is asked is not shown (leave one out).
        leave_same_answers_out: nor is a note whose ``answer`` is one of the task's references: what is left helps by
            more than repeating an answer. Needs ``reveal``, so that the system sees the references, for this alone.
    """

    def __init__(
        self,
        kit: Kit,
        *,
        preset: Preset,
        name: str,
        note_kinds: Sequence[str] = (),
        notes: Mapping[str, Sequence[Note]] | None = None,
        kinds: frozenset[Kind] = _BOTH,
        leave_own_out: bool = False,
        leave_same_answers_out: bool = False,
    ) -> None:
        super().__init__(kit, preset=preset, name=name, kinds=kinds)
        self._leave_own_out = leave_own_out
        self._leave_same_answers_out = leave_same_answers_out
        self._answers: frozenset[str] = frozenset()
        self._note_kinds = frozenset(note_kinds)
        self._notes = notes or {}

    def reveal(self, task: Task) -> None:
        """Take the answers that a note must not repeat."""
        self._answers = (
            frozenset(normalise(each) for each in task.references) if self._leave_same_answers_out else frozenset()
        )

    def _may_show(self, hit: Hit, ways: Sequence[Derivation], query: Query) -> bool:
        if not super()._may_show(hit, ways, query):
            return False
        if self._leave_own_out and any(way.question == query.text for way in ways):
            return False
        return not any(normalise(way.answer) in self._answers for way in ways)

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:  # noqa: ARG002 - asks nothing
        """Store the chunks, and each note as a thought rooted in the chunks that its sources lie in.

        A note whose sources lie in no chunk is left out and counted in ``details["rootless"]``.
        """
        parts, _ = self._open()
        self._put_chunks(parts, chunked)
        own = [note for note in chunked.corpus.notes if note.kind in self._note_kinds]
        notes = [*own, *self._notes.get(chunked.corpus.id, ())]
        rooted = [(note, sorted(chunked.gold(note.sources))) for note in notes]
        self._outcomes["rootless"] += sum(not roots for _, roots in rooted)
        rooted = [(note, roots) for note, roots in rooted if roots]
        if not rooted:
            return
        vectors = parts.embedder.embed([note.text for note, _ in rooted], kind="document")
        with parts.store.write() as writer:
            for (note, roots), vector in zip(rooted, vectors, strict=True):
                thought = Thought(
                    id=parts.fresh_id("tht"), namespace=_NAMESPACE, text=note.text, level=2.0, created_at=parts.clock()
                )
                writer.put_thought(thought, vector, [_derivation(parts, thought, note, roots, chunked)])


def _derivation(parts: Parts, thought: Thought, note: Note, roots: Sequence[str], chunked: ChunkedCorpus) -> Derivation:
    texts = [chunked.by_id[root].text for root in roots]
    return Derivation(
        id=parts.fresh_id("drv"), thought_id=thought.id, question=note.question, answer=note.answer or note.text, confidence=1.0,
        model=note.kind, prompt_hash="", created_at=thought.created_at, level=2.0,
        evidence=tuple(
            Evidence(item_kind="chunk", item_id=root, start=0, end=len(text), quote=text, score=1.0)
            for root, text in zip(roots, texts, strict=True)
        ),
        roots=tuple(Root(kind="chunk", id=root) for root in roots),
    )  # fmt: skip


def _level(hit: Hit) -> float:
    return hit.item.level if isinstance(hit.item, Thought) else 1.0


def _shown(hit: Hit, ways: Mapping[str, Sequence[Derivation]]) -> Shown:
    if not isinstance(hit.item, Thought):
        return Shown(kind="chunk", id=hit.item.id, text=hit.item.text, roots=(hit.item.id,), score=hit.score)
    own = ways.get(hit.item.id, ())
    roots = sorted({root.id for way in own for root in way.roots})
    questions = tuple(dict.fromkeys(way.question for way in own if way.question))
    return Shown(
        kind="thought", id=hit.item.id, text=hit.item.text, roots=tuple(roots), level=hit.item.level,
        score=hit.score, questions=questions, answers=tuple(dict.fromkeys(way.answer for way in own if way.question)),
    )  # fmt: skip
