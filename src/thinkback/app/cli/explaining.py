"""``why``: provenance as a tree, from a thought down to quoted places in documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinkback.app.cli.naming import handle, item_id
from thinkback.app.cli.opening import memory
from thinkback.app.cli.options import Common, shared
from thinkback.app.cli.screen import ago, emit, joined, line, out, prose_width, symbol
from thinkback.errors import InvalidInput

if TYPE_CHECKING:  # the engine imports numpy and pydantic; rich is not needed for --json
    from rich.text import Text

    from thinkback.engine.explaining import WhyNode

__all__ = ["why"]

_LONGEST_QUOTE = 300


@shared("store", "namespace", "embedder")
def why(
    common: Common, item: Annotated[str, typer.Argument(metavar="ID", help="A thought, as `thoughts` shows it.")]
) -> None:
    """Show what a thought stands on, down to quoted places in documents.

    Each branch is one way in which the thought was come by: the question, and the quotes that carry the answer, with
    document, page and character offsets. A thought that rests on other thoughts shows theirs in turn.
    """
    with memory(common) as engine:
        wanted = item_id(engine, item)
        if wanted in {document.id for document in engine.documents()}:
            raise InvalidInput(f"{line(item, 60)!r} is a document: raw text stands on nothing else.")
        tree = engine.why(wanted)
    if common.as_json:
        emit(tree)
    else:
        out().print(_tree(tree), width=prose_width())


def _tree(node: WhyNode) -> Any:
    from rich.tree import Tree

    made = Tree(_label(node), guide_style="dim")
    _grow(made, node)
    return made


def _grow(tree: Any, node: WhyNode) -> None:
    for child in node.children:
        _grow(tree.add(_label(child)), child)


def _label(node: WhyNode) -> Text:
    from rich.text import Text

    quoted = f"{symbol('“', chr(34))}{line(node.text, _LONGEST_QUOTE)}{symbol('”', chr(34))}"
    if node.kind == "thought":
        label = Text(line(node.text), style="bold")
        facts = [handle(node.id), f"level {node.level:.1f}", node.status, "shown above" if node.repeated else ""]
    elif node.kind == "derivation":
        label = Text("asked: ", style="cyan")
        label.append(line(node.text) if node.text else "(the question went with a deleted source)", style="default")
        confidence = f"confidence {node.confidence:.2f}" if node.confidence is not None else ""
        facts = [line(node.model, 50), confidence, ago(node.created_at)]
    elif node.kind == "gone":
        label = Text(quoted if node.text else "(the text is deleted)", style="yellow")
        facts = ["this passage was changed or deleted since", handle(node.id)]
    else:
        label = Text(quoted, style="italic")
        said = f"said by {line(node.title, 60)}" if node.kind == "testimony" else line(node.title or node.uri, 60)
        facts = [said, f"p. {node.page}" if node.page is not None else "", _offsets(node), _share(node)]
    label.append(f"\n{joined(facts)}", style="not bold not italic dim")
    return label


def _offsets(node: WhyNode) -> str:
    return f"characters {node.start:,} to {node.end:,}" if node.start is not None and node.end is not None else ""


def _share(node: WhyNode) -> str:
    return f"carries {node.score:.0%} of it" if node.score is not None else ""
