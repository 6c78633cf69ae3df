"""The methods that are compared: ours, the paper's, their rivals and the oracle."""

from collections.abc import Callable

from samelaw.learn import Frequencies, Learner, Network, VariationalJSD, critics

ORACLE = "oracle (p/q known)"
OURS = "RJSD-NN"
BARE = "RJSD-NN, not warmed up"
PLAIN = "RJSD-NN, plain"  # read off in the same runs: what is learnt is the plain value

MAIN: dict[str, Callable[[], Learner]] = {
    OURS: VariationalJSD,
    "JS bound": critics.JSBound,
    "InfoNCE": critics.InfoNCE,
    "NWJ": critics.NWJ,
    "MINE, labels shuffled": lambda: critics.MINE(shuffled=True),
    "CLUB": critics.CLUB,
    "Donsker–Varadhan": critics.DonskerVaradhan,
    "MINE": critics.MINE,
    "SMILE": critics.SMILE,
}
VARIANTS: dict[str, Callable[[], Learner]] = {
    "RJSD-NN, published": lambda: VariationalJSD.published("RJSD-NN"),
    "RJSD-FF, published": lambda: VariationalJSD.published("RJSD-FF"),
    "RJSD-FF": lambda: VariationalJSD(Frequencies()),
    BARE: lambda: VariationalJSD(warm_up=0),
    "RJSD-NN, 1 output, 16 frequencies": lambda: VariationalJSD(
        Network(outputs=1, frequencies=16), warm_up=0
    ),
}
METHODS = {**MAIN, **VARIANTS}

# Three eigensystems of 1,024 + 512 + 512 rows per step: fewer steps and seeds.
SLOW: dict[str, Callable[[], Learner]] = {
    "RJSD-p, published": lambda: VariationalJSD.published("RJSD-p"),
    "RJSD, published": lambda: VariationalJSD.published("RJSD"),
}

# Of the tables beyond the paper.
FEW = (OURS, "JS bound", "RJSD-NN, published", "RJSD-FF")
TWO = (OURS, "JS bound")
STACKED = "both, stacked"


def stack() -> list[Learner]:
    """RJSD-NN and two networks of the JS bound: their log-ratios together make one estimate."""
    return [VariationalJSD(), critics.JSBound(), critics.JSBound()]
