"""Tables against references without rows: approximate, and said to be."""

import numpy as np
import pytest

from levels import check
from samelaw import Reference, compare


def table(rng, n, shift=0.0):
    return {
        "x": rng.normal(size=n) + shift,
        "y": rng.normal(size=n),
        "k": rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2]).tolist(),
    }


def bare(seed, n=600):
    return Reference.of(table(np.random.default_rng(seed), n), keep_rows=False, rng=seed)


def test_a_moved_column_is_named_and_the_answer_labelled():
    rng = np.random.default_rng(1)
    found = compare(bare(0), table(rng, 300, 0.6), rng=0)
    assert found.reject
    assert found.columns_changed == ("x",)
    assert "approximate" in found.sentence
    assert "approximate" in found.method
    assert found.sizes == (480, 300)
    low, high = found.effect_interval
    assert low <= found.effect <= high
    found.to_json()


def test_a_change_that_no_mean_shows_is_found_by_all_columns_together():
    rng = np.random.default_rng(1)
    other = table(rng, 600)
    other["y"] = 0.9 * other["x"] + np.sqrt(1 - 0.81) * rng.normal(size=600)
    found = compare(bare(0, 2000), other, rng=0)
    assert found.reject
    assert found.columns_changed == ()


def test_what_it_cannot_do_is_refused():
    with pytest.raises(ValueError, match="only tables can be compared with it"):
        compare(bare(0), bare(0))
    with pytest.raises(ValueError, match="sameness cannot be shown by it"):
        compare(bare(0), table(np.random.default_rng(1), 50), same_within=0.1)
    with pytest.raises(ValueError, match="has no column 'k', which the reference has"):
        compare(bare(0), {"x": np.arange(9.0), "y": np.arange(9.0)})


@pytest.mark.heavy
@pytest.mark.parametrize("size", [150, 1500])
def test_false_alarms_are_about_as_many_as_promised(size):
    runs, alarms = 300, 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, 7])
        alarms += compare(bare(seed), table(rng, size), level=0.1, rng=seed).reject
    check(alarms, runs, 0.1, slack=0.03, exact=False)
