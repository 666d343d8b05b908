"""What a review of adding found: renames, races with other writers, labels, and whose memory is meant."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from thinkback.embed.hashing import HashingEmbedder
from thinkback.engine.sources import path_of, still_holds, storable
from thinkback.errors import InvalidInput, ModelTimeout, NotFound
from thinkback.ids import content_hash
from thinkback.types import Testimony

QUESTION = "When was the harbour bridge opened?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    return folder


def before_the_next_write(engine, act):
    """Let another writer act between the look and the write of the next call."""
    store = engine._parts.store
    real = store.write

    @contextmanager
    def late():
        store.write = real
        act()
        with real() as writer:
            yield writer

    store.write = late


def texts(engine):
    return {document.uri: engine.text(document.id) for document in engine.documents()}


def ask(engine):
    [outcome] = engine.ask(QUESTION).outcomes
    assert outcome.status == "stored"
    return outcome.thought_id


def only(result):
    [one] = result
    return one


class Broken(HashingEmbedder):
    """Refuses texts with one word."""

    def __init__(self, word: str) -> None:
        super().__init__(dimension=64)
        self.word = word

    def embed(self, texts, *, kind):
        if any(self.word in text for text in texts):
            raise ModelTimeout("the embedder took too long")
        return super().embed(texts, kind=kind)


# --- 10: renames ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("old", "new"), [("a.txt", "b.txt"), ("b.txt", "a.txt")])
def test_finding_10_a_renamed_file_whose_name_was_taken_anew_keeps_text_and_thoughts(
    engine, folder, bridge, tunnel, old, new
):
    (folder / old).write_text(bridge)
    [first] = engine.sync(folder)
    thought = ask(engine)
    (folder / old).rename(folder / new)
    (folder / old).write_text(tunnel)
    results = {Path(result.uri).name: result for result in engine.sync(folder)}
    assert (results[new].status, results[new].document_id) == ("moved", first.document_id)
    assert results[old].status == "added"
    assert texts(engine) == {str(folder / new): bridge, str(folder / old): tunnel}
    assert engine.get(thought).status == "active"
    assert [result.status for result in engine.sync(folder)] == ["unchanged", "unchanged"]


def test_finding_10_results_come_in_the_order_of_the_sources(engine, folder, bridge, tunnel):
    (folder / "a.txt").write_text(bridge)
    engine.add(folder)
    (folder / "b.txt").write_text(tunnel)
    report = engine.add([folder / "a.txt", folder / "b.txt", folder / "a.txt"])
    assert [Path(result.uri).name for result in report] == ["a.txt", "b.txt", "a.txt"]
    assert [result.status for result in report] == ["unchanged", "added", "unchanged"]


def test_finding_10_two_files_that_swap_their_names_lose_nothing(engine, folder, bridge, tunnel):
    (folder / "a.txt").write_text(bridge)
    (folder / "b.txt").write_text(tunnel)
    engine.sync(folder)
    (folder / "a.txt").write_text(tunnel)
    (folder / "b.txt").write_text(bridge)
    assert {result.status for result in engine.sync(folder)} == {"updated"}
    assert texts(engine) == {str(folder / "a.txt"): tunnel, str(folder / "b.txt"): bridge}


def test_finding_10_a_copy_of_what_is_replaced_in_the_same_call_is_added_itself(
    engine, folder, bridge, tunnel, monkeypatch
):
    """The twin is no file, so only its new text shows that the copy is none any more."""
    served = {"text": bridge}
    monkeypatch.setattr(
        "thinkback.engine.sources.fetch",
        lambda url, **_: type(
            "Got", (), {"data": served["text"].encode(), "name": "b.txt", "media_type": "text/plain"}
        ),
    )
    url = "https://example.org/b.txt"
    assert only(engine.add(url)).status == "added"
    (folder / "a.txt").write_text(bridge)
    served["text"] = tunnel
    report = engine.add([folder / "a.txt", url])
    assert [result.status for result in report] == ["added", "updated"]
    assert texts(engine) == {str(folder / "a.txt"): bridge, url: tunnel}


def test_finding_10_a_copy_of_what_could_not_be_written_is_not_reported_as_there(make_engine, folder, bridge):
    engine = make_engine(embedder=Broken("bridge"))
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(bridge)
    report = engine.add(folder)
    assert [(result.status, result.document_id) for result in report] == [("failed", None)] * 2
    assert engine.documents() == ()


def test_finding_10_a_move_takes_over_what_was_given_with_it(engine, folder, bridge):
    (folder / "a.txt").write_text(bridge)
    [first] = engine.add(folder / "a.txt")
    thought = ask(engine)
    (folder / "a.txt").rename(folder / "b.txt")
    [moved] = engine.add(folder / "b.txt", metadata={"shelf": 3}, trust="untrusted")
    document = engine.get(first.document_id)
    assert (moved.status, document.title, document.metadata["shelf"]) == ("moved", "b", 3)
    assert document.trust == engine.get(thought).trust == "untrusted"


@pytest.mark.parametrize("deleted", [True, False])
def test_finding_10_a_move_of_what_another_writer_took_away_fails_alone(engine, folder, bridge, tunnel, deleted):
    (folder / "a.txt").write_text(bridge)
    [first] = engine.add(folder / "a.txt")
    (folder / "a.txt").rename(folder / "b.txt")
    (folder / "c.txt").write_text(tunnel)
    act = (
        (lambda: engine.delete(first.document_id))
        if deleted
        else (lambda: engine.update(first.document_id, "Something else about gardens."))
    )
    before_the_next_write(engine, act)
    moved, other = engine.add(folder)
    assert (moved.status, other.status) == ("failed", "added")
    assert ("deleted" if deleted else "changed") in moved.reason
    assert engine.add(folder / "b.txt").results[0].status == "added"


def test_finding_10_whether_a_file_still_holds_a_text(engine, folder, bridge):
    limits = engine._parts.limits
    file = folder / "a.txt"
    file.write_text(bridge)
    hashed = content_hash(bridge)
    assert still_holds(str(file), hashed, limits)
    assert not still_holds(str(file), content_hash("other"), limits)
    assert not still_holds(str(folder / "gone.txt"), hashed, limits)
    assert still_holds("text:B", content_hash("other"), limits), "no file"
    os.mkfifo(folder / "pipe.txt")
    assert still_holds(str(folder / "pipe.txt"), hashed, limits), "a pipe is not waited for"
    (folder / "b.pdf").write_bytes(b"%PDF-1.4 broken")
    assert still_holds(str(folder / "b.pdf"), hashed, limits), "it cannot be read just now"


# --- 6: labels reach the thoughts -----------------------------------------------------------------------------------
@pytest.mark.parametrize("label", ["untrusted", "trusted"])
def test_finding_6_a_label_given_with_the_same_text_reaches_the_thoughts(engine, bridge, label):
    engine.add(bridge, doc_id="B")
    thought = ask(engine)
    assert only(engine.add(bridge, doc_id="B", trust=label)).status == "unchanged"
    assert engine.get("B").trust == engine.get(thought).trust == label


@pytest.mark.parametrize("method", ["add", "update"])
def test_finding_6_a_label_given_with_a_new_text_reaches_the_thoughts(make_engine, bridge, tunnel, method):
    engine = make_engine(chunk_size=40)
    engine.add(bridge, doc_id="B")
    thought = ask(engine)
    longer = f"{bridge}\n\n{tunnel} {tunnel}"
    if method == "add":
        [result] = engine.add(longer, doc_id="B", trust="untrusted")
    else:
        result = engine.update("B", longer, trust="untrusted")
    assert result.status == "updated"
    assert result.chunks_kept
    found = engine.get(thought)
    assert (found.trust, found.status) == ("untrusted", "active")
    with engine._parts.store.read() as reader:
        assert {chunk.trust for chunk in reader.chunks("default", "B")} == {"untrusted"}


def test_finding_6_adding_a_url_again_keeps_the_label_that_the_user_gave_it(engine, bridge, tunnel, monkeypatch):
    served = {"text": bridge}
    monkeypatch.setattr(
        "thinkback.engine.sources.fetch",
        lambda url, **_: type(
            "Got", (), {"data": served["text"].encode(), "name": "b.txt", "media_type": "text/plain"}
        ),
    )
    url = "https://example.org/b.txt"
    [first] = engine.add(url)
    assert engine.get(first.document_id).trust == "untrusted"
    engine.update(first.document_id, trust="trusted")
    assert only(engine.add(url)).status == "unchanged"
    assert engine.get(first.document_id).trust == "trusted"
    served["text"] = tunnel
    assert only(engine.add(url)).status == "updated"
    assert engine.get(first.document_id).trust == "trusted"
    engine.add(bridge, doc_id="B", trust="trusted")
    served["text"] = bridge + " More."
    engine.add(url, doc_id="B")
    assert engine.get("B").trust == "untrusted", "text from a URL does not inherit the label of what it replaces"


# --- 12b: dead derivations have no label to give --------------------------------------------------------------------
def test_finding_12b_raising_a_document_never_lowers_a_thought(make_engine, script, bridge):
    engine = make_engine()
    engine.add(bridge, doc_id="B")
    engine.add(f"{bridge} So it is said.", doc_id="C")
    script.judge = '{"same": "same"}'
    [first] = engine.ask(QUESTION, documents="B").outcomes
    [second] = engine.ask("In what year did the harbour bridge open?", documents="C").outcomes
    assert (first.status, second.status) == ("stored", "linked")
    engine.update("C", "Gardens and flowers in Holland.")
    assert engine.get(first.thought_id).trust == "normal"
    engine.update("B", trust="trusted")
    assert engine.get(first.thought_id).trust == "trusted"


def test_finding_12b_a_thought_without_a_live_derivation_keeps_its_label(engine, script, atoms):
    one = "The harbour bridge was opened in 1932 after nine years of work."
    two = "The bridge carries eight lanes of traffic and two rail tracks."
    engine.add(one, doc_id="B")
    engine.add(two, doc_id="T")
    both = f"{one.removesuffix('.')} and carries eight lanes of traffic and two rail tracks."
    script.distil = atoms(one, two, items=(1, 2), overview=both)
    *_, overview = engine.ask("Tell me of the bridge").outcomes
    assert overview.status == "stored"
    engine.update("T", "Gardens and flowers in Holland.")
    assert engine.get(overview.thought_id).status == "stale"
    engine.update("B", trust="trusted")
    assert engine.get(overview.thought_id).trust == "normal"


# --- 15: deleted and added anew under the same id -------------------------------------------------------------------
def test_finding_15_a_document_added_anew_under_its_id_is_not_taken_for_the_old_one(make_engine, bridge, tunnel):
    engine = make_engine(chunk_size=20)
    engine.add(bridge, doc_id="B")

    def swap():
        engine.delete("B")
        engine.add("Gardens and flowers in Holland.", doc_id="B")

    before_the_next_write(engine, swap)
    result = engine.update("B", f"{bridge}\n\n{tunnel}")
    assert (result.status, "changed" in result.reason) == ("failed", True)
    assert engine.text("B") == "Gardens and flowers in Holland."
    with engine._parts.store.read() as reader:
        vectors = reader.vectors("default", [chunk.id for chunk in reader.chunks("default", "B")])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-3)
    assert engine._parts.store.check() == ()


def test_finding_15_nor_is_one_with_the_same_text_and_the_same_times(make_engine, bridge, tunnel):
    engine = make_engine(chunk_size=20)
    engine._parts.clock = lambda: 1_800_000_000.0
    engine.add(bridge, doc_id="B")

    def swap():
        engine.delete("B")
        engine.add(bridge, doc_id="B")

    before_the_next_write(engine, swap)
    assert engine.update("B", f"{bridge}\n\n{tunnel}").status == "failed"
    assert engine.text("B") == bridge


# --- 16: lost updates -----------------------------------------------------------------------------------------------
def test_finding_16_an_update_changes_only_what_was_asked(engine, bridge):
    engine.add(bridge, doc_id="B", trust="trusted", metadata={"year": 1})
    before_the_next_write(engine, lambda: engine.update("B", trust="untrusted", metadata={"year": 2}))
    engine.update("B", title="Arches")
    document = engine.get("B")
    assert (document.title, document.trust, dict(document.metadata)) == ("Arches", "untrusted", {"year": 2})


def test_finding_16_new_text_keeps_the_label_that_came_meanwhile(engine, bridge, tunnel):
    engine.add(bridge, doc_id="B", trust="trusted")
    before_the_next_write(engine, lambda: engine.update("B", trust="untrusted", title="Arches"))
    assert engine.update("B", tunnel).status == "updated"
    document = engine.get("B")
    assert (document.title, document.trust, engine.text("B")) == ("Arches", "untrusted", tunnel)
    with engine._parts.store.read() as reader:
        assert {chunk.trust for chunk in reader.chunks("default", "B")} == {"untrusted"}


def test_finding_16_a_document_deleted_meanwhile_is_not_written_anew(engine, bridge, tunnel, folder):
    (folder / "a.txt").write_text(bridge)
    (folder / "c.txt").write_text(tunnel)
    [first] = engine.add(folder / "a.txt")
    before_the_next_write(engine, lambda: engine.delete(first.document_id))
    one, other = engine.add([folder / "a.txt", folder / "c.txt"], metadata={"shelf": 1})
    assert (one.status, other.status) == ("failed", "added")
    engine.add(bridge, doc_id="B")
    before_the_next_write(engine, lambda: engine.delete("B"))
    [result] = engine.add(bridge, doc_id="B", title="x")
    assert (result.status, "deleted meanwhile" in result.reason) == ("failed", True)
    engine.add(bridge, doc_id="B")
    before_the_next_write(engine, lambda: engine.update("B", "Gardens."))
    [result] = engine.add(bridge, doc_id="B", title="x")
    assert (result.status, engine.text("B")) == ("failed", "Gardens.")
    before_the_next_write(engine, lambda: engine.delete("B"))
    with pytest.raises(NotFound):
        engine.update("B", title="x")
    engine.add(bridge, doc_id="B")
    before_the_next_write(engine, lambda: engine.delete("B"))
    assert engine.update("B", tunnel + " More.").status == "failed"
    with pytest.raises(NotFound):
        engine.get("B")


def test_finding_16_an_update_whose_document_goes_before_it_is_read_fails(engine, bridge, tunnel, monkeypatch):
    engine.add(bridge, doc_id="B")
    real = engine.get
    monkeypatch.setattr(engine, "get", lambda *a, **k: (real(*a, **k), engine.delete("B"))[0])
    result = engine.update("B", tunnel)
    assert (result.status, "deleted" in result.reason, engine.documents()) == ("failed", True, ())


def test_finding_16_what_was_set_by_hand_outlives_the_next_sync(engine, folder, bridge, tunnel):
    (folder / "a.md").write_text(f"# Bridges\n\n{bridge}")
    [first] = engine.sync(folder)
    assert engine.get(first.document_id).title == "Bridges"
    engine.update(first.document_id, title="Arches", metadata={"year": 1932}, trust="trusted")
    for text in (f"# Bridges\n\n{bridge}", f"# Tunnels\n\n{tunnel}"):
        (folder / "a.md").write_text(text)
        engine.sync(folder)
        document = engine.get(first.document_id)
        assert (document.title, document.metadata["year"], document.trust) == ("Arches", 1932, "trusted")
    engine.sync(folder, metadata={"year": 1933})
    assert engine.get(first.document_id).metadata["year"] == 1933


@pytest.mark.parametrize("same", [True, False])
def test_finding_16_update_replaces_metadata_with_and_without_a_new_text(engine, bridge, tunnel, same):
    engine.add(bridge, doc_id="B", metadata={"a": 1})
    engine.update("B", bridge if same else tunnel, metadata={"b": 2})
    assert dict(engine.get("B").metadata) == {"b": 2}
    engine.update("B", bridge)
    assert dict(engine.get("B").metadata) == {"b": 2}


# --- paths that are not UTF-8 ---------------------------------------------------------------------------------------
def test_a_path_that_is_not_utf_8_is_read_and_kept_with_its_bytes_escaped(engine, folder, bridge, tunnel):
    raw = os.fsencode(folder) + b"/caf\xe9.txt"
    try:
        Path(os.fsdecode(raw)).write_text(bridge)
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    (folder / "b.txt").write_text(tunnel)
    statuses = [result.status for result in engine.sync(folder)]
    assert statuses == ["added", "added"]
    assert texts(engine) == {str(folder / "caf\\udce9.txt"): bridge, str(folder / "b.txt"): tunnel}
    assert [result.status for result in engine.sync(folder)] == ["unchanged", "unchanged"]
    (folder / "copy.txt").write_text(bridge)
    assert only(engine.add(folder / "copy.txt")).status == "unchanged"
    (folder / "copy.txt").unlink()
    Path(os.fsdecode(raw)).unlink()
    assert "removed" in {result.status for result in engine.sync(folder)}
    assert list(texts(engine)) == [str(folder / "b.txt")]


def test_titles_and_metadata_with_lone_surrogates_do_no_harm(engine, bridge):
    [added] = engine.add(bridge, title="a\ud800")
    engine.update(added.document_id, title="b\ud800")
    assert engine.get(added.document_id).title == "b\\ud800"
    assert path_of(storable("/nowhere/\udce9")) == Path("/nowhere/\\udce9")


# --- 24: text that is only text -------------------------------------------------------------------------------------
def test_finding_24_add_text_never_opens_what_a_text_names(engine, folder, bridge):
    (folder / "secret.txt").write_text(bridge)
    for text in (str(folder / "secret.txt"), str(folder), "missing.pdf", "/etc/hostname", "https://example.org/a"):
        [result] = engine.add_text(text, trust="untrusted")
        assert (result.status, engine.text(result.document_id)) == ("added", text)
        assert engine.get(result.document_id).trust == "untrusted"
    for bad in ("", "\u200b", None, 7):
        with pytest.raises(InvalidInput):
            engine.add_text(bad)


def test_finding_24_add_text_takes_what_add_takes(engine, bridge, tunnel):
    told = []
    arguments = {"title": "Arches", "doc_id": "B", "metadata": {"year": 1932}, "user_id": "ann"}
    engine.add_text(bridge, **arguments, progress=lambda stage, done, total, note="": told.append((stage, done, total)))
    document = engine.get("B", user_id="ann")
    assert (document.title, dict(document.metadata), document.trust) == ("Arches", {"year": 1932}, "normal")
    assert ("documents", 1, 1) in told
    assert only(engine.add_text(tunnel, doc_id="B", user_id="ann")).status == "updated"
    assert engine.documents() == ()


# --- 25: whose memory -----------------------------------------------------------------------------------------------
def test_finding_25_an_id_that_was_left_unset_empties_nothing(engine, bridge):
    engine.add(bridge)
    for ids in ({}, {"user_id": None}, {"namespace": None, "agent_id": None, "run_id": None}):
        with pytest.raises(InvalidInput, match="namespace="):
            engine.delete_all(**ids)
    assert len(engine.documents()) == 1
    assert len(engine.delete_all(namespace="default").documents) == 1


def test_finding_25_every_method_takes_the_ids(engine, bridge, tunnel, tmp_path):
    ann = {"user_id": "ann", "agent_id": "helper", "run_id": "r1"}
    engine.add(bridge, doc_id="B", **ann)
    [outcome] = engine.ask(QUESTION, **ann).outcomes
    thought = outcome.thought_id
    assert engine.get("B", **ann).id == "B"
    assert [document.id for document in engine.documents(**ann)] == ["B"]
    assert engine.text("B", **ann) == bridge
    assert engine.history(**ann)
    assert engine.stats(**ann).counts["documents"] == 1
    assert engine.why(thought, **ann).id == thought
    assert engine.last_answer(**ann).question == QUESTION
    assert engine.audit(**ann).findings is not None
    assert engine.invalidate(thought, **ann) == (thought,)
    assert engine.restore(thought, **ann) == (thought,)
    assert engine.refresh(**ann) == ()
    assert engine.update("B", title="Arches", **ann).title == "Arches"
    assert list(engine.export(tmp_path / "ann.jsonl", **ann))
    engine.delete("B", **ann)
    assert engine.documents(**ann) == engine.get_all(**ann) == ()
    engine.import_(tmp_path / "ann.jsonl", **ann)
    assert engine.text("B", **ann) == bridge
    assert engine.documents() == ()
    assert engine.namespaces() == ("default/user=ann/agent=helper/run=r1",)


def test_finding_25_testimonies_can_be_got(engine, script, atoms):
    script.distil = atoms("The harbour bridge was opened in 1932.")
    report = engine.learn(QUESTION, "The harbour bridge was opened in 1932.", source="an engineer")
    said = engine.get(report.testimony_id)
    assert isinstance(said, Testimony)
    assert said.source == "an engineer"
    with pytest.raises(InvalidInput, match="testimony"):
        engine.update(said.id, "Something else.")
