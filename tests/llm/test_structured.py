from __future__ import annotations

import json
import time
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from thinkback.errors import BadReply, InvalidInput
from thinkback.llm.escapes import StringDecoder, decode_string
from thinkback.llm.jsontext import JsonFault, JsonReader
from thinkback.llm.structured import FieldStream, parse, schema_of, strip_thinking
from thinkback.llm.thinking import ThinkingFilter


class Note(BaseModel):
    text: str
    confident: bool


class Quote(BaseModel):
    item: int
    quote: str


class AnswerReply(BaseModel):
    evidence: list[Quote]
    found: bool
    answer: str


class Loose(BaseModel):
    """Every field has a default: the kind of model that takes anything for a reply."""

    notes: list[str] = []
    answer: str = ""


GOOD = '{"text": "Water boils at 100 degrees.", "confident": true}'
NOTE = Note(text="Water boils at 100 degrees.", confident=True)


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"Here is the result you asked for:\n```json\n{GOOD}\n```\nAnything else?",
        f"```\n{GOOD}\n```",
        f"Sure! {GOOD}",
        f'I use {{braces}} and {{"oddities" like this}} first. {GOOD}',
        f'The schema is {{"type": "object"}}, so: {GOOD}',
        GOOD.replace(", ", ",\n\t"),
        "\ufeff" + GOOD,
        GOOD + " " + GOOD.replace("100", "90"),
    ],
)
def test_fault_22_json_inside_prose_or_fences_is_found(reply: str) -> None:
    assert parse(reply, Note) == NOTE


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>Is it 90? No.</think>\n{GOOD}",
        f'<think>\n{{"text": "draft", "confident": true}}\n</think>\n\n{GOOD}',
        f"Is it 90? No, it is 100.\n</think>\n\n{GOOD}",
        f"<think>Let me write it.\n{GOOD}",
        f"<THINKING>Hm.</THINKING>```json\n{GOOD}\n```",
        f"<think></think><think>again</think>{GOOD}",
        f"Well.\n<reasoning>one\n</reasoning>\n{GOOD}",
    ],
)
def test_fault_25_thinking_before_json_is_stripped(reply: str) -> None:
    assert parse(reply, Note) == NOTE


@pytest.mark.parametrize(
    "reply",
    [
        '{"text": "abc',
        '{"text": "abc"',
        '{"text": "abc", "confident": tr',
        '{"text',
        "{",
        '```json\n{"text": "abc", "confident": true',
        '<think>I begin {"text": "draft", "confident": true} and go on',
        '<think>I begin {"a": [{"text": "draft", "confident": true}',
    ],
)
def test_fault_21_truncated_json_is_never_silent(reply: str) -> None:
    with pytest.raises(BadReply):
        parse(reply, Note)


@pytest.mark.parametrize(
    "reply",
    [
        '{"notes": ["a", "b',
        '{"entries": [{"notes": ["a"], "answer": "x"}, {"notes": [',
        '{"entries": [{"notes": ["a"]}, {"notes" oops',
        '{"a": {"notes" oops}, "b": {"notes": []}}',
        "{}",
        '{"something": "else"}',
        "[]",
        "null",
        "",
        "   \n",
        "\u200b",
        "I cannot answer that.",
        "<think>hm</think>",
    ],
)
def test_fault_21_and_23_nothing_usable_is_an_error_even_where_every_field_has_a_default(reply: str) -> None:
    with pytest.raises(BadReply):
        parse(reply, Loose)


@pytest.mark.parametrize(
    "confidence", ['""', '"maybe"', '"Confidence: high"', '"1.5"', "1.5", "NaN", "Infinity", "1e999", "null", "-0.1"]
)
def test_fault_17_an_unreadable_confidence_fails_closed(confidence: str) -> None:
    class Scored(BaseModel):
        confidence: float = Field(ge=0, le=1)

    with pytest.raises(BadReply):
        parse(f'{{"confidence": {confidence}}}', Scored)
    assert parse('{"confidence": 0.75}', Scored).confidence == 0.75


