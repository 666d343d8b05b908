"""Which requests take the overview's door, in eleven languages, and which must not."""

from __future__ import annotations

import json
import time

import pytest

from thinkback.retrieve import door

WHOLE = [
    "Summarise.",
    "tl;dr",
    "Give me an overview",
    "Summarize this paper",
    "Could you please write an abstract for this paper?",
    "Write an abstract for this paper. Its title is: Graph networks for protein folding",
    "Write a literature review on these papers.",
    "Draft the related-work section",
    "What are the open problems?",
    "What are the open problems in diffusion models?",
    "What are the main contributions?",
    "What are the main findings of the paper?",
    "What are the limitations of this work?",
    "Of these papers, what are the main conclusions?",
    "What is this document about?",
    "What's the book about?",
    "What do these papers have in common?",
    "Compare the papers.",
    "Summarize the whole meeting.",
    "SUMMARISE\nTHE   DOCUMENT",
    "Fasse bitte das Dokument kurz zusammen.",
    "Schreibe eine Zusammenfassung",
    "Was sind die wichtigsten Ergebnisse?",
    "Worum geht es in dem Text?",
    "Welche offenen Fragen gibt es?",
    "Résume cet article",
    "Quels sont les principaux résultats ?",
    "De quoi parle ce livre ?",
    "Resume este artículo",
    "¿Cuáles son las principales contribuciones?",
    "¿De qué trata este libro?",
    "Qual é o resumo deste artigo?",
    "Riassumi l'articolo",
    "Quali sono i risultati principali?",
    "Vat dit artikel samen",
    "Кратко перескажи статью",
    "Каковы основные выводы?",
    "总结这篇论文",
    "这篇论文的主要贡献是什么",
    "請概括全文",
    "この論文を要約してください",
    "主な貢献は何ですか",
    "이 논문을 요약해 주세요",
    "주요 기여는 무엇인가요?",
]
ORDINARY = [
    "What is the main ingredient of X?",
    "What is the key size of AES?",
    "Who wrote the abstract?",
    "What is an abstract class used for in Java?",
    "What are the main findings on dropout?",
    "What are the limitations of BERT?",
    "Summarize the discussion about the efficacy of the law.",
    "What did the paper by Smith say about BM25?",
    "How many documents are in the data set?",
    "What is the outline of the island?",
    "Was summary judgment granted?",
    "What is Nate's favorite book series about?",
    "When did the meeting take place?",
    "Was ist die wichtigste Zutat?",
    "Wer hat die Zusammenfassung geschrieben?",
    "Quel est le principal ingrédient ?",
    "¿Cuál es el ingrediente principal?",
    "Chi ha scritto l'articolo?",
    "Кто написал статью?",
    "这篇论文用了什么数据集",
    "この論文の著者は誰ですか",
    "논문의 저자는 누구인가요?",
    "main",
    "",
    "  \n",
    "\ud800 \x00",
]


@pytest.mark.parametrize("question", WHOLE)
def test_requests_about_a_whole_take_the_door_of_overviews(question):
    assert door(question) == "overview"


@pytest.mark.parametrize("question", ORDINARY)
def test_ordinary_questions_do_not(question):
    assert door(question) == "similarity"


def test_pasted_text_behind_the_question_is_not_read():
    assert door("When was it founded? " + "x " * 2_000 + "summarise this document") == "similarity"


@pytest.mark.parametrize("part", ["of the ", "main ", "summary of ", "what is the ", "的", "summarise the "])
def test_a_hostile_question_takes_no_longer_than_a_blink(part):
    start = time.process_time()
    door(part * 5_000)
    assert time.process_time() - start < 1.0


@pytest.mark.data
def test_real_questions_of_meetings_go_the_right_way(data_folder):
    meetings = [json.loads(line) for line in (data_folder / "qmsum" / "test.jsonl").read_text("utf-8").splitlines()]
    general = [asked["query"] for meeting in meetings for asked in meeting["general_query_list"]]
    specific = [asked["query"] for meeting in meetings for asked in meeting["specific_query_list"]]
    assert sum(door(query) == "overview" for query in general) >= 0.85 * len(general)
    assert sum(door(query) == "overview" for query in specific) <= 0.01 * len(specific)
