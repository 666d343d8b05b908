"""Builds AcademicEval's sets in a folder: from the start, on from where it was stopped, or on with papers that are new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thinkback.bench.academiceval.checkpoint import Checkpoint
from thinkback.bench.academiceval.collect import Collector, Drop
from thinkback.bench.academiceval.feed import PaperFeed
from thinkback.bench.academiceval.graph import AuthorGraph
from thinkback.bench.academiceval.items import Candidate, MultiItem, RelatedItem, SetName, Setting, WritingItem
from thinkback.bench.academiceval.layout import candidate_row, to_repository
from thinkback.bench.academiceval.leakage import find_leaks
from thinkback.bench.academiceval.multi import BATCH, batch_id, batches, make_multi, write_references
from thinkback.bench.academiceval.output import BuildFolder, write_json
from thinkback.bench.academiceval.papers import Listing, Paper
from thinkback.bench.academiceval.plan import BuildPlan, since_of
from thinkback.bench.academiceval.queries import QueryFormer
from thinkback.bench.academiceval.reading import Dropped
from thinkback.bench.academiceval.related import cited_papers, make_related, pooled
from thinkback.bench.academiceval.single import make_single, paper_text
from thinkback.bench.academiceval.splits import Cuts, assign, choose
from thinkback.bench.academiceval.writing import examples_for, make_writing, neighbourhood, with_context
from thinkback.bench.academiceval.writing_files import write_setting
from thinkback.bench.records import Fault, Split
from thinkback.errors import InvalidInput
from thinkback.ports import Generator, Progress
from thinkback.types import Record

__all__ = ["Report", "build"]

_FORM = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Record):
    """What a build has made, and what it left out."""

    items: Mapping[str, int]
    """By set and setting: all that are in the folder, earlier rounds included."""
    drops: tuple[Drop, ...]
    """Of this run, by the rule that each was first left out by."""
    faults: tuple[Fault, ...]
    """What could not be read: entries of the feed, files beside papers, lines of checkpoints."""
    papers: int
    """That could be used."""
    round: int

    def by_reason(self) -> dict[str, dict[str, int]]:
        """Return set to reason to number."""
        found: dict[str, Counter[str]] = {}
        for each in self.drops:
            found.setdefault(each.set, Counter())[each.reason] += 1
        return {name: dict(counter.most_common()) for name, counter in found.items()}


def build(
    plan: BuildPlan,
    feed: PaperFeed,
    path: Path,
    *,
    llm: Generator | None = None,
    since: str = "",
    prune_before: str = "",
    progress: Progress | None = None,
) -> Report:
    """Build the sets of a plan in a folder and return what came of it.

    A folder with an unfinished build is gone on with; one that is finished stays as it is, but for sets that were added to
    the plan. With ``since`` only papers of that day or later are looked for; what is there already is never changed.

    Args:
        plan: what is asked for.
        feed: where papers are from; closed by the caller.
        path: the folder.
        llm: forms questions and writes the references of Abstract-multi.
        since: a day (ISO), or ``last``: the newest paper that is known.
        prune_before: for the graph: authors without a paper of this day or later are left out.
        progress: is told how far each stage is.

    Raises:
        InvalidInput: the plan cannot be carried out, another build is at work in the folder, or it holds one of another plan.
        LoadError: the feed cannot be reached, or keeps failing; the same call goes on later.
        ModelError: the model does not answer; the same call goes on later.
    """
    former = QueryFormer(llm, kind=plan.questions, each=plan.each, seed=plan.seed)
    folder = BuildFolder(path)
    record = _record(folder, plan, feed.name)
    with folder.held():
        round_, day = _round(record, since)
        folder.write_record("build", record)
        collector = Collector(feed, folder.state, round=round_, progress=progress)
        written = Checkpoint(folder.state / "written.jsonl")
        try:
            builder = _Builder(plan, folder, collector, former, llm, written, record, progress)
            report = builder.run(round_, day, prune_before)
        finally:
            collector.close()
            written.close()
        record["rounds"][-1]["done"] = True
        record["rounds"][-1]["newest"] = builder.newest
        folder.write_record("build", record)
        folder.write_record("report", {**report.to_dict(), "reasons": report.by_reason()})
    return report


def _record(folder: BuildFolder, plan: BuildPlan, feed: str) -> dict[str, Any]:
    """Return the record of the folder's build, or begin one.

    Raises:
        InvalidInput: there is one of another plan or feed, or something else than a build is there.
    """
    found = folder.record("build")
    if not found:
        if folder.path.is_dir() and any(folder.path.iterdir()) and not folder.state.is_dir():
            raise InvalidInput(
                f"{str(folder.path)!r} holds other things than a build.", hint="Name an empty or a new folder."
            )
        return {
            "form": _FORM,
            "feed": feed,
            "plan": plan.to_dict(),
            "fingerprint": plan.fingerprint(),
            "rounds": [],
            "cuts": {},
        }
    if found.get("form") != _FORM:
        raise InvalidInput(f"The build in {str(folder.path)!r} is of another version.", hint="Name a new folder.")
    if not any((folder.state / name).is_file() for name in ("fields.jsonl", "papers.jsonl", "feed.jsonl")):
        return _begun(plan, feed)  # the first try came to nothing: no network, or a wrong name
    if found.get("fingerprint") != plan.fingerprint() or found.get("feed") != feed:
        other = [
            key
            for key, value in plan.to_dict().items()
            if key != "sets" and found.get("plan", {}).get(key) != _plain(value)
        ]
        raise InvalidInput(
            f"{str(folder.path)!r} holds a build that was asked for otherwise ({', '.join(other) or 'from another feed'}).",
            hint="Ask for the same, or name a new folder.",
        )
    return found


def _begun(plan: BuildPlan, feed: str) -> dict[str, Any]:
    return {
        "form": _FORM, "feed": feed, "plan": plan.to_dict(), "fingerprint": plan.fingerprint(), "rounds": [], "cuts": {}
    }  # fmt: skip


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _round(record: dict[str, Any], since: str) -> tuple[int, str]:
    """Return the number of the round that is to be run and its day; a new one is noted in the record."""
    rounds: list[dict[str, Any]] = record["rounds"]
    if not rounds:
        rounds.append({"since": since_of(since, []) if since else "", "done": False})
    last = rounds[-1]
    if since:
        day = last["since"] if since == "last" and not last["done"] else since_of(since, rounds)
        if not last["done"] and day != last["since"]:
            begun = f"--since {last['since']}" if last["since"] else "no --since"
            raise InvalidInput(
                "An earlier build in this folder is not finished.", hint=f"Finish it first, with {begun}."
            )
        if last["done"]:
            rounds.append({"since": day, "done": False})
    return len(rounds) - 1, str(rounds[-1]["since"])


class _Builder:
    """One run."""

    def __init__(
        self,
        plan: BuildPlan,
        folder: BuildFolder,
        collector: Collector,
        former: QueryFormer,
        llm: Generator | None,
        written: Checkpoint,
        record: dict[str, Any],
        progress: Progress | None,
    ) -> None:
        self._plan, self._folder, self._collector, self._former = plan, folder, collector, former
        self._llm, self._written, self._record, self._progress = llm, written, record, progress
        self._drops: list[Drop] = []
        self._items: dict[str, int] = {}
        self._field: dict[str, str] = {}
        self.newest = ""

    def run(self, round_: int, since: str, prune_before: str) -> Report:
        plan = self._plan
        papers: dict[str, Paper] = {}
        if plan.chosen or not plan.author:
            self._field = self._collector.list_fields(plan, since)
            papers = {paper.id: paper for paper in self._collector.read(self._listings())}
        makers: dict[SetName, Callable[[Mapping[str, Paper]], None]] = {
            "abstract_single": self._singles, "abstract_multi": self._multis, "related_multi": self._relateds,
        }  # fmt: skip
        for name in plan.chosen:
            makers[name](papers)
            self._items[name] = len(self._folder.ids(name))
        written = self._writing(papers, since, prune_before) if plan.settings else {}
        self._folder.write_documented()
        self._write_splits()
        everything = {**papers, **written}
        dates = [paper.listing.published for paper in everything.values()]
        self.newest = max([*dates, *(str(each.get("newest", "")) for each in self._record["rounds"])], default="")
        return Report(
            items=self._items, drops=(*self._collector.drops, *self._drops), faults=tuple(self._collector.faults),
            papers=len(everything), round=round_,
        )  # fmt: skip

    def _listings(self) -> dict[str, Listing]:
        known: dict[str, Listing] = {}
        for field in dict.fromkeys(self._field.values()):
            known |= {each.id: each for each in self._collector.listings(field)}
        return {key: known[key] for key in self._field if key in known}

    def _drop(self, name: str, key: str, dropped: Dropped) -> None:
        self._drops.append(Drop(set=name, id=key, reason=dropped.reason, detail=dropped.detail))

    def _each(self, name: SetName, papers: Mapping[str, Paper]) -> Iterator[Paper]:
        """Yield the papers of which there is no item yet, and say how far it is."""
        for number, paper in enumerate(papers.values(), 1):
            if not self._folder.has(name, paper.id):
                yield paper
            self._tell(name, number, len(papers), paper.listing.title)

    def _tell(self, stage: str, done: int, total: int, note: str) -> None:
        if self._progress is not None:
            self._progress(stage, done, total, note)

    # --- the three sets ----------------------------------------------------------------------------------------------
    def _singles(self, papers: Mapping[str, Paper]) -> None:
        for paper in self._each("abstract_single", papers):
            item = make_single(paper, self._former, leaks=self._plan.leaks)
            if isinstance(item, Dropped):
                self._drop("abstract_single", paper.id, item)
            else:
                self._folder.write_item("abstract_single", item)

    def _multis(self, papers: Mapping[str, Paper]) -> None:
        name: SetName = "abstract_multi"
        there = [item for item in self._folder.items(name).items if isinstance(item, MultiItem)]
        taken = frozenset(each.listing.id for item in there for each in item.papers)
        usable = []
        for paper in papers.values():
            text = paper_text(paper, self._plan.leaks, paper.listing.abstract)
            if isinstance(text, Dropped):
                self._drop(name, paper.id, text)
            else:
                usable.append(paper)
        found, left = batches(usable, taken)
        for paper in left:
            self._drop(
                name, paper.id, Dropped(reason="last incomplete batch", detail=f"of {BATCH}, {paper.listing.category}")
            )
        for number, batch in enumerate(found, 1):
            item = self._multi(batch)
            if isinstance(item, Dropped):
                self._drop(name, batch_id(batch), item)
            else:
                self._folder.write_item(name, item)
            self._tell(name, number, len(found), batch_id(batch))

    def _multi(self, batch: Sequence[Paper]) -> MultiItem | Dropped:
        if self._llm is None:
            return Dropped(reason="no reference: there is no model to write it")
        key = f"reference|{batch_id(batch)}"
        rows = self._written.rows(key)
        references = tuple(rows[-1]["references"]) if rows else ()
        if not references:
            abstracts = [each.listing.abstract for each in batch]
            references = write_references(self._llm, abstracts, self._plan.references, self._plan.seed)
            if not references:
                return Dropped(reason="no reference: the model did not write one")
            self._written.add(key, {"references": list(references), "model": self._llm.id})
        return make_multi(batch, references, self._former, leaks=self._plan.leaks)

    def _relateds(self, papers: Mapping[str, Paper]) -> None:
        name: SetName = "related_multi"
        fields = {field: self._collector.listings(field) for field in dict.fromkeys(self._field.values())}
        for paper in self._each(name, papers):
            cited = cited_papers(paper, self._collector.feed)
            item = make_related(
                paper, cited, fields.get(self._field.get(paper.id, ""), []), self._former, plan=self._plan.candidates,
                leaks=self._plan.leaks, seed=self._plan.seed,
            )  # fmt: skip
            if isinstance(item, Dropped):
                self._drop(name, paper.id, item)
            else:
                self._folder.write_item(name, item)
        self._pools([listing for group in fields.values() for listing in group])

    def _pools(self, field: Sequence[Listing]) -> None:
        """Write the pools that are complete and not there yet; items come oldest first, so that earlier pools stay."""
        items = [item for item in self._folder.items("related_multi").items if isinstance(item, RelatedItem)]
        items.sort(key=lambda item: (item.published, item.id))
        for number, pool in enumerate(pooled(items, field, seed=self._plan.seed), 1):
            file = self._folder.path / "related_multi_papers" / f"{number}.json"
            if file.exists():
                continue
            texts = [(each.id, f"{each.title}\n{each.abstract}") for each in pool.candidates]
            leaks = find_leaks([item.reference for item in pool.items], texts)
            if leaks:
                reason: Dropped = Dropped(
                    reason="the reference stands in the corpus", detail=f"{leaks[0].where}: {leaks[0].words}"
                )
                self._drop("related_multi_papers", str(number), reason)
                continue
            gold = [{each.listing.id: each for each in item.candidates if each.gold} for item in pool.items]
            chunks = []
            for listing in pool.candidates:
                citing = [place for place, cited in enumerate(gold) if listing.id in cited]
                chunks.append({**candidate_row(Candidate(listing=listing, gold=bool(citing))), "papers": citing})
            first = [to_repository(item) for item in pool.items]
            write_json(
                file, {"paper_info": [rows[0] for rows in first if isinstance(rows, list)], "chunk_info": chunks}
            )

    # --- the writing tasks -------------------------------------------------------------------------------------------
    def _writing(self, papers: Mapping[str, Paper], since: str, prune_before: str) -> dict[str, Paper]:
        """Write the files of all settings and return the papers that they are made of."""
        graph: AuthorGraph | None = None
        if self._plan.author:
            graph, papers = self._collector.graph(self._plan, since, prune_before)
        ordered = dict(sorted(papers.items(), key=lambda pair: (pair[1].listing.published, pair[0])))
        for setting in self._plan.settings:
            cuts = self._cuts(setting.name, [paper.listing.published for paper in ordered.values()])
            made = write_setting(self._folder.path, setting.name, self._samples(setting, ordered, graph, cuts))
            self._items[setting.name] = sum(made.values())
        return ordered

    def _samples(
        self, setting: Setting, papers: Mapping[str, Paper], graph: AuthorGraph | None, cuts: Cuts
    ) -> Iterator[tuple[WritingItem, Split]]:
        everything = list(papers.values())
        for number, paper in enumerate(everything, 1):
            self._tell(setting.name, number, len(everything), paper.listing.title)
            cited = (
                cited_papers(paper, self._collector.feed) if setting.task == "related" and paper.text("related") else []
            )
            item = make_writing(paper, setting.task, cited=cited, leaks=self._plan.leaks)
            if not isinstance(item, Dropped):
                examples = examples_for(paper, everything, seed=self._plan.seed) if setting.examples else ()
                near = neighbourhood(paper, graph, papers) if graph is not None and setting.graph else None
                item = with_context(item, setting, examples, near)
            if isinstance(item, Dropped):
                self._drop(setting.name, paper.id, item)
            else:
                yield item, cuts.split(paper.listing.published)

    # --- splits ------------------------------------------------------------------------------------------------------
    def _cuts(self, name: str, dates: Sequence[str]) -> Cuts:
        """Return where a set is cut: as asked for, as an earlier round did, or by its shares, which is then noted."""
        if self._plan.cuts is not None:
            return self._plan.cuts
        known = self._record["cuts"].get(name)
        if known is None:
            known = choose(dates, self._plan.shares).to_dict()
            if dates:
                self._record["cuts"][name] = known
        return Cuts(dev_from=str(known["dev_from"]), test_from=str(known["test_from"]))

    def _write_splits(self) -> None:
        splits: dict[str, dict[str, Split]] = {**self._folder.record("splits")}
        for name in self._plan.chosen:
            published = {item.id: item.published for item in self._folder.items(name).items}
            splits[name] = assign(published, self._cuts(name, list(published.values())))
        if splits:
            self._folder.write_record("splits", splits)
