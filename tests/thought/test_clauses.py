from __future__ import annotations

import pytest

from thinkback.thought.clauses import links
from thinkback.thought.facts import facts
from thinkback.thought.synonyms import single_words
from thinkback.thought.tagging import tagged


def _tags(text: str) -> dict[str, str]:
    return {token.word.text: token.tag for token in tagged(text, facts(text)) if token.tag != "pause"}


def _links(text: str) -> set[tuple[str, str, str]]:
    """Return word, link (with its preposition) and head."""
    text = single_words(text)
    tokens = tagged(text, facts(text))
    return {
        (
            tokens[link.at].word.text,
            f"{link.kind} {link.by}".strip(),
            tokens[link.head].word.text if link.head is not None else "",
        )
        for link in links(tokens)
    }


@pytest.mark.parametrize(
    ("text", "word", "tag"),
    [
        ("Stress causes insomnia in night workers.", "causes", "verb"),
        ("The index answers queries quickly.", "answers", "verb"),
        ("The camera records video at 60 frames per second.", "frames", "noun"),
        ("The data set contains images.", "set", "noun"),
        ("The letter was sent yesterday.", "sent", "participle"),
        ("The client was travelling.", "travelling", "verb"),
        ("Damage caused by hail is covered.", "caused", "participle"),
        ("The insurance covers damage caused by hail.", "covers", "verb"),
        ("After updating the firmware, it restarts.", "updating", "gerund"),
        ("It works on training data.", "training", "adjective"),
        ("He sold it to pay the rent.", "pay", "infinitive"),
        ("The system truncates queries.", "truncates", "verb"),
        ("Iron is lighter than lead.", "lighter", "noun"),
        ("The film that Carla directed won a prize.", "won", "verb"),
        ("The film that Carla directed won a prize.", "directed", "verb"),
        ("At the foot of the mountain lies the village.", "lies", "verb"),
        ("In 1911 lightning struck the tower.", "struck", "verb"),
        ("After three defeats the coach was fired.", "After", "preposition"),
        ("After the coach was fired, the team won.", "After", "subordinator"),
        ("Vitamin D helps.", "D", "noun"),
    ],
)
def test_words_are_told_apart_by_form_and_place(text: str, word: str, tag: str) -> None:
    assert _tags(text)[word] == tag


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Acme bought Borea in 2019.", {("Acme", "agent", "bought"), ("Borea", "patient", "bought")}),
        ("Borea was bought by Acme.", {("Acme", "agent", "bought"), ("Borea", "patient", "bought")}),
        ("Petra gave her neighbour the keys.", {("neighbour", "recipient", "gave"), ("keys", "patient", "gave")}),
        ("The child was given water.", {("child", "recipient", "given"), ("water", "patient", "given")}),
        ("The purchase of Borea by Acme failed.", {("Borea", "of", "purchase"), ("Acme", "agent", "purchase")}),
        ("Tom's sister Ann teaches.", {("Tom's", "owner", "sister"), ("Tom's", "owner", "Ann")}),
        ("Last winter Eva adopted a dog.", {("winter", "time", ""), ("Eva", "agent", "adopted")}),
        ("Monday follows Sunday.", {("Monday", "subject", "follows")}),
        ("The film that Carla directed won.", {("Carla", "agent", "directed"), ("film", "patient", "directed")}),
        ("The man who sold the car left.", {("sold", "clause who", ""), ("left", "clause", "")}),
        ("Anna and Ben met Clara.", {("Anna", "agent", "met"), ("Ben", "agent", "met")}),
        ("Copper is a good conductor.", {("Copper", "subject", "is"), ("Copper", "agent", "conductor")}),
        ("Prices fell by 12 percent.", {("12", "with by", "fell")}),
        ("He was told to rest by her doctor.", {("doctor", "agent", "told")}),
        ("She got training in Rome.", {("Rome", "with in", "got")}),
        ("The committee gave its approval.", {("committee", "agent", "approval")}),
        ("The violinist received training.", {("violinist", "patient", "training")}),
        ("At the foot lies the village.", {("village", "subject", "lies")}),
        ("It was closed in 2005 and demolished.", {("It", "patient", "demolished")}),
        ("The mixture turns blue.", {("mixture", "subject", "turns")}),
    ],
)
def test_each_word_is_linked_to_what_it_belongs_to(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert expected <= _links(text)
