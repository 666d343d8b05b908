"""Evidence in the context on LoCoMo, at equal token budgets and without a language model.

    THINKBACK_DATA=... python benchmarks/retrieval_locomo.py [--half first|last|both]

One index per dialogue; each turn is a chunk, each session a document. Settings were chosen on the first five dialogues;
what is reported is the last five. Measures, per question and budget (tokens are MiniLM's):

* struct: gold turns among the chunks, and the roots of the thoughts, that were packed;
* supported: the same, but a thought counts for a root only if it holds .20 of the turn's words, weighted by idf;
* ans: 80 % of the answer's words that are not in the question stand somewhere in the context (categories 1, 3, 4);
* ansG: the same, in items rooted in a gold turn only.

Thoughts are, first, the data set's own observations (notes on every session), and then, for each half of a dialogue's
questions, the other half with its gold answers and gold evidence, as a memory of earlier questions would hold them.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from retrieval_common import Index, Vectors, data_folder, interval, retrieve, sha256, variant, write_record

from thinkback.config import Preset
from thinkback.store.words import stems as stems_of
from thinkback.types import Hit

BUDGETS = (250, 500, 1000, 2000)
MEASURES = ("struct", "supported", "ans", "ansG")
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single", 5: "adversarial"}
SUPPORTED = 0.20
CARRIED = 0.80
STOP = frozenset(
    stems_of(
        "a an the and or but of to in on at for from by with as is are was were be been being it its this that these those he"
        " she they we you i his her their our your my him them us me do does did have has had not no so if then than there"
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with its answer and the turns that hold it."""

    text: str
    answer: str
    category: int
    gold: tuple[str, ...]
    """Ids of turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """A dialogue over many sessions, with notes and questions on it."""

    name: str
    turns: Mapping[str, str]
    """Id to text with its date, in order."""
    sessions: Mapping[str, int]
    """Id to the number of its session."""
    observations: tuple[tuple[str, tuple[str, ...]], ...]
    """Text with its date, and the turns it was made from."""
    questions: tuple[Question, ...]


def load(path: Path) -> list[Dialogue]:
    return [_dialogue(entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def _dialogue(entry: Mapping[str, Any]) -> Dialogue:
    talk = entry["conversation"]
    numbers = sorted(int(key.removeprefix("session_")) for key in talk if re.fullmatch(r"session_\d+", key))
    turns, sessions, dates = {}, {}, {number: talk.get(f"session_{number}_date_time", "") for number in numbers}
    for number in numbers:
        for turn in talk[f"session_{number}"]:
            photo = f" [shares a photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            turns[turn["dia_id"]] = f"({dates[number]}) {turn['speaker']}: {turn['text']}{photo}"
            sessions[turn["dia_id"]] = number
    observations = []
    for key, speakers in entry["observation"].items():
        date = dates[int(key.split("_")[1])]
        for notes in speakers.values():
            for text, ids in notes:
                roots = _turn_ids([ids] if isinstance(ids, str) else ids, turns)
                if roots:
                    observations.append((f"({date}) {text}", roots))
    questions = []
    for asked in entry["qa"]:
        gold = _turn_ids(asked.get("evidence", []), turns)
        if gold:
            answer = str(asked.get("answer", asked.get("adversarial_answer", "")))
            questions.append(Question(text=asked["question"], answer=answer, category=asked["category"], gold=gold))
    return Dialogue(
        name=entry["sample_id"],
        turns=turns,
        sessions=sessions,
        observations=tuple(observations),
        questions=tuple(questions),
    )


def _turn_ids(given: Sequence[str], turns: Mapping[str, str]) -> tuple[str, ...]:
    found = (turn for text in given for turn in re.findall(r"D\d+:\d+", text))
    return tuple(dict.fromkeys(turn for turn in found if turn in turns))


def stems(text: str) -> frozenset[str]:
    return frozenset(stems_of(text)) - STOP


@dataclass(slots=True, kw_only=True)
class Memory:
    """A dialogue's index with thoughts of one kind, and what scoring needs to know of every item."""

    dialogue: Dialogue
    index: Index
    cost: dict[str, int] = field(default_factory=dict)
    turns: dict[str, str] = field(default_factory=dict)
    """Chunk id to turn id."""
    struct: dict[str, frozenset[str]] = field(default_factory=dict)
    supported: dict[str, frozenset[str]] = field(default_factory=dict)
    roots: dict[str, frozenset[str]] = field(default_factory=dict)
    """Thought id to chunk ids."""
    words: dict[str, frozenset[str]] = field(default_factory=dict)

    def score(self, question: Question, hits: Sequence[Hit]) -> list[float]:
        """Return the four measures; NaN where the question's category has no answer to look for."""
        ids, gold = [hit.item.id for hit in hits], set(question.gold)
        struct = gold & {turn for item in ids for turn in self.struct[item]}
        supported = gold & {turn for item in ids for turn in self.supported[item]}
        wanted = stems(question.answer) - stems(question.text)
        ans = ans_gold = math.nan
        if question.category in {1, 3, 4} and wanted:
            everywhere = {word for item in ids for word in self.words[item]}
            rooted = {word for item in ids if gold & self.struct[item] for word in self.words[item]}
            ans = float(len(wanted & everywhere) >= CARRIED * len(wanted))
            ans_gold = float(len(wanted & rooted) >= CARRIED * len(wanted))
        return [len(struct) / len(gold), len(supported) / len(gold), ans, ans_gold]


