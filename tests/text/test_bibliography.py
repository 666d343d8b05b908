import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.errors import CorruptDocument, LoadError, TooLarge, UnsupportedFormat
from thinkback.text import bibliography as module
from thinkback.text import bibtex
from thinkback.text.attachments import attached
from thinkback.text.bibliography import BibEntry, read_bibliography, to_bibtex

BIB = r"""
@string{ecml = {European Conf.}}
@comment{jabref-meta: x}
% a loose remark
@Article{Doe:2020,
  title = "A {Big} Study of {\"U}ber \& more",
  author = {Doe, John and M{\"u}ller, J{\"o}rg and {The ATLAS and CMS Groups} and van der Berg, Jr, Anna and others},
  journal = ecml,
  year = 2020, month = jan,
  file = {Full Text:files/12/a b.pdf:application/pdf;Snapshot:files/13/page.html:text/html;files/14/pic.png},
  doi={https://doi.org/10.1000/x\_y},
  url = {https://example.org/a\_b%20c},
}
@book{broken, title={unclosed
@inproceedings{next, title={Next}, date={1999-05-01}, editor={Jane Roe}}
@article{Doe:2020, title={The same key again}}
"""


@pytest.fixture
def bib(tmp_path):
    path = tmp_path / "library.bib"
    path.write_text(BIB, encoding="utf-8")
    return path


def test_bibtex(bib):
    first, broken, following, again = read_bibliography(bib)
    assert (first.key, first.type, first.year) == ("Doe:2020", "article", 2020)
    assert first.title == "A Big Study of Über & more"
    assert first.authors == ("John Doe", "Jörg Müller", "The ATLAS and CMS Groups", "Anna van der Berg Jr")
    assert first.doi == "10.1000/x_y"
    assert first.url == "https://example.org/a_b%20c"
    assert first.files == (bib.parent / "files/12/a b.pdf", bib.parent / "files/13/page.html")
    assert first.raw_fields["journal"] == "European Conf."
    assert (broken.key, broken.type, broken.title) == ("broken", "book", "")
    assert broken.error == "The entry is not valid BibTeX."
    assert (following.title, following.authors, following.year) == ("Next", ("Jane Roe",), 1999)
    assert again.title == "The same key again"


def test_names_that_bibtex_cannot_part_are_kept():
    assert bibtex.names("Doe, John, Jr, Extra, Parts and {Unclosed") == ("Doe, John, Jr, Extra, Parts", "Unclosed")
    assert bibtex.names("") == ()


def test_signs_of_tex_are_written_so_that_they_stay():
    assert bibtex.escaped("50% -- a_b ``q'' {x}") == r"50\% -{}- a\_b `{}`q'{}' \{x\}"
    assert bibtex.value(bibtex.escaped("50% -- a_b ``q'' {x}")) == "50% -- a_b ``q'' {x}"


def test_the_parser_does_not_print(bib, capsys):
    read_bibliography(bib)
    assert capsys.readouterr() == ("", "")
    assert logging.getLogger("bibtexparser").handlers


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("", []),
        ("files/1/a.pdf", ["files/1/a.pdf"]),
        (":files/1/a.pdf:PDF", ["files/1/a.pdf"]),
        ("a.pdf:application/pdf", ["a.pdf"]),
        ("Full Text PDF:files/1/a.pdf:application/pdf", ["files/1/a.pdf"]),
        (r"Doe\: On x\; y:files/1/Doe\: On x\; y.pdf:application/pdf", ["files/1/Doe: On x; y.pdf"]),
        (r"a.pdf;b\_c.html;a.pdf", ["a.pdf", "b_c.html"]),
        ("image.png;data.xlsx;archive.zip", []),
        (r"Full Text:C\:\\Users\\me\\a.pdf:application/pdf", [r"C:\Users\me\a.pdf"]),
        (r"C:\\Users\\me\\a.pdf", [r"C:\Users\me\a.pdf"]),
        (r":C$\backslash$:/Users/me/a.pdf:pdf", [r"C\:/Users/me/a.pdf"]),
    ],
)
def test_file_fields_of_reference_managers(tmp_path, field, expected):
    assert attached(field, tmp_path) == tuple(tmp_path / path for path in expected)


def test_mendeley_leaves_out_the_first_slash(tmp_path):
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(b"%PDF-")
    assert attached(f":{str(paper)[1:]}:pdf", tmp_path / "elsewhere") == (paper,)
    assert attached(f":{paper}:pdf", tmp_path / "elsewhere") == (paper,)


RIS = """TY  - JOUR
ID  - doe2020
TI  - A long
  title
AU  - Doe, John
AU  - Müller, Jörg
A1  - The Group
PY  - 2020/05/01/
DO  - https://doi.org/10.1000/xy
UR  - https://example.org/
L1  - files/1/a.pdf
L1  - https://example.org/a.pdf
L2  - file:///tmp/with%20space.html
L4  - internal-pdf://123/b.pdf
ER  -

TY  - CONF
T1  - No end
"""


