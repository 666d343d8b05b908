from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.thought.stale import StalePlan, plan, standing, support_of, would_cycle
from thinkback.types import Derivation, Evidence, Root, Thought

Make = Callable[..., Derivation]
MakeThought = Callable[..., Thought]


def _ids(found: tuple[object, ...]) -> list[str]:
    return [one.thought_id for one in found]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("status", "roots", "live", "expected"),
    [
        ("active", ["a"], "a b", "nothing"),
        ("active", ["a"], "b", "stale"),
        ("active", ["a b"], "a", "stale"),
        ("active", ["a", "b"], "b", "changed"),
        ("active", ["a", "b"], "", "stale"),
        ("active", [], "a", "stale"),
        ("stale", ["a"], "a", "revived"),
        ("stale", ["a"], "", "nothing"),
        ("retracted", ["a"], "", "nothing"),
        ("superseded", ["a"], "a", "nothing"),
    ],
)
def test_fault_61_the_same_pattern_always_has_the_same_effect(
    status: str, roots: list[str], live: str, expected: str, make_thought: MakeThought, make_derivation: Make
) -> None:
    thought = make_thought("t", status=status, support=len(roots))
    ways = [make_derivation(f"d{i}", "t", one, at=float(i)) for i, one in enumerate(roots)]
    for order in (ways, ways[::-1]):
        result = plan({"t": thought}, {"t": order}, set(live.split()))
        happened = {"stale": result.stale, "revived": result.revived, "changed": result.changed}
        assert {name: _ids(found) for name, found in happened.items() if found} == (
            {} if expected == "nothing" else {expected: ["t"]}
        )
        assert bool(result) == (expected != "nothing")


def test_what_rests_on_a_retracted_thought_follows_it_and_comes_back(
    make_thought: MakeThought, make_derivation: Make
) -> None:
    thoughts = {"low": make_thought("low", status="retracted"), "mid": make_thought("mid"), "top": make_thought("top")}
    ways = {
        "low": [make_derivation("d1", "low", "a")],
        "mid": [make_derivation("d2", "mid", "a", via="low")],
        "top": [make_derivation("d3", "top", "a", via="mid")],
    }
    gone = plan(thoughts, ways, {"a"})
    assert _ids(gone.stale) == ["mid", "top"]
    assert "no longer stands" in gone.stale[0].reason
    back = {
        "low": make_thought("low"),
        **{name: replace(thoughts[name], status="stale", reason="x") for name in ("mid", "top")},
    }
    assert _ids(plan(back, ways, {"a"}).revived) == ["mid", "top"]


def test_fault_60_unrelated_additions_invalidate_nothing(make_thought: MakeThought, make_derivation: Make) -> None:
    thoughts = {f"t{i}": make_thought(f"t{i}") for i in range(100)}
    ways = {name: [make_derivation(f"d-{name}", name, f"root-{name}")] for name in thoughts}
    live = {f"root-{name}" for name in thoughts} | {f"new-{i}" for i in range(100)}
    assert plan(thoughts, ways, live) == StalePlan()
    live.remove("root-t7")
    result = plan(thoughts, ways, live)
    assert _ids(result.stale) == ["t7"]
    assert not result.changed


def test_a_thought_cannot_confirm_itself(make_derivation: Make) -> None:
    ways = {
        "t": [
            make_derivation("d1", "t", "a"),
            make_derivation("d2", "t", "a b", via="t"),
            make_derivation("d3", "t", "a c", via="child"),
            make_derivation("d4", "t", "a", at=5.0),
            make_derivation("d5", "t", "e"),
        ],
        "child": [make_derivation("d6", "child", "a c", via="t")],
    }
    assert support_of("t", ways) == 2  # {a} and {e}
    assert support_of("unknown", ways) == 0


def test_the_level_is_that_of_the_best_supported_derivation(make_thought: MakeThought, make_derivation: Make) -> None:
    own = [
        make_derivation("d1", "t", "a", level=2.0, at=1.0),
        make_derivation("d2", "t", "b", level=3.5, at=2.0),
        make_derivation("d3", "t", "b", level=3.0, at=3.0),
    ]
    after = standing(make_thought("t"), {"t": own}, {"a", "b"})
    assert (after.level, after.support, after.live, after.dead) == (3.5, 2, ("d1", "d2", "d3"), ())
    after = standing(make_thought("t"), {"t": own}, {"a"})
    assert (after.level, after.support, after.live, after.dead) == (2.0, 1, ("d1",), ("d2", "d3"))


def test_a_derivation_without_roots_holds_nothing(make_thought: MakeThought, make_derivation: Make) -> None:
    after = standing(make_thought("t"), {"t": [make_derivation("d", "t", "")]}, {"a"})
    assert after.status == "stale"
    assert "names no root" in after.reason


def test_a_cycle_is_seen_before_it_is_made(make_derivation: Make) -> None:
    ways = {
        "b": [make_derivation("d1", "b", "r", via="a")],
        "c": [make_derivation("d2", "c", "r", via="b")],
    }
    assert would_cycle("a", ["c"], ways)
    assert would_cycle("a", ["a"], ways)
    assert not would_cycle("c", ["a", "chunk"], ways)


