"""What the judgements on thoughts are worth: the labelled set, and two real data sets.

The labelled set (``tests/golden``) says whether changed facts stay apart, paraphrases are joined, claims are accepted and
refused, abstentions recognised. A third of its first version, fixed before anything was tuned, is the split ``report``;
``dev`` is what the word lists and rules were developed on, and flatters them.

Real data (THINKBACK_DATA): LoCoMo's observations against their own turn, another turn of the session and another session;
SciFact's claims against their rationale, and against another sentence of the same abstract. First half (LoCoMo's first
five dialogues, SciFact train) for development, second half for the report.

With --judge, a language model looks at the pairs that the words leave open: twice each, some three seconds a pair.

    python benchmarks/golden_report.py [--threshold 0.7] [--sample 500] [--judge MODEL.gguf]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from retrieval_common import sha256, write_record

from thinkback.embed.onnx import MiniLmEmbedder
from thinkback.llm.gguf import GgufGenerator
from thinkback.llm.judge import GeneratorJudge
from thinkback.thought.confidence import is_abstention
from thinkback.thought.support import Idf, idf_of, supports
from thinkback.thought.twins import decide, guard
from thinkback.thought.words import sentences

GOLDEN = Path(__file__).parent.parent / "tests" / "golden"
RELATED = 0.80  # cosine at which two notes are compared


def share(flags: Iterable[bool]) -> dict[str, Any]:
    """Return count, total, share and its 95 % interval (Wilson 1927)."""
    values = list(flags)
    n, k, z = len(values), sum(values), 1.959964
    if not n:
        return {"k": 0, "n": 0, "share": None, "interval": None}
    centre = (k / n + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(k / n * (1 - k / n) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return {"k": k, "n": n, "share": round(k / n, 3), "interval": [round(centre - half, 3), round(centre + half, 3)]}


def rows(name: str, split: str) -> list[dict[str, Any]]:
    """Return the lines of a file of the labelled set that belong to a split."""
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["split"] == split]


def twins(split: str, embedder: MiniLmEmbedder, judge: GeneratorJudge | None = None) -> dict[str, Any]:
    """Return, for each kind of pair, how often the two are joined, told apart and left open."""
    pairs = rows("twins", split)
    left = embedder.embed([pair["left"] for pair in pairs], kind="document")
    right = embedder.embed([pair["right"] for pair in pairs], kind="document")
    verdicts: dict[str, list[str]] = defaultdict(list)
    for pair, cosine in zip(pairs, (left * right).sum(axis=1), strict=True):
        if float(cosine) < RELATED:
            verdicts[pair["kind"]].append("not compared")
            continue
        guarded = guard(pair["left"], pair["right"])
        asks = guarded.verdict == "undecided" and guarded.open
        judged = judge.same_claim(pair["left"], pair["right"]) if judge is not None and asks else None
        verdicts[pair["kind"]].append(decide(guarded, judged))
    changed = [verdict for kind, found in verdicts.items() if kind != "paraphrase" for verdict in found]
    return {
        "paraphrases joined": share(verdict == "same" for verdict in verdicts["paraphrase"]),
        "changed facts joined": share(verdict == "same" for verdict in changed),
        "verdicts": {kind: {v: found.count(v) for v in sorted(set(found))} for kind, found in verdicts.items()},
    }


def claims(split: str, threshold: float) -> dict[str, Any]:
    """Return how often claims in, beside and against the evidence are accepted."""
    pairs = rows("support", split)
    idf = idf_of({pair["evidence"] for pair in pairs})
    found: dict[str, list[bool]] = defaultdict(list)
    for pair in pairs:
        verdict = supports(
            pair["claim"], pair["evidence"], threshold=threshold, idf=idf, question=pair.get("question", "")
        )
        found[pair["kind"]].append(verdict.ok)
    return {
        "in the evidence, accepted": share(found["in"]),
        "beside the evidence, refused": share(not ok for ok in found["beside"]),
        "against the evidence, refused": share(not ok for ok in found["against"]),
    }


def abstentions(split: str) -> dict[str, Any]:
    """Return how often abstentions are seen, and answers let through."""
    texts = rows("abstentions", split)
    return {
        "abstentions kept out": share(is_abstention(t["text"]) for t in texts if t["label"] == "abstain"),
        "answers let through": share(not is_abstention(t["text"]) for t in texts if t["label"] == "answer"),
        "languages": sorted({t["language"] for t in texts}),
    }


def locomo(folder: Path, half: str, thresholds: Sequence[float], sample: int) -> dict[str, Any]:
    """Return the share of observations that their own turn, a turn of the session, and one of another session carry."""
    rng = random.Random(0)
    dialogues = json.loads((folder / "locomo" / "locomo10.json").read_text(encoding="utf-8"))
    pairs: dict[str, list[tuple[str, str, Idf]]] = defaultdict(list)
    for dialogue in dialogues[:5] if half == "dev" else dialogues[5:]:
        turns, of_session = _turns(dialogue["conversation"])
        idf = idf_of(turns.values())
        for name, by_speaker in dialogue["observation"].items():
            session = name.removesuffix("_observation")
            for text, turn in (note for notes in by_speaker.values() for note in notes):
                if not isinstance(turn, str) or turn not in turns:
                    continue
                other = rng.choice([one for one in of_session[session] if one != turn])
                elsewhere = rng.choice([one for one in of_session if one != session])
                pairs["own turn"].append((text, turns[turn], idf))
                pairs["same session"].append((text, turns[other], idf))
                pairs["other session"].append((text, turns[rng.choice(of_session[elsewhere])], idf))
    chosen = rng.sample(range(len(pairs["own turn"])), min(sample, len(pairs["own turn"])))
    return {
        kind: {
            f"{threshold:.2f}": share(
                supports(given[i][0], given[i][1], threshold=threshold, idf=given[i][2]).ok for i in chosen
            )
            for threshold in thresholds
        }
        for kind, given in pairs.items()
    }


def _turns(conversation: dict[str, Any]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the text of each turn, dated and with its speaker, and the turns of each session."""
    texts: dict[str, str] = {}
    of_session: dict[str, list[str]] = defaultdict(list)
    for name, turns in conversation.items():
        if not name.startswith("session_") or not isinstance(turns, list):
            continue
        date = conversation.get(f"{name}_date_time", "")
        for turn in turns:
            photo = f" [shares a photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            texts[turn["dia_id"]] = f"({date}) {turn['speaker']}: {turn.get('text', '')}{photo}"
            of_session[name].append(turn["dia_id"])
    return texts, of_session


