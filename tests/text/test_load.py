import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.errors import InvalidInput, LoadError, TooLarge, UnsupportedFormat
from thinkback.text.blank import is_blank
from thinkback.text.chunk import chunk
from thinkback.text.clean import clean
from thinkback.text.load import SUPPORTED, iter_files, load, load_bytes, load_text


def read(data, name="x.txt", **options):
    return load_bytes(data, name=name, uri="u", **options)


# --- encodings ---

TEXTS = {
    "chinese": "今天天气很好，我们去公园玩。混合检索把向量检索和关键词检索结合起来。",
    "traditional": "今天天氣很好，我們去公園玩。這是一個測試。",
    "japanese": "これは日本語の文章です。国際標準化機構は規格を定める。",
    "korean": "오늘은 날씨가 좋다. 우리는 공원에 갔다.",
    "russian": "Сегодня хорошая погода, мы пошли в парк.",
    "german": "Die Größe der Übung ist naïve, süß und schön.",
    "french": "Le garçon a été déjà là, à côté de la forêt.",
    "quotes": "He said “yes” – and it’s 5 €.",
}


@pytest.mark.parametrize(
    ("language", "encoding", "found"),
    [
        ("chinese", "gbk", "gb18030"),
        ("chinese", "gb18030", "gb18030"),
        ("traditional", "big5", "big5"),
        ("japanese", "cp932", "cp932"),
        ("japanese", "shift_jis", "cp932"),
        ("japanese", "euc_jp", "euc_jp"),
        ("japanese", "iso2022_jp", "iso2022_jp"),
        ("korean", "euc_kr", "cp949"),
        ("korean", "cp949", "cp949"),
        ("russian", "cp1251", "cp1251"),
        ("russian", "koi8_r", "koi8_r"),
        ("german", "cp1252", "cp1252"),
        ("french", "latin-1", "cp1252"),
        ("quotes", "cp1252", "cp1252"),
        *[(language, "utf-8", None) for language in TEXTS],
        *[(language, "utf-8-sig", None) for language in TEXTS],
        *[(language, "utf-16", "utf-16-le") for language in TEXTS],
        *[(language, "utf-32", "utf-32-le") for language in TEXTS],
        ("german", "utf-16-le", "utf-16-le"),
        ("german", "utf-16-be", "utf-16-be"),
        ("chinese", "utf-16-be-bom", "utf-16-be"),
    ],
)
def test_reported_fault_95_files_in_old_encodings_are_read(language, encoding, found):
    text = TEXTS[language]
    data = b"\xfe\xff" + text.encode("utf-16-be") if encoding == "utf-16-be-bom" else text.encode(encoding)
    document = read(data)
    assert document.text == text
    assert document.metadata.get("encoding") == found
    assert document.warnings == ()


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("混合检索", "gbk"),
        ("中文", "gbk"),
        ("国際標準化", "cp932"),
        ("日本", "cp932"),
        ("스코프랩스", "euc_kr"),
        ("한국어", "cp949"),
        ("café", "cp1252"),
        ("naïve", "latin-1"),
        ("Hello 混合 world, some English text", "gbk"),
        ("£5", "latin-1"),
    ],
)
def test_reported_fault_95_also_very_short_ones(text, encoding):
    assert read(text.encode(encoding)).text == text


def test_the_served_charset_is_used_where_it_fits():
    data = "Größe ДА".encode("iso8859_5", "replace")
    assert read("ДА".encode("iso8859_5"), media_type="text/plain; charset=ISO-8859-5").text == "ДА"
    assert read("Größe".encode(), media_type="text/plain; charset=ascii").text == "Größe"
    assert read(data, media_type="text/plain; charset=no-such").text


def test_a_few_damaged_bytes_leave_utf8_what_it_is():
    document = read(TEXTS["chinese"].encode() + b" \xff " + TEXTS["korean"].encode())
    assert document.text == TEXTS["chinese"] + " \ufffd " + TEXTS["korean"]
    assert document.warnings == ("1 places could not be read as utf-8 and were replaced.",)


def test_bytes_of_no_language_are_still_read():
    assert read(b"abc \x81\x8d\x8f def" + b" plain words" * 20).text.endswith("plain words")


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=60))
def test_utf8_gives_the_text_itself(text):
    assert read(b"# " + text.encode(), name="x.txt").text == clean("# " + text)


