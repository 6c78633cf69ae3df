"""The door: what `two_sample_test` takes and hands on."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from samelaw import Fuse, Permutation, two_sample_test
from samelaw.testing.problem import Strategy

X, Y = np.split(np.random.default_rng(0).normal(size=(24, 2)), [13])


def blas_threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


class Recording(Strategy):
    """Keeps the problem it was handed, and leaves the decision to another."""

    def decide(self, problem):
        self.problem, self.threads = problem, blas_threads()
        return Permutation().decide(problem)


@pytest.mark.parametrize("given", ["fuse", Fuse, None, 3])
def test_strategy_must_be_an_object(given):
    with pytest.raises(TypeError, match=r"strategy must be an object such as Fuse\(\)"):
        two_sample_test(X, Y, strategy=given)


def test_a_strategy_gets_the_checked_problem_and_its_answer_is_the_answer():
    strategy = Recording()
    found = two_sample_test(X, Y, strategy=strategy, level=0.1, permutations=39, rng=5)
    problem = strategy.problem
    assert (problem.sizes, problem.level, problem.permutations, problem.seed) == (
        (13, 11),
        0.1,
        39,
        5,
    )
    np.testing.assert_array_equal(problem.pool.sample, np.concatenate([X, Y]))
    assert (
        found.pvalue
        == two_sample_test(X, Y, strategy=Permutation(), level=0.1, permutations=39, rng=5).pvalue
    )


def test_the_default_is_fuse_with_999_permutations():
    found = two_sample_test(X, Y, rng=0)
    assert found.method.startswith("Fuse")
    assert found.settings["permutations"] == len(found.null_distribution) == 999


def test_small_products_run_in_one_thread_of_the_blas():
    with threadpool_limits(2, user_api="blas"):
        two_sample_test(X, Y, strategy=(strategy := Recording()), permutations=39, rng=0)
        after = blas_threads()
    assert strategy.threads == {1}
    assert after == {2}


def test_progress_can_be_printed(capsys):
    two_sample_test(X, Y, strategy=Permutation(), progress=True, permutations=39, rng=11)
    assert capsys.readouterr().err.endswith("40/40\n")
