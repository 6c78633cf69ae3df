"""A group of 5 % that grew to 11 % is found in words, and tables of one law get no rule."""

import numpy as np
import pytest
from scipy.stats import binom

from mixed_tables import pooled
from samelaw.comparison.rules.search import find_rule
from samelaw.tables.columns.views import compared_views

REGIONS = np.array(["north", "south", "east", "west", "centre", "abroad"], dtype=object)
ROWS, LEVEL = 2_000, 0.05


def planted(table):
    return (table["age"] > 60) & (table["region"] == "north")


def draw(rng, share):
    """Eight columns; a share of the rows is of age above 60 and of the north."""
    rows = 12 * ROWS
    every = {
        "age": rng.integers(18, 78, rows),
        "region": rng.choice(REGIONS, rows),
        "amount": rng.exponential(30, rows),
        "items": rng.poisson(3, rows),
        "member": rng.random(rows) < 0.4,
        **{name: rng.normal(size=rows) for name in ("x", "y", "z")},
    }
    inside, outside = (np.flatnonzero(part) for part in (planted(every), ~planted(every)))
    count = rng.binomial(ROWS, share)
    chosen = np.concatenate([rng.choice(inside, count), rng.choice(outside, ROWS - count)])
    return {name: values[chosen] for name, values in every.items()}


def holds(conditions, table):
    """The rows for which the words are true."""
    found = np.full(len(next(iter(table.values()))), True)
    for text in (condition.replace(",", "").replace("−", "-") for condition in conditions):
        if " = " in text:
            name, value = text.split(" = ")
            found &= np.array([str(v).lower() for v in table[name]]) == value.strip("'")
        elif " < " in text:
            low, rest = text.split(" < ")
            name, _, high = rest.split(" ")
            found &= (table[name] > float(low)) & (table[name] <= float(high))
        else:
            name, sign, end = text.split(" ")
            found &= table[name] > float(end) if sign == ">" else table[name] <= float(end)
    return found


def run(seed, share):
    rng = np.random.default_rng(seed)
    tables = [draw(rng, 0.05), draw(rng, share)]
    pair = pooled(*tables)
    rule = find_rule(compared_views(pair.columns), pair.sizes, rng)
    mine = np.concatenate([holds(rule.conditions, table) for table in tables])
    true = np.concatenate([planted(table) for table in tables])
    return rule, np.sum(mine & true) / np.sum(mine | true)


def recovered(seeds):
    found = [run(seed, 0.11) for seed in seeds]
    return sum(rule.pvalue <= LEVEL and jaccard >= 0.8 for rule, jaccard in found)


@pytest.mark.long
def test_a_group_that_grew_is_found_in_words():
    assert recovered(range(5)) >= 3


def moved(rng, rows, shift):
    columns = rng.normal(size=(rows, 5))
    columns[:, :2] += shift
    return {f"x{i}": columns[:, i] for i in range(5)}


def gaps(seed):
    """Of a rule that is told: its gap in 150 v 150 rows, the one to expect, and the true one."""
    rng = np.random.default_rng(seed)
    pair = pooled(moved(rng, 150, 0.0), moved(rng, 150, 0.5))
    rule = find_rule(compared_views(pair.columns), pair.sizes, rng)
    if rule is None or rule.pvalue > LEVEL:
        return None
    a, b = (holds(rule.conditions, moved(rng, 20_000, shift)).mean() for shift in (0.0, 0.5))
    return abs(rule.gap), abs(rule.expected_gap), (b - a) * np.sign(rule.gap)


@pytest.mark.long
def test_the_expected_gap_is_that_of_new_rows():
    """The gap of the rows at hand is two thirds too large, that to expect a tenth."""
    told = [found for seed in range(80) if (found := gaps(seed)) is not None]
    shown, expected, true = np.mean(told, axis=0)
    print(f"\n{len(told)} rules: gap {shown:.3f}, to expect {expected:.3f}, true {true:.3f}")
    assert shown > 1.4 * true, "else there is nothing to show"
    assert abs(expected - true) < 0.25 * true


@pytest.mark.heavy
def test_a_group_that_grew_is_found_in_words_in_four_of_five_runs():
    """Not shown to be fewer than 80 % of 200 runs."""
    assert recovered(range(1_000, 1_200)) >= binom.ppf(0.01, 200, 0.8)


@pytest.mark.heavy
def test_tables_of_one_law_get_a_rule_at_most_at_the_level():
    wrong = sum(run(seed, 0.05)[0].pvalue <= LEVEL for seed in range(400))
    assert wrong <= binom.ppf(0.99, 400, LEVEL)
