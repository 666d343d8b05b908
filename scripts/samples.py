#!/usr/bin/env python3
"""Write the sample papers in src/thinkback/samples from a copy of the unarXive sample.

Usage: scripts/samples.py [FOLDER]     FOLDER holds academic_unarxive/papers.jsonl; default: THINKBACK_DATA

Run by hand when the choice of papers changes. What it changes in a paper is said in the folder's README.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src" / "thinkback" / "samples"
LICENCE = "http://creativecommons.org/licenses/by/4.0/"
PAPERS = {
    "2212.11765": "esg-ratings-from-news",
    "2212.11772": "text-audio-fusion",
    "2212.11790": "normalized-contrastive-learning",
    "2212.11803": "euclidnets",
    "2212.11808": "mutation-based-text-generation",
}


def _body(text: str) -> str:
    """Turn "heading, line break, paragraph" blocks into Markdown, without the marks of tables and figures."""
    blocks = []
    for block in text.strip().split("\n\n"):
        heading, _, paragraph = block.partition("\n")
        blocks.append(f"## {heading.strip()}")
        cleaned = re.sub(r"<(?:table|figure)>", " ", paragraph)
        cleaned = re.sub(r"\[package index\]\S*", "", cleaned)
        cleaned = " ".join(cleaned.split())
        if cleaned:
            blocks.append(cleaned)
    return "\n\n".join(blocks)


def _authors(text: str) -> str:
    names = " ".join(text.split()).replace('\\"a', "ä")
    return ", ".join(name.strip() for name in re.split(r",| and ", names) if name.strip())


def render(paper: dict[str, str]) -> str:
    """Return the Markdown file of one record of papers.jsonl."""
    if paper["license"] != LICENCE:
        raise SystemExit(f"{paper['id']} is not under CC BY 4.0: {paper['license']}")
    title = " ".join(paper["title"].split())
    parts = [
        "---",
        f"title: {json.dumps(title, ensure_ascii=False)}",
        f"authors: {json.dumps(_authors(paper['authors']), ensure_ascii=False)}",
        f'arxiv: "{paper["id"]}"',
        "license: CC-BY-4.0",
        "license_url: https://creativecommons.org/licenses/by/4.0/",
        f"source: https://arxiv.org/abs/{paper['id']}",
        "---",
        "",
        f"# {title}",
        "",
        "## Abstract",
        "",
        " ".join(paper["abstract"].split()),
        "",
        _body(paper["main_content"]),
    ]
    if paper["related_work"]:
        parts += ["", "## Related work", "", " ".join(re.sub(r"<\w+>", " ", paper["related_work"]).split())]
    return "\n".join(parts) + "\n"


def main() -> None:
    """Write one file per paper."""
    folder = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("THINKBACK_DATA")
    if not folder:
        raise SystemExit(__doc__)
    source = Path(folder) / "academic_unarxive" / "papers.jsonl"
    for line in source.read_text(encoding="utf-8").splitlines():
        paper = json.loads(line)
        if name := PAPERS.get(paper["id"]):
            (TARGET / f"{name}.md").write_text(render(paper), encoding="utf-8")


if __name__ == "__main__":
    main()