def test_the_message_of_a_bad_reply_has_no_text_of_the_reply() -> None:
    private = "the launch code is 4711"
    for reply in (f'{{"text": "{private}", "confident": "{private}"}}', private, f'{{"text": "{private}" {private}'):
        with pytest.raises(BadReply) as caught:
            parse(reply, Note)
        assert "4711" not in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (r"\text{loss}", r"\text{loss}"),
        (r"\\text{loss}", r"\text{loss}"),
        (r"\nabla f", r"\nabla f"),
        (r"\frac{a}{b}", r"\frac{a}{b}"),
        (r"\beta and \rho", r"\beta and \rho"),
        (r"\alpha \leq \theta", r"\alpha \leq \theta"),
        (r"\underline{x} \upsilon", r"\underline{x} \upsilon"),
        (r"\(x\) \[y\] \{z\} 5\% a\_b", r"\(x\) \[y\] \{z\} 5\% a\_b"),
        (r"$\nu$", r"$\nu$"),
        (r"\alpha, \nu", r"\alpha, \nu"),
        (r"\tau_1", r"\tau_1"),
        (r"uno\nu due", "uno\nu due"),
        (r"first\nsecond\tthird", "first\nsecond\tthird"),
        (r"col\there\ttest\r\nTable", "col\there\ttest\r\nTable"),
        (r"one\r\ntwo", "one\r\ntwo"),
        (r"it\'s", "it's"),
        (r"\"quoted\" \/ \\", '"quoted" / \\'),
        (r"caf\u00e9 \ud83d\ude00", "café 😀"),
        (r"half \ud83d pair \ude00", "half \ufffd pair \ufffd"),
        (r"half \ud83d\u0041", "half \ufffdA"),
        (r"nul\u0000gone", "nulgone"),
        (r"\uface", "\uface"),
        (r"\u12", r"\u12"),
        ("\\", "\\"),
        (r"\n", "\n"),
        (r"\b \f", "\b \f"),
        (r"\rVert x \rVert", r"\rVert x \rVert"),
        (r"\tabcdefghijklmnopqrstuvwxyzabcdefgh", "\tabcdefghijklmnopqrstuvwxyzabcdefgh"),
    ],
)
def test_latex_survives_json(raw: str, text: str) -> None:
    assert decode_string(raw) == text
    assert parse(f'{{"text": "{raw} x", "confident": true}}', Note).text == text + " x"


@given(st.lists(st.sampled_from([*'\\"nutfbr0aé de{}_$', "\\n", "\\t", "\\u", "\\ud83d", "\\text", "\\nu", "00e9"])))
def test_a_string_decodes_alike_in_whatever_pieces_it_comes(pieces: list[str]) -> None:
    raw = "".join(pieces)
    decoder = StringDecoder()
    assert "".join(map(decoder.feed, raw)) + decoder.feed("", last=True) == decode_string(raw)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='\\"')))
def test_text_without_escapes_is_unchanged(text: str) -> None:
    assert decode_string(text) == text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcé", max_size=3), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(st.dictionaries(st.text("abc", max_size=2), json_values, max_size=5), st.sampled_from([None, 2]), st.data())
def test_proper_json_reads_as_the_standard_library_reads_it(
    value: object, indent: int | None, data: st.DataObject
) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()), indent=indent)
    cut = data.draw(st.integers(0, len(text)))
    reader = JsonReader()
    reader.feed(text[:cut])
    assert reader.done == (cut == len(text))
    reader.feed(text[cut:] + "tail")
    assert reader.done
    assert reader.root == json.loads(text)
    assert reader.rest == "tail"


@pytest.mark.parametrize(
    "text",
    ["{]", "[}", "[1,]", '{"a":1,}', '{"a" 1}', '{"a":}', "[1 2]", "[01]", "[+1]", "[.5]", "[tru]", "[NaN]", "{1:2}", "x",
     "[--1]", '["a":1]', "[" * 101, "[" + "9" * 500 + "]", "[1e999]", "[#]", '{"a"}', "{,}", "[,]"],
)  # fmt: skip
def test_what_is_not_json_is_a_fault(text: str) -> None:
    with pytest.raises(JsonFault):
        JsonReader().feed(text + " ")


@pytest.mark.parametrize(
    "reply",
    [
        "{" * 100_000,
        '{"a":' * 20_000,
        '{"a":[' * 16_000,
        '{"a":"' + "x" * 100_000,
        "<think>" * 14_000,
        "<think>" + '{"a": {"b": 1}, ' * 6_000,
        "</think>" * 12_000,
        "'</think>" * 11_000,
        '{"a" ' * 20_000,
        '{"a":1}' * 14_000,
        '{"' + "\\" * 100_000,
        "prose " * 16_000,
        '{"text": "' + "\\nu" * 33_000,
    ],
)
def test_a_hundred_thousand_characters_are_read_quickly(reply: str) -> None:
    began = time.process_time()
    with pytest.raises(BadReply):
        parse(reply, Note)
    assert (
        time.process_time() - began < 5
    )  # a bound on the kind of growth, not a measurement: each takes well under 1 s


