"""Learning from other models (paper, Table 3 and Figure 4): experts hold the facts, and we hold only what they told us.

The corpus is dealt out to experts. Before anything is asked of us, each expert answers the earlier questions from its own
part. Then we answer from what they said, without any fact:

* ``testimony:answers`` keeps the experts' answers as they are and retrieves among them (the paper's Retriever-other);
* ``testimony:thoughts`` learns them (``ThoughtRetriever.learn``): distilled, filtered, rooted in the testimony.

The experts are the same model as ours in other roles, as in the paper, whose experts' knowledge was role-played.
"""

from __future__ import annotations

from collections.abc import Sequence

from thinkback.bench.chunks import ChunkedCorpus, Piece
from thinkback.bench.kit import PROMPTS, Kit
from thinkback.bench.ports import Allowance, Output, Query, Shown
from thinkback.bench.systems.dense import Dense
from thinkback.bench.systems.thoughts import Thoughts
from thinkback.config import load_preset
from thinkback.errors import InvalidInput
from thinkback.text.prompts import load_prompt

__all__ = ["ExpertAnswers", "ExpertThoughts", "make_testimony"]

_EXPERTS = 4  # as many as in the paper's Figure 4
_ROLES = (
    "the one who knows how the work is motivated",
    "the one who knows its methods",
    "the one who knows its experiments",
    "the one who knows what it is good for",
)
_EXPERT_ANSWER_TOKENS = 150


def make_testimony(kit: Kit, argument: str) -> ExpertAnswers | ExpertThoughts:
    """Return ``answers`` or ``thoughts``.

    Raises:
        InvalidInput: another argument, or a run without a model.
    """
    if kit.llm is None:
        raise InvalidInput("Experts need a model to speak.")
    if argument == "answers":
        return ExpertAnswers(kit)
    if argument in {"", "thoughts"}:
        return ExpertThoughts(kit)
    raise InvalidInput(f"Testimony is kept as answers or thoughts, not as {argument!r}.")


class _Experts:
    """Models that hold a part of a corpus each: contiguous, of about equal length.

    Args:
        kit: what all systems share.
        context_tokens: what an expert may look at for an answer.
    """

    def __init__(self, kit: Kit, *, context_tokens: int) -> None:
        self._kit = kit
        self._allowance = Allowance(context_tokens=context_tokens, answer_tokens=_EXPERT_ANSWER_TOKENS)

    def ask(self, chunked: ChunkedCorpus, questions: Sequence[str]) -> list[tuple[str, str, str]]:
        """Return (expert, question, answer), experts within questions.

        Raises:
            ModelError
        """
        said = []
        parts = deal(chunked.pieces, _EXPERTS)
        retrievers = []
        for pieces in parts:
            own = Dense(self._kit)
            own.ingest(ChunkedCorpus(chunked.corpus, tuple(pieces)), ())
            retrievers.append(own)
        prompt = load_prompt("expert", package=PROMPTS)
        for question in questions:
            for number, own in enumerate(retrievers):
                query = Query(
                    task_id=f"expert {number}", kind="question", text=question,
                    metadata={"role": _ROLES[number % len(_ROLES)]},
                )  # fmt: skip
                shown = own.answer(Query(task_id="", kind="search", text=question), self._allowance).shown
                if shown:
                    reply = self._kit.ask(prompt, query, shown, self._allowance)
                    said.append((f"expert {number + 1}", question, reply.text.strip()))
        return said


def deal(pieces: Sequence[Piece], hands: int) -> list[list[Piece]]:
    """Return contiguous parts of about equal length, in order; empty ones where there are fewer chunks than parts."""
    total = sum(len(piece.text) for piece in pieces)
    parts: list[list[Piece]] = [[] for _ in range(hands)]
    passed = 0
    for piece in pieces:
        middle = passed + len(piece.text) / 2
        parts[min(hands - 1, int(hands * middle / total))].append(piece)
        passed += len(piece.text)
    return parts


class ExpertAnswers:
    """Dense retrieval over what experts answered, as they said it.

    Args:
        kit: what all systems share.
        context_tokens: what an expert may look at for an answer.
    """

    name = "testimony:answers"

    def __init__(self, kit: Kit, *, context_tokens: int = 1000) -> None:
        self._kit = kit
        self._experts = _Experts(kit, context_tokens=context_tokens)
        self.reset()

    def reset(self) -> None:
        """Forget what was said."""
        self._said: list[Shown] = []

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:
        """Ask the experts; the chunks themselves are not kept.

        Raises:
            ModelError
        """
        for expert, question, answer in self._experts.ask(chunked, pre_queries):
            if answer:
                self._said.append(
                    Shown(kind="testimony", id=f"{expert}: {len(self._said)}", text=f"{question} {answer}", roots=(),
                          questions=(question,))
                )  # fmt: skip

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Show the nearest answers that fit, and write from them.

        Raises:
            ModelError
        """
        ranked: list[Shown] = []
        if self._said:
            vectors = self._kit.embedder.embed([each.text for each in self._said], kind="document")
            scores = vectors @ self._kit.embedder.embed([query.text], kind="query")[0]
            ranked = [self._said[place] for place in (-scores).argsort(kind="stable")]
        shown = self._kit.fit(ranked, allowance)
        return Output(text=self._kit.write(query, shown, allowance), shown=shown, details={"said": len(self._said)})

    def close(self) -> None:
        """Forget what was said."""
        self.reset()


class ExpertThoughts(Thoughts):
    """The product's memory, with nothing in it but what it learned from experts.

    Args:
        kit: what all systems share.
        context_tokens: what an expert may look at for an answer.
    """

    def __init__(self, kit: Kit, *, context_tokens: int = 1000) -> None:
        super().__init__(kit, preset=load_preset("default"), name="testimony:thoughts")
        self._experts = _Experts(kit, context_tokens=context_tokens)

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:
        """Ask the experts and learn what they say; the chunks themselves are not kept.

        Raises:
            ModelError
        """
        _, engine = self._open()
        for expert, question, answer in self._experts.ask(chunked, pre_queries):
            if answer:
                report = engine.learn(question, answer, source=expert, trust="normal")
                self._outcomes.update(outcome.status for outcome in report.outcomes)
