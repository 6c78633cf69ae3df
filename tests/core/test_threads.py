"""Threads of the BLAS are limited for small samples only, and put back."""

import array_api_strict
import numpy as np
import pytest

from samelaw import entropy, mmd, mutual_information, rjsd, standard_error
from samelaw.core import threads


def counts():
    found = threads._controller().info()  # which loads all of them
    return [one["num_threads"] for one in found if one["user_api"] == "blas"]


def test_small_samples_get_one_thread_and_leave_the_others_as_they_were():
    with threads._controller().limit(limits=2, user_api="blas"):
        before = counts()
        with threads.fitting(100):
            assert set(counts()) == {1}
        assert counts() == before
        with threads.fitting(10 * threads.SMALL):
            assert counts() == before


def test_the_outer_of_two_limits_lifts_it():
    with threads._controller().limit(limits=2, user_api="blas"):
        before = counts()
        with threads.fitting(10):
            with threads.fitting(1):
                assert set(counts()) == {1}
            assert set(counts()) == {1}
        assert counts() == before


def test_an_error_lifts_the_limit():
    with threads._controller().limit(limits=2, user_api="blas"):
        before = counts()
        with pytest.raises(ValueError, match="rows"), threads.fitting(1):
            raise ValueError("rows")
        assert counts() == before


@pytest.mark.parametrize(
    ("arguments", "alone"),
    [
        ((np.zeros((10, 2)), np.zeros((20, 2))), True),
        ((np.zeros((threads.SMALL, 1)), np.zeros((1, 1))), False),
        (([np.zeros((10, 2))] * 3,), True),
        (([np.zeros((threads.SMALL, 1))] * 2,), False),
        ((array_api_strict.zeros((5, 2)),), False),
    ],
    ids=["few", "many", "several", "several large", "of another library"],
)
def test_a_function_of_samples_gets_the_threads_that_fit_its_rows(arguments, alone):
    with threads._controller().limit(limits=2, user_api="blas"):
        found = threads.fitting_samples(lambda *_: counts())(*arguments)
        assert set(found) == ({1} if alone else {2})


@pytest.mark.parametrize(("zeros", "alone"), [(np.zeros, True), (array_api_strict.zeros, False)])
def test_pieces_of_many_rows_get_one_thread_unless_they_are_of_another_library(zeros, alone):
    with threads._controller().limit(limits=2, user_api="blas"):
        found = threads.single(lambda *_: counts())(zeros((2 * threads.SMALL, 1)))
        assert set(found) == ({1} if alone else {2})


@pytest.mark.parametrize(
    "function",
    [rjsd, mmd, entropy, mutual_information, standard_error],
    ids=lambda function: function.__name__,
)
def test_public_functions_of_few_rows_use_one_thread(function, monkeypatch):
    seen = []
    own = threads._controller()
    monkeypatch.setattr(threads, "_controller", lambda: seen.append(True) or own)
    x = np.random.default_rng(0).normal(size=(2, 12, 3))
    function(*([x[0]] if function is entropy else x))
    assert seen