def remember(dialogue: Dialogue, thoughts: Sequence[tuple[str, Sequence[str]]], vectors: Vectors) -> Memory:
    """Build the index of a dialogue with the thoughts given as (text, turns they stand on)."""
    memory = Memory(dialogue=dialogue, index=Index())
    chunk_of: dict[str, str] = {}
    for session in sorted(set(dialogue.sessions.values())):
        turns = [turn for turn, number in dialogue.sessions.items() if number == session]
        texts = [dialogue.turns[turn] for turn in turns]
        ids = memory.index.add_document(
            [(text, 0, len(text)) for text in texts], vectors.of(texts), f"session {session}"
        )
        chunk_of.update(zip(turns, ids, strict=True))
    counts = Counter(word for text in dialogue.turns.values() for word in stems(text))
    idf = {word: math.log(1 + (len(dialogue.turns) - n + 0.5) / (n + 0.5)) for word, n in counts.items()}
    for turn, chunk_id in chunk_of.items():
        memory.turns[chunk_id] = turn
        memory.struct[chunk_id] = memory.supported[chunk_id] = frozenset({turn})
        memory.words[chunk_id] = stems(dialogue.turns[turn])
        memory.cost[chunk_id] = vectors.embedder.count(dialogue.turns[turn])
    texts = [text for text, _ in thoughts]
    roots = [[chunk_of[turn] for turn in turns] for _, turns in thoughts]
    for thought_id, (text, turns), chunks in zip(
        memory.index.add_thoughts(texts, roots, vectors.of(texts)), thoughts, roots, strict=True
    ):
        held = stems(text)
        memory.struct[thought_id] = frozenset(turns)
        memory.supported[thought_id] = frozenset(
            turn for turn in turns if _recall(dialogue.turns[turn], held, idf) >= SUPPORTED
        )
        memory.roots[thought_id] = frozenset(chunks)
        memory.words[thought_id] = held
        memory.cost[thought_id] = vectors.embedder.count(text)
    return memory


def _recall(text: str, held: frozenset[str], idf: Mapping[str, float]) -> float:
    own = stems(text)
    total = sum(idf[word] for word in own)
    return sum(idf[word] for word in own & held) / total if total else 0.0


def run(memory: Memory, questions: Sequence[Question], preset: Preset, vectors: Vectors) -> np.ndarray:
    """Return shape (questions, budgets, measures)."""
    asked = vectors.of([question.text for question in questions])
    return np.array([
        [
            memory.score(question, hits)
            for hits in retrieve(memory.index, question.text, vector, preset, BUDGETS, memory.cost, memory.roots)
        ]
        for question, vector in zip(questions, asked, strict=True)
    ])  # fmt: skip


METHODS: dict[str, tuple[Preset, bool]] = {
    "raw, dense": (variant(rankings=("dense",)), False),
    "raw, words": (variant(rankings=("words",)), False),
    "raw, dense + words": (variant(rankings=("dense", "words")), False),
    "raw, four rankings, k = 60": (variant(rrf_k=60), False),
    "raw, dense + words + smoothing": (variant(rankings=("dense", "dense_smoothed", "words")), False),
    "raw, dense + words + windows": (variant(rankings=("dense", "words", "words_window")), False),
    "raw, default": (variant(), False),
    "observations, default": (variant(), True),
    "observations, no gate": (variant(gate=None), True),
    "observations, cosine gate .6": (variant(gate=0.6, root_tokens=None), True),
    "observations, dense mixture": (variant("paper", depth=200, top_k=None), True),
}
TRANSFER: dict[str, tuple[Preset, bool]] = {
    "raw, default": (variant(), False),
    "earlier questions, default": (variant(), True),
    "earlier questions, no gate": (variant(gate=None), True),
    "earlier questions, cosine gate .6": (variant(gate=0.6, root_tokens=None), True),
    "raw, dense": (variant(rankings=("dense",)), False),
    "earlier questions, dense mixture": (variant("paper", depth=200, top_k=None), True),
}


def observations(
    dialogues: Sequence[Dialogue], vectors: Vectors, methods: Mapping[str, tuple[Preset, bool]]
) -> dict[str, Any]:
    """Return each method's scores over all questions, and which dialogue and category each question is of."""
    scores: dict[str, list[np.ndarray]] = {name: [] for name in methods}
    for dialogue in dialogues:
        bare, noted = remember(dialogue, [], vectors), remember(dialogue, dialogue.observations, vectors)
        for name, (preset, thoughts) in methods.items():
            scores[name].append(run(noted if thoughts else bare, dialogue.questions, preset, vectors))
        bare.index.close()
        noted.index.close()
    return {
        "scores": {name: np.concatenate(parts) for name, parts in scores.items()},
        "dialogues": [dialogue.name for dialogue in dialogues for _ in dialogue.questions],
        "kind": [CATEGORIES[question.category] for dialogue in dialogues for question in dialogue.questions],
    }


