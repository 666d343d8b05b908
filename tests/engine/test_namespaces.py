"""Namespaces never mix: not in results, counts, exports, errors or caches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.engine.scope import resolve_namespace
from thinkback.errors import InvalidInput, NotFound

QUESTION = "When was the harbour bridge opened?"


def test_nothing_of_one_namespace_shows_in_another(engine, bridge, script):
    [mine] = engine.add(bridge, namespace="mine")
    engine.ask(QUESTION, namespace="mine")
    [thought] = engine.get_all(namespace="mine")
    assert engine.search("harbour bridge opened", namespace="yours") == ()
    assert not engine.ask(QUESTION, namespace="yours").found
    assert engine.get_all(namespace="yours") == ()
    assert engine.stats(namespace="yours").usage.tokens == 0
    assert len(list(engine.export(namespace="yours"))) == 1
    assert engine.history(namespace="yours") == ()
    for call in (
        lambda: engine.get(thought.id, namespace="yours"),
        lambda: engine.why(thought.id, namespace="yours"),
        lambda: engine.delete(mine.document_id, namespace="yours"),
        lambda: engine.invalidate(thought.id, namespace="yours"),
        lambda: engine.text(mine.document_id, namespace="yours"),
        lambda: engine.update(mine.document_id, "x y z", namespace="yours"),
        lambda: engine.refresh(thought.id, namespace="yours"),
    ):
        with pytest.raises(NotFound):
            call()
    assert len(engine.get_all(namespace="mine")) == 1


def test_the_answer_cache_is_closed_too(engine, bridge, script):
    for name in ("mine", "yours"):
        engine.add(bridge, namespace=name)
    engine.ask(QUESTION, namespace="mine")
    assert not engine.ask(QUESTION, namespace="yours").cached
    assert engine.ask(QUESTION, namespace="mine").cached


def test_word_scores_do_not_depend_on_other_namespaces(engine, bridge, tunnel):
    engine.add([bridge, tunnel], namespace="mine")

    def ranks():
        return [
            (hit.item.id, dict(hit.why), hit.score, hit.cosine)
            for hit in engine.search("harbour lanes", namespace="mine")
        ]

    before = ranks()
    for number in range(30):
        engine.add(f"harbour lanes again and again, number {number}", namespace="yours")
    assert ranks() == before


def test_user_agent_and_run_are_namespaces(engine, bridge):
    engine.add(bridge, user_id="ann", agent_id="helper")
    assert engine.search("harbour bridge", user_id="ann", agent_id="helper")
    assert engine.search("harbour bridge", user_id="ann") == ()
    assert engine.search("harbour bridge", user_id="bob", agent_id="helper") == ()
    engine.ask(QUESTION, user_id="ann", agent_id="helper")
    assert len(engine.get_all(user_id="ann", agent_id="helper")) == 1
    engine.delete_all(user_id="ann", agent_id="helper")
    assert engine.search("harbour bridge", user_id="ann", agent_id="helper") == ()


@given(one=st.text(min_size=1, max_size=8), two=st.text(min_size=1, max_size=8))
def test_no_id_reaches_into_anothers_namespace(one, two):
    def name(**ids):
        try:
            return resolve_namespace(None, "default", **{"user_id": None, "agent_id": None, "run_id": None, **ids})
        except InvalidInput:
            return object()

    names = [name(user_id=one), name(agent_id=one), name(run_id=one), name(user_id=one, run_id=two), name()]
    assert len(set(names)) == len(names)
    assert name(user_id=one) != name(user_id=two) or one == two


@pytest.mark.parametrize("name", ["", " ", "a" * 300, "a\nb", "a\x00", None, 7])
def test_a_name_that_cannot_be(name):
    with pytest.raises(InvalidInput):
        resolve_namespace(name if name is not None else "", "default", user_id=None, agent_id=None, run_id=None)
    with pytest.raises(InvalidInput):
        resolve_namespace(None, "default", user_id="", agent_id=None, run_id=None)
