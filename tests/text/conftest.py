from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import pytest
from tokenizers import Tokenizer


@cache
def _tokenizer() -> Tokenizer:
    data = (resources.files("thinkback") / "embed" / "data" / "minilm-tokenizer.json").read_bytes()
    tokenizer = Tokenizer.from_buffer(data)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@pytest.fixture(scope="session")
def minilm_count() -> Callable[[str], int]:
    """The real count of the built-in embedder."""
    tokenizer = _tokenizer()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


@dataclass(frozen=True)
class Word:
    """Text at a place of a page: points from the left and from the foot; fonts F1 regular, F2 bold, F3 typewriter."""

    text: str
    x: float = 72
    y: float = 700
    size: float = 10
    font: str = "F1"
    turned: bool = False


def _content(words: Sequence[Word]) -> bytes:
    parts = []
    for word in words:
        matrix = "0 1 -1 0" if word.turned else "1 0 0 1"
        # \x01 and \x02 stand for the ligatures fi and ffl, as in the fonts of papers.
        escaped = word.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        parts.append(
            f"BT /{word.font} {word.size} Tf {matrix} {word.x} {word.y} Tm ({escaped}) Tj ET\n".encode("cp1252")
        )
    return b"".join(parts)


def _write_pdf(
    pages: Sequence[Sequence[Word]], *, title: str = "", author: str = "", image: bool = False, packed: bytes = b""
) -> bytes:
    """Return a PDF with the words of each page, written by hand so that every byte of it is known.

    ``packed`` is the first page's content, compressed, instead of its words.
    """
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    fonts = []
    for name, font in (("F1", "Helvetica"), ("F2", "Helvetica-Bold"), ("F3", "Courier")):
        encoding = b"<< /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /ffl] >>"
        objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding %s >>" % (font.encode(), encoding))
        fonts.append(b"/%s %d 0 R" % (name.encode(), len(objects)))
    extra = b""
    if image:
        objects.append(
            b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\n"
            b"stream\n\xff\nendstream"
        )
        extra = b" /XObject << /Im1 %d 0 R >>" % len(objects)
    kids = []
    for words in pages:
        content = _content(words) + (b"q 200 0 0 200 72 400 cm /Im1 Do Q\n" if image else b"")
        content, coding = (packed, b" /Filter /FlateDecode") if packed and not kids else (content, b"")
        objects.append(b"<< /Length %d%s >>\nstream\n%s\nendstream" % (len(content), coding, content))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << %s >>%s >> >>"
            % (len(objects), b" ".join(fonts), extra)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
    objects.append(b"<< /Title (%s) /Author (%s) >>" % (title.encode(), author.encode()))
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        len(objects),
        start,
    )
    return bytes(out)


@pytest.fixture(scope="session")
def write_pdf() -> Callable[..., bytes]:
    """Writes a PDF; see ``_write_pdf``."""
    return _write_pdf


@pytest.fixture(scope="session")
def word() -> type[Word]:
    """A piece of text on a page."""
    return Word
