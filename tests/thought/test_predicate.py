from __future__ import annotations

import pytest

from thinkback.thought.derivation import kindred, resembles
from thinkback.thought.facts import facts
from thinkback.thought.phrasing import in_english
from thinkback.thought.predicate import plain_words, predicate
from thinkback.thought.words import stem


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("Refinitiv was founded in 2018.", ["founded"]),
        ("The yield rose to 78% when water was removed.", ["rose"]),
        ("The proposed method is faster than the old one.", ["faster"]),
        ("Carla Ruiz is the director of Fontana.", ["director"]),
        ("Lake Tamar is 62 metres deep.", ["deep"]),
        ("Lodz has 670,000 inhabitants.", ["inhabitants"]),
        ("Nate has a dog named Max.", ["dog"]),
        ("The filter has to be changed every six months.", ["changed"]),
        ("Brightwater Hospital employs 340 nurses.", ["employs"]),
        ("The PowerDock 3 charges two phones.", ["charges"]),
        ("Two phones fit on the dock.", []),
        ("The Ostra floods killed 48 people.", ["killed"]),
        ("The filter removes viruses.", ["removes", "viruses"]),
        ("Maria moved to Toronto in May 2022.", ["moved"]),
        ("The survey found that drones were repaired.", ["repaired"]),
        ("The capital of Norland is Vik.", []),
        ("The drug is taken after meals.", []),
        ("Breakfast is part of the price.", []),
        ("John is planning to hike on Sunday.", []),
        ("Die Firma Weber wurde 1987 gegründet.", []),
        ("晨光公司成立于2005年。", []),
    ],
)
def test_the_predicate_of_a_claim_is_its_verb_or_what_it_says_something_is(claim: str, words: list[str]) -> None:
    assert [word.text for word in predicate(facts(claim), claim)] == words


def test_plain_words_are_no_names_numbers_or_words_that_only_carry_others() -> None:
    claim = "Dr. Okafor quickly took 85 patients to Graz."
    assert [word.text for word in plain_words(facts(claim))] == ["patients"]


@pytest.mark.parametrize(
    ("verb", "other"),
    [
        ("acquire", "acquisition"),
        ("buy", "acquisition"),
        ("destroy", "destruction"),
        ("decide", "decision"),
        ("publish", "publication"),
        ("prohibit", "prohibition"),
        ("absorb", "absorption"),
        ("expand", "expansion"),
        ("marry", "marriage"),
        ("perform", "performance"),
        ("close", "closure"),
        ("found", "foundation"),
        ("deep", "depth"),
        ("die", "dead"),
        ("sell", "sale"),
    ],
)
def test_a_verb_and_the_noun_made_of_it_are_kindred(verb: str, other: str) -> None:
    one = "founded" if verb == "found" else verb  # "found" alone is a form of "find"
    assert kindred(stem(one), stem(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [("founded", "found"), ("rate", "launch"), ("increase", "decrease"), ("fertile", "infertile"), ("sign", "line")],
)
def test_other_words_are_not(one: str, other: str) -> None:
    assert not kindred(stem(one), stem(other))


def test_words_of_languages_that_are_not_stemmed_resemble_each_other_by_their_letters() -> None:
    assert resembles("gegrundet", "grundung")
    assert resembles("fundada", "fundacion")
    assert not resembles("gegrundet", "geliefert")
    assert not resembles("fue", "fundacion")


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("The mast was replaced.", True),
        ("Penguins swim.", True),
        ("Der Mast wurde ersetzt.", False),
        ("Le mât a été remplacé.", False),
        ("El mástil fue reemplazado.", False),
    ],
)
def test_a_language_shows_by_its_function_words(text: str, english: bool) -> None:
    assert in_english(facts(text)) is english
