"""What every store must do, run over the one in memory and the one in a file."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thinkback.errors import InvalidInput, NotFound, StoreBusy, StoreClosed
from thinkback.ports import HistoryEvent, Reader, Store, Writer
from thinkback.store.memory import MemoryStore
from thinkback.store.sqlite import SqliteStore, Tuning
from thinkback.types import (
    Chunk,
    Citation,
    Derivation,
    Document,
    Evidence,
    Filter,
    FloatMatrix,
    Link,
    Root,
    StoredAnswer,
    Testimony,
    Thought,
    Usage,
)

D = 8

LARGE = Tuning(
    exact_rows=0, postings=1, least_shortlist=999, scored_whole=0, full_segment=4, small_segment=2, least_recall=0.0
)
"""Few rows go the ways of many: codes choose candidates, rare words choose rows, segments are joined."""


@pytest.fixture(params=["memory", "sqlite", "sqlite, as if large"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store
    if request.param == "memory":
        made = MemoryStore(embedder_id="e", dimension=D)
    else:
        tuning = LARGE if "large" in request.param else Tuning()
        made = SqliteStore.open(tmp_path / "store.sqlite", embedder_id="e", dimension=D, tuning=tuning)
    yield made
    made.close()


def axis(*places: int) -> FloatMatrix:
    """Return unit vectors along axes."""
    return np.eye(D, dtype=np.float32)[list(places)]


def document(name: str = "d", namespace: str = "n", **fields: object) -> Document:
    given = {
        "uri": f"/{name}",
        "title": name.upper(),
        "content_hash": f"hash {name}",
        "created_at": 1.0,
        "updated_at": 1.0,
    }
    return Document(id=name, namespace=namespace, **{**given, **fields})


def chunks(
    texts: Sequence[str], name: str = "d", namespace: str = "n", ids: Sequence[str] | None = None
) -> list[Chunk]:
    made, start = [], 0
    for ordinal, text in enumerate(texts):
        made.append(
            Chunk(
                id=ids[ordinal] if ids else f"{name}{ordinal}",
                namespace=namespace,
                document_id=name,
                ordinal=ordinal,
                start=start,
                end=start + len(text),
                page=ordinal + 1,
                text=text,
                content_hash=f"hash {text}",
            )
        )
        start += len(text) + 1
    return made


def put(
    store: Store,
    texts: Sequence[str],
    name: str = "d",
    namespace: str = "n",
    axes: Sequence[int] = (),
    **fields: object,
) -> None:
    with store.write() as writer:
        vectors = axis(*(axes or range(len(texts))))
        writer.put_document(
            document(name, namespace, **fields), " ".join(texts), chunks(texts, name, namespace), vectors
        )


def thought(name: str = "t", namespace: str = "n", **fields: object) -> Thought:
    return Thought(
        id=name, namespace=namespace, **{"text": f"thought {name}", "level": 2.0, "created_at": 2.0, **fields}
    )


def derivation(name: str, of: str, roots: Sequence[str], **fields: object) -> Derivation:
    given = {
        "question": "why?",
        "answer": "because",
        "confidence": 0.9,
        "model": "m",
        "prompt_hash": "p",
        "created_at": 3.0,
        "level": 2.0,
        "evidence": tuple(
            Evidence(item_kind="chunk", item_id=i, start=0, end=3, quote="one", score=0.5) for i in roots
        ),
        "roots": tuple(Root(kind="testimony" if i.startswith("y") else "chunk", id=i) for i in roots),
        "shown": tuple(roots),
    }
    return Derivation(id=name, thought_id=of, **{**given, **fields})


def put_thought(store: Store, name: str, roots: Sequence[str] = (), axes: int = 7, **fields: object) -> None:
    with store.write() as writer:
        found = (derivation(f"v{name}", name, roots),) if roots else ()
        writer.put_thought(thought(name, **fields), axis(axes)[0], found)


def found_by_words(
    reader: Reader, text: str, kind: str = "chunk", namespace: str = "n", where: Filter | None = None
) -> list[str]:
    ranking = reader.search_words(namespace, text, 10, kind=kind, where=where)
    return [item.id for item in reader.items_at(namespace, ranking.rows)]


def found_by_vector(
    reader: Reader, place: int, kind: str = "chunk", namespace: str = "n", where: Filter | None = None, k: int = 10
) -> list[str]:
    ranking = reader.search_dense(namespace, axis(place)[0], k, kind=kind, where=where)
    return [item.id for item in reader.items_at(namespace, ranking.rows)]


# --- documents ---------------------------------------------------------------------------------------------------------


def test_an_empty_store_answers_everything(store: Store) -> None:
    with store.read() as reader:
        assert reader.namespaces() == ()
        assert reader.revision("n") == 0
        assert set(reader.counts("n").values()) == {0}
        assert reader.documents("n") == reader.documents("n", Filter(document_ids=("d",))) == ()
        assert reader.document("n", "d") is reader.document_text("n", "d") is reader.document_by_uri("n", "/d") is None
        assert reader.documents_by_hash("n", "h") == reader.chunks("n", "d") == reader.items("n", ["d0"]) == ()
        assert reader.testimonies("n", ["y"]) == reader.thoughts("n") == reader.thoughts_by_text("n", "x") == ()
        assert reader.derivations("n", ["t"]) == {}
        assert reader.thoughts_on("n", ["d0"]) == reader.links("n") == reader.links("n", ["t"]) == ()
        assert reader.live_roots("n", ["d0"]) == frozenset()
        assert len(reader.search_dense("n", axis(0)[0], 5, kind="chunk").rows) == 0
        assert len(reader.search_words("n", "word", 5, kind="thought").rows) == 0
        assert reader.rows("n", ["d0"]).tolist() == [-1]
        assert not reader.vectors("n", ["d0"]).any()
        none = np.zeros(0, np.int64)
        assert reader.items_at("n", none) == ()
        assert reader.cosines("n", none, axis(0)[0]).shape == (0,)
        assert reader.neighbours("n", none).shape == (0, 2)
        assert reader.answer("n", "k") is reader.setting("s") is None
        assert reader.answers("n") == reader.history("n") == reader.history("n", "d") == ()
        assert reader.usage("n") == reader.usage(None, 5.0) == Usage()
        assert reader.outcomes("n") == {}
    assert store.check() == ()


def test_a_document_comes_back_as_it_was_put(store: Store) -> None:
    put(store, ["one fish", "two fish"], metadata={"year": 2024, "open": True, "note": "a\"b'"}, trust="trusted")
    with store.read() as reader:
        held = reader.document("n", "d")
        assert held == replace(
            document(metadata={"year": 2024, "open": True, "note": "a\"b'"}, trust="trusted"), chunk_count=2
        )
        assert reader.document_text("n", "d") == "one fish two fish"
        expected = tuple(replace(chunk, trust="trusted") for chunk in chunks(["one fish", "two fish"]))
        assert reader.chunks("n", "d") == reader.items("n", ["d0", "d1"]) == expected
        assert reader.document_by_uri("n", "/d") == held
        assert reader.documents_by_hash("n", "hash d") == reader.documents("n") == (held,)
        assert reader.counts("n")["documents"] == 1
        assert reader.namespaces() == ("n",)


def test_documents_come_oldest_first(store: Store) -> None:
    for name, at in (("b", 2.0), ("c", 1.0), ("a", 2.0)):
        put(store, ["x"], name, created_at=at)
    with store.read() as reader:
        assert [held.id for held in reader.documents("n")] == ["c", "a", "b"]


def test_a_new_version_keeps_rows_of_chunks_that_stay(store: Store) -> None:
    put(store, ["alpha", "beta", "gamma"])
    with store.read() as reader:
        before = reader.rows("n", ["d0", "d1", "d2"])
    with store.write() as writer:
        new = chunks(["zeta", "beta", "gamma", "delta"], ids=["new", "d1", "d2", "last"])
        vectors = np.stack([axis(4)[0], np.full(D, 9, np.float32), axis(2)[0], axis(5)[0]])  # row 1 is not read
        writer.put_document(document(version=2), "zeta beta gamma delta", new, vectors)
    with store.read() as reader:
        after = reader.rows("n", ["new", "d1", "d2", "last", "d0"])
        assert after[1:3].tolist() == before[1:].tolist()
        assert after[4] == -1
        assert min(after[0], after[3]) > before.max()
        assert reader.vectors("n", ["d1"]).tolist() == axis(1).tolist()
        assert [c.id for c in reader.chunks("n", "d")] == ["new", "d1", "d2", "last"]
        assert found_by_words(reader, "alpha") == []
        assert found_by_words(reader, "zeta") == ["new"]
        assert reader.neighbours("n", after[:4]).tolist() == [
            [-1, after[1]],
            [after[0], after[2]],
            [after[1], after[3]],
            [after[2], -1],
        ]
        assert reader.document("n", "d").version == 2
    assert store.check() == ()


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (lambda: chunks(["a", "b"])[1:], "ordinal"),
        (lambda: chunks(["a"], namespace="other"), "belong"),
        (lambda: chunks(["a"], name="other"), "belong"),
        (lambda: chunks(["a", "b"], ids=["same", "same"]), "same id"),
        (lambda: chunks(["a\ud800"]), "surrogate"),
        (lambda: chunks(["a"], ids=["a\0b"]), "id"),
        (lambda: chunks(["a"], ids=[""]), "id"),
    ],
)
def test_chunks_that_cannot_be_are_refused(store: Store, bad: Callable[[], list[Chunk]], why: str) -> None:
    made = bad()
    with pytest.raises(InvalidInput, match=why), store.write() as writer:
        writer.put_document(document(), "text", made, axis(*range(len(made))))
    with store.read() as reader:
        assert reader.namespaces() == ()


@pytest.mark.parametrize("vectors", [axis(0, 1), np.eye(3, dtype=np.float32)[:1], np.full((1, D), np.nan, np.float32)])
def test_vectors_that_do_not_fit_are_refused(store: Store, vectors: FloatMatrix) -> None:
    with pytest.raises(InvalidInput), store.write() as writer:
        writer.put_document(document(), "text", chunks(["text"]), vectors)


def test_a_chunk_id_means_one_text_for_good(store: Store) -> None:
    put(store, ["one"])
    for name, texts in (("d", ["other"]), ("e", ["one"])):
        with pytest.raises(InvalidInput, match="exists already"), store.write() as writer:
            writer.put_document(document(name), "text", chunks(texts, name, ids=["d0"]), axis(0))


def test_renaming_and_relabelling_touch_no_row(store: Store) -> None:
    put(store, ["one", "two"])
    with store.write() as writer:
        rows = writer.rows("n", ["d0", "d1"]).tolist()
        writer.rename_document("n", "d", uri="/moved", title="Moved")
        changed = document(
            uri="/again", title="Again", metadata={"k": "v"}, trust="untrusted", updated_at=9.0, version=7
        )
        writer.set_document(replace(changed, content_hash="other", chunk_count=5))
    with store.read() as reader:
        held = reader.document("n", "d")
        assert held == replace(changed, chunk_count=2, version=1, content_hash="hash d")
        assert {chunk.trust for chunk in reader.chunks("n", "d")} == {"untrusted"}
        assert reader.rows("n", ["d0", "d1"]).tolist() == rows
        assert reader.documents("n", Filter(metadata={"k": "v"})) == (held,)
    for act in (
        lambda w: w.rename_document("n", "none", uri="u", title="t"),
        lambda w: w.set_document(document("none")),
        lambda w: w.rename_document("empty", "d", uri="u", title="t"),
    ):
        with pytest.raises(NotFound), store.write() as writer:
            act(writer)


def test_deleting_a_document_leaves_nothing_findable(store: Store) -> None:
    put(store, ["unique words", "more"], "d")
    put(store, ["other words"], "e", axes=[3])
    with store.write() as writer:
        writer.delete_documents("n", ["d", "none", "d"])
        writer.delete_documents("empty", ["d"])
    with store.read() as reader:
        assert reader.document("n", "d") is reader.document_text("n", "d") is None
        assert reader.items("n", ["d0", "e0"]) == reader.chunks("n", "e")
        assert found_by_words(reader, "unique words") == ["e0"]
        assert found_by_vector(reader, 0) == ["e0"]
    assert store.check() == ()


def test_a_row_number_is_never_used_again(store: Store) -> None:
    put(store, ["one"], "a")
    with store.read() as reader:
        old = int(reader.rows("n", ["a0"])[0])
    with store.write() as writer:
        writer.delete_documents("n", ["a"])
    put(store, ["two"], "b")
    with store.read() as reader:
        assert int(reader.rows("n", ["b0"])[0]) > old


# --- namespaces --------------------------------------------------------------------------------------------------------


def test_the_same_ids_in_two_namespaces_do_not_meet(store: Store) -> None:
    put(store, ["red apple"], namespace="n")
    put(store, ["green pear"], namespace="m", axes=[1])
    with store.read() as reader:
        assert reader.namespaces() == ("m", "n")
        assert [c.text for c in reader.items("m", ["d0"])] == ["green pear"]
        assert found_by_words(reader, "apple", namespace="m") == []
        row_of_n = reader.rows("n", ["d0"])
        for ask in (
            lambda: reader.items_at("m", row_of_n),
            lambda: reader.cosines("m", row_of_n, axis(0)[0]),
            lambda: reader.neighbours("m", row_of_n),
        ):
            with pytest.raises(NotFound):
                ask()
    with store.write() as writer:
        writer.delete_namespace("n")
        writer.delete_namespace("never")
    with store.read() as reader:
        assert reader.namespaces() == ("m",)
        assert found_by_words(reader, "pear", namespace="m") == ["d0"]
    assert store.check() == ()


def test_word_statistics_of_namespaces_are_their_own(store: Store) -> None:
    put(store, ["apple pie", "apple juice", "plum", "pear"], namespace="n")
    with store.read() as reader:
        alone = reader.search_words("n", "pie plum", 5, kind="chunk").scores.tolist()
    put(store, ["pie"] * 1 + ["plum plum"], "big", namespace="m")
    with store.read() as reader:
        assert reader.search_words("n", "pie plum", 5, kind="chunk").scores.tolist() == alone


def test_deleting_a_namespace_keeps_numbers_and_ids_only(store: Store) -> None:
    put(store, ["text"])
    put_thought(store, "t", ["d0"])
    with store.write() as writer:
        writer.put_testimony(Testimony(id="y", namespace="n", source="s", question="q", answer="a", created_at=1.0))
        writer.put_answer("n", answer())
        writer.add_usage("n", Usage(calls=1, prompt_tokens=5), 1.0, "answer")
        writer.add_history([HistoryEvent(namespace="n", item_id="d", event="added", at=1.0)])
        writer.add_outcomes("n", ["stored"])
        before = writer.revision("n")
        writer.delete_namespace("n")
    with store.read() as reader:
        assert reader.namespaces() == ()
        assert set(reader.counts("n").values()) == {0}
        assert reader.outcomes("n") == {}
        assert reader.usage("n").prompt_tokens == 5
        assert len(reader.history("n")) == 1
        assert reader.revision("n") > before
        assert found_by_words(reader, "text") == found_by_vector(reader, 0) == []
    put(store, ["text again"])
    with store.read() as reader:
        assert found_by_words(reader, "again text") == found_by_vector(reader, 0) == ["d0"]
    assert store.check() == ()


# --- thoughts ----------------------------------------------------------------------------------------------------------


def test_only_active_thoughts_are_found(store: Store) -> None:
    put(store, ["chunk"])
    put_thought(store, "t", ["d0"], text="Whales sing")
    with store.read() as reader:
        first = int(reader.rows("n", ["t"])[0])
        assert found_by_words(reader, "whale", "thought") == found_by_vector(reader, 7, "thought") == ["t"]
        assert found_by_words(reader, "whale") == []
        assert reader.neighbours("n", reader.rows("n", ["t"])).tolist() == [[-1, -1]]
    with store.write() as writer:
        writer.put_thought(thought(text="Whales sing", status="stale", reason="source changed"), None)
    with store.read() as reader:
        assert reader.rows("n", ["t"]).tolist() == [-1]
        assert found_by_words(reader, "whale", "thought") == []
        assert reader.thoughts("n") == ()
        assert [t.reason for t in reader.thoughts("n", ("stale", "retracted"))] == ["source changed"]
        assert reader.counts("n")["thoughts_stale"] == 1
        assert len(reader.derivations("n", ["t"])["t"]) == 1
    with store.write() as writer:
        writer.put_thought(thought(text="Whales sing"), axis(7)[0])
    with store.read() as reader:
        assert int(reader.rows("n", ["t"])[0]) > first
    assert store.check() == ()


def test_a_vector_is_needed_where_there_is_none(store: Store) -> None:
    with pytest.raises(InvalidInput, match="vector"), store.write() as writer:
        writer.put_thought(thought(), None)
    put_thought(store, "t")
    with store.write() as writer:
        row = writer.rows("n", ["t"]).tolist()
        writer.put_thought(thought(level=3.0, support=2), None)  # the same text: what is indexed stays
        assert writer.rows("n", ["t"]).tolist() == row
        with pytest.raises(InvalidInput, match="vector"):
            writer.put_thought(thought(text="other words"), None)
        writer.put_thought(thought(text="other words"), axis(2)[0])
        assert found_by_words(writer, "other", "thought") == found_by_vector(writer, 2, "thought", k=1) == ["t"]
        assert found_by_words(writer, "thought", "thought") == []
    assert store.check() == ()


def test_derivations_come_back_whole_and_oldest_first(store: Store) -> None:
    put(store, ["one", "two"])
    late, early = (
        derivation("late", "t", ["d0"], created_at=9.0),
        derivation("early", "t", ["d1", "d0"], created_at=1.0),
    )
    with store.write() as writer:
        writer.put_thought(thought(), axis(1)[0], [late, early])
        writer.put_thought(thought("u"), axis(1)[0])
    with store.read() as reader:
        assert reader.derivations("n", ["u", "t", "none"]) == {"u": (), "t": (early, late)}
        assert list(reader.derivations("n", ["u", "t"])) == ["u", "t"]
        assert reader.thoughts_on("n", ["d1"]) == reader.thoughts_on("n", ["none", "d0"]) == ("t",)
        assert reader.thoughts_on("n", []) == ()
        assert reader.counts("n")["derivations"] == 2
    replaced = replace(early, answer="now I know", evidence=(), roots=late.roots, shown=())
    with store.write() as writer:
        writer.put_thought(thought(), None, [replaced])
        assert writer.derivations("n", ["t"]) == {"t": (replaced, late)}
        assert writer.thoughts_on("n", ["d1"]) == ()
        with pytest.raises(InvalidInput, match="another thought"):
            writer.put_thought(thought("u"), None, [derivation("x", "t", [])])
        with pytest.raises(InvalidInput, match="another thought"):
            writer.put_thought(thought("u"), None, [derivation("late", "u", [])])
        writer.delete_derivations("n", ["late", "none"])
        assert writer.derivations("n", ["t"]) == {"t": (replaced,)}


def test_redacting_blanks_question_and_answer_of_what_was_shown(store: Store) -> None:
    with store.write() as writer:
        both = [derivation("a", "t", ["d0"]), derivation("b", "t", ["d1"])]
        writer.put_thought(thought(), axis(1)[0], both)
        assert writer.redact_derivations("n", ["d0", "none"]) == 1
        assert writer.redact_derivations("n", ["d0"]) == writer.redact_derivations("m", ["d0"]) == 0
        assert writer.derivations("n", ["t"])["t"] == (replace(both[0], question="", answer=""), both[1])


def test_deleting_thoughts_takes_derivations_and_links_along(store: Store) -> None:
    for name in "tuv":
        put_thought(store, name, ["d0"])
    with store.write() as writer:
        for ends in (("t", "u"), ("u", "v")):
            writer.put_link("n", Link(left=ends[0], right=ends[1], kind="related", created_at=1.0))
        writer.delete_thoughts("n", ["t", "none"])
        writer.delete_thoughts("m", ["u"])
    with store.read() as reader:
        assert [t.id for t in reader.thoughts("n")] == ["u", "v"]
        assert reader.thoughts_on("n", ["d0"]) == ("u", "v")
        assert [(link.left, link.right) for link in reader.links("n")] == [("u", "v")]
        assert reader.counts("n")["derivations"] == 2
    assert store.check() == ()


def test_links_without_direction_are_one_with_their_mirror(store: Store) -> None:
    for name in "tuv":
        put_thought(store, name)
    with store.write() as writer:
        for left, right, kind, at in (
            ("u", "t", "conflict", 2.0),
            ("t", "u", "conflict", 5.0),
            ("u", "t", "superseded_by", 1.0),
            ("t", "u", "superseded_by", 1.0),
            ("u", "v", "related", 0.5),
        ):
            writer.put_link("n", Link(left=left, right=right, kind=kind, created_at=at))
        for gone in ("none", "a\0b"):
            with pytest.raises(NotFound):
                writer.put_link("n", Link(left="t", right=gone, kind="related", created_at=1.0))
    with store.read() as reader:
        ends = [(link.left, link.right, link.kind, link.created_at) for link in reader.links("n")]
        assert ends == [
            ("u", "v", "related", 0.5),
            ("t", "u", "superseded_by", 1.0),
            ("u", "t", "superseded_by", 1.0),
            ("t", "u", "conflict", 2.0),
        ]
        assert [link.kind for link in reader.links("n", ["v"])] == ["related"]
        assert reader.links("n", []) == reader.links("n", ["none"]) == ()


def test_uses_are_counted_once_a_call(store: Store) -> None:
    put_thought(store, "t")
    with store.write() as writer:
        revision = writer.revision("n")
        writer.touch("n", ["t", "t", "none"], 5.0)
        writer.touch("n", ["t"], 6.0)
        writer.touch("m", ["t"], 7.0)
        (held,) = writer.thoughts("n")
        assert (held.use_count, held.last_used_at) == (2, 6.0)
        assert writer.revision("n") == revision


def test_equal_text_is_found_however_it_is_written(store: Store) -> None:
    put_thought(store, "t", text="The  Cat sat")
    put_thought(store, "u", text="the cat SAT", status="active")
    with store.write() as writer:
        writer.put_thought(thought("v", text="the cat sat", status="retracted"), None)
        assert [t.id for t in writer.thoughts_by_text("n", " THE cat\nsat ")] == ["t", "u"]


def test_roots_are_live_while_they_exist(store: Store) -> None:
    put(store, ["one"])
    with store.write() as writer:
        writer.put_testimony(Testimony(id="y", namespace="n", source="s", question="q", answer="a", created_at=1.0))
        assert writer.live_roots("n", iter(["d0", "y", "none", "d"])) == {"d0", "y"}
        writer.delete_testimonies("n", ["y", "none"])
        writer.delete_testimonies("m", ["y"])
        assert writer.live_roots("n", ["d0", "y"]) == {"d0"}


def test_testimonies_come_back_as_they_were_put(store: Store) -> None:
    first = Testimony(id="y", namespace="n", source="s", question="q", answer="a", created_at=1.0)
    second = replace(first, answer="better", trust="normal")
    with store.write() as writer:
        writer.put_testimony(first)
        assert writer.testimonies("n", ["none", "y"]) == (first,)
        writer.put_testimony(second)
        assert writer.testimonies("n", ["y"]) == (second,)
        assert writer.counts("n")["testimonies"] == 1


# --- search ------------------------------------------------------------------------------------------------------------


def test_dense_search_is_by_cosine_and_ties_by_row(store: Store) -> None:
    put(store, ["a", "b", "c", "d"], axes=[1, 0, 1, 0])
    with store.read() as reader:
        query = (axis(0)[0] * 0.8 + axis(1)[0] * 0.6).astype(np.float32)
        ranking = reader.search_dense("n", query, 3, kind="chunk")
        assert [c.id for c in reader.items_at("n", ranking.rows)] == ["d1", "d3", "d0"]
        assert ranking.scores == pytest.approx([0.8, 0.8, 0.6], abs=1e-3)
        assert ranking.scores.dtype == np.float32
        assert ranking.rows.dtype == np.int64
        assert reader.cosines("n", ranking.rows[::-1], query) == pytest.approx([0.6, 0.8, 0.8], abs=1e-3)
        assert len(reader.search_dense("n", query, 0, kind="chunk").rows) == 0
        assert len(reader.search_dense("n", query, 99, kind="chunk").rows) == 4
        assert reader.search_dense("n", np.zeros(D, np.float32), 2, kind="chunk").scores.tolist() == [0.0, 0.0]


def test_word_search_is_bm25(store: Store) -> None:
    texts = ["cat sat mat", "cat cat dog dog dog", "bird", "fish fish", "tree"]
    put(store, texts)
    with store.read() as reader:
        ranking = reader.search_words("n", "a cat!", 5, kind="chunk")
        idf, mean = math.log((5 - 2 + 0.5) / (2 + 0.5)), (3 + 5 + 1 + 2 + 1) / 5
        expected = [idf * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * n / mean)) for f, n in ((2, 5), (1, 3))]
        assert [c.id for c in reader.items_at("n", ranking.rows)] == ["d1", "d0"]
        assert ranking.scores == pytest.approx(expected, rel=1e-5)
        assert len(reader.search_words("n", "cat", 0, kind="chunk").rows) == 0


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我们提出混合检索方法", "混合检索"),
        ("これは国際標準化の話", "国際標準化"),
        ("우리는 스코프랩스에서", "스코프랩스"),
        ("ﾊﾝｶｸ text", "ハンカク"),
        ("検 is a character", "検"),
        ("Café NAÏVE résumé", "cafe"),
        ("the runner was running", "runs"),
        ("model GPT-4o scored 3.14", "gpt 4o"),
        ("before\0after", "after"),
    ],
)
def test_words_of_many_languages_are_found(store: Store, text: str, query: str) -> None:
    put(store, ["nothing of it", text, "其他 문서"], axes=[0, 1, 2])
    with store.read() as reader:
        assert found_by_words(reader, query)[:1] == ["d1"]
    with store.write() as writer:
        writer.delete_documents("n", ["d"])
        assert found_by_words(writer, query) == []
    assert store.check() == ()


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "*",
        "cat*",
        "NEAR(cat sat, 2)",
        "cat AND NOT sat",
        "text:cat",
        "^cat",
        "{a b}: cat",
        "-cat",
        "cat\0sat",
        "(",
        "'",
        ";--",
        "%_",
        "\ud800cat",
        "",
        "   ",
        "\u200b",
        "\U0001f600",
    ],
)
def test_a_question_is_never_syntax(store: Store, query: str) -> None:
    put(store, ["cat sat", "dog", "bird"])
    with store.read() as reader:
        expected = ["d0"] if "cat" in query else []
        assert found_by_words(reader, query) == expected


def test_a_question_of_a_million_characters_is_answered(store: Store) -> None:
    put(store, ["needle in hay", "other"])
    with store.read() as reader:
        assert found_by_words(reader, "needle " + "x" * 500_000 + " yes no maybe" * 40_000) == ["d0"]


# --- filters -----------------------------------------------------------------------------------------------------------


def filtered(store: Store) -> None:
    put(store, ["cat one"], "a", axes=[0], metadata={"year": 2020, "lang": "en", "x": 1}, trust="trusted")
    put(store, ["cat two"], "b", axes=[0], metadata={"year": 2021, "lang": "en", "x": "1"}, trust="normal")
    put(store, ["cat three"], "c", axes=[0], metadata={"year": 2021, "lang": "de", "x": True}, trust="untrusted")


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Filter(), "abc"),
        (Filter(document_ids=("b", "none")), "b"),
        (Filter(document_ids=()), ""),
        (Filter(metadata={"year": 2021}), "bc"),
        (Filter(metadata={"year": 2021.0}), "bc"),
        (Filter(metadata={"year": "2021"}), ""),
        (Filter(metadata={"year": 2021, "lang": "en"}), "b"),
        (Filter(metadata={"x": 1}), "a"),
        (Filter(metadata={"x": "1"}), "b"),
        (Filter(metadata={"x": True}), "c"),
        (Filter(metadata={"none": 1}), ""),
        (Filter(metadata={"x": math.nan}), ""),
        (Filter(metadata={"a') OR 1=1--": 1}), ""),
        (Filter(metadata={'$."x"': 1}), ""),
        (Filter(metadata={"“x”": "' OR ''='"}), ""),
        (Filter(metadata={"x\ud800": 1}), ""),
        (Filter(min_trust="normal"), "ab"),
        (Filter(min_trust="untrusted"), "abc"),
        (Filter(min_trust="normal", metadata={"year": 2021}), "b"),
    ],
)
def test_filters_are_exact(store: Store, where: Filter, expected: str) -> None:
    filtered(store)
    with store.read() as reader:
        ids = [f"{name}0" for name in expected]
        assert found_by_vector(reader, 0, where=where) == ids
        assert sorted(found_by_words(reader, "cat", where=where)) == ids
        assert [held.id for held in reader.documents("n", where)] == list(expected)


def test_keys_of_metadata_are_data(store: Store) -> None:
    keys = ["a') OR 1=1--", '$."x"', "“q”", "k\0k", ""]
    put(store, ["cat"], "a", metadata=dict.fromkeys(keys, "v"))
    put(store, ["cat"], "b", metadata={"other": "v"})
    with store.read() as reader:
        for key in keys:
            assert found_by_vector(reader, 0, where=Filter(metadata={key: "v"})) == ["a0"]
    assert store.check() == ()


def test_a_thought_passes_only_if_all_its_roots_do(store: Store) -> None:
    filtered(store)
    with store.write() as writer:
        testimony = Testimony(
            id="y", namespace="n", source="s", question="q", answer="a", trust="normal", created_at=1.0
        )
        writer.put_testimony(testimony)
        rooted = {
            "ta": ["a0"],
            "tab": ["a0", "b0"],
            "ty": ["y"],
            "ty_a": ["y", "a0"],
            "gone": ["a0", "none"],
            "bare": [],
        }
        for name, roots in rooted.items():
            made = [derivation(f"v{name}", name, roots)] if roots else []
            writer.put_thought(thought(name, text="cat"), axis(0)[0], made)
        twice = [derivation("v1", "twice", ["a0"]), derivation("v2", "twice", ["c0"])]
        writer.put_thought(thought("twice", text="cat"), axis(0)[0], twice)
        half_dead = [derivation("v3", "half", ["a0"]), derivation("v4", "half", ["none"])]
        writer.put_thought(thought("half", text="cat"), axis(0)[0], half_dead)
    expected: list[tuple[Filter, set[str]]] = [
        (Filter(document_ids=("a",)), {"ta", "half"}),
        (Filter(document_ids=("a", "b")), {"ta", "tab", "half"}),
        (Filter(document_ids=("a", "b", "c")), {"ta", "tab", "half", "twice"}),
        (Filter(metadata={"lang": "en"}), {"ta", "tab", "half"}),
        (Filter(min_trust="normal"), {"ta", "tab", "ty", "ty_a", "half"}),
        (Filter(min_trust="trusted"), {"ta", "half"}),
        (Filter(), {*rooted, "twice", "half"}),
    ]
    with store.read() as reader:
        for where, names in expected:
            assert set(found_by_vector(reader, 0, "thought", where=where, k=99)) == names
            assert set(found_by_words(reader, "cat", "thought", where=where)) == names


# --- answers, history, usage -------------------------------------------------------------------------------------------


def answer(key: str = "k", **fields: object) -> StoredAnswer:
    citation = Citation(
        marker=1, document_id="d", title="D", uri="/d", page=None, start=0, end=3, quote="one", root_id="d0", via="t"
    )
    given = {
        "evidence_hash": "e",
        "question": "what?",
        "text": "this [1]",
        "found": True,
        "item_ids": ("t", "d0"),
        "roots": (Root(kind="chunk", id="d0"), Root(kind="testimony", id="y")),
        "citations": (citation,),
        "model": "m",
        "created_at": 1.0,
    }
    return StoredAnswer(key=key, **{**given, **fields})


def test_answers_go_with_what_they_showed(store: Store) -> None:
    kept = answer("other", item_ids=("e0",), roots=(), created_at=0.5, found=False, citations=())
    with store.write() as writer:
        writer.put_answer("n", answer(text="old"))
        writer.put_answer("n", answer())
        writer.put_answer("n", kept)
        assert writer.answers("n") == (kept, answer())
        assert writer.answer("n", "k") == answer()
        assert writer.answer("m", "k") is writer.answer("n", "none") is None
        assert writer.delete_answers_on("n", ["none"]) == writer.delete_answers_on("m", ["d0"]) == 0
        assert writer.delete_answers_on("n", iter(["y", "d0"])) == 1
        assert writer.answers("n") == (kept,)
        assert writer.counts("n")["answers"] == 1


def test_history_is_kept_oldest_first(store: Store) -> None:
    def event(item: str, what: str, at: float, namespace: str = "n") -> HistoryEvent:
        return HistoryEvent(namespace=namespace, item_id=item, event=what, at=at, detail={"n": 1, "id": "x", "f": 0.5})

    events = [event("a", "added", 2.0), event("b", "added", 2.0), event("a", "began", 1.0), event("a", "x", 1.0, "m")]
    with store.write() as writer:
        writer.add_history(iter(events))
        assert writer.history("n") == (events[2], events[0], events[1])
        assert writer.history("n", "a") == (events[2], events[0])
        assert writer.history("m") == (events[3],)


def test_usage_is_summed_over_time_and_namespaces(store: Store) -> None:
    first = Usage(calls=1, prompt_tokens=10, completion_tokens=5, money=0.5, seconds={"answer": 1.0})
    second = Usage(
        calls=2, failed_calls=1, cached_prompt_tokens=3, estimated=True, seconds={"answer": 2.0, "distil": 1.0}
    )
    with store.write() as writer:
        writer.add_usage("n", first, 10.0, "answer")
        writer.add_usage("n", second, 20.0, "distil")
        writer.add_usage("m", first, 20.0, "answer")
    with store.read() as reader:
        assert reader.usage("n") == first + second
        assert reader.usage("n", 15.0) == Usage() + second
        assert reader.usage("n", 21.0) == reader.usage("none") == reader.usage("none", 1.0) == Usage()
        assert reader.usage(None).calls == 4
        assert reader.usage(None, 20.0).calls == 3
        assert reader.namespaces() == ()


def test_outcomes_and_settings_are_kept(store: Store) -> None:
    with store.write() as writer:
        writer.add_outcomes("n", ["stored", "linked", "stored"])
        writer.add_outcomes("n", ["stored"])
        writer.put_setting("gate", "0.6")
        writer.put_setting("gate", "0.7")
    with store.read() as reader:
        assert reader.outcomes("n") == {"stored": 3, "linked": 1}
        assert reader.outcomes("m") == {}
        assert reader.setting("gate") == "0.7"
        assert reader.setting("none") is reader.setting("\ud800") is None


# --- transactions ------------------------------------------------------------------------------------------------------


def _write_and_fail(writer: Writer) -> None:
    writer.put_document(document("e"), "gone", chunks(["gone"], "e"), axis(1))
    writer.delete_documents("n", ["d"])
    writer.put_setting("a", "b")
    assert found_by_words(writer, "gone") == ["e0"]
    writer.rename_document("n", "none", uri="u", title="t")


def test_an_error_undoes_all_of_a_transaction(store: Store) -> None:
    put(store, ["kept"])
    with store.read() as reader:
        revision = reader.revision("n")
    with pytest.raises(NotFound), store.write() as writer:
        _write_and_fail(writer)
    with store.read() as reader:
        assert [held.id for held in reader.documents("n")] == ["d"]
        assert found_by_words(reader, "kept gone") == found_by_vector(reader, 1) == ["d0"]
        assert reader.setting("a") is None
        assert reader.revision("n") == revision
    assert store.check() == ()


def test_a_snapshot_does_not_change(store: Store) -> None:
    put(store, ["first words"])
    with store.read() as old:
        put(store, ["second words"], "e", axes=[1])
        with store.write() as writer:
            writer.delete_documents("n", ["d"])
        with store.read() as new:
            assert found_by_vector(new, 0) == found_by_words(new, "words") == ["e0"]
            assert new.revision("n") > old.revision("n")
        assert found_by_vector(old, 0) == found_by_words(old, "words") == ["d0"]
        assert old.rows("n", ["d0", "e0"]).tolist()[1] == -1
        assert len(old.documents("n")) == 1


def test_a_writer_sees_what_it_wrote(store: Store) -> None:
    with store.write() as writer:
        for number, name in enumerate("abc"):
            writer.put_document(document(name), "t", chunks([f"text {name}"], name), axis(number))
            assert found_by_vector(writer, number, k=1) == found_by_words(writer, name)[:1] == [f"{name}0"]
        writer.delete_documents("n", ["b"])
        assert len(found_by_vector(writer, 0)) == 2
    with store.read() as reader:
        assert found_by_vector(reader, 0) == ["a0", "c0"]
    assert store.check() == ()


def test_revisions_grow_with_every_change(store: Store) -> None:
    seen = [0]
    acts: list[Callable[[], object]] = [
        lambda: put(store, ["a"]),
        lambda: put(store, ["a", "b"]),
        lambda: put_thought(store, "t", ["d0"]),
        lambda: put_thought(store, "t", ["d0"], status="stale"),
    ]
    for act in acts:
        act()
        with store.read() as reader:
            seen.append(reader.revision("n"))
            assert reader.revision("m") == 0
    assert seen == sorted(set(seen))


def test_a_thread_writes_one_thing_at_a_time(store: Store) -> None:
    with store.write() as writer:
        with pytest.raises(StoreBusy), store.write():
            pass
        writer.put_setting("a", "b")
    with store.read() as reader:
        assert reader.setting("a") == "b"


def test_a_closed_store_says_so(store: Store) -> None:
    put(store, ["a"])
    store.close()
    store.close()
    for act in (store.info, store.check, store.purge, lambda: store.reset_vectors("x", 3)):
        with pytest.raises(StoreClosed):
            act()
    with pytest.raises(StoreClosed), store.read():
        pass
    with pytest.raises(StoreClosed), store.write():
        pass


def test_closing_while_threads_write_is_clean(store: Store) -> None:
    errors: list[BaseException] = []
    done: list[str] = []
    started = threading.Barrier(9)

    def work(name: str) -> None:
        started.wait()
        try:
            for number in range(10_000):
                put(store, ["text"], f"{name}x{number}")
                done.append(f"{name}x{number}")
        except StoreClosed:
            pass
        except BaseException as error:  # noqa: BLE001 - a thread's fault must reach the test
            errors.append(error)

    threads = [threading.Thread(target=work, args=(str(number),)) for number in range(8)]
    for thread in threads:
        thread.start()
    started.wait()
    while len(done) < 5:
        time.sleep(0.005)
    store.close()
    for thread in threads:
        thread.join(30)
    assert not errors
    assert not any(thread.is_alive() for thread in threads)


# --- vectors anew ------------------------------------------------------------------------------------------------------


def test_another_embedder_takes_over(store: Store) -> None:
    put(store, ["one", "two"])
    put_thought(store, "t", ["d0"])
    with store.write() as writer:
        writer.put_thought(thought("old", status="stale"), None)
    with store.read() as reader:
        before = reader.rows("n", ["d0"])[0]
    store.reset_vectors("other", 3)
    assert (store.info().embedder_id, store.info().dimension) == ("other", 3)
    flat = np.eye(3, dtype=np.float32)
    with store.read() as reader:
        assert reader.rows("n", ["d0", "d1", "t"]).tolist() == [-1, -1, -1]
        assert len(reader.search_dense("n", flat[0], 5, kind="chunk").rows) == 0
        assert found_by_words(reader, "one") == []
        assert reader.counts("n")["chunks"] == 2
    store.put_vectors("n", ["d1", "t", "old", "none"], flat[[0, 1, 2, 2]])
    with store.read() as reader:
        rows = reader.rows("n", ["d0", "d1", "t", "old"])
        assert rows[0] == rows[3] == -1
        assert rows[1] > before
        assert reader.neighbours("n", rows[[1]]).tolist() == [[-1, -1]]  # the chunk before is not indexed yet
        assert found_by_words(reader, "one two") == ["d1"]
    assert store.check() != ()  # a chunk is not indexed
    store.put_vectors("n", ["d0", "d1"], flat[[1, 2]])
    store.put_vectors("none", ["d0"], flat[[1]])
    with pytest.raises(InvalidInput):
        store.put_vectors("n", ["d0"], axis(0))
    with pytest.raises(InvalidInput):
        store.put_vectors("n", ["d0", "d0"], flat[[1, 1]])
    with store.read() as reader:
        ranking = reader.search_dense("n", flat[2], 1, kind="chunk")
        assert [item.id for item in reader.items_at("n", ranking.rows)] == ["d1"]
    with store.write() as writer:
        writer.put_document(document("late"), "late", chunks(["late"], "late"), flat[[0]])
        writer.delete_documents("n", ["d"])
    assert store.check() == ()


def test_a_name_that_no_file_can_hold_is_empty_to_read_and_refused_to_write(store: Store) -> None:
    with store.read() as reader:
        assert reader.documents("\ud800") == ()
        assert reader.document("n", "\ud800") is reader.document_text("n", "\ud800") is None
        assert reader.items("n", ["\ud800", "a\0b"]) == reader.chunks("n", "\ud800") == ()
        assert reader.history("n", "\ud800") == ()
        assert reader.answer("n", "\ud800") is None
    with pytest.raises(InvalidInput), store.write() as writer:
        writer.put_document(document(namespace="\ud800"), "", [], axis())
    with pytest.raises(InvalidInput), store.write() as writer:
        writer.put_setting("\ud800", "x")