@given(st.binary(max_size=300), st.sampled_from(["x", "x.txt", "x.md", "x.html", "x.tex", "x.pdf"]))
def test_any_bytes_give_clean_text_or_one_of_our_errors(data, name):
    try:
        document = read(data, name=name)
    except LoadError:
        return
    assert not any(
        character == "\x00" or "\ud800" <= character <= "\udfff" or character == "\r" for character in document.text
    )
    document.text.encode()
    assert document.text.strip() or document.warnings or not is_blank(document.text)


# --- cleaning ---


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("\x00\r\n\x0b\x0c\x85\u2028\ud800\udfff\x1b\t"))))
def test_cleaning_is_done_once(text):
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert "\x00" not in cleaned
    cleaned.encode()
    assert len(cleaned) <= len(text)


def test_line_ends_and_controls():
    assert clean("a\r\nb\rc\u2028d\x0ce\x00f\ud800g\x07h\ti") == "a\nb\nc\nd\ne\ufffdf\ufffdg h\ti"


def test_decomposed_letters_stay_as_they_are():
    assert load_text("e\u0301 é", uri="u").text == "e\u0301 é"


# --- what is no text ---


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        b"PK\x03\x04" + bytes(50),
        b"\x7fELF\x02\x01\x01" + bytes(50),
        b"GIF89a" + bytes(20),
        bytes(1000),
        bytes(range(256)) * 20,
        os.urandom(5000),
    ],
)
@pytest.mark.parametrize("name", ["x", "x.txt", "x.md", "x.html", "x.docx"])
def test_binary_files_are_refused(data, name):
    with pytest.raises(UnsupportedFormat):
        read(data, name=name)


@pytest.mark.parametrize(
    "data", [b"", b" \n\t", "\u200b\ufeff\u2060\n".encode(), b"\xef\xbb\xbf", "\u3000".encode("utf-16")]
)
@pytest.mark.parametrize("name", ["x.txt", "x.md", "x.html", "x.tex"])
def test_reported_fault_92_blank_files_say_so(data, name):
    document = read(data, name=name)
    assert is_blank(document.text)
    assert len(document.warnings) == 1
    assert document.title == "x"


def test_a_zero_byte_in_a_text_is_no_reason_to_refuse_it():
    assert read(b"one\x00two, and then some more words").text == "one\ufffdtwo, and then some more words"


@pytest.mark.parametrize(
    ("data", "name", "media_type", "kind"),
    [
        (b"%PDF-", "x.txt", None, "pdf"),
        (b"<!DOCTYPE html><p>x", "x.txt", None, "html"),
        (b"<html><p>x", "", None, "html"),
        (b"<p>x", "x.HTM", None, "html"),
        (b"<p>x", "page", "text/html; charset=utf-8", "html"),
        (b"<html> in a note", "x.md", None, "markdown"),
        (b"# x", "x.Markdown", None, "markdown"),
        (b"# x", "x", "text/markdown", "markdown"),
        (b"% c\n\\documentclass{article}\\begin{document}x\\end{document}", "x", None, "latex"),
        (b"\\documentclass in a text", "x.md", None, "markdown"),
        (b"x", "x.tex", None, "latex"),
        (b"x", "x.rst", None, "plain"),
        (b"x", "no suffix", "application/octet-stream", "plain"),
    ],
)
def test_the_format_is_told_by_content_then_server_then_name(data, name, media_type, kind):
    if kind == "pdf":
        with pytest.raises(LoadError, match="PDF"):
            read(data, name=name, media_type=media_type)
    else:
        assert read(data, name=name, media_type=media_type).metadata["format"] == kind


# --- files ---


def test_a_file(tmp_path):
    path = tmp_path / "a note.txt"
    path.write_bytes(b"one\r\ntwo")
    document = load(path)
    assert (document.text, document.title, document.uri) == ("one\ntwo", "a note", str(path))


def test_relative_paths_become_absolute_and_links_stay(tmp_path, monkeypatch):
    (tmp_path / "real.txt").write_text("text", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to("real.txt")
    monkeypatch.chdir(tmp_path)
    assert load(Path("./link.txt")).uri == str(tmp_path / "link.txt")


def test_names_that_are_not_utf8_can_be_stored(tmp_path):
    path = tmp_path / os.fsdecode(b"na\xefve.txt")
    path.write_text("text", encoding="utf-8")
    document = load(path)
    assert document.uri.encode().endswith(b"na\\udcefve.txt")
    assert document.title == "na\\udcefve"
    assert list(iter_files(tmp_path)) == [path]


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "loop", "locked"])
def test_what_is_no_readable_file(tmp_path, kind):
    path = tmp_path / "x.txt"
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "loop":
            path.symlink_to(path)
        case "locked":
            if os.geteuid() == 0:
                pytest.skip("the administrator may read every file")
            path.write_text("x", encoding="utf-8")
            path.chmod(0)
    with pytest.raises(LoadError, match=r"x\.txt"):
        load(path)