def transfer(
    dialogues: Sequence[Dialogue], vectors: Vectors, methods: Mapping[str, tuple[Preset, bool]]
) -> dict[str, Any]:
    """The same for thoughts born from half of a dialogue's questions, asked the other half; two random splits."""
    scores: dict[str, list[np.ndarray]] = {name: [] for name in methods}
    names: list[str] = []
    kinds: list[str] = []
    for split in range(2):
        for dialogue in dialogues:
            questions = [question for question in dialogue.questions if question.category != 5]
            random.Random(f"{split}-{dialogue.name}").shuffle(questions)
            half = len(questions) // 2
            earlier, asked = questions[:half], questions[half:]
            thoughts = [(f"{question.text} {question.answer}", question.gold) for question in earlier]
            bare, memory = remember(dialogue, [], vectors), remember(dialogue, thoughts, vectors)
            known = {turn for question in earlier for turn in question.gold}
            for name, (preset, with_thoughts) in methods.items():
                scores[name].append(run(memory if with_thoughts else bare, asked, preset, vectors))
            names += [dialogue.name] * len(asked)
            kinds += ["shared" if known & set(question.gold) else "not shared" for question in asked]
            bare.index.close()
            memory.index.close()
    return {
        "scores": {name: np.concatenate(parts) for name, parts in scores.items()},
        "dialogues": names,
        "kind": kinds,
    }


def table(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the means: method to measure to one number a budget."""
    return {
        name: {measure: np.nanmean(scores[:, :, m], axis=0).round(4).tolist() for m, measure in enumerate(MEASURES)}
        for name, scores in found["scores"].items()
    }


def differences(found: Mapping[str, Any], method: str, base: str) -> dict[str, Any]:
    """Return mean and interval of method - base: group of questions to measure to budget."""
    delta = found["scores"][method] - found["scores"][base]
    kind, names = np.array(found["kind"]), np.array(found["dialogues"])
    result: dict[str, Any] = {}
    for group in ("all", *sorted(set(found["kind"]))):
        member = np.ones(len(kind), bool) if group == "all" else kind == group
        result[group] = {"n": int(member.sum())}
        for m, measure in enumerate(MEASURES):
            valid = member & ~np.isnan(delta[:, 0, m])
            if valid.any():
                result[group][measure] = {
                    str(budget): interval(delta[valid, b, m], names[valid].tolist()) for b, budget in enumerate(BUDGETS)
                }
    return result


def show(title: str, found: Mapping[str, Any], pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Print the tables of one experiment and return them for the record."""
    means = table(found)
    print(f"\n{title}: {len(found['kind'])} questions; tokens {BUDGETS}")
    for name, measures in means.items():
        print(f"  {name:36s}", *(f"{m} {' '.join(f'{x:.3f}' for x in v)}" for m, v in measures.items()), sep="  ")
    deltas = {}
    for method, base in pairs:
        deltas[f"{method} - {base}"] = differences(found, method, base)
        print(f"  {method} - {base}")
        for group, values in deltas[f"{method} - {base}"].items():
            cells = (f"@{b} {v[0]:+.3f} [{v[1]:+.3f}, {v[2]:+.3f}]" for b, v in values["supported"].items())
            print(f"    supported, {group:12s} n={values['n']:<5d}", *cells, sep="  ")
    return {"n": len(found["kind"]), "means": means, "differences": deltas}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--half", choices=("first", "last", "both"), default="last")
    half = parser.parse_args().half
    started = time.time()
    path = data_folder() / "locomo" / "locomo10.json"
    dialogues = load(path)[{"first": slice(0, 5), "last": slice(5, 10), "both": slice(0, 10)}[half]]
    vectors = Vectors("locomo")
    results = {
        "observations": show(
            f"Observations as thoughts, {half} dialogues", observations(dialogues, vectors, METHODS),
            [(name, "raw, default") for name in METHODS if name.startswith("observations")],
        ),
        "transfer": show(
            f"Thoughts born from other questions, {half} dialogues", transfer(dialogues, vectors, TRANSFER),
            [("earlier questions, default", "raw, default"), ("earlier questions, no gate", "raw, default"),
             ("earlier questions, cosine gate .6", "raw, default"), ("earlier questions, dense mixture", "raw, dense")],
        ),
    }  # fmt: skip
    config = {
        "half": half, "dialogues": [dialogue.name for dialogue in dialogues], "budgets": BUDGETS, "data_sha256": sha256([path]),
        "presets": {name: preset.model_dump(mode="json") for name, (preset, _) in {**METHODS, **TRANSFER}.items()},
    }  # fmt: skip
    print(write_record(f"retrieval-locomo-{half}", config, results, started=started))


if __name__ == "__main__":
    main()
