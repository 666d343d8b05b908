import io
import logging
import zlib
from itertools import pairwise

import pytest
from pypdf import PdfReader, PdfWriter

from thinkback.errors import CorruptDocument, EncryptedDocument, TooLarge
from thinkback.text.formats import pdf
from thinkback.text.formats.pdf_lines import Line
from thinkback.text.formats.pdf_paragraphs import joiner
from thinkback.text.load import load_bytes
from thinkback.types import PageMark


def read(data, **options):
    return load_bytes(data, name="paper.pdf", uri="u", **options)


def column(word, lines, *, x=72, top=700, leading=12, **options):
    return [word(text, x=x, y=top - leading * number, **options) for number, text in enumerate(lines)]


def check_pages(document):
    starts = [mark.start for mark in document.pages]
    assert starts == sorted(starts)
    assert starts[0] == 0
    assert [mark.page for mark in document.pages] == list(range(1, len(starts) + 1))
    assert all(0 <= start <= len(document.text) for start in starts)


def test_lines_become_paragraphs_and_words_whole(word, write_pdf):
    lines = [
        "A paragraph goes on over some lines, and a word is bro-",
        "ken at the end of one. The state-of-the-",
        "art is e\x02orescent and \x01ne. The co-",
        "author agrees, as the co-author did. A self-",
        "Report keeps it.",
    ]
    second = [word("The second one is indented at its \x01rst", x=84, y=640), word("line and has two.", y=628)]
    page = [*column(word, lines), *second]
    assert read(write_pdf([page])).text == (
        "A paragraph goes on over some lines, and a word is broken at the end of one. The state-of-the-art is"
        " efflorescent and fine. The co-author agrees, as the co-author did. A self-Report keeps it.\n\nThe second one is indented at its"
        " first line and has two."
    )


def test_headings_by_size_and_weight(word, write_pdf):
    page = [
        word("A Study of Memory in", size=20, y=740),
        word("Language Models", size=20, y=716),
        word("1 Introduction", size=10, font="F2", y=690),
        *column(word, ["The text of the introduction is here,", "on two lines."], top=676),
        word("2 Methods", size=13, y=640),
        *column(word, ["Methods are described.", "They work."], top=622),
        word("References", y=590),
        *column(word, ["[1] A. Doe. A title.", "[2] B. Roe. Another."], top=576),
    ]
    document = read(write_pdf([page]))
    assert document.title == "A Study of Memory in Language Models"
    assert document.text.split("\n\n") == [
        "# A Study of Memory in Language Models",
        "### 1 Introduction",
        "The text of the introduction is here, on two lines.",
        "## 2 Methods",
        "Methods are described. They work.",
        "### References",
        "[1] A. Doe. A title.",
        "[2] B. Roe. Another.",
    ]


def test_metadata_name_title_and_author(word, write_pdf):
    document = read(write_pdf([[word("Text here.")]], title="The Title", author="A. Doe"))
    assert document.title == "The Title"
    assert document.metadata == {"format": "pdf", "authors": "A. Doe"}


@pytest.mark.parametrize("title", ["", "untitled", "Microsoft Word - draft.doc", "paper.dvi", "12"])
def test_useless_titles_are_not_taken(word, write_pdf, title):
    page = [
        word("Large Words", size=18, y=740),
        *column(word, ["small words follow", "over some lines", "to the end."]),
    ]
    assert read(write_pdf([page], title=title)).title == "Large Words"


def test_the_file_name_is_the_last_resort(word, write_pdf):
    assert read(write_pdf([[word("all of one size")]])).title == "paper"


def body(number):
    return [
        f"Sentence {name} of page number{number} is unlike all others."
        for name in ("one", "two", "three", "four", "five")
    ]


def test_running_heads_and_page_numbers_go(word, write_pdf):
    names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    pages = [
        [
            word("Doe and Roe" if number % 2 else "A Study of Memory", y=760),
            *column(word, body(name)),
            word(f"{number + 11}", x=300, y=40),
        ]
        for number, name in enumerate(names)
    ]
    document = read(write_pdf(pages))
    assert "Doe and Roe" not in document.text
    assert "A Study" not in document.text
    assert not any(str(number) in document.text for number in range(11, 17))
    for name in names:
        assert f"page number{name}" in document.text
    check_pages(document)
    for mark, name in zip(document.pages, names, strict=True):
        assert document.text[mark.start :].startswith(f"Sentence one of page number{name}")