def test_a_zero_byte_in_a_path(tmp_path):
    with pytest.raises(InvalidInput):
        load(tmp_path / "a\x00b.txt")


def test_too_large(tmp_path):
    path = tmp_path / "x.txt"
    path.write_bytes(b"x" * 101)
    with pytest.raises(TooLarge, match="101 bytes; the limit is 100"):
        load(path, max_bytes=100)
    with pytest.raises(TooLarge):
        read(b"x" * 101, max_bytes=100)
    assert load(path, max_bytes=101).text


@pytest.mark.slow
def test_a_file_of_fifty_megabytes(tmp_path, minilm_count):
    path = tmp_path / "large.txt"
    sentence = (
        "This sentence is one of very many in a large file, and goes on like all the others. " * 4
        + "It is number {}.\n"
    )
    with path.open("w", encoding="utf-8") as file:
        for number in range(8_000):
            file.write((sentence.format(number) * 18) + "\n")
    assert path.stat().st_size > 50_000_000
    begun = time.process_time()
    document = load(path)
    assert time.process_time() - begun < 20  # measured: 0.3 s
    begun = time.process_time()
    spans = chunk(document.text, lambda text: len(text) // 5, size=250)
    assert time.process_time() - begun < 100  # measured: 12 s
    assert spans[-1].end == len(document.text.rstrip())
    assert all(minilm_count(span.text) for span in spans[:3])


def test_text_given_directly():
    document = load_text("\n# A title\nand text\x00", uri="text:1")
    assert (document.text, document.title, document.uri) == ("\n# A title\nand text\ufffd", "A title", "text:1")
    assert load_text("x", uri="u", title="T").title == "T"
    assert load_text("word " * 50, uri="u").title == ("word " * 16).strip()
    assert load_bytes(b"\n\nFrom a pipe.\nMore.", name="", uri="-").title == "From a pipe."
    assert load_text(" \u200b", uri="u").warnings == ("The text is blank.",)


def test_the_title_is_one_line_of_limited_length():
    document = read(b"# " + b"long words " * 100, name="x.md")
    assert len(document.title) <= 200
    assert "\n" not in document.title


# --- folders ---


def make(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text", encoding="utf-8")


def test_a_folder_is_walked_in_order(tmp_path):
    make(
        tmp_path, "b.txt", "a/z.md", "a/B.PDF", "a.tex", ".hidden.txt", ".git/x.txt", "picture.png", "c", "d/e/f/g.html"
    )
    assert [path.relative_to(tmp_path).as_posix() for path in iter_files(tmp_path)] == [
        "a/B.PDF",
        "a/z.md",
        "a.tex",
        "b.txt",
        "d/e/f/g.html",
    ]


def test_links_are_followed_but_not_in_circles(tmp_path):
    make(tmp_path, "folder/inner/x.txt", "elsewhere/y.txt")
    (tmp_path / "folder/inner/up").symlink_to(tmp_path / "folder")
    (tmp_path / "folder/self").symlink_to(".")
    (tmp_path / "folder/other").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "folder/broken.txt").symlink_to("nowhere")
    os.mkfifo(tmp_path / "folder/pipe.txt")
    folder = tmp_path / "folder"
    assert [path.relative_to(folder).as_posix() for path in iter_files(folder)] == ["inner/x.txt", "other/y.txt"]


def test_a_missing_folder(tmp_path):
    with pytest.raises(LoadError, match="cannot be read"):
        list(iter_files(tmp_path / "missing"))


def test_supported_kinds():
    assert {".txt", ".md", ".html", ".tex", ".pdf"} <= SUPPORTED
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in SUPPORTED)


def test_reported_fault_95_nothing_depends_on_the_locale(tmp_path):
    for encoding in ("gbk", "utf-16", "utf-8-sig", "cp932"):
        (tmp_path / f"混合-{encoding}.txt").write_bytes("混合検索".encode(encoding, "replace"))
    (tmp_path / "emoji-😀.md").write_bytes("# 😀 \ud83d".encode("utf-8", "surrogatepass"))
    program = (
        "import sys; from pathlib import Path; from thinkback.text.load import iter_files, load\n"
        "print(len([load(path).text for path in iter_files(Path(sys.argv[1]))]))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, str(tmp_path)],
        env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (b"5\n", b"")
