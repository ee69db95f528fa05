"""Row values kept as fractions come back to the last bit, whatever they are."""

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scoring.metrics.ratios import MOST, packed, unpacked
from scoring.pipeline import Report, read_example_blob


def blob(values: NDArray[np.float64]) -> bytes:
    return Report("", len(values), {}, values, (), ()).example_blob()


COUNTS = st.integers(1, 2000)


@given(st.lists(st.tuples(COUNTS, COUNTS, COUNTS), min_size=1, max_size=40))
def test_an_f1_is_a_fraction_however_it_was_computed(counted: list[tuple[int, int, int]]) -> None:
    values = []
    for matches, predicted, gold in counted:
        found = min(matches, predicted, gold)
        precision, recall = found / predicted, found / gold
        # As rouge-score writes it, and as the counts give it: some last bits differ.
        values += [2 * precision * recall / (precision + recall), 2 * found / (predicted + gold)]
    kept = np.array(values)
    data = packed(kept)
    assert data is not None
    assert unpacked(data, len(kept)).tobytes() == kept.tobytes()


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=30))
def test_any_values_come_back(values: list[float]) -> None:
    kept = np.array(values).reshape(-1, 1)
    assert read_example_blob(blob(kept)).tobytes() == kept.tobytes()


def test_borders() -> None:
    for value in (0.0, 1.0, 1 / MOST, (MOST - 1) / MOST, np.nextafter(1.0, 0.0)):
        kept = np.array([[value, 0.5]])
        assert packed(kept) is not None
        assert read_example_blob(blob(kept)).tobytes() == kept.tobytes()
    for value in (-0.5, 1.5, np.nan, np.inf, 1 / (MOST + 2), 5e-324, 0.5**0.5, -0.0):
        kept = np.array([[value, 0.5]])
        assert read_example_blob(blob(kept)).tobytes() == kept.tobytes(), value


def test_what_was_kept_before_is_read() -> None:
    kept = np.array([[0.5, 2 / 3, 0.1]])
    before = struct.pack("<II", 1, 3) + zlib.compress(kept.tobytes())
    assert read_example_blob(before).tobytes() == kept.tobytes()


def test_it_takes_less_than_six_tenths_of_floats() -> None:
    dice = np.random.default_rng(7)
    gold, predicted = dice.integers(20, 50, 500), dice.integers(10, 40, (3, 500))
    matches = dice.integers(0, 10, (3, 500))
    values = np.ascontiguousarray((2 * matches / (gold + predicted)).T)
    assert len(blob(values)) < 0.6 * len(zlib.compress(values.tobytes()))


@pytest.mark.parametrize("data", [b"", b"x", zlib.compress(b""), zlib.compress(b"abcd")])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  whatever it says
        unpacked(data, 1)
    with pytest.raises(ValueError, match="blob"):
        read_example_blob(struct.pack("<II", 1, 1 | 1 << 31) + data)