def test_heads_with_the_chapter_go_by_their_number(word, write_pdf):
    chapters = ["Beginnings", "Middles", "Ends", "Afterwards"]
    pages = [
        [word(f"{number + 1} {chapter}", y=760), *column(word, body(chapter))]
        for number, chapter in enumerate(chapters)
    ]
    text = read(write_pdf(pages)).text
    assert all(f"{number + 1} {chapter}" not in text for number, chapter in enumerate(chapters))


def test_short_documents_keep_their_edges_but_the_number(word, write_pdf):
    pages = [
        [word("Same head", y=760), *column(word, body(name)), word(f"- {number} -", y=40)]
        for number, name in enumerate("ab", 1)
    ]
    text = read(write_pdf(pages)).text
    assert text.count("Same head") == 2
    assert "- 1 -" not in text


def test_a_page_of_edges_only_is_kept(word, write_pdf):
    document = read(write_pdf([[word("The same slide")] for _ in range(4)]))
    assert document.text.count("The same slide") == 4


def test_a_sentence_goes_on_over_the_page(word, write_pdf):
    pages = [
        [*column(word, ["The sentence begins on one page and ex-"])],
        [*column(word, ["tends to the next.", "It ends."])],
    ]
    document = read(write_pdf(pages))
    assert document.text == "The sentence begins on one page and extends to the next. It ends."
    assert document.pages == (PageMark(page=1, start=0), PageMark(page=2, start=document.text.index("tends")))


def test_two_columns(word, write_pdf):
    left = column(word, ["The left column is read first and goes on", "in the right"])
    right = column(word, ["column, where it ends.", "So it does."], x=320)
    assert read(write_pdf([left + right])).text == (
        "The left column is read first and goes on in the right column, where it ends. So it does."
    )


def test_typewriter_lines_stay_lines(word, write_pdf):
    page = [
        *column(word, ["Some prose comes before,", "then code:"]),
        *column(word, ["def f():", "    return 1"], top=660, font="F3"),
    ]
    assert read(write_pdf([page])).text == "Some prose comes before, then code:\n\ndef f():\n    return 1"


def test_lists_and_contents(word, write_pdf):
    page = column(
        word,
        [
            "\u2022 first item",
            "\u2022 second item that",
            "goes on",
            "1 Introduction . . . . . . . . . . 3",
            "2 Methods . . . . . . . 4",
        ],
    )
    assert read(write_pdf([page])).text.split("\n\n") == [
        "\u2022 first item",
        "\u2022 second item that goes on 1 Introduction ... 3",
        "2 Methods ... 4",
    ]


def test_turned_text_goes_unless_it_is_most(word, write_pdf):
    stamp = word("arXiv:2401.00001v1", x=20, y=300, turned=True)
    page = [stamp, *column(word, ["The upright text is longer than the stamp in the margin."])]
    assert "arXiv" not in read(write_pdf([page])).text
    assert "arXiv" in read(write_pdf([[stamp]])).text


def test_reported_fault_92_a_scan_gives_blank_text_and_says_why(write_pdf):
    document = read(write_pdf([[], []], image=True))
    assert document.text == ""
    assert "OCR" in document.warnings[0]
    check_pages(document)


def test_reported_fault_92_an_empty_file_is_empty_not_broken():
    document = read(b"")
    assert (document.text, document.warnings) == ("", ("The file is empty.",))


def locked(data, **options):
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(**options)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
def test_reported_fault_92_a_locked_file_says_so(word, write_pdf, algorithm):
    data = locked(write_pdf([[word("secret")]]), user_password="key", owner_password="other", algorithm=algorithm)  # noqa: S106
    with pytest.raises(EncryptedDocument, match="password"):
        read(data)


