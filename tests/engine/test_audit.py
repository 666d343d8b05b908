"""Audit works offline and finds what is wrong."""

from __future__ import annotations

import pytest

from thinkback.types import Derivation, Evidence, Root, Thought

QUESTION = "When was the harbour bridge opened?"


def kinds(engine):
    return dict(engine.audit().counts)


def put(engine, thought_id, text, *, evidence=(), roots=(), level=2.0):
    thought = Thought(id=thought_id, namespace="default", text=text, level=level, created_at=engine._parts.clock())
    way = Derivation(
        id=f"drv_{thought_id}",
        thought_id=thought_id,
        question="q",
        answer="a",
        confidence=1.0,
        model="m",
        prompt_hash="p",
        created_at=1.0,
        level=level,
        evidence=tuple(evidence),
        roots=tuple(roots),
    )
    with engine._parts.store.write() as writer:
        writer.put_thought(thought, engine._parts.embed_text(text), [way])


def on_chunk(engine, quote):
    [hit] = engine.search(quote, kind="chunks", top_k=1)
    start = hit.item.text.index(quote)
    piece = Evidence(
        item_kind="chunk", item_id=hit.item.id, start=start, end=start + len(quote), quote=quote, score=1.0
    )
    return [piece], [Root(kind="chunk", id=hit.item.id)]


def test_a_sound_memory_has_no_findings(engine, bridge):
    engine.add(bridge)
    engine.ask(QUESTION)
    report = engine.audit()
    assert (report.findings, report.thoughts, report.chunks) == ((), 1, 1)


def test_what_admission_lets_in_is_not_called_unsupported(engine, script, atoms, bridge, tunnel):
    engine.add(bridge)
    engine.add(tunnel)
    both = "The bridge was opened in 1932 after nine years of work and the harbour tunnel was finished in 1992."
    lanes = "The harbour bridge carries eight lanes of traffic and two rail tracks."
    opened = "The harbour bridge was opened in 1932 after nine years of work."
    script.distil = atoms(
        both,
        lanes,
        opened,
        items=(1, 2),
        overview="The harbour bridge was opened in 1932 after nine years of work and carries eight lanes of traffic.",
    )
    engine.ask("Compare the harbour bridge and the harbour tunnel.")
    stored = {thought.text: thought for thought in engine.get_all()}
    assert {both, lanes, opened} < stored.keys()
    ways = engine.why(stored[both].id).children
    assert [len(way.children) for way in ways] == [2]
    assert any(thought.level > 2 for thought in stored.values())
    assert [finding for finding in engine.audit().findings if finding.kind == "unsupported"] == []


def test_duplicates_unsupported_and_loops(engine, bridge):
    engine.add(bridge)
    evidence, roots = on_chunk(engine, "The bridge was opened in 1932 after nine years of work.")
    put(engine, "tht_a", "The harbour bridge was opened in 1932 after nine years.", evidence=evidence, roots=roots)
    put(engine, "tht_b", "The harbour bridge was opened in 1932, after nine years.", evidence=evidence, roots=roots)
    put(engine, "tht_c", "Elephants built the pyramids of Mars.", evidence=evidence, roots=roots)
    on_itself = Evidence(item_kind="thought", item_id="tht_d", start=0, end=3, quote="The", score=1.0)
    put(engine, "tht_d", "The bridge is a steel arch.", evidence=[on_itself], roots=roots)
    found = {(finding.kind, finding.item_id) for finding in engine.audit().findings}
    assert ("duplicate", "tht_a") in found
    assert ("unsupported", "tht_c") in found
    assert ("loop", "tht_d") in found


def test_far_from_any_text(engine, bridge):
    engine.add(bridge)
    evidence, roots = on_chunk(engine, "The harbour bridge is a steel arch.")
    put(engine, "tht_base", "The harbour bridge is a steel arch.", evidence=evidence, roots=roots)
    piece = Evidence(
        item_kind="thought", item_id="tht_base", start=0, end=34, quote="The harbour bridge is a steel arch", score=1.0
    )
    put(engine, "tht_top", "The harbour bridge is an arch of steel.", evidence=[piece], roots=roots, level=5.0)
    assert [(f.kind, f.item_id) for f in engine.audit().findings if f.kind == "loop"] == [("loop", "tht_top")]


def test_stale_and_unused(engine, bridge, clock):
    [added] = engine.add(bridge)
    engine.ask(QUESTION)
    clock.now += 40 * 86_400
    assert kinds(engine) == {"unused": 1}
    engine.update(added.document_id, "Another text.")
    assert kinds(engine) == {"stale": 1}


@pytest.mark.parametrize(
    "secret",
    [
        "-----BEGIN RSA PRIVATE KEY-----",
        "sk-proj-" + "a1B2" * 8,
        "AKIA" + "ABCDEFGH12345678",
        "ghp_" + "a1B2" * 9,
        "password: hunter2hunter2",
        "4111 1111 1111 1111",
    ],
)
def test_secrets_are_found_and_not_repeated(engine, secret):
    engine.add(f"The bridge was opened in 1932. {secret} is written on its wall.")
    [finding] = engine.audit().findings
    assert finding.kind == "secret"
    assert secret not in finding.detail


def test_numbers_that_are_no_card_are_not_secrets(engine):
    engine.add("The counts were 1234 5678 9012 3456 in all the runs of the experiment.")
    assert engine.audit().findings == ()
