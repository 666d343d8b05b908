from __future__ import annotations

import pytest

from thinkback.thought.admit import Refusal, Source, ground
from thinkback.thought.fragment import fragment, is_phrase
from thinkback.types import Atom, Root


@pytest.mark.parametrize(
    ("note", "why"),
    [
        ("and for 8,484 ratings", "'and'"),
        ("But the ratings of Refinitiv fell in 2018.", "'But'"),
        ("Which leads to lower costs for the city of Bonn.", "'Which'"),
        ("This can be due to the different methods of the agencies.", "'This'"),
        ("- It also improves the accuracy of BERT on GLUE by 2 points.", "'It'"),
        ("It's used for rinsing the grid.", "It"),
        ("We found that BERT gains 2 points on GLUE.", "'We'"),
        ("for 8,484 ratings of 2018", "no verb"),
        ("2018", "nothing"),
        ("Und deshalb sinkt die Genauigkeit auf 81 %.", "'Und'"),
        ("Das ist auf die Methode der Agenturen zurückzuführen.", "'Das'"),
        ("Sie verbessert die Genauigkeit von BERT.", "'Sie'"),
        ("Et pour 8 484 notes de Refinitiv.", "'Et'"),
        ("Cela peut être dû aux méthodes des agences.", "'Cela'"),
        ("C'est la méthode la plus rapide de Lyon.", "C'est"),
        ("它还提高了模型的准确率。", "before it"),
        ("这可能是由于评级机构的方法不同。", "before it"),
        ("以及8484个评级。", "before it"),
    ],
)
def test_what_is_not_understood_alone_is_told_with_the_reason(note: str, why: str) -> None:
    assert why in fragment(note)


@pytest.mark.parametrize(
    "note",
    [
        "ESG ratings of different agencies differ by method.",
        "Penguins swim.",
        "Adults pay five euros.",
        "Flights to Malta leave from terminal 2.",
        "This method reads the whole context.",
        "It is known that cosine certifies little.",
        "It takes three hours to charge the PowerDock.",
        '"And Then There Were None" was written by Agatha Christie.',
        "E. coli grows at 37 degrees.",
        "Das alte Rathaus wurde 1703 zerstört.",
        "Es wurden 30 Proben gemessen.",
        "Es gibt drei Stockwerke im Turm von Alm.",
        "Diese Methode verbessert die Genauigkeit.",
        "Ce modèle lit tout le contexte.",
        "Il y a trois ponts à Lyon.",
        "Il est probable que le pont de Lyon sera fermé.",
        "该模型在三个公开数据集上进行了评估。",
        "这种方法使用了八块显卡。",
        "他汀类药物降低胆固醇。",
    ],
)
def test_a_note_that_stands_alone_passes_and_so_does_one_that_cannot_be_told(note: str) -> None:
    assert fragment(note) == ""


def test_a_fragment_is_not_admitted_though_its_words_stand_in_the_source() -> None:
    text = "The agencies disagree. This can be due to their methods."
    source = Source(kind="chunk", id="c1", text=text, level=1.0, trust="normal", roots=(Root(kind="chunk", id="c1"),))
    refused = ground(Atom(text="This can be due to their methods.", item_numbers=(1,)), [source], threshold=0.7)
    assert isinstance(refused, Refusal)
    assert refused.status == "unsupported"
    assert refused.reason.startswith("not self-contained: ")


@pytest.mark.parametrize("text", ["1932", "Marta Silva", "for 8,484 ratings", "In 2018.", ""])
def test_a_phrase_is_no_sentence(text: str) -> None:
    assert is_phrase(text)


@pytest.mark.parametrize(
    "text", ["It was opened in 1932.", "Penguins swim.", "Die Firma Weber liefert Fenster.", "成立于2005年。"]
)
def test_a_sentence_or_what_cannot_be_told_is_no_phrase(text: str) -> None:
    assert not is_phrase(text)