def test_a_long_chain_needs_no_recursion(make_thought: MakeThought, make_derivation: Make) -> None:
    thoughts = {f"t{i:05}": make_thought(f"t{i:05}") for i in range(5000)}
    ways = {
        name: [make_derivation(f"d{i}", name, "root", via=f"t{i - 1:05}" if i else "")]
        for i, name in enumerate(sorted(thoughts))
    }
    assert len(plan(thoughts, ways, set()).stale) == 5000
    assert would_cycle("t00000", ["t04999"], ways)


@st.composite
def memories(draw: st.DrawFn) -> tuple[dict[str, Thought], dict[str, list[Derivation]], set[str]]:
    """Draw an acyclic memory in which roots are the union of what the evidence reaches, and what is live."""
    roots = [f"r{i}" for i in range(draw(st.integers(1, 5)))]
    thoughts: dict[str, Thought] = {}
    ways: dict[str, list[Derivation]] = {}
    for i in range(draw(st.integers(1, 7))):
        name = f"t{i}"
        ways[name] = []
        for j in range(draw(st.integers(0, 3))):
            chunks = draw(st.sets(st.sampled_from(roots), max_size=2))
            below = [t for t in thoughts if ways[t]]
            through = draw(st.sets(st.sampled_from(below), max_size=2)) if below else set()
            reached = set(chunks)
            for source in through:
                reached |= {root.id for root in ways[source][0].roots}
            if not reached:
                continue
            items = [("chunk", c) for c in sorted(chunks)] + [("thought", t) for t in sorted(through)]
            ways[name].append(
                Derivation(
                    id=f"{name}-d{j}",
                    thought_id=name,
                    question="",
                    answer="",
                    confidence=1.0,
                    model="",
                    prompt_hash="",
                    created_at=float(j),
                    level=2.0 + j / 2,
                    evidence=tuple(
                        Evidence(item_kind=kind, item_id=one, start=0, end=1, quote="x", score=1.0)  # type: ignore[arg-type]
                        for kind, one in items
                    ),
                    roots=tuple(Root(kind="chunk", id=one) for one in sorted(reached)),
                )
            )
        status = draw(st.sampled_from(["active", "active", "active", "stale"]))
        thoughts[name] = Thought(
            id=name, namespace="n", text=name, level=2.0, status=status, created_at=0.0, support=draw(st.integers(0, 3))
        )
    live = draw(st.sets(st.sampled_from(roots)))
    return thoughts, ways, live


def _after(memory: tuple[dict[str, Thought], dict[str, list[Derivation]], set[str]]) -> dict[str, Thought]:
    thoughts, ways, live = memory
    result = plan(thoughts, ways, live)
    changed = {s.thought_id: s for s in (*result.stale, *result.revived, *result.changed)}
    return {
        name: replace(t, status=changed[name].status, support=changed[name].support, level=changed[name].level)
        if name in changed
        else t
        for name, t in thoughts.items()
    }


@given(memories())
def test_a_thought_is_active_iff_a_derivation_has_all_its_roots_live(
    memory: tuple[dict[str, Thought], dict[str, list[Derivation]], set[str]],
) -> None:
    _, ways, live = memory
    for name, thought in _after(memory).items():
        rooted = [d for d in ways[name] if all(root.id in live for root in d.roots)]
        if thought.status == "active":
            assert rooted
            assert thought.support <= len({d.roots for d in rooted})
        else:
            # what stands on a thought needs that one to stand too
            assert all(any(e.item_kind == "thought" for e in d.evidence) for d in rooted)


@given(memories())
def test_carrying_out_a_plan_leaves_nothing_to_do(
    memory: tuple[dict[str, Thought], dict[str, list[Derivation]], set[str]],
) -> None:
    _, ways, live = memory
    assert not plan(_after(memory), ways, live)


@given(memories(), st.sampled_from([f"r{i}" for i in range(5)]))
def test_only_thoughts_that_touch_a_dead_root_change_when_it_goes(
    memory: tuple[dict[str, Thought], dict[str, list[Derivation]], set[str]], gone: str
) -> None:
    thoughts, ways, live = memory
    settled = _after((thoughts, ways, live))
    result = plan(settled, ways, live - {gone})
    touching = {name for name, own in ways.items() if any(root.id == gone for d in own for root in d.roots)}
    for found in (result.stale, result.changed):
        for one in found:
            reached = {e.item_id for d in ways[one.thought_id] for e in d.evidence if e.item_kind == "thought"}
            assert one.thought_id in touching or reached & touching
    assert not result.revived


@given(memories())
def test_the_plan_does_not_depend_on_the_order_of_what_it_is_given(
    memory: tuple[dict[str, Thought], dict[str, list[Derivation]], set[str]],
) -> None:
    thoughts, ways, live = memory
    turned = dict(reversed(list(thoughts.items())))
    assert plan(turned, {name: own[::-1] for name, own in ways.items()}, sorted(live)) == plan(thoughts, ways, live)
