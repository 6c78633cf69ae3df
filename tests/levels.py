"""Exact bounds for the number of false alarms, and the runs a bound needs to be worth something."""

from scipy.stats import binom

SURE = 0.999
"""How seldom a test that keeps its level may fail: once in a thousand."""


def most(runs: int, level: float) -> int:
    """More alarms than this do not fit a test of that level."""
    return int(binom.ppf((1 + SURE) / 2, runs, level))


def fewest(runs: int, level: float) -> int:
    """Fewer alarms than this do not fit a test of exactly that level."""
    return int(binom.ppf((1 - SURE) / 2, runs, level))


def runs_to_see(rate: float, level: float, power: float = 0.9) -> int:
    """Runs after which `most` is passed with this probability when alarms come at this rate."""
    return next(n for n in range(1, 10_000) if binom.sf(most(n, level), n, rate) >= power)


def check(alarms: int, runs: int, level: float, *, slack: float = 0.0, exact: bool = True) -> None:
    """Fail unless so many alarms fit the level; below it too, if the test is exact."""
    high, low = most(runs, level + slack), fewest(runs, level - slack)
    assert alarms <= high, f"{alarms} false alarms in {runs} runs; at most {high} fit"
    if exact:
        assert alarms >= low, f"{alarms} false alarms in {runs} runs; at least {low} fit"
