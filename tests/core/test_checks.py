"""Checks of parameters: what passes, as what, and what is said of the rest."""

from fractions import Fraction

import numpy as np
import pytest

from samelaw.core import checks
from samelaw.core.errors import NumericalError


@pytest.mark.parametrize("value", [3, [1, 2], np.float32([1.5]), np.array(True), (0.1,)])
def test_numbers_come_out_in_double_precision(value):
    found = checks.as_numbers("share", value)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, np.asarray(value, dtype=np.float64))


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (np.ma.array([1.0], mask=[True]), TypeError, "share is a masked array"),
        (["a"], TypeError, "share must be real numbers"),
        (np.array([1j]), TypeError, "share must be real numbers"),
        ([1.0, np.nan], ValueError, "share must be finite"),
        ([[1.0], [1.0, 2.0]], TypeError, "share must be numbers"),
    ],
)
def test_what_are_no_numbers_is_named(value, error, message):
    with pytest.raises(error, match=message):
        checks.as_numbers("share", value)


@pytest.mark.parametrize("value", [3.0, [], [[1.0]]])
def test_a_vector_has_one_dimension_and_an_entry(value):
    with pytest.raises(ValueError, match="share must be a sequence of numbers, got shape"):
        checks.as_vector("share", value)


@pytest.mark.parametrize("value", [0, -1, 1.0, True, "3", None])
def test_a_count_is_a_whole_number(value):
    with pytest.raises(ValueError, match="rows must be a whole number of at least 1"):
        checks.as_count("rows", value)


def test_a_count_of_numpy_becomes_an_int():
    assert type(checks.as_count("rows", np.int64(2), least=2)) is int


@pytest.mark.parametrize(("value", "shape"), [(0.5, r"\(\)"), (np.empty((3, 0)), r"\(3, 0\)")])
def test_a_spectrum_has_an_eigenvalue(value, shape):
    with pytest.raises(ValueError, match=f"eigenvalues have shape {shape}"):
        checks.as_spectrum(value)


def test_a_spectrum_keeps_its_precision_and_is_not_copied():
    single = np.ones((2, 3), dtype=np.float32)
    assert checks.as_spectrum(single) is single
    assert checks.as_spectrum(np.ones(2, dtype=np.int8)).dtype == np.float64
    with pytest.raises(ValueError, match="eigenvalues must be finite"):
        checks.as_spectrum(np.array([np.inf]))


def test_a_seed_makes_its_generator_again():
    drawn, seed = checks.as_seed(None)
    again, same = checks.as_seed(seed)
    assert (same, again.random()) == (seed, drawn.random())
    generator = np.random.default_rng(0)
    assert checks.as_seed(generator) == (generator, None)


def test_progress_is_a_callable_or_a_line_on_standard_error(capsys):
    assert checks.as_progress(None) is checks.as_progress(False) is None
    assert checks.as_progress(print) is print
    shown = checks.as_progress(True)
    shown(1, 2)
    shown(2, 2)
    assert capsys.readouterr().err == "\r1/2\r2/2\n"
    with pytest.raises(TypeError, match="progress must be True or a callable"):
        checks.as_progress("bar")


@pytest.mark.parametrize(
    "compute", [lambda: np.exp(np.array([1e3])), lambda: np.array([0.0]) / np.array([0.0])]
)
def test_numbers_that_leave_their_range_are_our_error(compute):
    told = "the rows are too large"
    with pytest.raises(NumericalError, match=told), checks.no_overflow(told):
        compute()


@pytest.mark.parametrize("make", [lambda: np.random.SeedSequence(3), lambda: [3, 4]])
def test_what_seeds_are_made_of_makes_the_same_generator_again(make):
    draws = [checks.as_seed(make()) for _ in range(2)]
    assert draws[0][0].random() == draws[1][0].random()
    assert draws[0][1] is None


@pytest.mark.parametrize("rng", [-1, [3, -2]])
def test_a_seed_below_zero_is_refused(rng):
    with pytest.raises(ValueError, match="rng must be a whole number of at least 0, got"):
        checks.as_seed(rng)


@pytest.mark.parametrize("rng", [1.5, "a", [1, 2.5], np.random.RandomState(0)])
def test_what_is_no_seed_is_refused(rng):
    with pytest.raises(TypeError, match="rng must be a whole number or some, a numpy Generator"):
        checks.as_seed(rng)


@pytest.mark.parametrize("value", [np.float32(0.25), np.float64(0.25), Fraction(1, 4)])
def test_a_share_is_any_real_number(value):
    assert checks.as_share("level", value) == 0.25
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1"):
        checks.as_share("level", np.float32(1.5))
