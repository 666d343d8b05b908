"""Who does what to whom in an English sentence: for each noun, number and name, the word that it belongs to, and how.

Clause by clause from the tags, without a grammar: what stands before the verb does it, what stands after it undergoes it,
passives the other way round; nouns that name an act ("the acquisition of Borealis by Acme") and those that name who does
it ("the king's murderer") have parts as their verbs have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from thinkback.thought.lexicon import lexicon
from thinkback.thought.synonyms import light
from thinkback.thought.thesaurus import known
from thinkback.thought.tokens import Token
from thinkback.thought.words import stem

__all__ = ["Kind", "Link", "links"]

Kind = Literal[
    "agent",
    "patient",
    "subject",
    "recipient",
    "complement",
    "part",
    "with",
    "owner",
    "of",
    "modifier",
    "time",
    "clause",
]


@dataclass(frozen=True, slots=True)
class Link:
    """What a word has to do with another."""

    at: int
    """Index of the word among the tokens; likewise ``head``."""
    kind: Kind
    """``subject``: of a verb without object; ``part``: agent or patient of a noun that names an act; ``with``: after a
    preposition that is none of those; ``clause``: of a verb, with the word that subordinates it."""
    head: int | None
    by: str = ""
    """The preposition, for ``with``; the subordinator, for ``clause``: empty in a main
    clause, "who" in any relative one."""
    was: Kind | None = None
    """How it stands to the noun of an act, where ``kind`` tells how it would stand to its verb."""


@dataclass(slots=True)
class _Phrase:
    """A noun phrase: where its tokens stand, and which of them are heads (two in "her brother Tom")."""

    tokens: list[int]
    heads: list[int]
    owned: bool = False
    """Has a possessive pronoun: "her bicycle"."""


@dataclass(slots=True)
class _Clause:
    verb: int | None = None
    passive: bool = False
    copula: bool = False
    before: list[_Phrase] = field(default_factory=list)
    after: list[_Phrase] = field(default_factory=list)
    agents: list[_Phrase] = field(default_factory=list)
    nominal: bool = False
    """Of a gerund, infinitive or participle, which have no subject of their own."""
    relative: bool = False
    """Begun by "who", "which" or "that" after a noun."""
    after_passive: bool = False
    """Begun by "and" and a verb, after a passive: "was closed and demolished"."""
    label: str = ""
    """The word that subordinates it."""


def links(tokens: list[Token]) -> list[Link]:
    """Return the links of the content words and numbers, in no order; a word may have several, or none."""
    return list(_Linker(tokens).run())


class _Linker:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.found: list[Link] = []
        self.done: list[_Clause] = []
        self.clause = _Clause()
        self.outer: list[_Clause] = []
        self.pending = ""
        self.last: _Phrase | None = None
        self.act: int | None = None
        self.joined = False
        self.paused = False

    def run(self) -> Iterator[Link]:
        i = 0
        while i < len(self.tokens):
            i = self._step(i)
        self._close()
        for clause in (*self.outer, *self.done):
            self._link_clause(clause)
        yield from self.found

    def _step(self, i: int) -> int:
        token = self.tokens[i]
        if token.tag in ("noun", "adjective", "determiner"):
            return self._phrase(i)
        if token.tag in ("verb", "participle", "auxiliary", "infinitive", "gerund"):
            return self._verb(i)
        if token.tag in ("preposition", "to"):
            self.pending = token.folded
        elif token.tag == "pronoun":
            self._place(_Phrase([i], [i]))
        elif token.tag == "relative" or (
            token.folded == "that" and self.last is not None and i and self.tokens[i - 1].tag == "noun"
        ):
            self._open_inner()
        elif token.tag == "subordinator":
            self._close()
            self.clause.label = token.folded
        elif token.tag == "and":
            self.joined = True
            return i + 1
        elif token.tag == "pause":
            self.paused, self.pending = True, ""
            return i + 1
        self.joined = self.joined and token.tag in ("adverb", "not", "other")
        return i + 1

    # --- noun phrases

    def _phrase(self, start: int) -> int:
        end = start
        while end < len(self.tokens) and self.tokens[end].tag in ("noun", "adjective", "determiner"):
            if end > start and self._breaks(end):
                break
            end += 1
        inside = [i for i in range(start, end) if self.tokens[i].tag != "determiner"]
        if not inside:
            return end
        owner = max((i for i in inside[:-1] if self.tokens[i].owner), default=None)
        own = [i for i in inside if owner is None or i > owner]
        nouns = [i for i in own if self.tokens[i].tag == "noun"] or own[-1:]
        heads = nouns[-1:]
        if self.tokens[heads[0]].number and len(nouns) > 1 and not self.tokens[nouns[-2]].number:
            heads = nouns[-2:]
        if self.tokens[heads[-1]].name and len(nouns) > 1 and known(self.tokens[nouns[-2]].folded).person:
            heads = nouns[-2:]
        phrase = _Phrase(inside, heads, owned=self.tokens[start].folded in _OWNED)
        for i in own:
            if i not in heads:
                self.found.append(Link(i, "modifier", heads[-1]))
        if owner is not None:
            self.found += [Link(owner, "owner", head) for head in heads]
            self.found += [Link(i, "modifier", owner) for i in inside if i < owner]
        self._place(phrase)
        return end

    def _breaks(self, i: int) -> bool:
        """Tell whether a noun phrase ends before token i: at a determiner, or at a name after a time ("last winter Eva")."""
        token, before = self.tokens[i], self.tokens[i - 1]
        if token.tag == "determiner":
            return before.tag in ("noun", "adjective") and not before.owner
        if before.tag != "noun" or before.owner:
            return False
        if before.number and token.number:
            return False  # March 14
        if before.year:
            return True  # "in 1911 lightning"
        if _is_time(token) and token.number:
            return True  # "the experiment five times"
        if token.folded in lexicon().times and not _is_time(before) and before.tag == "noun":
            return not before.name or token.tag == "adjective"  # "its owner next year"
        return (_is_time(before) and (token.name or bool(token.number))) or (
            before.name and not token.name and _is_time(token)
        )

    def _place(self, phrase: _Phrase) -> None:
        """Give a noun phrase its part in the clause."""
        clause = self.clause
        times = [i for i in phrase.heads if _is_time(self.tokens[i])]
        if self.pending:
            self._govern(phrase)
        elif self.joined and self.last is not None and not self._starts_clause(phrase):
            self._share(phrase)
        elif times and len(times) == len(phrase.heads) and not self._is_subject(phrase):
            self.found += [Link(i, "time", None) for i in times]
        elif clause.verb is None:
            if clause.relative and clause.before:  # "the film that Carla directed"
                clause.after, clause.before = clause.before, []
            clause.before.append(phrase)
        elif (self.paused or self.joined) and self._starts_clause(phrase):
            self._close()
            self.clause.before.append(phrase)
        else:
            clause.after.append(phrase)
        acts = [i for i in phrase.heads if _names_act(self.tokens[i])]
        self.act = acts[-1] if acts else self.act
        self.last, self.pending, self.joined = phrase, "", False

    def _is_subject(self, phrase: _Phrase) -> bool:
        """Tell whether a time is what the sentence is about: "Monday follows Sunday"."""
        after = self.tokens[phrase.tokens[-1] + 1 : phrase.tokens[-1] + 2]
        return (
            self.clause.verb is None and not self.clause.before and any(t.tag in ("verb", "auxiliary") for t in after)
        )

    def _starts_clause(self, phrase: _Phrase) -> bool:
        """Tell whether a verb follows a noun phrase before anything else does that ends it."""
        if self.clause.verb is None:
            return False
        for token in self.tokens[phrase.tokens[-1] + 1 :]:
            if token.tag in ("verb", "auxiliary"):
                return True
            if token.tag in ("pause", "and", "subordinator", "relative", "preposition", "to", "determiner", "noun"):
                return False
        return False

    def _share(self, phrase: _Phrase) -> None:
        """Give a phrase after "and" the part of the one before it."""
        last = self.last
        assert last is not None  # noqa: S101 - asked for by the caller
        for part in (self.clause.before, self.clause.after, self.clause.agents):
            if any(p is last for p in part):
                part.append(phrase)
                return
        over = {link.head for link in self.found if link.kind == "of" and link.at in last.heads[-1:]}
        self.found += [  # "200 g of flour and two eggs": of the grams, or beside them
            replace(link, at=i)
            for link in list(self.found)
            if link.at in last.heads[-1:] or link.at in over
            for i in phrase.heads
        ]

    def _govern(self, phrase: _Phrase) -> None:
        clause, by, last = self.clause, self.pending, self.last
        noun = last.heads[-1] if last and last.heads else None
        if by == "of" and noun is None and clause.nominal and clause.verb is not None and not clause.after:
            noun = clause.verb  # training of
        if by == "of" and noun is not None:
            self.found += [Link(i, "of", noun) for i in phrase.heads]
        elif by == "by" and any(self.tokens[i].number and self._folded(i + 1) != "of" for i in phrase.heads):
            self.found += [Link(i, "with", clause.verb, by) for i in phrase.heads]  # by 62 %
        elif by == "by" and clause.passive:
            clause.agents.append(phrase)
        elif by == "by" and clause.nominal and self.done and self.done[-1].passive:
            self.done[-1].agents.append(phrase)  # "was told to rest by"
        elif by == "by" and self.act is not None:
            self.found += [Link(i, "agent", self.act) for i in phrase.heads]
        else:
            verbs = {clause.verb} | ({c.verb for c in self.done[-1:]} if clause.nominal else set())
            self.found += [Link(i, "with", verb, by) for i in phrase.heads for verb in verbs]

    def _folded(self, at: int) -> str:
        return self.tokens[at].folded if at < len(self.tokens) else ""

    # --- verbs

    def _verb(self, i: int) -> int:
        token = self.tokens[i]
        main, passive = i, token.passive
        if token.tag == "auxiliary":
            for j in range(i + 1, len(self.tokens)):
                other = self.tokens[j]
                if other.tag in ("verb", "participle"):
                    main, passive = j, other.passive
                    break
                if other.tag == "auxiliary":
                    main = j
                elif other.tag not in ("adverb", "not", "other"):
                    break
        copula = self.tokens[main].tag == "auxiliary" and self.tokens[main].folded in _BEING
        if token.tag in ("infinitive", "gerund") or (token.tag == "participle" and not token.passive):
            self._open_nominal(i)
        else:
            self._open_finite()
        clause = self.clause
        clause.verb, clause.passive, clause.copula = main, passive or token.tag == "participle", copula
        self.last, self.act, self.pending, self.joined, self.paused = None, None, "", False, False
        return main + 1

    def _open_finite(self) -> None:
        """Go on to a clause that has no verb yet."""
        if self.clause.verb is None:
            return
        if self.outer and self.outer[-1].verb is None and not self.joined:
            self.done.append(self.clause)
            self.clause = self.outer.pop()
            return
        before, verb = self.clause.before, self.clause.verb
        if (
            verb is not None
            and self.clause.nominal
            and self.tokens[verb].tag == "gerund"
            and not before
            and not self.paused
        ):
            before = [_Phrase([verb], [verb])]
        after_passive = self.joined and self.clause.passive
        self._close()
        self.clause.before, self.clause.after_passive = list(before), after_passive

    def _open_nominal(self, i: int) -> None:
        tag = self.tokens[i].tag
        label = self.pending if tag == "gerund" else ""
        subject = [] if tag == "gerund" else [*self.clause.before, *self.clause.after[-1:]]  # who asked, or was asked
        if tag == "participle" and self.last is not None:
            subject = [self.last]
        if (self.clause.verb is None and tag != "gerund") or (self.clause.verb is None and self.clause.before):
            self.outer.append(self.clause)
        else:
            self.done += [self.clause] if self.clause.verb is not None else []
        self.clause = _Clause(nominal=True, before=subject, label=label)

    def _open_inner(self) -> None:
        """Go on to a relative clause."""
        subject = [self.last] if self.last is not None else []
        (self.outer if self.clause.verb is None else self.done).append(self.clause)
        self.clause = _Clause(before=list(subject), relative=True, label="who")
        self.pending = ""

    def _close(self) -> None:
        if self.clause.verb is not None or self.clause.before:
            self.done.append(self.clause)
        self.clause = _Clause()
        self.last, self.pending, self.joined, self.paused = None, "", False, False

    def _link_clause(self, clause: _Clause) -> None:
        verb = clause.verb
        if verb is not None:
            self.found.append(Link(verb, "clause", None, clause.label))
        objects = any(not p.heads or any(self.tokens[i].tag != "adjective" for i in p.heads) for p in clause.after)
        many = len(clause.after) > 1 and not clause.copula

        def put(phrases: list[_Phrase], kind: Kind) -> None:
            self.found.extend(Link(i, kind, verb) for p in phrases for i in p.heads)

        put(clause.agents, "agent")
        if clause.passive or (clause.after_passive and not objects and verb is not None and self.tokens[verb].past):
            put(clause.before, "recipient" if objects else "patient")
            put(clause.after, "patient")
        elif clause.copula:
            put(clause.before, "subject")
            put(clause.after, "complement")
            self.found += [
                Link(i, "agent", c) for p in clause.before for i in p.heads for q in clause.after for c in q.heads
            ]
        else:
            turned = not clause.before and not clause.nominal and not many  # "at the foot lies the village"
            put(clause.before, "agent" if objects else "subject")
            put(clause.after[:1], "subject" if turned else "recipient" if many else "patient")
            put(clause.after[1:], "patient")
        self._lend_verb(clause)

    def _lend_verb(self, clause: _Clause) -> None:
        """Give what goes with a light verb to its noun too: who "gave a talk" gave the talk, and talked."""
        if clause.verb is None or self.tokens[clause.verb].word.stem not in light() or clause.copula:
            return
        undergone = self.tokens[clause.verb].word.stem in _undergoing() and not clause.passive
        changed = {"agent", "recipient", "patient"} if undergone else {"recipient", "patient"}
        nouns = [i for p in (clause.before if clause.passive else clause.after)[-1:] for i in p.heads[-1:]]
        nouns += [i for p in clause.after[-1:] for i in p.heads[-1:] if clause.passive]
        for noun in nouns:
            form = known(self.tokens[noun].folded)
            if not (form.verb or form.derived):
                continue
            self.found += [
                replace(link, kind="patient" if link.kind in changed else link.kind, head=noun)
                for link in list(self.found)
                if link.head == clause.verb and link.at != noun
            ]


_WHEN = ("time", "times", "month", "clock")  # units of numbers
_BEING = frozenset({"am", "is", "are", "was", "were", "be", "been", "being", "isn't", "aren't", "wasn't", "weren't"})
_OWNED = frozenset({"his", "her", "its", "their", "my", "your", "our"})


@cache
def _undergoing() -> frozenset[str]:
    return frozenset(map(stem, lexicon().undergoing))


def _is_time(token: Token) -> bool:
    return token.folded in lexicon().times or known(token.folded).time or token.number.endswith(_WHEN)


def _names_act(token: Token) -> bool:
    """Tell whether a noun names an act, so that what stands with it may do or undergo it."""
    return known(token.folded).event
