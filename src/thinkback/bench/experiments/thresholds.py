"""Which cosines stand for "related" and "may be shown" under an embedder: the calibration, written down as a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from thinkback.bench.experiments.plan import Experiment, Setting
from thinkback.bench.folder import RunFolder
from thinkback.bench.record import run_record
from thinkback.bench.records import Dataset
from thinkback.bench.report.tables import Cell, Table
from thinkback.config import load_preset
from thinkback.embed.calibrate import thresholds

__all__ = ["EXPERIMENT"]


def run(setting: Setting) -> list[Path]:
    """Carry the default preset's thresholds over to the run's embedder."""
    preset = load_preset("default")
    embedder = setting.kit.embedder
    nothing = Dataset(name="calibration pairs", corpora=(), tasks=(), licence="Apache-2.0", source="thinkback")
    folder = RunFolder(setting.out / "thresholds" / "".join(c if c.isalnum() else "-" for c in embedder.id))
    folder.create(
        run_record(
            {"experiment": "thresholds", "seed": setting.seed, "gate": preset.gate, "related": preset.related},
            dataset=nothing, systems=(), model=None, embedder=embedder.id,
        )
    )  # fmt: skip
    assert preset.gate is not None  # noqa: S101 - the default has one
    folder.write_scores({"thresholds": thresholds(embedder, gate=preset.gate, related=preset.related).to_dict()})
    return [folder.path]


def tables(folders: Sequence[RunFolder]) -> list[Table]:
    """Return one row an embedder."""
    rows: list[tuple[str | Cell, ...]] = []
    for folder in folders:
        found = folder.scores()["thresholds"]
        rows.append((folder.config()["config"]["embedder"], Cell(value=found["gate"]), Cell(value=found["related"])))
    return [
        Table(
            name="thresholds",
            title="Cosines that stand for the same share of pairs under each embedder",
            columns=("embedder", "gate", "related"),
            rows=tuple(rows),
            notes=("gate: a question and a thought; related: two claims. Carried over from MiniLM's by equal ranks.",),
        )
    ]


EXPERIMENT = Experiment(
    name="thresholds",
    title="The cosine thresholds of the default, carried over to an embedder (one run an embedder: --embedder)",
    paper="",
    needs_model=False,
    run=run,
    tables=tables,
)
