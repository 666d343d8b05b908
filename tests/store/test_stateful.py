"""Whatever is done to the embedded store, in whatever order, it looks like the one in memory, also after reopening."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from thinkback.errors import InvalidInput, NotFound
from thinkback.ports import HistoryEvent, Reader, Store, Writer
from thinkback.store.memory import MemoryStore
from thinkback.store.sqlite import SqliteStore, Tuning
from thinkback.types import (
    Chunk,
    Derivation,
    Document,
    Evidence,
    Filter,
    Link,
    Root,
    StoredAnswer,
    Testimony,
    Thought,
    Usage,
)

D = 6
SMALL = Tuning(
    exact_rows=2, postings=2, least_shortlist=99, scored_whole=2, full_segment=4, small_segment=2, least_recall=0.0
)

namespaces = st.sampled_from(["a", "b"])
documents = st.sampled_from(["d0", "d1", "d2"])
thoughts = st.sampled_from(["t0", "t1", "t2"])
items = st.sampled_from(["d0-x", "d0-y", "d1-x", "d1-z", "t0", "t1", "y0"])
derivation_ids = st.sampled_from(["v0", "v1", "v2"])
testimonies = st.sampled_from(["y0", "y1"])
trusts = st.sampled_from(["untrusted", "normal", "trusted"])
statuses = st.sampled_from(["active", "active", "stale", "superseded", "retracted"])
times = st.integers(0, 5).map(float)
words = st.sampled_from(["cat sat", "dog 混合检索", "cat cat bird", "running fish", "the dog", "tree"])
"""A text of an id is one of these: a chunk's follows from its id, since an id means one text for good."""
metadata = st.dictionaries(
    st.sampled_from(["k", '$."x"', "a') OR 1=1--"]), st.sampled_from([1, "1", True, 1.5]), max_size=2
)
directions = st.integers(0, 11)


