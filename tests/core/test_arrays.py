"""What arrays of every library have in common, whatever the library calls it."""

import os
import subprocess
import sys

import numpy as np
import pytest

from optional import need
from samelaw.core import arrays as array

ROWS = np.arange(12.0).reshape(6, 2)


def test_rows_are_taken_by_slices_and_by_numbers(to_xp, to_numpy):
    x = to_xp(ROWS)
    np.testing.assert_array_equal(to_numpy(array.take_rows(x, slice(1, None, 2))), ROWS[1::2])
    np.testing.assert_array_equal(to_numpy(array.take_rows(x, np.array([5, 0]))), ROWS[[5, 0]])
    layers = array.take_rows((x, x), slice(-2, None))
    assert [array.rows(layer) for layer in layers] == [2, 2]


def test_rows_and_columns_of_a_square_are_taken_together(to_xp, to_numpy):
    square = np.arange(9.0).reshape(3, 3)
    found = to_numpy(array.take_square(to_xp(square), np.array([2, 0])))
    np.testing.assert_array_equal(found, [[8, 6], [2, 0]])


def test_samples_stand_under_each_other_layer_by_layer(to_xp, to_numpy):
    x = to_xp(ROWS)
    first, second = array.stack_rows([(x, x[:, :1]), (x, x[:, :1])])
    np.testing.assert_array_equal(to_numpy(first), np.vstack([ROWS, ROWS]))
    assert second.shape == (12, 1)


def test_numbers_of_numpy_become_those_of_another_array(xp, to_xp, to_numpy):
    found = array.like(np.array([1, 2]), to_xp(ROWS, "float32"))
    assert found.dtype == xp.float32
    assert array.library(found) == array.library(to_xp(ROWS))
    np.testing.assert_array_equal(to_numpy(found), [1, 2])


def test_what_is_no_array_is_none():
    assert not any(map(array.is_array, (1, 2.5, True, [1.0], "x", None)))
    assert array.way_to_dense(ROWS) == ""


@pytest.mark.parametrize(("dtype", "eps"), [("float32", 2.0**-23), ("float64", 2.0**-52)])
def test_the_step_of_a_precision(dtype, eps, to_xp):
    assert array.epsilon(to_xp(ROWS, dtype)) == eps


@pytest.mark.long
def test_jax_without_double_precision_is_quiet():
    need("jax")
    program = (
        "import jax.numpy as jnp, numpy as np, samelaw as sl\n"
        "x, y = (jnp.asarray(np.random.default_rng(i).normal(size=(30, 2))) for i in (0, 1))\n"
        "assert x.dtype == jnp.float32\n"
        "kernel = sl.kernels.Columns(sl.Gaussian(1.0), [0])\n"
        "plan = sl.Permutation(sl.GramEstimator(kernel=kernel))\n"
        "print(sl.two_sample_test(x, y, strategy=plan, permutations=19, rng=0).pvalue)\n"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, env={**os.environ, "JAX_ENABLE_X64": "0"}, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
