from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.thought.speech import spoken
from thinkback.thought.synonyms import antonyms, derived, opposed, same_word, single_words, synonyms
from thinkback.thought.words import is_english, sentences, stem, words


@pytest.mark.parametrize(
    "group",
    [
        "apply applies applied applying",
        "use uses used using",
        "control controls controlled controlling",
        "install installed",
        "family families family's",
        "run runs ran running",
        "agree agreed agrees",
        "hypothesis hypotheses",
        "city cities",
        "box boxes",
        "colour color",
        "supply supplies supplied",
        "automatic automatically",
        "plan planned planning",
    ],
)
def test_forms_of_a_word_share_a_stem(group: str) -> None:
    assert len({stem(word) for word in group.split()}) == 1


@pytest.mark.parametrize("pair", ["morning morn", "seed see", "business busy", "news new", "less le", "string stre"])
def test_words_that_only_look_like_forms_do_not(pair: str) -> None:
    left, right = pair.split()
    assert stem(left) != stem(right)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("approve", "approval", True),
        ("cancel", "cancellation", True),
        ("buy", "purchased", True),
        ("talks", "negotiation", True),
        ("accurate", "inaccurate", False),
        ("dog", "cat", False),
        ("employer", "employee", False),
        ("teacher", "teach", True),
    ],
)
def test_derived_words_and_synonyms_are_the_same_word(left: str, right: str, same: bool) -> None:
    assert same_word(stem(left), stem(right)) is same


@pytest.mark.parametrize(
    "pair", ["increase decreased", "safe unsafe", "accurate inaccurate", "summer winter", "first last"]
)
def test_opposites_are_known_or_seen_by_their_prefix(pair: str) -> None:
    left, right = map(stem, pair.split())
    assert opposed(left, right)
    assert opposed(right, left)
    assert not same_word(left, right)


def test_no_synonym_is_also_an_antonym_in_the_lists() -> None:
    clashes = {
        one
        for one in map(stem, ("buy", "increase", "begin", "stop", "accept", "large"))
        if synonyms(one) & antonyms(one)
    }
    assert not clashes


def test_phrases_become_single_words() -> None:
    assert single_words("He Gave up smoking because of Anna.") == "He quit smoking because Anna."
    assert single_words("Nothing to change.") == "Nothing to change."


def test_short_roots_are_left_alone() -> None:
    assert derived("ion") == "ion"
    assert derived("\u540d\u524d") == "\u540d\u524d"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Dr. Smith et al. found 3.5 of them. Yes! Was it so? It was.",
            ["Dr. Smith et al. found 3.5 of them.", "Yes!", "Was it so?", "It was."],
        ),
        ("One line\n\nAnother line", ["One line", "Another line"]),
        (
            "\u4eca\u5929\u4e0b\u96e8\u3002\u660e\u5929\u6674\u3002",
            ["\u4eca\u5929\u4e0b\u96e8\u3002", "\u660e\u5929\u6674\u3002"],
        ),
        ("Am 3. Juni war Wahl. Danach nicht.", ["Am 3. Juni war Wahl.", "Danach nicht."]),
        ("  \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[s.start : s.end] for s in sentences(text)] == expected


@given(st.text(max_size=300))
def test_sentences_and_words_cover_the_text_in_order(text: str) -> None:
    spans = sentences(text)
    inside = "".join(text[s.start : s.end] for s in spans)
    assert [c for c in inside if not c.isspace()] == [c for c in text if not c.isspace()]
    for word in words(text):
        assert text[word.start : word.end] == word.text


def test_a_turn_is_told_in_the_third_person() -> None:
    text = "(3 May) Anna: I've seen my aunt. She gave me a book.\nBen: I'm glad."
    assert spoken(text, 0, len(text)) == "(3 May) Anna has seen Anna's aunt. She gave Anna a book. Ben is glad."
    start = text.index("She")
    assert spoken(text, start, start + 19) == "She gave Anna a book."
    assert spoken("I saw it.", 0, 9) == "I saw it."


def test_words_that_other_languages_lend_to_the_stop_words_carry_content_in_english() -> None:
    assert [w.text for w in words("Her son saw corals die in the war.") if w.content] == [
        "son",
        "saw",
        "corals",
        "die",
        "war",
    ]
    assert "die" not in [w.text for w in words("Das ist die Katze, und sie war nicht hier.") if w.content]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Corals die young.", True),
        ("The Las Vegas strip is lit.", True),
        ("Das Haus ist alt.", False),
        ("Le chat est noir.", False),
        ("\u732b\u304c\u5bdd\u308b", False),
    ],
)
def test_texts_of_other_languages_are_told_from_english(text: str, expected: bool) -> None:
    assert is_english(text) is expected


def test_phrases_are_put_as_one_word_in_the_same_form() -> None:
    assert single_words("She gave up smoking.") == "She quit smoking."
    assert single_words("He is looking for work.") == "He is seeking work."
    assert single_words("The mill was turned into flats.") == "The mill was converted into flats."
    assert single_words("He handed the keys over to Tom.") == single_words("He handed over the keys to Tom.")
    assert single_words("Tom put the book on the table.") == "Tom put the book on the table."
    assert single_words("It costs 50 euros a month.") == "It costs 50 euros monthly."
    assert single_words("It was sold for 3 million a year ago.") == "It was sold for 3 million a year ago."
