"""Export → wipe → import is the identity; a bundle that lies is refused whole."""

from __future__ import annotations

import json

import pytest

from thinkback.errors import BundleError

QUESTION = "When was the harbour bridge opened?"


@pytest.fixture
def filled(engine, bridge, tunnel, script, atoms):
    [one] = engine.add(bridge, metadata={"year": 1932})
    engine.add(tunnel)
    script.distil = atoms(
        "The harbour bridge was opened in 1932 after nine years of work.",
        "The harbour bridge carries eight lanes of traffic and two rail tracks.",
        overview="The harbour bridge was opened in 1932 and carries eight lanes of traffic and two rail tracks.",
    )
    engine.ask("Give an overview of the harbour bridge.")
    script.distil = atoms("The harbour bridge was opened in 1932.")
    engine.learn(QUESTION, "The harbour bridge was opened in 1932.", source="an engineer", trust="normal")
    engine.ask(QUESTION)
    engine.update(one.document_id, engine.text(one.document_id).replace("Ships", "Boats"))
    return engine


def test_export_wipe_import_is_the_identity(filled, tmp_path):
    file = tmp_path / "memory.jsonl"
    before = list(filled.export(file))
    assert file.read_text(encoding="utf-8") == "".join(f"{line}\n" for line in before)
    filled.delete_all()
    report = filled.import_(file)
    assert report.written["document"] == 2
    assert list(filled.export()) == before
    assert filled._parts.store.check() == ()


def test_into_another_store_under_another_name(filled, make_engine, tmp_path):
    file = tmp_path / "memory.jsonl"
    lines = list(filled.export(file))
    other = make_engine()
    other.import_(file, namespace="copy")
    assert list(other.export(namespace="copy")) == lines
    found, ours = other.search("harbour bridge opened", namespace="copy"), filled.search("harbour bridge opened")
    assert {hit.item.id for hit in found} == {hit.item.id for hit in ours}
    thought = other.get_all(namespace="copy")[0]
    assert other.why(thought.id, namespace="copy") == filled.why(thought.id)


def test_the_same_memory_gives_the_same_bytes(filled):
    assert list(filled.export()) == list(filled.export())


def test_a_dry_run_writes_nothing_and_a_second_import_skips_all(filled, make_engine, tmp_path):
    file = tmp_path / "memory.jsonl"
    lines = list(filled.export(file))
    other = make_engine()
    assert other.import_(file, dry_run=True).written["document"] == 2
    assert other.documents() == ()
    other.import_(file)
    again = other.import_(file)
    assert set(again.written.values()) == {0}
    assert list(other.export()) == lines


def test_fields_of_a_newer_writer_are_named_not_hidden(filled, make_engine, tmp_path):
    file = tmp_path / "memory.jsonl"
    lines = [json.loads(line) for line in filled.export()]
    for line in lines[1:]:
        line["mood"] = "sunny"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert "document.mood" in make_engine().import_(file).unknown_fields


def _spoil(lines, kind, **changes):
    spoiled = [json.loads(line) for line in lines]
    next(line for line in spoiled if line.get("record") == kind).update(changes)
    return [json.dumps(line) for line in spoiled]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda lines: [], "empty"),
        (lambda lines: ['{"record": "something"}'], "no thinkback bundle"),
        (lambda lines: [lines[0].replace("1", "99"), *lines[1:]], "format"),
        (lambda lines: [*lines[:-1], lines[-1][:20]], "not JSON"),
        (lambda lines: [*lines, '{"record": "spell"}'], "unknown kind"),
        (lambda lines: [*lines, "3"], "unknown kind"),
        (lambda lines: _spoil(lines, "document", text="Another text."), "hash"),
        (lambda lines: _spoil(lines, "chunk", start=3), "place"),
        (lambda lines: _spoil(lines, "thought", level="high"), "no valid thought"),
    ],
)
def test_a_damaged_bundle_is_refused_and_nothing_of_it_is_kept(filled, make_engine, tmp_path, damage, says):
    file = tmp_path / "memory.jsonl"
    file.write_text("".join(f"{line}\n" for line in damage(list(filled.export()))), encoding="utf-8")
    other = make_engine()
    with pytest.raises(BundleError, match=says):
        other.import_(file)
    assert other.documents() == ()
    assert other.get_all() == ()


def test_a_quote_that_does_not_stand_in_its_source_is_refused(filled, make_engine, tmp_path):
    lines = [json.loads(line) for line in filled.export()]
    way = next(
        line for line in lines if line.get("record") == "derivation" and line["evidence"][0]["item_kind"] == "testimony"
    )
    way["evidence"][0]["quote"] = "Something else."
    file = tmp_path / "memory.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(BundleError, match="quote"):
        make_engine().import_(file)


def test_files_that_cannot_be_read_or_written(engine, tmp_path):
    with pytest.raises(BundleError, match="cannot be read"):
        engine.import_(tmp_path / "nothing.jsonl")
    (tmp_path / "latin").write_bytes(b"\xe9\xff")
    with pytest.raises(BundleError, match="UTF-8"):
        engine.import_(tmp_path / "latin")
    with pytest.raises(BundleError, match="cannot be written"):
        engine.export(tmp_path / "no" / "folder.jsonl")
