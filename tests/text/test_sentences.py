import pytest

from thinkback.text.sentences import Border, sentences
from thinkback.types import PageMark


def cut(text):
    return [text[each.start : each.end] for each in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is. It was! Will it be? Yes…", ["It is.", "It was!", "Will it be?", "Yes…"]),
        ("See Fig. 3 and Eq. (4), e.g. here. Next.", ["See Fig. 3 and Eq. (4), e.g. here.", "Next."]),
        ("Smith et al. Wrote this. J. R. Doe did not.", ["Smith et al. Wrote this.", "J. R. Doe did not."]),
        ("Version 3.14 is out. Nine is not.", ["Version 3.14 is out.", "Nine is not."]),
        ('He said "yes." She left.', ['He said "yes."', "She left."]),
        ("これは文です。次の文！「そうか？」はい", ["これは文です。", "次の文！", "「そうか？」", "はい"]),
        ("Wrapped at\nthe line end. And\non.", ["Wrapped at\nthe line end.", "And\non."]),
        ("यह वाक्य है। दूसरा वाक्य।", ["यह वाक्य है।", "दूसरा वाक्य।"]),
        ("- first item\n- second item\n1. third", ["- first item", "- second item", "1. third"]),
        ("Wait.... What?", ["Wait....", "What?"]),
        ("What? yes. no", ["What? yes. no"]),
        ("One. (Two.) Three.", ["One.", "(Two.)", "Three."]),
        ("", []),
        ("...", ["..."]),
    ],
)
def test_sentences(text, expected):
    assert cut(text) == expected


def borders(text, pages=()):
    return [(text[each.start : each.end], each.border) for each in sentences(text, pages)]


def test_borders_of_marked_headings():
    assert borders("# T\nBody one. Two.\n\nThree.\n## U\n### V\nFour.") == [
        ("# T", Border.HEADING),
        ("Body one.", Border.HEADED),
        ("Two.", Border.SENTENCE),
        ("Three.", Border.PARAGRAPH),
        ("## U", Border.HEADING),
        ("### V", Border.HEADED),
        ("Four.", Border.HEADED),
    ]


def test_short_lines_that_stand_alone_are_headings():
    text = "Introduction\n\nIt begins. It goes on.\n\n2 Methods\n\nnot a heading\n\nThe end."
    assert [(piece, border) for piece, border in borders(text) if border is Border.HEADING] == [
        ("Introduction", Border.HEADING),
        ("2 Methods", Border.HEADING),
    ]


def test_a_short_line_before_a_long_one_is_a_heading():
    long = (
        "This paragraph is one very long line, as files have them that are not wrapped by hand but by the editor. So."
    )
    found = borders(f"{long}\nRelated work\n{long}\nshort\n{long}")
    assert ("Related work", Border.HEADING) in found
    assert all(not piece.startswith("short") or border is not Border.HEADING for piece, border in found)


def test_wrapped_prose_has_no_headings():
    text = "The first line ends.\nThis second line is short\nand goes on here.\n"
    assert Border.HEADING not in [border for _, border in borders(text)]


def test_the_last_line_is_no_heading():
    assert borders("Some text.\n\nThe end") == [("Some text.", Border.PARAGRAPH), ("The end", Border.PARAGRAPH)]


def test_a_page_begins_with_a_stronger_border():
    text = "One. Two. Three goes over the page. Four."
    pages = (PageMark(page=1, start=0), PageMark(page=2, start=5), PageMark(page=3, start=15))
    assert [border for _, border in borders(text, pages)] == [
        Border.PARAGRAPH,
        Border.PAGE,
        Border.SENTENCE,
        Border.SENTENCE,
    ]
