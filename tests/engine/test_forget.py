"""Memory follows its sources: update, delete, invalidate, restore, refresh; and nothing is left behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from thinkback.errors import InvalidInput, NotFound

QUESTION = "When was the harbour bridge opened?"
FACT = "The harbour bridge was opened in 1932 after nine years of work."


def ask_about(engine, script, atoms, document_id, fact, question=None):
    script.distil = atoms(fact)
    return engine.ask(question or f"What is said here: {fact[:30]}?", documents=document_id)


def test_an_edit_makes_exactly_the_thoughts_stale_that_lose_their_last_derivation(
    engine, script, atoms, bridge, tunnel
):
    [one] = engine.add(bridge)
    [two] = engine.add(tunnel)
    ask_about(engine, script, atoms, one.document_id, FACT)
    ask_about(engine, script, atoms, two.document_id, "The harbour tunnel carries four lanes below the sea bed.")
    result = engine.update(one.document_id, bridge.replace("1932", "1931"))
    [stale] = engine.get_all(statuses=("stale",))
    assert result.stale == (stale.id,)
    assert stale.text == FACT
    assert [thought.text for thought in engine.get_all()] == [
        "The harbour tunnel carries four lanes below the sea bed."
    ]
    assert engine.search(FACT, kind="thoughts", min_score=0.99) == ()  # fault 59


def test_an_edit_elsewhere_in_a_document_touches_nothing(make_engine, script, atoms):
    engine = make_engine(chunk_size=40)
    paragraphs = [
        f"Paragraph {n} says that bridge number {n} was opened in {1900 + n} by the mayor of the town."
        for n in range(30)
    ]
    [added] = engine.add("\n\n".join(paragraphs))
    ask_about(engine, script, atoms, added.document_id, "Bridge number 2 was opened in 1902 by the mayor.")
    assert len(engine.get_all()) == 1
    paragraphs[25] = "Paragraph 25 now says something else altogether about quite another matter."
    result = engine.update(added.document_id, "\n\n".join(paragraphs))
    assert result.stale == ()
    assert result.chunks_kept > result.chunks / 2
    assert len(engine.get_all()) == 1


def test_a_thought_with_a_second_derivation_survives_the_loss_of_one(engine, script, atoms, bridge):
    [one] = engine.add(bridge)
    [two] = engine.add(f"A chronicle says: {FACT}")
    ask_about(engine, script, atoms, one.document_id, FACT)
    ask_about(engine, script, atoms, two.document_id, FACT, "What does the chronicle say?")
    [thought] = engine.get_all()
    assert thought.support == 2
    report = engine.delete(one.document_id)
    assert report.thoughts_kept == (thought.id,)
    [after] = engine.get_all()
    assert (after.id, after.support) == (thought.id, 1)
    assert len(engine.why(thought.id).children) == 1


def test_fault_60_unrelated_changes_invalidate_nothing(engine, script, atoms, bridge):
    [one] = engine.add(bridge)
    ask_about(engine, script, atoms, one.document_id, FACT)
    before = engine.get_all()
    for number in range(40):
        engine.add(f"An unrelated remark number {number} about the weather in the hills.")
    assert engine.get_all() == before


def test_fault_55_a_canary_is_found_nowhere_after_its_document_was_deleted(
    engine, store_kind, script, atoms, bridge, tmp_path
):
    canary = "Zyxwcanary"
    [keep] = engine.add(bridge)
    [bad] = engine.add(
        f"The {canary} bridge was opened in 1844. {canary} was an engineer.",
        title=f"On {canary}",
        metadata={"by": canary},
    )
    script.answer = f"The {canary} bridge was opened in 1844 [1]."
    script.distil = atoms(f"The {canary} bridge was opened in 1844.")
    engine.ask(f"When was the {canary} bridge opened?")
    script.answer = (
        f"In 1932, unlike the {canary} bridge [1]."  # a thought rooted elsewhere, whose answer speaks of the deleted
    )
    script.distil = atoms(FACT)
    answer = engine.ask("When was the harbour bridge opened, unlike the other?")
    assert [outcome.status for outcome in answer.outcomes] == ["stored"]
    engine.update(bad.document_id, f"The {canary} bridge was opened in 1845. {canary} was an engineer and a poet.")
    assert len(engine.get_all(statuses=("stale",))) == 1

    report = engine.delete(bad.document_id)
    assert report.purge.status == "purged"
    assert [thought.text for thought in engine.get_all()] == [FACT]
    everything = "\n".join(engine.export()) + json.dumps(engine.stats().to_dict()) + str(engine.history())
    assert canary not in everything
    assert all(canary.lower() not in hit.item.text.lower() for hit in engine.search(canary, top_k=50))
    if store_kind == "sqlite":
        raw = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
        assert canary.encode() not in raw
        assert canary.lower().encode() not in raw
    assert keep.document_id in {document.id for document in engine.documents()}


def test_deleting_a_thought_takes_along_what_rests_on_it(engine, script, atoms, bridge):
    engine.add(bridge)
    script.distil = atoms(
        FACT,
        "The harbour bridge carries eight lanes of traffic and two rail tracks.",
        overview="The harbour bridge was opened in 1932 and carries eight lanes of traffic and two rail tracks.",
    )
    outcomes = engine.ask("Give an overview of the harbour bridge.").outcomes
    report = engine.delete(outcomes[0].thought_id)
    assert set(report.thoughts) == {outcomes[0].thought_id, outcomes[2].thought_id}
    assert [thought.id for thought in engine.get_all()] == [outcomes[1].thought_id]


def test_fault_65_invalidate_and_restore_take_descendants_along(engine, script, atoms, bridge):
    engine.add(bridge)
    script.distil = atoms(
        FACT,
        "The harbour bridge carries eight lanes of traffic and two rail tracks.",
        overview="The harbour bridge was opened in 1932 and carries eight lanes of traffic and two rail tracks.",
    )
    outcomes = engine.ask("Give an overview of the harbour bridge.").outcomes
    base, other, overview = (outcome.thought_id for outcome in outcomes)
    assert engine.invalidate(base, "disputed") == (base, overview)
    assert {thought.id for thought in engine.get_all()} == {other}
    assert engine.get(base).reason == "disputed"
    assert set(engine.restore(base)) == {base, overview}
    assert {thought.id for thought in engine.get_all()} == {base, other, overview}
    assert engine.search(FACT, kind="thoughts")[0].item.id == base


def test_invalidate_and_restore_refuse_what_makes_no_sense(engine, script, atoms, bridge):
    [added] = engine.add(bridge)
    engine.ask(QUESTION)
    [thought] = engine.get_all()
    with pytest.raises(InvalidInput):
        engine.restore(thought.id)
    engine.invalidate(thought.id)
    with pytest.raises(InvalidInput):
        engine.invalidate(thought.id)
    engine.update(added.document_id, "Quite another text about other matters.")
    with pytest.raises(InvalidInput, match="cannot be restored"):
        engine.restore(thought.id)
    for call in (engine.invalidate, engine.restore, engine.why, engine.get, engine.delete, engine.refresh):
        with pytest.raises(NotFound):
            call("tht_nothing")


def test_refresh_verifies_a_stale_thought_without_a_model_where_its_words_still_stand(
    make_engine, script, atoms, bridge
):
    engine = make_engine()
    [added] = engine.add(bridge)
    engine.ask(QUESTION)
    [thought] = engine.get_all()
    engine.update(added.document_id, "A new first sentence. " + bridge.replace("Ships of up", "Boats of up"))
    assert [one.status for one in engine.get_all(statuses=("stale",))] == ["stale"]
    calls = len(script.seen)
    [result] = engine.refresh()
    assert (result.thought_id, result.status) == (thought.id, "verified")
    assert len(script.seen) == calls
    [back] = engine.get_all()
    assert (back.id, back.status) == (thought.id, "active")
    assert engine.search(FACT, kind="thoughts")[0].item.id == thought.id


def test_refresh_asks_again_where_the_sources_say_something_else_now(engine, script, atoms, bridge):
    [added] = engine.add(bridge)
    engine.ask(QUESTION)
    [old] = engine.get_all()
    engine.update(added.document_id, bridge.replace("1932", "1931"))
    script.answer = "It was opened in 1931 [1]."
    script.distil = atoms(FACT.replace("1932", "1931"))
    [result] = engine.refresh(old.id)
    assert result.status == "superseded"
    [new] = engine.get_all()
    assert new.text == FACT.replace("1932", "1931")
    assert engine.get(old.id).status == "superseded"
    assert engine.refresh() == ()


def test_refresh_without_a_model_leaves_what_it_cannot_verify_stale(make_engine, engine, bridge):
    [added] = engine.add(bridge)
    engine.ask(QUESTION)
    engine.update(added.document_id, "Quite another text about other matters.")
    quiet = make_engine(store=engine._parts.store, llm=None)
    [result] = quiet.refresh()
    assert result.status == "stale"
    assert "no model" in result.reason


def test_refresh_refuses_a_thought_that_is_not_stale(engine, bridge):
    engine.add(bridge)
    engine.ask(QUESTION)
    with pytest.raises(InvalidInput):
        engine.refresh(engine.get_all()[0].id)


def test_fault_7_edited_words_are_grounded_and_compared_again(engine, script, atoms, bridge):
    engine.add(bridge)
    script.distil = atoms(FACT, "The harbour bridge carries eight lanes of traffic and two rail tracks.")
    engine.ask(QUESTION)
    one, two = engine.get_all()
    assert engine.update(two.id, "The harbour bridge carries nine lanes.").status == "unsupported"
    assert engine.update(two.id, FACT).status == "redundant"
    assert engine.get(two.id).text == two.text
    assert engine.update(two.id, "The harbour bridge carries eight lanes of traffic.").status == "stored"
    assert engine.get(two.id).text == "The harbour bridge carries eight lanes of traffic."
    assert engine.search("The harbour bridge carries eight lanes of traffic.", kind="thoughts")[0].item.id == two.id
    with pytest.raises(InvalidInput):
        engine.update(one.id, metadata={"a": 1})
    with pytest.raises(InvalidInput):
        engine.update(one.id, "  ")


def test_fault_47_deleting_one_namespace_leaves_the_other_byte_for_byte(engine, script, bridge, tunnel):
    for name in ("a", "b"):
        engine.add([bridge, tunnel], namespace=name)
        engine.ask(QUESTION, namespace=name)
    before = list(engine.export(namespace="b"))
    report = engine.delete_all(namespace="a")
    assert len(report.documents) == 2
    assert list(engine.export(namespace="b")) == before
    assert engine.stats(namespace="a").counts["documents"] == 0
    assert engine.search("bridge", namespace="a") == ()
    assert engine.namespaces() in (("b",), ("a", "b"))


def test_fault_58_two_namespaces_with_one_source_change_independently(engine, bridge):
    for name in ("a", "b"):
        engine.add(bridge, doc_id="shared", namespace=name)
        engine.ask(QUESTION, namespace=name)
    engine.update("shared", bridge.replace("1932", "1931"), namespace="a")
    assert engine.get_all(namespace="a") == ()
    assert len(engine.get_all(namespace="b")) == 1


def test_deleting_an_unknown_id_deletes_nothing(engine, bridge):
    [added] = engine.add(bridge)
    with pytest.raises(NotFound):
        engine.delete([added.document_id, "doc_nothing"])
    assert len(engine.documents()) == 1


def test_fault_53_deleting_and_adding_again_after_reopening(engine, bridge, script):
    engine.add(bridge, doc_id="x")
    engine.ask(QUESTION)
    engine.delete("x")
    [again] = engine.add(bridge, doc_id="x")
    assert again.status == "added"
    assert engine.search("opened in 1932")[0].item.document_id == "x"
    assert not engine.ask(QUESTION).cached


def test_history_holds_ids_and_numbers_only(engine, bridge):
    [added] = engine.add(bridge)
    engine.ask(QUESTION)
    engine.update(added.document_id, bridge + " More.")
    engine.delete(added.document_id)
    told = str(engine.history())
    assert "bridge" not in told
    assert [event.event for event in engine.history(added.document_id)] == ["added", "updated", "deleted"]


def test_a_pending_purge_can_be_finished_later(engine):
    assert engine.purge().status == "purged"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    return folder


class TestSync:
    """A folder and its memory stay the same."""

    def test_new_changed_renamed_and_deleted_files(self, engine, folder, bridge, tunnel):
        (folder / "bridge.txt").write_text(bridge)
        (folder / "tunnel.md").write_text(tunnel)
        (folder / "old.txt").write_text("The old ferry ran until 1929 and then never again.")
        assert [result.status for result in engine.sync(folder)] == ["added"] * 3
        assert [result.status for result in engine.sync(folder)] == ["unchanged"] * 3
        engine.ask(QUESTION)
        [thought] = engine.get_all()
        (folder / "bridge.txt").rename(folder / "arch.txt")
        (folder / "tunnel.md").write_text(tunnel.replace("1992", "1993"))
        (folder / "old.txt").unlink()
        report = {Path(result.uri).name: result.status for result in engine.sync(folder)}
        assert report == {"arch.txt": "moved", "tunnel.md": "updated", "old.txt": "removed"}
        assert [one.id for one in engine.get_all()] == [thought.id]
        assert len(engine.documents()) == 2

    def test_an_empty_folder_does_not_wipe_the_memory(self, engine, folder, bridge):
        (folder / "bridge.txt").write_text(bridge)
        engine.sync(folder)
        (folder / "bridge.txt").unlink()
        with pytest.raises(InvalidInput, match="empty"):
            engine.sync(folder)
        assert len(engine.documents()) == 1

    def test_documents_from_elsewhere_are_left_alone(self, engine, folder, bridge, tunnel):
        engine.add(tunnel)
        (folder / "bridge.txt").write_text(bridge)
        engine.sync(folder)
        assert len(engine.documents()) == 2

    def test_no_such_folder(self, engine, folder):
        with pytest.raises(InvalidInput):
            engine.sync(folder / "nothing")