def test_files_that_only_restrict_printing_are_read(word, write_pdf):
    data = locked(write_pdf([[word("open to all")]]), user_password="", owner_password="other", algorithm="AES-256")  # noqa: S106
    assert read(data).text == "open to all"


def test_pages_without_text_are_named(word, write_pdf):
    document = read(write_pdf([[word("one")], [], [word("three")], [], []]))
    assert document.text == "one three"
    assert document.warnings == ("Without text (blank, or scanned): pages 2, 4, 5.",)
    check_pages(document)
    assert document.pages[1].start == document.pages[2].start == 4


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_truncated_files_are_read_with_a_warning_or_refused(word, write_pdf, share):
    data = write_pdf([column(word, body(name)) for name in "abcdefgh"])
    try:
        document = read(data[: int(len(data) * share)])
    except CorruptDocument as error:
        assert "cut short" in str(error)  # noqa: PT017 - either is right, depending on where it was cut
    else:
        assert any("too early" in note for note in document.warnings)
        assert "Sentence one" in document.text
        check_pages(document)


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7\n",
        b"%PDF-1.7\ngarbage" * 50,
        b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF",
    ],
)
def test_what_only_begins_as_a_pdf(data):
    with pytest.raises(CorruptDocument):
        read(data)


def test_a_file_that_is_only_named_so():
    with pytest.raises(CorruptDocument, match="does not begin"):
        read(b"This is plain text.")


def test_html_named_pdf_is_read_as_what_it_is():
    document = read(b"<!DOCTYPE html><html><p>Please log in first.</p></html>")
    assert document.text == "Please log in first."
    assert document.metadata["format"] == "html"


def test_one_damaged_page_does_not_cost_the_others(word, write_pdf):
    data = write_pdf([[word("one")], [word("two")], [word("three")]])
    broken = data.replace(b"(two) Tj", b"(two Tj (")
    document = read(broken)
    assert "one" in document.text
    assert "three" in document.text


def test_a_bomb_is_not_unpacked(word, write_pdf):
    bomb = zlib.compress(b"BT (x) Tj ET " * 6_000_000, 9)
    with pytest.raises(TooLarge, match="unpacks"):
        read(write_pdf([[word("one")]], packed=bomb))


def test_too_much_text(word, write_pdf):
    data = write_pdf([[word("x" * 500)] * 20])
    with pytest.raises(TooLarge):
        read(data, max_bytes=len(data) - 1)
    with pytest.raises(TooLarge, match="more than 1,000 characters"):
        pdf.read(data, max_characters=1000)


def test_the_parser_does_not_print(write_pdf, word, capsys):
    read(write_pdf([[word("text")]])[:-20])
    assert capsys.readouterr() == ("", "")
    assert logging.getLogger("pypdf").handlers


def test_a_file_without_pages(write_pdf):
    with pytest.raises(CorruptDocument, match="no pages"):
        read(write_pdf([]))


def with_unknown_packing(data):
    return data.replace(b"/FlateDecode", b"/NoSuchCodec")


def test_no_page_can_be_read(word, write_pdf):
    with pytest.raises(CorruptDocument, match="none of its pages"):
        read(with_unknown_packing(write_pdf([[word("one")]], packed=b"x")))


def test_a_page_that_cannot_be_read_is_named(word, write_pdf):
    document = read(with_unknown_packing(write_pdf([[word("one")], [word("two")]], packed=b"x")))
    assert document.text == "two"
    assert document.warnings == ("Could not be read: page 1.",)
    check_pages(document)


def test_chinese_lines_are_joined_without_spaces():
    texts = ["混合检索把", "向量和词", "words 结合"]
    lines = [Line(text=text, page=0, x=72, y=700 - 12 * number, size=10) for number, text in enumerate(texts)]
    seams = [joiner(lines)(above.text, below) for above, below in pairwise(lines)]
    assert [(seam.dropped, seam.glue) for seam in seams] == [(0, ""), (0, " ")]


def test_soft_hyphens_go():
    lines = [
        Line(text=text, page=0, x=72, y=700 - 12 * number, size=10)
        for number, text in enumerate(["Über\u00ad", "Mensch"])
    ]
    assert joiner(lines)(lines[0].text, lines[1]).dropped == 1
