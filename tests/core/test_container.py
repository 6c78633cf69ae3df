"""Saved things come back bit for bit, or are refused."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.core import container
from samelaw.core.container import Container, Format, digest

FORM = Format("test of two things", 1)
ARRAYS = {
    "numbers": np.array([1.5, np.nan, -np.inf]),
    "flags": np.array([[True], [False]]),
    "none": np.zeros((0, 3)),
    "turned": np.arange(6).reshape(2, 3).T,
    "one": np.array(2.0),
}
FACTS = {"name": "Zoë \ud83d\ude00", "large": 2**127 + 1, "deep": [{"x": [None, True, 0.1]}]}


def same(found):
    assert found.facts == json.loads(json.dumps(FACTS))
    assert found.arrays.keys() == ARRAYS.keys()
    for name, value in ARRAYS.items():
        assert found.arrays[name].dtype == value.dtype
        assert np.array_equal(found.arrays[name], value, equal_nan=value.dtype.kind == "f")


def test_what_is_written_is_read_bit_for_bit(tmp_path):
    place = tmp_path / "saved"
    FORM.write(place, Container(ARRAYS, FACTS))
    same(FORM.read(place))
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]
    assert place.read_bytes() == FORM.pack(Container(ARRAYS, FACTS))


@given(st.data())
def test_one_wrong_bit_is_seen(data):
    content = bytearray(FORM.pack(Container(ARRAYS, {"x": 1})))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(ValueError, match=r"the file (is damaged|is no|is of version)"):
        FORM.unpack(bytes(content), "the file")


def test_another_spelling_of_the_same_is_seen():
    """1e-07 and 1E-07 are one number, and one bit apart."""
    content = bytearray(FORM.pack(Container({}, {"x": 1e-07, "name": "Zoë"})))
    for place in range(len(content)):
        for bit in range(8):
            content[place] ^= 1 << bit
            with pytest.raises(ValueError, match=r"the file (is damaged|is no|is of version)"):
                FORM.unpack(bytes(content), "the file")
            content[place] ^= 1 << bit


@given(st.integers(0, 300))
def test_a_file_cut_off_is_refused(length):
    content = FORM.pack(Container(ARRAYS, FACTS))
    with pytest.raises(ValueError, match="cut off"):
        FORM.unpack(content[:length], "the file")


@pytest.mark.parametrize(
    ("other", "words"),
    [(Format("note", 1), "no samelaw note"), (Format(FORM.kind, 2), "version 1; .* version 2")],
)
def test_other_kinds_and_versions_are_refused(other, words):
    with pytest.raises(ValueError, match=words):
        other.unpack(FORM.pack(Container(ARRAYS, FACTS)), "the file")


def test_a_header_without_end_is_refused():
    bomb = ('{"__metadata__":' + "[" * 100_000).encode()
    with pytest.raises(ValueError, match="cut off"):
        FORM.unpack(len(bomb).to_bytes(8, "little") + bomb, "the file")


def test_a_file_too_large_is_not_opened(tmp_path, monkeypatch):
    FORM.write(tmp_path / "saved", Container(ARRAYS, FACTS))
    monkeypatch.setattr(container, "MOST_BYTES", 100)
    with pytest.raises(ValueError, match="at most 100 are opened"):
        FORM.read(tmp_path / "saved")


def test_arrays_of_objects_are_refused():
    with pytest.raises(TypeError, match=r"\['x'\] are no numbers"):
        FORM.pack(Container({"x": np.array([{}])}, {}))


def test_a_digest_knows_names_shapes_and_types():
    x = np.arange(4.0)
    others = [{"y": x}, {"x": x.reshape(2, 2)}, {"x": x.view("i8")}, {"x": x, "z": 1}]
    assert digest({"x": x}) == digest({"x": x.copy()})
    assert len({digest(one) for one in ({"x": x}, *others)}) == 5
