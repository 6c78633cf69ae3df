"""Single columns against sums: Fisher's test of shares, normal scores with known variance."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from samelaw import Reference
from samelaw.comparison.references.sums_columns import LEAST, column_findings, coordinate_pvalues
from samelaw.divergence.summary import Moments
from samelaw.tables.reading.read import read_table


def reference(**columns):
    return Reference.of(columns, keep_rows=False, rng=0)


def moments(past, **columns):
    return Moments.of(past.rules.encode(read_table(columns))[0])


def test_shares_are_tested_by_their_counts():
    past = reference(k=["a"] * 150 + ["b"] * 50)
    new = moments(past, k=["b"] * 7 + ["a"] * 2)
    ones = round(past.summary.columns.mean[0] * past.rows)
    counts = [[ones, past.rows - ones], [2, 7]]
    tails = [fisher_exact(counts, side).pvalue for side in ("less", "greater")]
    assert coordinate_pvalues(past, new) == pytest.approx([2 * min(tails)])


def test_a_rare_value_far_out_is_no_evidence_alone():
    """One row in fifty is 1: two of five are seen once in 250 times, not once in 10⁸."""
    rng = np.random.default_rng(0)
    past = reference(n=(rng.random(5_000) < 0.02) * 1.0 + (rng.random(5_000) < 0.001))
    new = moments(past, n=[0.0, 0.0, 0.0, 1.0, 1.0])
    assert coordinate_pvalues(past, new)[0] > 0.004


def test_two_equal_rows_do_not_make_the_variance_0():
    past = reference(x=np.random.default_rng(0).normal(size=1_000))
    assert coordinate_pvalues(past, moments(past, x=[0.3, 0.3]))[0] > 0.3


def test_no_p_value_is_0_and_a_name_is_one_at_the_level():
    past = reference(x=np.random.default_rng(0).normal(size=1_000))
    new = moments(past, x=np.random.default_rng(1).normal(8.0, 0.1, 50_000))
    assert coordinate_pvalues(past, new) == LEAST
    (found,) = column_findings(past, new, level=0.05, factor=2.0, side="A")
    assert found.changed
    assert found.pvalue == 2 * LEAST
