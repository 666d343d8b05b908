# ruff: noqa: E501 - pages are as they are
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.text.formats.html import declared_encoding
from thinkback.text.load import load_bytes

PAGE = """<!doctype html>
<html lang="en"><head><title>T &amp; U</title>
<meta name="author" content="A. Doe"><meta name="citation_author" content="B. Roe"><meta name="author" content="A. Doe">
<meta name="dc.identifier" content="urn:x"><meta name="citation_doi" content="10.1/x"><meta property="article:published_time" content="2024-01-02">
<meta name="description" content="  What   it is "><meta name="keywords" content="">
<style>x { color: hidden }</style><script>hidden()</script></head>
<body><nav>hidden menu</nav><div role="banner">hidden banner</div>
<h1>Big <em>title</em></h1>
<p>one <b>two</b>three<br>four &nbsp; five</p>
<ul><li><p>a</p></li><li>b<ul><li>c</li></ul></li><li></li></ul>
<table><caption>Cap</caption><tr><th>h1</th><th>h2</th></tr><tr><td>1</td><td>2</td></tr></table>
<pre><code>def f():
    return <span>1</span>
</code></pre>
<!-- hidden -->
<p hidden>hidden</p><p style="display: NONE">hidden</p><p aria-hidden="true">hidden</p>
<form><p>kept in a form</p><button>hidden</button></form>
<p>math <math alttext="a^2"><mi>hidden</mi></math> and <math><mi>b</mi></math></p>
<p><img src="x" alt="a picture"> tail<![CDATA[ data]]></p>
<h2>Next</h2>text right after
</body></html>"""

EXPECTED = """# Big title

one twothree
four five

- a

- b
- c
-

Cap
h1 | h2
1 | 2

def f():
    return 1

kept in a form

math $a^2$ and b

a picture tail data

## Next

text right after"""


def read(text, name="x.html"):
    return load_bytes(text.encode(), name=name, uri="u")


def test_a_page():
    document = read(PAGE)
    assert document.text == EXPECTED
    assert "hidden" not in document.text
    assert document.title == "Big title"
    assert document.metadata == {
        "format": "html",
        "authors": "A. Doe, B. Roe",
        "doi": "10.1/x",
        "date": "2024-01-02",
        "description": "What it is",
        "language": "en",
    }


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title>T</title><h1>A</h1><h1>B</h1>", "T"),
        ("<h1>A</h1><h1>B</h1>", "A"),
        ("<title> </title><p>x", "x"),
        ("<title>T</title><p>x", "T"),
    ],
)
def test_titles(page, title):
    assert read(page, name="x.html").title == title


def test_the_marked_part_is_taken_if_it_is_the_text():
    long = "The text of the page. " * 20
    assert read(f"<p>around</p><main><p>{long}</p></main>").text == long.strip()
    assert read(f"<p>around</p><article><p>{long}</p></article>").text == long.strip()
    assert read("<p>around</p><main>short</main>").text == "around\n\nshort"
    assert "around" in read(f"<p>around</p><article>{long}</article><article>{long}</article>").text


def test_ends_that_html_lets_authors_leave_out():
    page = (
        "<ul><li>a<li>b<ul><li>c</ul><li>d</ul><table><tr><td>1<td>2<tr><td>3</table><dl><dt>t<dd>d</dl><p>x<p>y<div>z"
    )
    assert read(page).text == "- a\n- b\n- c\n- d\n\n1 | 2\n3\n\nt\n\nd\n\nx\n\ny\n\nz"


def test_ends_without_a_beginning_are_passed_over():
    assert read("<p>a</b></div></nav></li>b</p></br>c").text == "ab\n\nc"


def test_a_hidden_part_ends_with_what_it_stands_in():
    assert read("<div><nav>hidden<p>hidden</div>shown").text == "shown"


def test_a_head_that_is_never_closed_hides_nothing():
    assert read("<html><head><title>T</title><p>The body.").text == "The body."


def test_deep_nesting_and_size_take_linear_time():
    begun = time.process_time()
    assert read("<div>" * 20_000 + "core" + "</div>" * 20_000).text == "core"
    assert len(read("<p>word word</p>\n" * 20_000).text) > 200_000
    assert time.process_time() - begun < 30  # measured: 2 s; a guard against quadratic work


def test_characters_that_are_none():
    assert read("<p>a&#0;b&#xD800;c&#13;d</p>").text == "a\ufffdb\ufffdc d"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'<meta charset="gbk">', "gbk"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'>", "Shift_JIS"),
        (b'<?xml version="1.0" encoding="iso-8859-1"?>', "iso-8859-1"),
        (b"<p>charset=none", None),
    ],
)
def test_declared_encodings(data, expected):
    assert declared_encoding(data) == expected


def test_the_declared_encoding_is_used_unless_it_is_wrong():
    page = '<html><meta charset="{}"><p>混合检索</p></html>'
    assert load_bytes(page.format("gbk").encode("gbk"), name="x.html", uri="u").text == "混合检索"
    assert load_bytes(page.format("gbk").encode(), name="x.html", uri="u").text == "混合检索"
    assert load_bytes(page.format("no-such-code").encode("gbk"), name="x.html", uri="u").text == "混合检索"


@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<li>",
                "<td>",
                "</table>",
                "<pre>",
                "<h1>",
                "&#",
                "&amp",
                "<!--",
                "-->",
                "<",
                ">",
                "a",
                " ",
                "\n",
                "<script>",
                "<![CDATA[",
            ]
        ),
        max_size=60,
    )
)
def test_any_page_gives_text(parts):
    assert "\x00" not in read("<html>" + "".join(parts)).text
