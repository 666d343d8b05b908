"""The embedder without a model: near for shared wording, apart for anything else."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thinkback.embed.hashing import HashingEmbedder
from thinkback.errors import InvalidInput


def test_shared_wording_is_near_and_other_texts_are_far():
    rows = HashingEmbedder().embed(
        [
            "The treaty was signed in Kyoto in 1997.",
            "In 1997 the treaty was signed in Kyoto.",
            "The treaties that were signed at Kyoto",
            "Bees do not sleep at night.",
        ],
        kind="document",
    )
    cosines = rows @ rows[0]
    assert cosines[1] > 0.9
    assert 0.3 < cosines[2] < cosines[1]
    assert abs(cosines[3]) < 0.15


def test_question_finds_its_sentence_among_others():
    embedder = HashingEmbedder()
    sentences = [
        "The bridge over the Tay opened in June 1878.",
        "Sourdough rises more slowly than bread with yeast.",
        "Otters hold hands while they sleep.",
    ]
    rows = embedder.embed(sentences, kind="document")
    query = embedder.embed(["When did the bridge over the Tay open?"], kind="query")[0]
    assert int(np.argmax(rows @ query)) == 0


@given(st.lists(st.text(min_size=1), min_size=2, max_size=6, unique=True))
@settings(deadline=None)
def test_distinct_texts_never_share_a_vector(texts):
    readable = [text for text in texts if HashingEmbedder(8).embed([text], kind="document").any()]
    surrogates_apart = {text.encode("utf-8", "replace") for text in readable}
    rows = HashingEmbedder().embed(readable, kind="document")
    assert len({row.tobytes() for row in rows}) >= len(surrogates_apart)


def test_vectors_do_not_depend_on_the_process():
    program = (
        "from thinkback.embed.hashing import HashingEmbedder as H; import sys;"
        "sys.stdout.write(H(16).embed(['one two'], kind='query').tobytes().hex())"
    )
    fresh = subprocess.run(  # another PYTHONHASHSEED than ours
        [sys.executable, "-c", program], env={"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True
    )
    assert fresh.stdout == HashingEmbedder(16).embed(["one two"], kind="query").tobytes().hex()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("one two, three.", 5), ("京都は1997", 4), ("a_b c", 2)],
)
def test_count(text, tokens):
    assert HashingEmbedder().count(text) == tokens


def test_a_dimension_below_one_is_refused():
    with pytest.raises(InvalidInput, match="at least one"):
        HashingEmbedder(0)
