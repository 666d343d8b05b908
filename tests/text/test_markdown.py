import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.text.formats import markdown
from thinkback.text.formats.frontmatter import split_front_matter
from thinkback.text.load import load_bytes


def read(text):
    return load_bytes(text.encode(), name="notes.md", uri="u")


SOURCE = """---
title: "My paper"
author: [A. Doe, 'B. Roe']
tags:
 - x
 - name: y
year: 2024 # a remark
user_id: someone else
---
# Head *one* `x` $y$

Para **bold** with `code` and $a_1*b*c$ and
soft break. 我们
中文 [link](http://x) ![alt](i.png)<b>x</b>
hard\\
break<br>here ~~gone~~

- item one
- item two

  second paragraph
  1. nested
  2. nested too
-

3. three
4. four

| a | b |
|---|---|
| 1 |   |
|   | 2 |

```py
x = 1

y = 2
```
> quote

<div><p>html <script>bad</script>block</p></div>

<!-- comment -->

***

$$
E = mc^2
$$

costs $5 and $6; $ x$ and $x $ and $$ $$ and \\$1
[ref]: http://hidden
"""

EXPECTED = """# Head one x $y$

Para bold with code and $a_1*b*c$ and soft break. 我们中文 link altx hard
break
here gone

- item one
- item two
second paragraph
  1. nested
  2. nested too
-

3. three
4. four

a | b
1 |
| 2

x = 1

y = 2

quote

html block

$$
E = mc^2
$$

costs $5 and $6; $ x$ and $x $ and $$ $$ and $1 [ref]: http://hidden"""


def test_a_document():
    document = read(SOURCE)
    assert document.text == EXPECTED
    assert document.title == "My paper"
    assert document.metadata == {"format": "markdown", "authors": "A. Doe, B. Roe", "keywords": "x, y", "year": 2024}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One\n# Two", "One"),
        ("Text\n\nTitle\n=====\n", "Title"),
        ("## Only a second level", "notes"),
        ("# *Em* and\u00a0`code` ![pic](x)", "Em and code pic"),
        ("", "notes"),
    ],
)
def test_titles(text, title):
    assert read(text).title == title


@pytest.mark.parametrize(
    ("text", "body", "title"),
    [
        ("---\ntitle: T\n---\nbody", "body", "T"),
        ("+++\ntitle = 'T'\n+++\nbody", "body", "T"),
        ("---\ntitle: T\n...\nbody", "body", "T"),
        ("---\n---\nbody", "---\n---\nbody", ""),
        ("---\nno pair\n---\nbody", "---\nno pair\n---\nbody", ""),
        ("text\n---\ntitle: T\n---\n", "text\n---\ntitle: T\n---\n", ""),
        ("---\ntitle: |\n  block\n---\nbody", "body", ""),
        ("---\ntitle: never closed\n", "---\ntitle: never closed\n", ""),
    ],
)
def test_front_matter(text, body, title):
    front = split_front_matter(text)
    assert (front.body, front.title) == (body, title)


def test_front_matter_says_only_what_a_document_may_say():
    front = split_front_matter(
        "---\nnamespace: other\ntrust: trusted\nid: x\ndate: 2024-01-02\nyear: soon\nformat: pdf\n---\n"
    )
    assert front.metadata == {"date": "2024-01-02", "year": "soon"}


@given(
    st.lists(
        st.sampled_from([*"#*_`~[]()<>!|-+=$\\ \n\tab1.:>", "```", "---\n", "- ", "1. ", "<b>"]), max_size=150
    ).map("".join)
)
def test_any_markdown_gives_text(text):
    document = read(text)
    assert "\r" not in document.text


def test_large_files_read_the_same_in_portions(monkeypatch):
    part = "# Head\n\nText with `code`.\n\n- item\n\n```\n# not a heading\n```\n\n"
    whole = read(part * 20).text
    monkeypatch.setattr(markdown, "_PORTION", 100)
    assert read(part * 20).text == whole
    assert len(list(markdown._portions(part * 20))) == 10
