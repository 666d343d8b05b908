"""Export → wipe → import is the identity; a bundle that lies is refused whole."""

from __future__ import annotations

import json
import random

import pytest

from thinkback.engine.bundle import import_lines
from thinkback.engine.citing_list import cited
from thinkback.errors import BundleError, InvalidInput, NotFound
from thinkback.ids import content_hash

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
    filled.delete_all(namespace="default")
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


# --- a bundle may come from anybody ----------------------------------------------------------------------------------


def _records(lines):
    return [json.loads(line) for line in lines]


def _import(engine, records, **more):
    return import_lines(engine._parts, "default", [json.dumps(record) for record in records], **more)


def _kind(records, kind):
    return [record for record in records if record["record"] == kind]


@pytest.fixture
def plain(engine, bridge, tunnel):
    """One thought on one chunk, a kept answer, and a second document."""
    engine.add(bridge)
    engine.ask(QUESTION)
    engine.add(tunnel)
    return _records(engine.export())


def _forge_without_sources(records):
    return [record for record in records if record["record"] not in ("document", "chunk", "answer")]


def _forge_other_words_in_a_chunk(records):
    for record in _kind(records, "chunk"):
        record["text"] = record["text"].replace("1932", "1999")
    return records


def _forge_all_words(records):
    """Text, chunks and hashes agree; only the quotes still say what stood there."""
    for record in [*_kind(records, "document"), *_kind(records, "chunk")]:
        record["text"] = record["text"].replace("1932", "1999")
        record["content_hash"] = content_hash(record["text"])
    return records


def _forge_a_missing_chunk(records):
    gone = _kind(records, "derivation")[0]["roots"][0]["id"]
    return [record for record in records if record.get("id") != gone]


def _forge_foreign_roots(records):
    way = _kind(records, "derivation")[0]
    own = {root["id"] for root in way["roots"]}
    way["roots"] = [{"kind": "chunk", "id": c["id"]} for c in _kind(records, "chunk") if c["id"] not in own]
    return records


def _forge_more_roots(records):
    way = _kind(records, "derivation")[0]
    way["roots"] = [{"kind": "chunk", "id": chunk["id"]} for chunk in _kind(records, "chunk")]
    return records


def _forge_a_kind(records):
    way = _kind(records, "derivation")[0]
    way["evidence"][0]["item_kind"] = "testimony"
    way["roots"][0]["kind"] = "testimony"
    return records


def _forge_a_root_kind(records):
    way = _kind(records, "derivation")[0]
    way["roots"].append({**way["roots"][0], "kind": "testimony"})
    return records


def _forge_a_place_from_the_end(records):
    piece = _kind(records, "derivation")[0]["evidence"][0]
    text = next(chunk["text"] for chunk in _kind(records, "chunk") if chunk["id"] == piece["item_id"])
    piece["start"] -= len(text)
    return records


def _forge_a_loop(records):
    thought, way = _kind(records, "thought")[0], _kind(records, "derivation")[0]
    piece = {"item_kind": "thought", "item_id": thought["id"], "start": 0, "end": 3, "quote": thought["text"][:3]}
    return [*records, {**way, "id": "drv_loop", "evidence": [{**piece, "score": 1.0}]}]


def _forge_a_citation(records):
    _kind(records, "answer")[0]["citations"][0]["quote"] = "It was opened in 1999."
    return records


def _forge_an_empty_citation(records):
    _kind(records, "answer")[0]["citations"][0].update(quote="", start=0, end=0)
    return records


def _forge_a_link(records):
    left = _kind(records, "thought")[0]["id"]
    return [*records, {"record": "link", "left": left, "right": "tht_none", "kind": "related", "created_at": 1.0}]


def _forge_an_orphan(records):
    return [record for record in records if record["record"] != "thought"]


def _forge_twice(records):
    return [*records, _kind(records, "thought")[0]]


def _forge_a_chunk_hash(records):
    _kind(records, "chunk")[0]["content_hash"] = content_hash("another")
    return records


def _forge_no_derivation(records):
    return [record for record in records if record["record"] != "derivation"]


