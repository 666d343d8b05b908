"""Thresholds carried from the built-in embedder to others."""

import tomllib
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from thinkback.config import load_preset, preset_names
from thinkback.embed.calibrate import Thresholds, pair_cosines, rank_of, threshold_at, thresholds
from thinkback.embed.hashing import HashingEmbedder
from thinkback.embed.onnx import MiniLmEmbedder
from thinkback.errors import InvalidInput


@pytest.fixture(scope="module")
def minilm():
    embedder = MiniLmEmbedder()
    yield embedder
    embedder.close()


@pytest.fixture(scope="module")
def data():
    return tomllib.loads((resources.files("thinkback.embed") / "calibration.toml").read_text(encoding="utf-8"))


class Squeezed(HashingEmbedder):
    """Another embedder's vectors beside a component that all texts share, as in models whose cosines start at 0.7."""

    def __init__(self, inner, share):
        super().__init__(inner.dimension + 1)
        self.id = f"squeezed-{share}"
        self.inner = inner
        self.share = share

    def embed(self, texts, *, kind):
        rows = self.inner.embed(texts, kind=kind)
        common = np.full((len(rows), 1), np.sqrt(self.share), dtype=np.float32)
        return np.hstack([rows * np.sqrt(1 - self.share, dtype=np.float32), common])


@pytest.mark.parametrize(("gate", "related"), [(0.6, 0.8), (0.7, 0.75), (0.35, 0.9)])
def test_the_built_in_embedder_gets_back_what_was_given(minilm, data, gate, related):
    found = thresholds(minilm, gate=gate, related=related)
    assert data["reference"]["embedder"] == minilm.id
    assert found.gate == pytest.approx(gate, abs=0.002)
    assert found.related == pytest.approx(related, abs=0.002)


def test_the_reference_is_what_the_built_in_embedder_gives(minilm, data):
    for name, cosines in zip(("questions", "claims"), pair_cosines(minilm, data["topics"]), strict=True):
        np.testing.assert_allclose(np.sort(cosines)[::-1][:200], data["reference"][name], atol=0.002)


@pytest.mark.parametrize("name", preset_names())
def test_the_thresholds_of_every_preset_can_be_carried_over(name):
    preset = load_preset(name)
    found = thresholds(HashingEmbedder(), gate=preset.gate, related=preset.related)
    assert (found.gate == -1) == (preset.gate in {None, -1})
    assert found.related < preset.related


def test_no_gate_stays_no_gate():
    assert thresholds(HashingEmbedder(), gate=None, related=0.8).gate == -1


@pytest.mark.parametrize("given", [{"gate": 0.1, "related": 0.8}, {"gate": 0.6, "related": 0.99}])
def test_thresholds_beyond_what_was_measured_are_refused(given):
    with pytest.raises(InvalidInput, match="must lie between"):
        thresholds(HashingEmbedder(), **given)


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_a_scale_that_is_squeezed_upwards_gets_thresholds_squeezed_likewise(minilm, share):
    squeezed = thresholds(Squeezed(minilm, share), gate=0.6, related=0.8)
    assert squeezed.gate == pytest.approx(share + (1 - share) * 0.6, abs=0.002)
    assert squeezed.related == pytest.approx(share + (1 - share) * 0.8, abs=0.002)


def test_an_embedder_of_wording_gets_lower_thresholds_of_its_own():
    found = thresholds(HashingEmbedder(), gate=0.6, related=0.8)
    assert 0.1 < found.gate < found.related < 0.8


def test_the_pairs_part_paraphrases_from_the_rest(minilm, data):
    """What makes the ranks mean something: nearly all of the nearest pairs belong to one topic."""
    topics = data["topics"]
    assert len(topics) == 40
    questions, claims = pair_cosines(minilm, topics)
    assert (len(questions), len(claims)) == (40 * 120, 120 * 119 // 2)
    own_topic = np.repeat(np.arange(40), 120) == np.tile(np.repeat(np.arange(40), 3), 40)
    assert own_topic[questions >= 0.6].mean() > 0.95
    assert questions[~own_topic].max() < 0.6
    left, right = np.triu_indices(120, k=1)
    assert (left // 3 == right // 3)[claims >= 0.8].all()


def test_an_embedder_that_cannot_tell_texts_apart_is_refused():
    class Constant(HashingEmbedder):
        def embed(self, texts, *, kind):
            rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
            rows[:, 0] = 1
            return rows

    with pytest.raises(InvalidInput, match="one vector"):
        thresholds(Constant(), gate=0.6, related=0.8)


cosines = arrays.arrays(np.float64, st.integers(2, 30), elements=st.floats(-1, 1), unique=True)


@given(cosines, st.data())
def test_rank_and_threshold_are_inverse(values, data):
    threshold = data.draw(st.floats(float(values.min()), float(values.max())))
    assert threshold_at(rank_of(threshold, values), values) == pytest.approx(threshold, abs=1e-6)


@given(cosines)
def test_the_rank_of_a_member_is_the_number_above_it(values):
    for value in values:
        assert rank_of(value, values) == pytest.approx((values > value).sum(), abs=1e-6)


def test_thresholds_become_plain_data():
    assert Thresholds(gate=0.5, related=0.7).to_dict() == {"gate": 0.5, "related": 0.7}
