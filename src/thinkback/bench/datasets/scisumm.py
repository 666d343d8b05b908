"""Related-multi from papers of the ACL Anthology (ScisummNet, Yasunaga et al., AAAI 2019): who is cited in the related work?

The links were derived from the papers' own citing sentences, so that some are missing: a candidate that is not gold may
be relevant all the same.
"""

from __future__ import annotations

import html
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thinkback.bench.datasets.leakage import Secret
from thinkback.bench.datasets.passages import one_passage
from thinkback.bench.datasets.reading import json_lines, need_file, text_of
from thinkback.bench.records import Corpus, Dataset, Fault, Gold, SourceText, Task
from thinkback.bench.requests import PRE_QUERIES, related_work
from thinkback.errors import InvalidInput

__all__ = ["load_related_multi"]

_LICENCE = "annotations CC BY 4.0; papers CC BY-NC-SA 3.0 (ACL Anthology before 2016)"
_NAMED = re.compile(r".{0,200}?\bA(?:bstract|BSTRACT)\b[\s.:]*", re.DOTALL)
_ADDRESSED = re.compile(r".{0,200}(?<=\s)\S*@\S*\s+", re.DOTALL)
"""What the conversion took in before an abstract: at most 200 characters, up to the word itself or to the last address."""
_LEAST_WORDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """A paper whose related work is to be written."""

    id: str
    title: str
    abstract: str
    related_work: str
    cited: tuple[str, ...]
    """In the related work, as far as they are among the candidates."""
    elsewhere: frozenset[str]
    """Cited in the rest of the paper: neither gold nor safely wrong, so never drawn as a candidate."""


def load_related_multi(
    folder: Path,
    *,
    limit: int | None = None,
    least_gold: int = 5,
    candidates: int = 100,
    pooled: int = 1,
    pre_queries: int = 5,
    seed: int = 42,
) -> Dataset:
    """Return a task a paper: its related work section, to be written from titles and abstracts of other papers.

    A corpus holds the papers cited in that section, which are gold, and others drawn until there are enough. A paper that
    is cited elsewhere in the text is not drawn. Each candidate is one passage. Sentences that share twelve words in a row
    with the section are taken out of candidates and of the paper's own abstract (one paper of 185 quotes abstracts).

    Noise of the conversion is taken out where a rule can tell it: what stands before an abstract's beginning within its
    first 200 characters (up to the word "Abstract", else up to the last address), and entities such as ``&quot;``. What
    else it damaged (bibliographies or tables in place of some 15 of 946 abstracts) is as it was.

    Args:
        folder: with related_multi.jsonl and corpus.jsonl.
        limit: most papers; None: all.
        least_gold: papers with fewer gold candidates are not used. AcademicEval keeps those with five.
        candidates: of each paper.
        pooled: papers that share a corpus, of ``candidates`` times as many; 10 makes the paper's 1,000. The asked papers
            are not in it, unless another of them cites them.
        pre_queries: how many general questions are asked before.
        seed: of the draw.

    Raises:
        InvalidInput: a file is missing, or a number is below 1.
    """
    for name, value in (("least_gold", least_gold), ("candidates", candidates), ("pooled", pooled)):
        if value < 1:
            raise InvalidInput(f"{name} is at least 1, not {value}.")
    faults: list[Fault] = []
    papers = _candidates(folder, faults)
    targets = [each for each in _targets(folder, papers, faults) if len(each.cited) >= least_gold][:limit]
    corpora, tasks = [], []
    for start in range(0, len(targets), pooled):
        group = targets[start : start + pooled]
        name = group[0].id if pooled == 1 else f"pool {start // pooled + 1}"
        corpus = Corpus(id=name, documents=_pool(group, papers, candidates * pooled, seed))
        corpora.append(corpus)
        tasks += [_task(each, corpus, pre_queries) for each in group]
    return Dataset(
        name="related-multi",
        corpora=tuple(corpora),
        tasks=tuple(tasks),
        licence=_LICENCE,
        source="ScisummNet (Yasunaga et al., AAAI 2019), ACL Anthology; in the form of AcademicEval's Related-multi",
        faults=tuple(faults),
    )