def scifact(folder: Path, half: str, thresholds: Sequence[float]) -> dict[str, Any]:
    """Return the share of claims that their rationale, or another sentence of the abstract, carries."""
    rng = random.Random(1)
    base = folder / "scifact_beir"
    corpus = {doc["_id"]: doc["text"] for doc in map(json.loads, (base / "corpus.jsonl").open(encoding="utf-8"))}
    lines = (base / f"evidence_{'train' if half == 'dev' else 'test'}.jsonl").open(encoding="utf-8")
    labelled = [row for row in map(json.loads, lines) if row["evidence_label"]]
    idf = idf_of(list(corpus.values())[:1500])
    pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in labelled:
        pairs[f"rationale, {row['evidence_label'].lower()}"].append((row["claim"], " ".join(row["rationale"])))
        text = corpus[row["evidence_doc_id"]]
        others = [text[s.start : s.end] for s in sentences(text)]
        others = [one for one in others if not any(one in gold or gold in one for gold in row["rationale"])]
        if others:
            pairs["beside it in the abstract"].append((row["claim"], rng.choice(others)))
    return {
        kind: {
            f"{threshold:.2f}": share(supports(claim, text, threshold=threshold, idf=idf).ok for claim, text in given)
            for threshold in thresholds
        }
        for kind, given in pairs.items()
    }


def main() -> None:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threshold", type=float, default=0.7)
    parser.add_argument("--sample", type=int, default=500, help="observations of LoCoMo in each half")
    parser.add_argument("--judge", type=Path, metavar="GGUF", help="a language model that looks at open pairs")
    arguments = parser.parse_args()
    started = time.time()
    embedder = MiniLmEmbedder()
    judge = GeneratorJudge(GgufGenerator(arguments.judge)) if arguments.judge else None
    results: dict[str, Any] = {}
    for split in ("dev", "report"):
        found: dict[str, Any] = {
            "twins": twins(split, embedder),
            "claims": claims(split, arguments.threshold),
            "abstentions": abstentions(split),
        }
        if judge is not None:
            found["twins with a judge"] = twins(split, embedder, judge)
        folder = os.environ.get("THINKBACK_DATA")
        if folder:
            thresholds = sorted({0.4, 0.5, arguments.threshold})
            found["locomo"] = locomo(Path(folder), split, thresholds, arguments.sample)
            found["scifact"] = scifact(Path(folder), split, thresholds)
        results[split] = found
        print(split, json.dumps(found, indent=1, ensure_ascii=False))
    config = {
        **vars(arguments),
        "judge": arguments.judge and arguments.judge.name,
        "related": RELATED,
        "golden sha256": sha256(GOLDEN.glob("*.jsonl")),
    }
    print(write_record("golden", config, results, started=started))


if __name__ == "__main__":
    main()