def vector(direction: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return one of a few unit vectors that float16 holds exactly, some of them equal to none of the axes."""
    made = np.zeros(D, np.float32)
    made[direction % D] = 1 if direction < D else 0.5
    if direction >= D:
        made[(direction + 1) % D] = -0.5
    return made


def outcome(store: Store, act: Any) -> Any:
    """Return what a transaction came to: its value, or the class of its error."""
    try:
        with store.write() as writer:
            return act(writer)
    except (InvalidInput, NotFound) as error:
        return type(error)


FILTERS = [
    None,
    Filter(document_ids=("d0", "d2")),
    Filter(metadata={"k": 1}),
    Filter(min_trust="normal"),
    Filter(metadata={'$."x"': "1"}, min_trust="trusted"),
]
QUESTIONS = ["cat", "dog tree", "running 混合检索 the", "nothing here"]


def seen(reader: Reader) -> dict[str, Any]:
    """Return all that can be observed, row numbers aside: they are each store's own."""
    found: dict[str, Any] = {"namespaces": reader.namespaces(), "usage": reader.usage(None), "set": reader.setting("s")}
    for name in ("a", "b"):
        ids = [f"{d}-{c}" for d in ("d0", "d1", "d2") for c in "xyz"] + ["t0", "t1", "t2", "y0"]
        found[name] = {
            "revision": reader.revision(name),
            "counts": reader.counts(name),
            "documents": [reader.documents(name, where) for where in FILTERS],
            "texts": [reader.document_text(name, d) for d in ("d0", "d1", "d2")],
            "chunks": [reader.chunks(name, d) for d in ("d0", "d1", "d2")],
            "items": reader.items(name, ids),
            "indexed": (reader.rows(name, ids) >= 0).tolist(),
            "vectors": reader.vectors(name, ids).tolist(),
            "thoughts": reader.thoughts(name, ("active", "stale", "superseded", "retracted")),
            "same": [[t.id for t in reader.thoughts_by_text(name, text)] for text in ("cat sat", "TREE", "the  dog")],
            "derivations": reader.derivations(name, ["t0", "t1", "t2"]),
            "on": [reader.thoughts_on(name, [item]) for item in ids],
            "live": reader.live_roots(name, ids),
            "links": reader.links(name),
            "linked": reader.links(name, ["t1"]),
            "testimonies": reader.testimonies(name, ["y0", "y1"]),
            "answers": reader.answers(name),
            "history": reader.history(name),
            "usage": (reader.usage(name), reader.usage(name, 3.0)),
            "outcomes": reader.outcomes(name),
            "search": searched(reader, name),
        }
    return found


def searched(reader: Reader, name: str) -> list[Any]:
    found: list[Any] = []
    for kind in ("chunk", "thought"):
        for where in FILTERS:
            direction = vector(3 if where is None else 8)
            dense = reader.search_dense(name, direction, 4, kind=kind, where=where)
            found.append(([item.id for item in reader.items_at(name, dense.rows)], dense.scores.tolist()))
            assert reader.cosines(name, dense.rows, direction).tolist() == dense.scores.tolist()
            for pair in reader.neighbours(name, dense.rows):
                beside = pair[pair >= 0]
                found.append(((pair >= 0).tolist(), [item.id for item in reader.items_at(name, beside)]))
            for question in QUESTIONS[:2] if where else QUESTIONS:
                words = reader.search_words(name, question, 4, kind=kind, where=where)
                telling = words.scores > 1e-4  # words of half of all rows weigh nothing, and may be left out
                ids = [item.id for item in reader.items_at(name, words.rows[telling])]
                found.append((ids, Near(words.scores[telling].tolist())))
    return found


class Near(list[float]):
    """BM25 of both stores: sums of the same numbers in another order, so equal but for the last digits."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and list(self) == pytest.approx(list(other), rel=1e-4)

    __hash__ = None


class Stores(RuleBasedStateMachine):
    """The same acts on both stores."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.memory = MemoryStore(embedder_id="e", dimension=D)
        self.file = self.opened()

    def opened(self) -> SqliteStore:
        return SqliteStore.open(self.folder / "s.sqlite", embedder_id="e", dimension=D, tuning=SMALL)

    def teardown(self) -> None:
        self.file.close()
        shutil.rmtree(self.folder)

    def both(self, act: Any) -> None:
        assert outcome(self.file, act) == outcome(self.memory, act)

    @rule(
        namespace=namespaces,
        name=documents,
        parts=st.permutations(["x", "y", "z"]).flatmap(lambda p: st.integers(0, 3).map(lambda n: p[:n])),
        directions=st.tuples(directions, directions, directions),
        metadata=metadata,
        trust=trusts,
        at=times,
    )
    def put_document(self, namespace, name, parts, directions, metadata, trust, at) -> None:
        texts = {"x": "cat sat", "y": "dog 混合检索 running", "z": "cat cat tree bird"}
        made = [
            Chunk(
                id=f"{name}-{part}",
                namespace=namespace,
                document_id=name,
                ordinal=ordinal,
                start=ordinal,
                end=ordinal + 1,
                text=texts[part],
                content_hash=part,
            )
            for ordinal, part in enumerate(parts)
        ]
        document = Document(
            id=name,
            namespace=namespace,
            uri=f"/{name}",
            title=name,
            metadata=metadata,
            content_hash="".join(parts),
            trust=trust,
            created_at=at,
            updated_at=at,
        )
        vectors = np.stack([vector(d) for d in directions])[: len(made)]
        self.both(lambda w: w.put_document(document, " ".join(parts), made, vectors))

    @rule(namespace=namespaces, name=documents, trust=trusts, metadata=metadata)
    def set_document(self, namespace, name, trust, metadata) -> None:
        changed = Document(
            id=name,
            namespace=namespace,
            uri="/set",
            title="set",
            metadata=metadata,
            content_hash="",
            trust=trust,
            created_at=0.0,
            updated_at=9.0,
        )
        self.both(lambda w: w.set_document(changed))

    @rule(namespace=namespaces, names=st.lists(documents, max_size=2))
    def delete_documents(self, namespace, names) -> None:
        self.both(lambda w: w.delete_documents(namespace, names))

    @rule(
        namespace=namespaces,
        name=thoughts,
        text=words,
        status=statuses,
        direction=st.none() | directions,
        found=st.lists(st.tuples(derivation_ids, st.lists(items, max_size=2, unique=True), times), max_size=2),
    )
    def put_thought(self, namespace, name, text, status, direction, found) -> None:
        thought = Thought(id=name, namespace=namespace, text=text, level=2.0, status=status, created_at=1.0)
        derivations = [
            Derivation(
                id=number,
                thought_id=name,
                question="q",
                answer="a",
                confidence=1.0,
                model="m",
                prompt_hash="p",
                created_at=at,
                level=2.0,
                evidence=tuple(
                    Evidence(item_kind="chunk", item_id=i, start=0, end=1, quote="c", score=1.0) for i in roots
                ),
                roots=tuple(Root(kind="testimony" if i.startswith("y") else "chunk", id=i) for i in roots),
                shown=tuple(roots[:1]),
            )
            for number, roots, at in dict.fromkeys((n, tuple(r), t) for n, r, t in found)
        ]
        held = None if direction is None else vector(direction)
        self.both(lambda w: w.put_thought(thought, held, derivations))

    @rule(namespace=namespaces, names=st.lists(thoughts, max_size=2))
    def delete_thoughts(self, namespace, names) -> None:
        self.both(lambda w: w.delete_thoughts(namespace, names))

    @rule(namespace=namespaces, names=st.lists(derivation_ids, max_size=2), roots=st.lists(items, max_size=2))
    def drop_derivations(self, namespace, names, roots) -> None:
        self.both(lambda w: w.redact_derivations(namespace, roots))
        self.both(lambda w: w.delete_derivations(namespace, names))

    @rule(namespace=namespaces, names=st.lists(thoughts, max_size=3), at=times)
    def touch(self, namespace, names, at) -> None:
        self.both(lambda w: w.touch(namespace, names, at))

    @rule(
        namespace=namespaces,
        left=thoughts,
        right=thoughts,
        kind=st.sampled_from(["conflict", "related", "superseded_by"]),
        at=times,
    )
    def put_link(self, namespace, left, right, kind, at) -> None:
        self.both(lambda w: w.put_link(namespace, Link(left=left, right=right, kind=kind, created_at=at)))

    @rule(namespace=namespaces, name=testimonies, trust=trusts, delete=st.booleans())
    def testimony(self, namespace, name, trust, delete) -> None:
        said = Testimony(
            id=name, namespace=namespace, source="s", question="q", answer="a", trust=trust, created_at=1.0
        )
        self.both(lambda w: w.delete_testimonies(namespace, [name]) if delete else w.put_testimony(said))

    @rule(namespace=namespaces, key=st.sampled_from(["k", "l"]), shown=st.lists(items, max_size=2), at=times)
    def put_answer(self, namespace, key, shown, at) -> None:
        kept = StoredAnswer(
            key=key,
            evidence_hash="e",
            question="q",
            text="t",
            found=True,
            item_ids=tuple(shown),
            roots=tuple(Root(kind="chunk", id=i) for i in shown[:1]),
            citations=(),
            model="m",
            created_at=at,
        )
        self.both(lambda w: w.put_answer(namespace, kept))

    @rule(namespace=namespaces, shown=st.lists(items, max_size=2))
    def delete_answers(self, namespace, shown) -> None:
        self.both(lambda w: w.delete_answers_on(namespace, shown))

    @rule(namespace=namespaces, item=items, at=times)
    def numbers(self, namespace, item, at) -> None:
        def act(writer: Writer) -> None:
            writer.add_history([HistoryEvent(namespace=namespace, item_id=item, event="x", at=at, detail={"n": 1})])
            writer.add_usage(namespace, Usage(calls=1, prompt_tokens=2, seconds={"s": 0.5}), at, "answer")
            writer.add_outcomes(namespace, ["stored", "linked"])
            writer.put_setting("s", item)

        self.both(act)

    @rule(namespace=namespaces)
    def delete_namespace(self, namespace) -> None:
        self.both(lambda w: w.delete_namespace(namespace))

    @rule(
        namespace=namespaces,
        names=st.lists(items, unique=True),
        directions=st.lists(directions, min_size=7, max_size=7),
    )
    def reindex(self, namespace, names, directions) -> None:
        vectors = np.stack([vector(d) for d in directions])[: len(names)]
        for store in (self.file, self.memory):
            store.put_vectors(namespace, names, vectors)

    @rule()
    def fail(self) -> None:
        """A transaction that fails leaves no trace, whatever came before in it."""

        def act(writer: Writer) -> None:
            writer.delete_namespace("a")
            writer.delete_documents("b", ["d0", "d1"])
            writer.put_thought(Thought(id="t9", namespace="b", text="gone", level=1.0, created_at=1.0), vector(0))
            writer.search_dense("b", vector(0), 3, kind="thought")
            writer.rename_document("b", "none", uri="", title="")

        self.both(act)

    @rule()
    def reopen(self) -> None:
        self.file.close()
        self.file = self.opened()

    @rule()
    def purge(self) -> None:
        assert self.file.purge().status == "purged"

    @invariant()
    def alike(self) -> None:
        with self.file.read() as left, self.memory.read() as right:
            assert seen(left) == seen(right)
        assert self.file.check() == self.memory.check() == ()


Stores.TestCase.settings = settings(
    max_examples=20, stateful_step_count=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestStores = Stores.TestCase


def test_records_are_frozen() -> None:
    """Equality above would mean little if one store could change what the other holds."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        Link(left="a", right="b", kind="related", created_at=1.0).left = "c"