def _task(target: _Target, corpus: Corpus, pre_queries: int) -> Task:
    lengths = {each.id: len(each.text) for each in corpus.documents}
    summary = Secret([target.related_work]).kept_out_of(target.abstract).strip()
    return Task(
        id=f"related-multi/{target.id}", corpus_id=corpus.id, kind="related_work",
        query=related_work(target.title, summary), references=(target.related_work,),
        gold=tuple(Gold(document_id=each, start=0, end=lengths[each]) for each in target.cited),
        pre_queries=PRE_QUERIES[:pre_queries], licence=_LICENCE,
        metadata={"title": target.title, "abstract": summary},
    )  # fmt: skip


def _pool(group: Sequence[_Target], papers: Mapping[str, SourceText], size: int, seed: int) -> tuple[SourceText, ...]:
    """Return the gold of the group and what is drawn, shuffled: the order must not say what is gold."""
    gold = list(dict.fromkeys(cited for target in group for cited in target.cited))
    out = {target.id for target in group}.union(gold, *(target.elsewhere for target in group))
    rng = random.Random(f"{seed} {' '.join(target.id for target in group)}")
    others = sorted(set(papers) - out)
    chosen = gold + rng.sample(others, max(0, min(size - len(gold), len(others))))
    rng.shuffle(chosen)
    secret = Secret(target.related_work for target in group)
    return tuple(
        one_passage(each, papers[each].title, secret.kept_out_of(_abstract(papers[each])).strip(),
                    date=papers[each].date)
        for each in chosen
    )  # fmt: skip


def _abstract(paper: SourceText) -> str:
    return paper.text[len(paper.title) :].strip()


def _candidates(folder: Path, faults: list[Fault]) -> dict[str, SourceText]:
    found: dict[str, SourceText] = {}
    for where, row in json_lines(need_file(folder, "corpus.jsonl"), faults):
        key, title, text = text_of(row, "_id"), _plain(row, "title"), _without_head(_plain(row, "text"))
        if title and not text:
            faults.append(Fault(where=f"{where} {key}", reason="no abstract; the title alone is used"))
        if not key or not title or key in found:
            reason = "the same id again" if key in found else "no id or no title"
            faults.append(Fault(where=f"{where} {key}".strip(), reason=reason))
            continue
        found[key] = one_passage(key, title, text, date=text_of(row, "year"))
    return found


def _plain(row: dict[str, Any], name: str) -> str:
    """Return a field with the entities of the XML resolved; some were escaped twice."""
    return html.unescape(html.unescape(text_of(row, name)).replace("amp;quot;", '"'))


def _without_head(text: str) -> str:
    for form in (_NAMED, _ADDRESSED):
        head = form.match(text)
        if head and len(text[head.end() :].split()) >= _LEAST_WORDS:
            return text[head.end() :]
    return text


def _targets(folder: Path, papers: Mapping[str, SourceText], faults: list[Fault]) -> list[_Target]:
    found: dict[str, _Target] = {}
    for where, row in json_lines(need_file(folder, "related_multi.jsonl"), faults):
        cited = _ids(row.get("cited_in_related_work"))
        target = _Target(
            id=text_of(row, "id"), title=_plain(row, "title"), abstract=_without_head(_plain(row, "abstract")),
            related_work=_plain(row, "related_work"),
            cited=tuple(each for each in cited if each in papers and each != text_of(row, "id")),
            elsewhere=frozenset(_ids(row.get("cited_elsewhere"))),
        )  # fmt: skip
        place = f"{where} {target.id}".strip()
        faults += [
            Fault(where=place, reason=f"cites {each!r}, which is no candidate") for each in cited if each not in papers
        ]
        reason = "the same id again" if target.id in found else _lacks(target)
        if reason:
            faults.append(Fault(where=place, reason=reason))
        else:
            found[target.id] = target
    return list(found.values())


def _lacks(target: _Target) -> str:
    for name in ("id", "title", "abstract", "related_work"):
        if not getattr(target, name):
            return f"no {name}"
    return "" if target.cited else "no cited paper is a candidate"


def _ids(cited: Any) -> list[str]:
    rows = cited if isinstance(cited, list) else []
    return list(dict.fromkeys(key for row in rows if isinstance(row, dict) and (key := text_of(row, "id"))))
