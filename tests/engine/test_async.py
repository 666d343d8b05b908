"""The sync API inside a running loop, the async twins twice in a row, many threads at once."""

from __future__ import annotations

import asyncio
import inspect
import threading

import pytest

from thinkback.engine.events import DoneEvent, TextEvent
from thinkback.engine.face import Engine
from thinkback.errors import StoreClosed

QUESTION = "When was the harbour bridge opened?"


def test_fault_43_the_sync_api_works_inside_a_running_loop(engine, bridge):
    async def main():
        engine.add(bridge)
        return engine.ask(QUESTION)

    assert asyncio.run(main()).found


def test_fault_43_two_loops_in_a_row_with_one_engine(engine, bridge):
    async def main(text):
        await engine.aadd(text)
        answer = await engine.aask(QUESTION)
        hits = await engine.asearch("harbour bridge")
        return answer, hits

    for text in (bridge, bridge + " More."):
        answer, hits = asyncio.run(main(text))
        assert answer.found
        assert hits


def test_fault_44_no_task_is_left_behind(engine, bridge):
    async def main():
        await engine.aadd(bridge)
        await asyncio.gather(*(engine.aask(f"{QUESTION} {number}") for number in range(5)))
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(main()) == set()
    assert len(engine.get_all()) == 1


def test_an_async_stream_gives_events_and_stops_the_model_when_left(engine, bridge):
    async def whole():
        return [event async for event in engine.astream(QUESTION)]

    async def part():
        stream = engine.astream(QUESTION + " Again?")
        async for event in stream:
            assert isinstance(event, TextEvent)
            break
        await stream.aclose()

    engine.add(bridge)
    events = asyncio.run(whole())
    assert isinstance(events[0], TextEvent)
    assert isinstance(events[-1], DoneEvent)
    asyncio.run(part())
    assert engine._parts.llm.streams_closed == 1


def test_every_public_method_has_a_twin():
    exempt = {"wait", "search_result", "sync"}
    public = {name for name, member in inspect.getmembers(Engine, inspect.isfunction) if not name.startswith("_")}
    plain = {name for name in public if not inspect.iscoroutinefunction(getattr(Engine, name)) and name != "astream"}
    missing = {name for name in plain - exempt if not inspect.iscoroutinefunction(getattr(Engine, f"a{name}", None))}
    assert missing == set()
    assert inspect.iscoroutinefunction(Engine.async_)


def test_aask_refuses_what_ask_refuses(engine):
    with pytest.raises(TypeError):
        asyncio.run(engine.aask(QUESTION, top_p=1))
    with pytest.raises(TypeError):
        asyncio.run(engine.aask(QUESTION, stream=True))


def test_fault_46_fifty_identical_questions_at_once_make_one_thought(engine, bridge):
    engine.add(bridge)
    faults = []

    def ask(number):
        try:
            engine.ask(f"{QUESTION} {number}")
        except Exception as error:  # noqa: BLE001 - any error at all is a fault here
            faults.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(engine.get_all()) == 1


def test_fault_42_closing_while_others_add_gives_a_clean_error(engine):
    faults = []

    def add(number):
        for count in range(20):
            try:
                engine.add(f"Text {count} of thread {number} about bridges and the years they were opened in.")
            except StoreClosed:
                return
            except Exception as error:  # noqa: BLE001 - any other error is a fault here
                faults.append(error)
                return

    threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    engine.close()
    for thread in threads:
        thread.join()
    assert faults == []
    with pytest.raises(StoreClosed):
        engine.add("after")