def test_a_long_good_reply_is_read_whole() -> None:
    text = "word \\alpha " * 8_000
    assert len(parse(json.dumps({"text": text, "confident": True}), Note).text) == len(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain", "plain"),
        ("<think>a</think> b", "b"),
        ("<think>never ends", ""),
        ("so I think\n</think>\nthe answer", "the answer"),
        ("The `</think>` tag ends it.", "The `</think>` tag ends it."),
        ("The <think> tag and </think> stay.", "The <think> tag and </think> stay."),
        ('{"a": "x </think> y"}', '{"a": "x </think> y"}'),
        ("", ""),
    ],
)
def test_fault_25_strip_thinking(text: str, left: str) -> None:
    assert strip_thinking(text) == left


@pytest.mark.parametrize(
    ("inside", "text", "shown"),
    [
        (False, "plain <think> text", "plain <think> text"),
        (False, " \n<think>a <b></think>\n\nanswer</think>", "answer</think>"),
        (False, "<think>never", ""),
        (False, "<thin", "<thin"),
        (False, "<b>bold</b>", "<b>bold</b>"),
        (True, "hidden</think> shown", "shown"),
        (False, "<thought>x</thought><think>y</think>z", "z"),
    ],
)
@given(data=st.data())
def test_a_streamed_reply_shows_no_thinking(inside: bool, text: str, shown: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    thinking = ThinkingFilter(inside=inside)
    assert "".join(map(thinking.feed, pieces)) + thinking.finish() == shown


REPLY = (
    '<think>hm {"answer": "no"}</think>```json\n{"evidence": [{"item": 2, "quote": "a \\"b\\" \\alpha"}], "found": true, '
    '"nested": {"answer": "not this"}, "answer": "It is\\n \\text{x} caf\\u00e9.", "end": 1}\n```'
)


@given(st.lists(st.integers(0, len(REPLY)), max_size=30).map(sorted))
def test_a_field_streams_after_the_fields_before_it_are_complete(cuts: list[int]) -> None:
    stream = FieldStream("answer")
    shown = ""
    for start, end in zip([0, *cuts], [*cuts, len(REPLY)], strict=True):
        new = stream.feed(REPLY[start:end])
        if new:
            assert stream.fields["evidence"] == [{"item": 2, "quote": 'a "b" \\alpha'}]
            assert stream.fields["found"] is True
        shown += new
    assert shown == stream.text == stream.fields["answer"] == "It is\n \\text{x} café."
    assert stream.done
    assert not stream.failed
    assert stream.feed("more") == ""


def test_a_field_grows_character_by_character() -> None:
    stream = FieldStream("answer")
    seen = [stream.feed(character) for character in '{"evidence": [], "answer": "abc"}']
    assert [piece for piece in seen if piece] == ["a", "b", "c"]


def test_open_fields_are_not_yet_to_be_read() -> None:
    stream = FieldStream("answer")
    assert stream.feed('{"evidence": [{"item": 1, "quote": "x"}') == ""
    assert stream.fields == {}
    assert not stream.started
    stream.feed('], "answer": "')
    assert stream.fields == {"evidence": [{"item": 1, "quote": "x"}]}
    assert stream.started
    assert stream.text == ""


def test_a_stream_that_is_no_json_is_marked() -> None:
    stream = FieldStream("answer")
    assert stream.feed('{"answer": "abc" oops') == "abc"
    assert stream.failed
    assert stream.feed("def") == ""
    prose = FieldStream("answer")
    assert prose.feed("I do not know.") == ""
    assert not prose.done
    assert not prose.failed


def test_schemas_are_flat_closed_and_in_order() -> None:
    class Reply(BaseModel):
        evidence: list[Quote] = Field(default=[], max_length=3)
        kind: Literal["a", "b"] = "a"
        note: str | None = Field(None, max_length=10, description="One line.")
        answer: str

    schema = schema_of(Reply)
    assert list(schema["properties"]) == schema["required"] == ["evidence", "kind", "note", "answer"]
    assert schema["properties"]["evidence"] == {
        "type": "array",
        "maxItems": 3,
        "items": {
            "type": "object",
            "properties": {"item": {"type": "integer"}, "quote": {"type": "string"}},
            "required": ["item", "quote"],
            "additionalProperties": False,
        },
    }
    assert schema["properties"]["note"] == {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "One line."}
    assert schema["additionalProperties"] is False
    assert "$ref" not in json.dumps(schema)
    assert "$defs" not in schema


class Tree(BaseModel):
    children: list[Tree]


class Free(BaseModel):
    mapping: dict[str, int]


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    inner: dict


@pytest.mark.parametrize("model", [Tree, Free, Open])
def test_endless_and_free_form_models_have_no_schema(model: type[BaseModel]) -> None:
    with pytest.raises(InvalidInput):
        schema_of(model)