def test_ris(tmp_path):
    path = tmp_path / "library.ris"
    path.write_text(RIS, encoding="utf-8-sig")
    first, second = read_bibliography(path)
    assert first == BibEntry(
        key="doe2020",
        type="article",
        title="A long title",
        authors=("John Doe", "Jörg Müller", "The Group"),
        year=2020,
        doi="10.1000/xy",
        url="https://example.org/",
        files=(tmp_path / "files/1/a.pdf", tmp_path / "/tmp/with space.html", tmp_path / "123/b.pdf"),  # noqa: S108 - only a name
        raw_fields=first.raw_fields,
    )
    assert first.raw_fields["AU"] == "Doe, John; Müller, Jörg"
    assert (second.key, second.type, second.title) == ("entry2", "inproceedings", "No end")


def test_csl_json(tmp_path):
    path = tmp_path / "library.json"
    item = {
        "id": "http://zotero.org/1",
        "citation-key": "doe2020",
        "type": "article-journal",
        "title": "T",
        "author": [{"family": "Doe", "given": "John"}, {"literal": "The Group"}, "odd"],
        "issued": {"date-parts": [[2020, 5]]},
        "DOI": "10.1000/xy",
        "URL": "https://example.org/",
    }
    path.write_text(json.dumps([item, {}]), encoding="utf-8")
    first, second = read_bibliography(path)
    assert (first.key, first.type, first.title, first.year) == ("doe2020", "article", "T", 2020)
    assert first.authors == ("John Doe", "The Group")
    assert (first.doi, first.url, first.files) == ("10.1000/xy", "https://example.org/", ())
    assert json.loads(first.raw_fields["issued"]) == item["issued"]
    assert second.key == "entry2"


def test_json_of_better_bibtex_knows_the_files(tmp_path):
    path = tmp_path / "library.json"
    item = {
        "citationKey": "k",
        "itemType": "conferencePaper",
        "creators": [{"firstName": "A", "lastName": "B"}],
        "date": "2021-03",
        "attachments": [{"path": "files/1/a.pdf"}, {"title": "no file"}, "odd"],
    }
    path.write_text(json.dumps({"items": [item]}), encoding="utf-8")
    (entry,) = read_bibliography(path)
    assert (entry.key, entry.type, entry.authors, entry.year) == ("k", "inproceedings", ("A B",), 2021)
    assert entry.files == (tmp_path / "files/1/a.pdf",)


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '[{"id": '])  # cut short, or nested beyond all measure
def test_damaged_json(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorruptDocument):
        read_bibliography(path)


@pytest.mark.parametrize("text", ["plain text", '{"a": 1}', "[1, 2]"])
def test_what_is_no_bibliography(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnsupportedFormat):
        read_bibliography(path)


def test_nothing_readable(tmp_path):
    path = tmp_path / "x.bib"
    path.write_text("@article{a, title={x", encoding="utf-8")
    with pytest.raises(CorruptDocument):
        read_bibliography(path)


def test_an_empty_bibliography(tmp_path):
    path = tmp_path / "x.bib"
    path.write_text("", encoding="utf-8")
    assert read_bibliography(path) == ()


def test_missing_and_too_large(tmp_path, monkeypatch):
    with pytest.raises(LoadError, match="cannot be read"):
        read_bibliography(tmp_path / "missing.bib")
    path = tmp_path / "x.bib"
    path.write_text(BIB, encoding="utf-8")
    monkeypatch.setattr(module, "_MAX_BYTES", 10)
    with pytest.raises(TooLarge):
        read_bibliography(path)


def test_export(bib):
    text = to_bibtex([*read_bibliography(bib), BibEntry(key="b?d key", type="Odd Type!")])
    assert text.startswith("@article{Doe:2020,\n  title = {A Big Study of Über \\& more},\n")
    assert "  journal = {European Conf.},\n" in text
    assert "@article{Doe:2020_2,\n" in text
    assert text.endswith("@oddtype{b_d_key,\n}\n")
    assert "files/12" not in text
    assert to_bibtex([]) == ""


WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=12)
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
NAMES = (
    st.lists(st.text("ABCabcäé", min_size=1, max_size=8), min_size=1, max_size=3)
    .map(" ".join)
    .filter(lambda name: name.casefold() != "and")
)


@given(
    st.lists(
        st.builds(
            BibEntry,
            key=st.text("abc:_1", min_size=1, max_size=5),
            type=st.sampled_from(["article", "misc"]),
            title=TEXTS,
            authors=st.lists(NAMES, max_size=3).map(tuple),
            year=st.none() | st.integers(1000, 2999),
            doi=st.sampled_from(["", "10.1000/a_b(c)%d"]),
            url=st.sampled_from(["", "https://example.org/~me/?a=1&b=%20#x_y"]),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_what_is_exported_reads_the_same(tmp_path_factory, entries):
    path = tmp_path_factory.mktemp("bib") / "x.bib"
    path.write_text(to_bibtex(entries), encoding="utf-8")
    back = read_bibliography(path)
    assert [(e.type, e.title, e.authors, e.year, e.doi, e.url, e.error) for e in back] == [
        (e.type, e.title, e.authors, e.year, e.doi, e.url, "") for e in entries
    ]
    assert len({e.key for e in back}) == len(entries)
