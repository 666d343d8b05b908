import random
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thinkback.errors import InvalidInput
from thinkback.text.blank import is_blank
from thinkback.text.chunk import chunk
from thinkback.types import PageMark

WORDS = ("model", "memory", "question", "answer", "evidence", "source", "token", "budget", "vector", "paper", "table")


def words(text):
    return len(text.split())


def characters(text):
    return len(text)


def check(text, spans, count, size, *, longest=8):
    """The promises that hold for every input."""
    for span in spans:
        assert text[span.start : span.end] == span.text
        assert span.tokens == count(span.text) <= size
        assert len(span.text) <= longest * size
        assert not is_blank(span.text)
    for left, right in pairwise(spans):
        assert left.end <= right.start
    borders = [0, *(edge for span in spans for edge in (span.start, span.end)), len(text)]
    gaps = zip(borders[::2], borders[1::2], strict=True)
    assert all(is_blank(text[start:end]) for start, end in gaps)


def prose(seed, paragraphs, *, sentences=6):
    rng = random.Random(seed)
    return "\n\n".join(
        " ".join(
            " ".join(rng.choices(WORDS, k=rng.randint(6, 24))).capitalize() + "."
            for _ in range(rng.randint(sentences // 3, sentences + sentences // 2))
        )
        for _ in range(paragraphs)
    )


@given(
    st.text(
        alphabet=st.one_of(
            st.sampled_from(list(" \n\t.!?。,#-ab1 A\u200b\ufeff混\x00\ud800é\u0301👩\u200d")), st.characters()
        ),
        max_size=300,
    ),
    st.integers(1, 40),
)
def test_every_text_keeps_the_promises(text, size):
    check(text, chunk(text, characters, size=size), characters, size)
    check(text, chunk(text, characters, size=size, unit="words"), words, size, longest=16)


@given(
    st.lists(st.sampled_from([*WORDS, "The", "e.g.", "end.", "Fig.", "\n", "\n\n", "# Head\n", "- item", "。", ","])),
    st.integers(5, 30),
)
def test_texts_of_words_keep_the_promises(parts, size):
    text = " ".join(parts)
    check(text, chunk(text, words, size=size), words, size)


@given(st.text(max_size=200), st.integers(1, 30))
def test_a_counter_that_is_not_additive_is_obeyed(text, size):
    def uneven(part):
        return len(part) + part.count(" ") * 2 + part.count("\n") if len(part) > 1 else len(part)

    check(text, chunk(text, uneven, size=size), uneven, size)


@pytest.mark.parametrize("blank", ["", " ", "\n\n\t ", "\u200b\ufeff\u2060", "\u00ad", "\u3164\u2800"])
def test_blank_text_has_no_chunks(blank):
    assert chunk(blank, characters, size=10) == ()


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_below_one_is_refused(size):
    with pytest.raises(InvalidInput, match="positive"):
        chunk("text", words, size=size)


def test_a_size_below_one_character_is_refused():
    with pytest.raises(InvalidInput, match="one character alone counts 4"):
        chunk("ab", lambda text: 4 * len(text), size=3)


def test_sentences_are_packed_whole():
    text = "One is here. Two is here. Three is here. Four is here."
    assert [span.text for span in chunk(text, words, size=6)] == [
        "One is here. Two is here.",
        "Three is here. Four is here.",
    ]


def test_a_heading_stays_with_what_follows_it():
    text = "Six words stand in this sentence.\n\n# A title\n\nAnd six more stand right here."
    spans = [span.text for span in chunk(text, words, size=9)]
    assert spans == ["Six words stand in this sentence.", "# A title\n\nAnd six more stand right here."]


def test_a_heading_is_not_left_behind_when_its_text_is_large():
    text = "Two words.\n\n# A title\n\nAnd seven more words stand right here."
    assert chunk(text, words, size=10)[0].text == "Two words."


def test_paragraphs_are_preferred_to_sentences():
    text = "One two three. Four five six. Seven.\n\nEight nine. Ten."
    assert chunk(text, words, size=9)[0].text == "One two three. Four five six. Seven."


def test_pages_are_preferred_to_sentences():
    text = "One two three. Four five six. Seven eight. Nine ten. Eleven twelve."
    page = text.index("Nine")
    free = chunk(text, words, size=8)[0].end
    bound = chunk(text, words, size=8, pages=(PageMark(page=1, start=0), PageMark(page=2, start=page)))
    assert bound[0].text == "One two three. Four five six. Seven eight."
    assert free != bound[0].end


def test_reported_fault_90_no_chunk_is_larger_than_the_embedder_reads(minilm_count):
    texts = {
        "chinese": "混合检索把向量检索和关键词检索结合起来，以提高召回率。" * 200,
        "chinese without stops": "混合检索把向量检索和关键词检索结合起来" * 300,
        "japanese": "国際標準化機構は規格を定める。「品質」とは何か？それは適合である！" * 100,
        "korean": "스코프랩스는 기억을 관리한다. 검색은 빠르다. " * 100,
        "thai": "ภาษาไทยไม่มีช่องว่างระหว่างคำ" * 200,
        "base64": "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24" * 400,
        "lines of base64": ("TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24sIGJ1dCBi\n") * 300,
        "addresses": "https://example.org/a/very/long/path?with=many&query=parts#and-a-fragment " * 200,
        "one address": "https://example.org/" + "a/b-c_d?e=f&" * 2000,
        "zero width": "a\u200b" * 5000,
        "emoji": "👩\u200d👩\u200d👧 " * 1000,
        "leaders": "Contents " + "." * 5000 + " 7",
        "spaces": "word" + " " * 100_000 + "word",
    }
    for name, text in texts.items():
        spans = chunk(text, minilm_count, size=250)
        assert spans, name
        check(text, spans, minilm_count, 250)


def test_reported_fault_88_a_million_tokens_come_in_counted_pieces():
    text = prose(2, 100) * 140
    spans = chunk(text, words, size=250)
    assert sum(span.tokens for span in spans) == words(text) > 1_000_000
    assert max(span.tokens for span in spans) <= 250


def test_reported_fault_89_a_million_characters_without_a_space(minilm_count):
    text = "x" * 1_000_000
    begun = time.process_time()
    spans = chunk(text, minilm_count, size=250)
    assert time.process_time() - begun < 30  # a guard against quadratic work, not a measurement
    check(text, spans, minilm_count, 250)


def test_long_sentences_are_cut_at_clauses():
    text = "one two three, four five six, seven eight nine, ten eleven twelve"
    assert [span.text for span in chunk(text, words, size=6)] == [
        "one two three, four five six,",
        "seven eight nine, ten eleven twelve",
    ]


def test_combining_marks_and_emoji_stay_whole_where_possible():
    text = "e\u0301" * 100 + "👩\u200d🔬" * 50
    for span in chunk(text, characters, size=31):
        assert span.text[0] not in "\u0301\u200d"
        assert span.text[-1] != "\u200d"


def test_the_tokenizer_is_called_twice_for_each_character_at_most():
    text = prose(3, 200)
    seen = 0

    def counting(part):
        nonlocal seen
        seen += len(part)
        return len(part.split())

    chunk(text, counting, size=100)
    assert seen <= 2 * len(text)


def edit(text, rng):
    """Put one word more at a random place between two words."""
    at = text.index(" ", rng.randrange(len(text) - 200))
    return text[:at] + " surprisingly" + text[at:]


@pytest.mark.parametrize("paragraphs", [1, 100])
def test_an_edited_word_moves_few_chunks(paragraphs):
    rng = random.Random(5)
    kept = []
    for seed in range(10):
        text = prose(seed, paragraphs, sentences=max(6, 900 // paragraphs))
        before = chunk(text, words, size=100)
        assert len(before) >= 70
        after = {span.text for span in chunk(edit(text, rng), words, size=100)}
        kept.append(sum(span.text in after for span in before) / len(before))
    assert min(kept) >= 0.9
    assert sum(kept) / len(kept) >= 0.97


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 39))
def test_a_new_paragraph_moves_few_chunks(seed, place):
    paragraphs = prose(seed, 40).split("\n\n")
    before = chunk("\n\n".join(paragraphs), words, size=100)
    changed = [*paragraphs[:place], prose(seed + 1, 1), *paragraphs[place:]]
    after = {span.text for span in chunk("\n\n".join(changed), words, size=100)}
    assert sum(span.text not in after for span in before) <= 8


def test_five_megabytes_take_a_second():
    text = prose(1, 100) * 800
    begun = time.process_time()
    spans = chunk(text[:5_000_000], lambda part: len(part) // 4, size=250)
    assert time.process_time() - begun < 10  # measured: 0.6 s; a guard against quadratic work
    assert len(spans) > 4000
