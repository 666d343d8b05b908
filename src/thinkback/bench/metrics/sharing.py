"""Does a task share evidence with the questions that made the thoughts? What helps only there, is memory and not insight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.folder import Prediction
from thinkback.bench.records import Task

__all__ = ["shares_evidence"]

_SAID = "shares_evidence"


def shares_evidence(
    tasks: Sequence[Task], predictions: Iterable[Prediction], chunked: Mapping[str, ChunkedCorpus]
) -> dict[str, bool]:
    """Return task id to whether its gold evidence is among what thoughts of other questions stand on.

    An experiment that knows better says so in the task's ``metadata["shares_evidence"]``. Otherwise a run's thoughts are taken
    from what all systems showed for any task of the corpus, so that the split is the same for all systems; a thought that was
    born from the task's own question alone does not count. Thoughts that no question made (notes of a data set) do not
    count either. Tasks without gold evidence, and corpora where no thought came from a question, are left out.
    """
    corpus_of = {task.id: task.corpus_id for task in tasks}
    roots: dict[str, dict[frozenset[str], set[str]]] = {}
    for prediction in predictions:
        corpus_id = corpus_of.get(prediction.task_id)
        for item in prediction.output.shown:
            if corpus_id is not None and item.questions:
                roots.setdefault(corpus_id, {}).setdefault(frozenset(item.questions), set()).update(item.roots)
    found: dict[str, bool] = {}
    for task in tasks:
        said = task.metadata.get(_SAID)
        if isinstance(said, bool):
            found[task.id] = said
        elif task.corpus_id in roots and (gold := set(chunked[task.corpus_id].gold(task.gold))):
            found[task.id] = any(gold & own for asked, own in roots[task.corpus_id].items() if asked - {task.query})
    return found
