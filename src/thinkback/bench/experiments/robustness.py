"""What do bad thoughts do? Notes of other dialogues, and notes with a name or number changed, put among good ones.

Twice: past the filter, as if admission had let all of them through; and with the product's own check that a note stands in
the text it is rooted in. Without a model: the good notes are LoCoMo's observations.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from thinkback.bench.chunks import ChunkedCorpus, cut
from thinkback.bench.datasets import load
from thinkback.bench.experiments.plan import Experiment, Setting, limited, one_run
from thinkback.bench.folder import RunFolder
from thinkback.bench.ports import Allowance, System
from thinkback.bench.records import Corpus, Dataset, Note
from thinkback.bench.report.results import compared_table, results_table
from thinkback.bench.report.tables import Table
from thinkback.bench.systems.thoughts import GivenThoughts
from thinkback.config import Preset, load_preset
from thinkback.thought.support import supports

__all__ = ["EXPERIMENT", "admitted", "changed", "injected"]

_SHARES = (0.25, 1.0)
_CONTEXT = 500
_NUMBER = re.compile(r"\b\d+\b")


def injected(data: Dataset, share: float, seed: int) -> dict[str, list[Note]]:
    """Return corpus id to its observations and bad notes beside them, so many for each good one.

    Half of the bad notes are other dialogues' observations, rooted in turns that have nothing to do with them; half are own
    observations that ``changed`` has made false. They are of kind "injected".
    """
    found: dict[str, list[Note]] = {}
    for corpus in data.corpora:
        draw = random.Random(f"{seed} {share} {corpus.id}")
        good = [note for note in corpus.notes if note.kind == "observation"]
        foreign = [
            note
            for other in data.corpora
            if other.id != corpus.id
            for note in other.notes
            if note.kind == "observation"
        ]
        number = round(share * len(good))
        bad = [
            replace(note, kind="injected", sources=draw.choice(good).sources)
            for note in draw.sample(foreign, min(number // 2, len(foreign)))
        ]
        names = speakers(corpus)
        false = [note for each in good if (note := changed(each, names, draw)) is not None]
        bad += draw.sample(false, min(number - len(bad), len(false)))
        found[corpus.id] = [*good, *bad]
    return found


def speakers(corpus: Corpus) -> tuple[str, ...]:
    """Return the names at the beginning of the turns of a dialogue, in the order in which they speak first."""
    names: dict[str, None] = {}
    for document in corpus.documents:
        for line in document.text.splitlines():
            match = re.match(r"\([^)]*\) ([^:]{1,40}):", line)
            if match:
                names.setdefault(match[1])
    return tuple(names)


def changed(note: Note, names: Sequence[str], draw: random.Random) -> Note | None:
    """Return a note with one speaker put for the other, or else a number changed; None where it has neither."""
    present = [name for name in names if re.search(rf"\b{re.escape(name)}\b", note.text)]
    others = [name for name in names if name not in present]
    if present and others:
        text = re.sub(rf"\b{re.escape(present[0])}\b", others[0], note.text)
    else:
        body = note.text.rfind(")") + 1  # the date in front is the frame's, not the claim's
        number = _NUMBER.search(note.text, body)
        if number is None:
            return None
        text = f"{note.text[: number.start()]}{int(number[0]) + draw.randint(1, 9)}{note.text[number.end() :]}"
    return replace(note, text=text, kind="injected")


def admitted(
    notes: Mapping[str, Sequence[Note]], chunked: Mapping[str, ChunkedCorpus], preset: Preset
) -> dict[str, list[Note]]:
    """Return the notes that the product's check finds in one of the chunks they are rooted in."""
    return {
        corpus_id: [
            note
            for note in own
            if any(
                supports(_bare(note.text), chunked[corpus_id].by_id[root].text, threshold=preset.support).ok
                for root in chunked[corpus_id].gold(note.sources)
            )
        ]
        for corpus_id, own in notes.items()
    }


def _bare(text: str) -> str:
    """Return a note without the date in front, which its turn has in front too."""
    return re.sub(r"^\([^)]*\)\s*", "", text)


def run(setting: Setting) -> list[Path]:
    """Run raw text, good notes, and good and bad notes with and without the check."""
    made = []
    preset = load_preset("default", overview_door=False)
    for name in setting.datasets or ("locomo",):
        data = limited(load(name, setting.data, **setting.options), setting.limit)
        chunked = {corpus.id: cut(corpus, setting.kit.embedder.count) for corpus in data.corpora}
        sets: dict[str, Mapping[str, Sequence[Note]]] = {"raw++": {}}
        for share in (0.0, *_SHARES):
            notes = injected(data, share, setting.seed)
            label = f"good notes + {share:.0%} bad" if share else "good notes"
            sets[label] = notes
            sets[f"{label}, checked"] = admitted(notes, chunked, preset)
        systems: list[System] = [
            GivenThoughts(setting.kit, preset=preset, name=label, notes=notes) for label, notes in sets.items()
        ]
        counts = {
            label: {
                kind: sum(note.kind == kind for own in notes.values() for note in own)
                for kind in ("observation", "injected")
            }
            for label, notes in sets.items()
        }
        made += [
            one_run(
                replace(setting, limit=None), experiment="robustness", dataset=data, systems=systems,
                metrics=setting.metrics or ("coverage", "answer_words"), allowance=Allowance(context_tokens=tokens),
                use_pre_queries=False, config={"notes": counts},
            )
            for tokens in setting.context_tokens or (_CONTEXT,)
        ]  # fmt: skip
    return made


def tables(folders: Sequence[RunFolder]) -> list[Table]:
    """Return the values, what bad notes take away, and how many notes of each kind there were and passed the check."""
    made = []
    for folder in folders:
        made.append(results_table(folder, values=("coverage_supported_recall", "answer_words", "answer_words_gold")))
        made.append(compared_table(folder, value="answer_words", baseline="good notes"))
        counts = folder.config()["config"]["notes"]
        made.append(
            Table(
                name=f"{folder.path.name}-notes",
                title="Notes in the memory",
                columns=("system", "good", "bad"),
                rows=tuple(
                    (label, str(found["observation"]), str(found["injected"])) for label, found in counts.items()
                ),
                notes=(
                    "Bad notes: half from other dialogues, half with a speaker or a number changed.",
                    "Checked: only notes that the product's check on words finds in their own turn.",
                ),
            )
        )
    return made


EXPERIMENT = Experiment(
    name="robustness",
    title="Bad thoughts among good ones, with and without the check of admission",
    paper="Appendix M",
    needs_model=False,
    run=run,
    tables=tables,
)
