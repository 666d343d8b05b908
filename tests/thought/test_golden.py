"""The reach of the judgements on the kept third of the labelled set; the table is printed with ``pytest -s``.

What is not reached is marked as expected to fail, with by how much: when it is reached, that test fails and the mark
must go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from thinkback.embed.onnx import MiniLmEmbedder
from thinkback.thought.confidence import is_abstention
from thinkback.thought.support import idf_of, supports
from thinkback.thought.twins import guard

Read = Callable[..., list[dict[str, Any]]]
RELATED = 0.80


@pytest.fixture(scope="module")
def verdicts(golden: Read) -> dict[str, list[str]]:
    """Return what embedder and guard say of the pairs of each kind."""
    pairs = golden("twins", "report")
    embedder = MiniLmEmbedder()
    left = embedder.embed([pair["left"] for pair in pairs], kind="document")
    right = embedder.embed([pair["right"] for pair in pairs], kind="document")
    embedder.close()
    found: dict[str, list[str]] = defaultdict(list)
    for pair, cosine in zip(pairs, (left * right).sum(axis=1), strict=True):
        verdict = guard(pair["left"], pair["right"]).verdict if cosine >= RELATED else "not compared"
        found[pair["kind"]].append(verdict)
    for kind, said in found.items():
        print(f"\n{kind:12}", {verdict: said.count(verdict) for verdict in sorted(set(said))}, end="")  # noqa: T201 - the table
    return found


@pytest.fixture(scope="module")
def refused(golden: Read) -> dict[str, float]:
    """Return the share of claims refused, by kind."""
    pairs = golden("support", "report")
    idf = idf_of({pair["evidence"] for pair in pairs})
    found: dict[str, list[bool]] = defaultdict(list)
    for pair in pairs:
        verdict = supports(pair["claim"], pair["evidence"], idf=idf, question=pair.get("question", ""))
        found[pair["kind"]].append(not verdict.ok)
    shares = {kind: sum(flags) / len(flags) for kind, flags in found.items()}
    print("\nclaims refused", {kind: f"{share:.2f} of {len(found[kind])}" for kind, share in shares.items()})  # noqa: T201 - the table
    return shares


def test_the_set_is_large_and_varied_enough(golden: Read) -> None:
    rows = [row for name in ("twins", "support", "abstentions") for row in golden(name)]
    assert len({row["id"] for row in rows}) == len(rows) >= 160
    assert len({row["language"] for row in golden("abstentions") if row["label"] == "abstain"}) >= 6
    kept = [row for row in rows if row["split"] == "report"]
    assert {row["kind"] for row in kept} == {row["kind"] for row in rows}


def test_no_changed_fact_is_joined(verdicts: dict[str, list[str]]) -> None:
    changed = {kind: said for kind, said in verdicts.items() if kind != "paraphrase"}
    assert len(changed) == 7
    assert all("same" not in said for said in changed.values())


def test_no_changed_fact_is_joined_in_any_part_whatever_the_cosine(golden: Read) -> None:
    joined = [
        row["id"]
        for row in golden("twins")
        if row["label"] == "different" and guard(row["left"], row["right"]).verdict == "same"
    ]
    assert joined == []


@pytest.mark.xfail(
    reason="open: 7 of 16 (44 %) instead of 60 %. Words alone do not show that other verbs say the same, and none of "
    "MiniLM's cosines (of notes or of single words) tells those from changed facts; such pairs stay undecided: both "
    "notes are kept and linked, and a judge may join them."
)
def test_paraphrases_are_joined_by_embedder_and_guard_alone(verdicts: dict[str, list[str]]) -> None:
    said = verdicts["paraphrase"]
    assert said.count("same") >= 0.60 * len(said)


def test_claims_beside_the_evidence_are_refused(refused: dict[str, float]) -> None:
    assert refused["beside"] >= 0.95


def test_claims_against_the_evidence_are_refused(refused: dict[str, float]) -> None:
    assert refused["against"] >= 0.80


def test_claims_in_the_evidence_are_accepted(refused: dict[str, float]) -> None:
    assert 1 - refused["in"] >= 0.75  # no reach was asked for: this is the price, and it may not rise unseen


def test_abstentions_are_kept_out_in_every_language(golden: Read) -> None:
    missed = [
        row["id"] for row in golden("abstentions") if row["label"] == "abstain" and not is_abstention(row["text"])
    ]
    assert missed == []


def test_answers_are_rarely_taken_for_abstentions(golden: Read) -> None:
    answers = [row for row in golden("abstentions", "report") if row["label"] == "answer"]
    assert sum(is_abstention(row["text"]) for row in answers) <= 0.1 * len(answers)
