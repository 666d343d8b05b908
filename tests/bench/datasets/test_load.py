"""Data sets by name, their options, the catalogue, where they lie, and their numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from thinkback.bench.datasets import DATASETS, load, options_of
from thinkback.bench.datasets.catalogue import folder_of, place_in_cache, source_of, sources
from thinkback.bench.datasets.fetch import notice
from thinkback.bench.datasets.statistics import statistics
from thinkback.bench.records import Dataset
from thinkback.errors import InvalidInput

Lines = Callable[[str, Sequence[Any]], Path]


def test_every_data_set_is_in_the_catalogue_once() -> None:
    named = [name for source in sources() for name in source.datasets]
    assert sorted(named) == sorted(DATASETS)
    folders = [source.folder for source in sources()]
    assert len(folders) == len(set(folders))


@pytest.mark.parametrize("source", sources(), ids=lambda source: source.folder)
def test_an_entry_says_what_a_user_must_know(source: Any) -> None:
    assert all((source.title, source.about, source.licence, source.citation, source.homepage.startswith("http")))
    assert bool(source.files) != bool(source.how), "either it can be fetched or it says how to get it"
    paths = [file.path for file in source.files]
    assert len(paths) == len(set(paths))
    for file in source.files:
        assert bool(file.sha256) == bool(file.size), "a file at a pinned commit is known by both"
        assert not file.sha256 or "/main/" not in file.url
    assert source.licence in notice(source)
    assert source.citation in notice(source)


@pytest.mark.parametrize("name", DATASETS)
def test_every_loader_is_there_with_its_options(name: str) -> None:
    options = options_of(name)
    assert "folder" not in options
    with pytest.raises(InvalidInput, match="no option 'colour'"):
        load(name, None, colour="green")


def test_an_unknown_option_names_those_there_are(lines: Lines) -> None:
    with pytest.raises(InvalidInput, match=r"wcep has no option 'size'; its options are split, limit, articles"):
        load("wcep", None, size=3)
    with pytest.raises(InvalidInput, match=r"memorybank has no option 'limit'; it has no options"):
        load("memorybank", None, limit=3)
    for limit in (0, "3"):
        with pytest.raises(InvalidInput, match="limit is a number of at least 1"):
            load("wcep", None, limit=limit)


def test_an_unknown_data_set_names_those_there_are() -> None:
    for ask in (lambda: load("moon", None), lambda: options_of("moon"), lambda: source_of("moon")):
        with pytest.raises(InvalidInput, match=r"no data set 'moon'; there are 2wiki, abstract-multi"):
            ask()


def test_a_data_set_is_found_in_its_folder_or_below_it_or_in_the_cache(tmp_path: Path) -> None:
    own, root, cache = tmp_path / "mine", tmp_path / "root", tmp_path / "cache"
    kept = place_in_cache(source_of("wcep"), cache)
    for folder in (own, root / "wcep", kept):
        folder.mkdir(parents=True)
    (own / "test.jsonl").touch()
    (root / "wcep" / "test.jsonl.gz").touch()
    assert folder_of("wcep", own) == own
    assert folder_of("wcep", root) == root / "wcep"
    with pytest.raises(InvalidInput, match=r"wcep is not in .*cache"):
        folder_of("wcep", None, cache)
    (kept / "val.jsonl").touch()
    assert folder_of("wcep", None, cache) == kept
    assert folder_of("wcep", root, cache) == root / "wcep", "what was given goes before what was fetched"
    assert folder_of("wcep", tmp_path, cache) == kept


def test_what_is_not_here_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as fetchable:
        folder_of("locomo", None)
    assert "no folder of data sets is set" in fetchable.value.message
    assert fetchable.value.hint == "Fetch it with: thinkback bench fetch locomo (licence: CC BY-NC 4.0)"
    with pytest.raises(InvalidInput) as by_hand:
        folder_of("related-multi", tmp_path)
    assert "scisumm-corpus" in by_hand.value.hint
    assert str(tmp_path / "academic_scisumm") in by_hand.value.message


def test_a_data_set_is_loaded_from_its_own_folder_and_from_above(lines: Lines, tmp_path: Path) -> None:
    row = {"id": "1", "summary": "It rained.", "articles": [{"title": "Rain", "text": "It rained all day."}]}
    lines("wcep/test.jsonl", [row, {**row, "id": "2"}])
    assert len(load("wcep", tmp_path).tasks) == 2
    assert [task.id for task in load("wcep", tmp_path / "wcep", limit=1).tasks] == ["wcep/1"]


def test_statistics_are_means_over_tasks(tiny: Dataset) -> None:
    found = statistics(tiny, count=len)
    texts = [each.text for each in tiny.corpora[0].documents]
    assert (found.name, found.kinds, found.cases, found.corpora, found.documents) == ("tiny", ("question",), 3, 1, 2)
    assert found.words == sum(len(text.split()) for text in texts)
    assert found.tokens == sum(map(len, texts))
    assert found.references == pytest.approx(2 / 3)
    assert found.reference_words == 1.0
    assert found.gold == pytest.approx(2 / 3)
    assert found.pre_queries == pytest.approx(1 / 3)
    assert statistics(tiny).tokens is None


def test_statistics_of_nothing_are_zero() -> None:
    found = statistics(Dataset(name="none", corpora=(), tasks=(), licence="", source=""), count=len)
    assert (found.cases, found.words, found.tokens, found.references) == (0, 0.0, 0.0, 0.0)