@pytest.mark.parametrize(
    ("forge", "says"),
    [
        (_forge_without_sources, "active"),
        (_forge_other_words_in_a_chunk, "place"),
        (_forge_all_words, "quote"),
        (_forge_a_missing_chunk, "chunks that it claims"),
        (_forge_foreign_roots, "roots"),
        (_forge_more_roots, "roots"),
        (_forge_a_kind, "kind"),
        (_forge_a_root_kind, "kind"),
        (_forge_a_place_from_the_end, "quote"),
        (_forge_a_loop, "rests on itself"),
        (_forge_a_citation, "citation"),
        (_forge_an_empty_citation, "citation"),
        (_forge_a_link, "link"),
        (_forge_an_orphan, "no thought"),
        (_forge_twice, "twice"),
        (_forge_a_chunk_hash, "hash"),
        (_forge_no_derivation, "active"),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_forged_graph_is_refused_whole(plain, make_engine, forge, says, dry_run):
    other = make_engine()
    with pytest.raises(BundleError, match=says):
        _import(other, forge(plain), dry_run=dry_run)
    assert (other.documents(), other.get_all(), list(other.export())[1:]) == ((), (), [])


def test_labels_and_support_are_earned_not_claimed(plain, make_engine):
    for document in _kind(plain, "document"):
        document["trust"] = "untrusted"
    for record in [*_kind(plain, "chunk"), *_kind(plain, "thought")]:
        record["trust"] = "trusted"
    _kind(plain, "thought")[0].update(support=1000, level=9.0)
    other = make_engine()
    _import(other, plain)
    [thought] = other.get_all()
    assert (thought.trust, thought.support, thought.level) == ("untrusted", 1, 2.0)
    assert {hit.item.trust for hit in other.search("bridge", kind="chunks")} == {"untrusted"}


@pytest.mark.parametrize("trust", ["untrusted", "normal", "trusted"])
def test_a_label_for_all_that_comes_in(filled, make_engine, trust):
    other = make_engine()
    report = _import(other, _records(filled.export()), trust=trust)
    assert report.stale == ()
    assert {document.trust for document in other.documents()} == {trust}
    assert {thought.trust for thought in other.get_all()} == {trust}


def test_an_untrusted_bundle_borrows_no_trust_from_what_is_there(plain, make_engine, bridge):
    other = make_engine()
    there = [record for record in plain if record["record"] not in ("thought", "derivation", "answer", "link")]
    for document in _kind(there, "document"):
        document["trust"] = "trusted"
    _import(other, there)
    _import(other, plain, trust="untrusted")
    assert [thought.trust for thought in other.get_all()] == ["untrusted"]


def test_roots_that_are_only_named_lend_no_trust(plain, make_engine):
    """An event says that the thought below was rewritten, so its former roots cannot be compared; its label still counts."""
    thought, way = _kind(plain, "thought")[0], _kind(plain, "derivation")[0]
    low, high = way["roots"][0]["id"], ""
    for chunk in _kind(plain, "chunk"):
        high = chunk["id"] if chunk["id"] != low else high
    for document in _kind(plain, "document"):
        own = any(c["id"] == low and c["document_id"] == document["id"] for c in _kind(plain, "chunk"))
        document["trust"] = "untrusted" if own else "trusted"
    thought["trust"] = "untrusted"
    piece = {"item_kind": "thought", "item_id": thought["id"], "start": 0, "end": 3, "quote": "Odd", "score": 1.0}
    above = {**way, "id": "drv_up", "thought_id": "tht_up", "evidence": [piece]}
    above["roots"] = [{"kind": "chunk", "id": high}]
    event = {"record": "event", "item_id": thought["id"], "event": "edited", "at": 1.0, "detail": {}}
    up = {**thought, "id": "tht_up", "text": "Something else.", "trust": "trusted"}
    other = make_engine()
    _import(other, [*plain, up, above, event])
    assert {one.trust for one in other.get_all()} == {"untrusted"}


def test_ids_that_stand_for_something_else_are_refused(plain, make_engine):
    other = make_engine()
    _import(other, plain)
    way = _kind(plain, "derivation")[0]
    text = json.dumps(plain).replace(_kind(plain, "thought")[0]["id"], "tht_other")
    with pytest.raises(BundleError, match="another thought"):
        _import(other, json.loads(text))
    text = json.dumps(plain).replace(_kind(plain, "document")[0]["id"], "doc_other")
    with pytest.raises(BundleError, match="another document"):
        _import(other, json.loads(text))
    text = json.dumps(plain).replace(_kind(plain, "thought")[0]["id"], way["roots"][0]["id"])
    with pytest.raises(BundleError, match="twice"):
        _import(other, json.loads(text))
    alone = json.loads(
        json.dumps(_kind(plain, "thought")).replace(_kind(plain, "thought")[0]["id"], way["roots"][0]["id"])
    )
    with pytest.raises(BundleError, match="something else"):
        _import(other, [plain[0], *alone])


def test_a_thought_on_text_that_changed_here_comes_in_stale(plain, make_engine):
    other = make_engine()
    _import(other, [record for record in plain if record["record"] in ("thinkback-bundle", "document", "chunk")])
    root = _kind(plain, "derivation")[0]["roots"][0]["id"]
    document_id = next(chunk["document_id"] for chunk in _kind(plain, "chunk") if chunk["id"] == root)
    other.update(document_id, "Quite another text.")
    report = _import(other, plain)
    assert report.stale == (_kind(plain, "thought")[0]["id"],)
    assert other.get_all() == ()
    assert other._parts.store.check() == ()


# --- whatever the engine can make comes back as it was ----------------------------------------------------------------

_SEEDS = (0, 1, 2, 3, 4, 5, 12, 16, 21, 31)
_NOTES = (
    "The harbour bridge was opened in 1932.",
    "The harbour bridge was opened in 1932 after nine years of work.",
    "The harbour bridge carries eight lanes of traffic and two rail tracks.",
    "The harbour tunnel was finished in 1992.",
    "The tunnel carries four lanes below the sea bed.",
)


def _live_a_while(engine, script, atoms, choose, texts):
    """Do some of what a user can do, in any order."""
    documents = [next(iter(engine.add(text, trust=trust))).document_id for text, trust in texts]

    def ask():
        notes = choose.sample(_NOTES, 2)
        script.answer = choose.choice([f"{notes[0]} [1] {notes[1]} [2]", "The documents do not say."])
        script.distil = atoms(*notes, items=(1, 2), overview=choose.choice([None, " ".join(notes)]))
        engine.ask(f"{choose.choice(['Tell', 'Show'])} me about {notes[0][:20]}?")

    def learn():
        note = choose.choice(_NOTES)
        script.distil = atoms(note)
        engine.learn("What do you know?", note, source="an engineer", trust=choose.choice(["untrusted", "normal"]))

    def rewrite():
        document_id = choose.choice(documents)
        before = engine.text(document_id)
        after = choose.choice(
            [before.replace("19", "18"), before.replace("18", "19"), f"A preface.\n\n{before}", f"{before} More."]
        )
        engine.update(document_id, after)

    def thought(status="active"):
        with engine._parts.store.read() as reader:
            found = reader.thoughts("default", (status,))
        if not found:
            raise NotFound("none")
        return choose.choice(found)

    acts = [
        (ask, 6),
        (learn, 2),
        (rewrite, 3),
        (lambda: engine.invalidate(thought().id), 1),
        (lambda: engine.restore(thought("retracted").id), 1),
        (lambda: engine.refresh(thought("stale").id), 1),
        (lambda: engine.update(thought().id, choose.choice(_NOTES)), 1),
        (lambda: engine.delete(thought().id), 1),
    ]
    for act in choose.choices([act for act, _ in acts], [weight for _, weight in acts], k=14):
        try:
            act()
        except (InvalidInput, NotFound):
            continue


@pytest.mark.parametrize("seed", _SEEDS)
def test_what_the_engine_makes_comes_back_as_it_was(make_engine, script, atoms, bridge, tunnel, seed):
    engine = make_engine()
    again = bridge.replace("The harbour bridge is a steel arch. ", "Another book on the harbour bridge. ")
    _live_a_while(
        engine, script, atoms, random.Random(seed), [(bridge, "normal"), (tunnel, "normal"), (again, "normal")]
    )
    before = list(engine.export())
    engine.delete_all(namespace="default")
    assert _import(engine, _records(before)).stale == ()
    assert list(engine.export()) == before
    assert engine._parts.store.check() == ()


def test_such_memories_have_every_kind_of_record(make_engine, script, atoms, bridge, tunnel):
    kinds, statuses, found, ways = set(), set(), set(), set()
    for seed in _SEEDS:
        engine = make_engine()
        again = bridge.replace("The harbour bridge is a steel arch. ", "Another book on the harbour bridge. ")
        _live_a_while(
            engine, script, atoms, random.Random(seed), [(bridge, "normal"), (tunnel, "normal"), (again, "normal")]
        )
        records = _records(engine.export())
        there = {record.get("id") for record in records}
        kinds |= {record["record"] for record in records}
        statuses |= {thought["status"] for thought in _kind(records, "thought")}
        found |= {answer["found"] for answer in _kind(records, "answer")}
        active = {thought["id"] for thought in _kind(records, "thought") if thought["status"] == "active"}
        for way in _kind(records, "derivation"):
            ways.add((way["thought_id"] in active, all(root["id"] in there for root in way["roots"])))
            ways.update(piece["item_kind"] for piece in way["evidence"])
    assert kinds >= {"document", "chunk", "testimony", "thought", "derivation", "answer", "event"}
    assert statuses >= {"active", "stale", "retracted"}
    assert found == {True, False}
    assert ways >= {(True, True), (True, False), (False, False), "chunk", "thought", "testimony"}


def test_the_documents_that_are_cited(engine, script, atoms, bridge, tunnel):
    [one] = engine.add(bridge)
    engine.add(tunnel)
    with engine._parts.store.read() as reader:
        assert cited(reader, "default") == ()
    script.distil = atoms("The harbour bridge was opened in 1932 after nine years of work.")
    engine.ask(QUESTION)
    with engine._parts.store.read() as reader:
        named = cited(reader, "default")
    assert one.document_id in {document.id for document in named}
    assert list(named) == sorted(named, key=lambda document: (document.title, document.id))
    engine.delete([document.id for document in named])
    with engine._parts.store.read() as reader:
        assert cited(reader, "default") == ()
