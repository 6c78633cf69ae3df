"""Where the change sits, in words: the search, and a test that no search can fool."""

import numpy as np
import pytest
from scipy.stats import fisher_exact, hypergeom

from mixed_tables import pooled, table
from samelaw import compare
from samelaw.comparison.rules.search import find_rule, fisher, likelihood_ratio
from samelaw.tables.columns.views import compared_views


def rule_of(a, b, seed=0):
    pair = pooled(a, b)
    return find_rule(compared_views(pair.columns), pair.sizes, np.random.default_rng(seed))


@pytest.mark.parametrize("counts", [(3, 4, 1, 4), (0, 9, 4, 7), (50, 200, 30, 220), (5, 5, 5, 5)])
def test_the_pvalue_is_fishers(counts):
    x, n, y, m = counts
    expected = fisher_exact([[x, n - x], [y, m - y]], alternative="greater").pvalue
    assert fisher(*counts) == pytest.approx(expected, rel=1e-9)


def test_the_pvalue_of_a_million_rows_is_fishers():
    expected = hypergeom.sf(499_999, 2_000_000, 999_000, 1_000_000)
    assert fisher(500_000, 1_000_000, 499_000, 1_000_000) == pytest.approx(expected, rel=1e-6)


def test_the_likelihood_ratio_is_that_of_the_two_by_two_table():
    from scipy.stats import chi2_contingency

    expected = chi2_contingency([[30, 70], [55, 45]], correction=False, lambda_="log-likelihood")
    found = likelihood_ratio(np.array([30.0, 50.0, 0.0]), np.array([55.0, 50.0, 0.0]), 100, 100)
    np.testing.assert_allclose(found, [expected.statistic, 0.0, 0.0], atol=1e-9)


def test_a_shift_is_one_condition_and_a_new_group_two():
    rng = np.random.default_rng(0)
    a, b = table(rng, 600), table(rng, 600)
    shifted = rule_of(a, b | {"x": b["x"] + 1.0})
    assert shifted.columns == ("x",)
    assert shifted.pvalue < 1e-4
    new = rng.permutation(600)[:90]
    x, word = b["x"].copy(), b["word"].copy()
    x[new], word[new] = 1.5 + np.abs(rng.normal(size=90)), "grey"
    found = rule_of(a, b | {"x": x, "word": word})
    assert found.columns == ("x", "word")
    assert found.conditions[0].startswith("x > 1.")
    assert found.conditions[1] == "word = 'grey'"
    assert found.text == " and ".join(found.conditions)
    assert found.share_a < 0.03
    assert found.share_b == pytest.approx(0.15, abs=0.05)


def test_rows_that_vanished_and_values_that_went_missing_are_told():
    rng = np.random.default_rng(1)
    a, b = table(rng, 600), table(rng, 600)
    keep = b["word"] != "green"
    gone = rule_of(a, {name: np.asarray(values)[keep] for name, values in b.items()})
    assert gone.text == "word = 'green'"
    assert gone.share_b == 0.0
    holes = np.where(rng.random(600) < 0.4, np.nan, b["holes"])
    assert rule_of(a, b | {"holes": holes}).text in ("holes is missing", "holes is known")


def test_a_day_of_the_week_can_be_named():
    rng = np.random.default_rng(2)
    a, b = table(rng, 600), table(rng, 600)
    sunday = (np.asarray(b["when"]).astype("datetime64[D]").astype(int) + 3) % 7 == 6
    found = rule_of(a, {name: np.asarray(values)[~sunday] for name, values in b.items()})
    assert found.text == "when (day of week) = 'Sunday'"
    assert found.columns == ("when",)


def test_the_shares_are_those_of_all_rows():
    """A reader counts them in the files; of held-out rows alone they contradict other lines."""
    rng = np.random.default_rng(5)
    a, b = table(rng, 200), table(rng, 200)
    for side, share in ((a, 0.03), (b, 0.4)):
        side["holes"] = np.where(rng.random(200) < share, np.nan, rng.normal(size=200))
    found = rule_of(a, b)
    assert found.text in ("holes is missing", "holes is known")
    missing = [float(np.isnan(side["holes"]).mean()) for side in (a, b)]
    shares = missing if found.text == "holes is missing" else [1.0 - share for share in missing]
    assert (found.share_a, found.share_b) == pytest.approx(shares, abs=1e-12)
    assert found.expected_gap == pytest.approx(found.gap, abs=0.02), "nothing was gained by choice"


def test_of_a_gap_that_the_search_made_less_is_expected():
    rng = np.random.default_rng(6)
    told = [rule_of(table(rng, 150), table(rng, 150)) for _ in range(4)]
    assert all(abs(rule.expected_gap) < 0.5 * abs(rule.gap) for rule in told if rule)
    assert any(told)


def test_few_rows_have_no_rule():
    rng = np.random.default_rng(3)
    assert rule_of(table(rng, 30), table(rng, 600)) is None


def test_a_comparison_tells_it_and_only_if_the_tables_differ():
    rng = np.random.default_rng(4)
    a, b = table(rng, 150), table(rng, 150)
    b["x"] = b["x"] + 1.5
    found = compare(a, b, rng=0, permutations=99)
    assert found.rule.columns == ("x",)
    assert f"Clearest where {found.rule.text}:" in found.sentence
    assert found.to_dict()["rule"]["text"] == found.rule.text
    same = compare(a, table(rng, 150), rng=0, permutations=99)
    assert not same.reject
    assert same.rule is None
    who = np.arange(150) // 3
    grouped = compare(a | {"who": who}, b | {"who": who}, groups="who", rng=0, permutations=99)
    assert grouped.reject
    assert grouped.rule is None
