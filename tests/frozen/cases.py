"""Thirty answers of the library, each a function that gives plain values.

Tables, samples and seeds are made here, so that an answer changes only if the library does.
"""

from pathlib import Path

import numpy as np

import samelaw
from mixed_tables import table
from streaming_tables import mixed

DATA = Path(__file__).parents[2] / "examples" / "data"
FEW = {"rng": 7, "permutations": 199}
STREAMED, OPTIONAL = set(), {}
CASES = {}


def case(function):
    """Register an answer under the name of its function."""
    CASES[function.__name__] = function
    return function


def needs(*libraries):
    """The answer asks for optional libraries."""

    def register(function):
        OPTIONAL[function.__name__] = libraries
        return function

    return register


def streamed(function):
    """The answer is found piece by piece."""
    STREAMED.add(function.__name__)
    return function


def said(result):
    """Everything a result says: its values, and the text it prints."""
    return {"values": result.to_dict(), "text": str(result).splitlines()}


def two(rows, seed, **changed):
    """Two mixed tables; the second has other columns where it is told so."""
    a, b = (table(np.random.default_rng(seed + i), n, 0.5) for i, n in enumerate(rows))
    return a, {**b, **{name: change(b[name]) for name, change in changed.items()}}


def samples(rows=(90, 70), columns=3, shift=0.6, seed=0):
    rng = np.random.default_rng(seed)
    x, y = (rng.normal(size=(n, columns)) for n in rows)
    y[:, 0] += shift
    return x, y


@case
@needs("pyarrow")
def shop_that_changed():
    return said(samelaw.compare("changed_a.csv", "changed_b.csv", **FEW))


@case
@needs("pyarrow")
def shop_that_did_not():
    return said(samelaw.compare("same_a.csv", "same_b.csv", **FEW))


@case
def every_kind_of_column():
    a, b = two((160, 140), 1, x=lambda x: x + 0.8, word=lambda w: np.where(w == "blue", "pink", w))
    return said(samelaw.compare(a, b, **FEW))


@case
def a_dependence_that_was_lost():
    a, b = two((200, 180), 3, y=lambda y: y[::-1].copy())
    return said(samelaw.compare(a, b, **FEW))


@case
def missing_values_and_far_ones():
    a, b = two(
        (220, 180),
        5,
        count=lambda c: np.where(np.arange(len(c)) % 9 == 0, np.nan, c),
        x=lambda x: np.where(np.arange(len(x)) == 3, -999.0, x),
    )
    return said(samelaw.compare(a, b, **FEW))


@case
def other_columns_and_types():
    a, b = two((80, 90), 7)
    b["flag"] = [f"flag {value}" for value in b["flag"]]
    b["new"] = b.pop("count")
    return said(samelaw.compare(a, b, **FEW))


@case
def odd_columns():
    rng = np.random.default_rng(11)
    rows = 60
    a, b = (
        {
            "constant": np.full(rows, 3),
            "empty": [None] * rows,
            "name": [f"person {i} of {side}" for i in range(rows)],
            "price": [f"${v:,.2f}" for v in 1_000 * rng.random(rows)],
            "share": [f"{v:.0f} %" for v in 100 * rng.random(rows) + 10 * side],
            "hour": [f"{h:02d}:30" for h in rng.integers(0, 24, rows)],
            "id": np.arange(rows) + side * rows,
        }
        for side in range(2)
    )
    return said(samelaw.compare(a, b, **FEW))


@case
def rows_of_customers():
    rng = np.random.default_rng(13)
    a, b = (
        {
            "customer": np.repeat([f"{side}-{i}" for i in range(20)], 6),
            "x": np.repeat(rng.normal(size=20), 6) + rng.normal(size=120) + side * 0.4,
        }
        for side in range(2)
    )
    return said(samelaw.compare(a, b, groups="customer", **FEW))


@case
def a_target_and_its_inputs():
    a, b = two((200, 200), 15, y=lambda y: -y)
    return said(samelaw.compare(a, b, target="y", **FEW))


@case
def the_same_within():
    a, b = two((400, 400), 17)
    keep = {"columns": ["x", "y", "word"]}
    return said(samelaw.compare(a, b, same_within=0.2, **keep, **FEW))


@case
def distinct_rows_of_a_sample():
    rng = np.random.default_rng(19)
    a, b = ({"x": rng.integers(0, 9, 300), "y": rng.integers(0, 9, 300)} for _ in range(2))
    return said(samelaw.compare(a, b, unique=True, sample=250, **FEW))


@case
def more_rows_than_are_permuted_singly():
    a, b = two((1_600, 1_500), 21, x=lambda x: 1.2 * x)
    return said(samelaw.compare(a, b, **FEW))


@case
@streamed
@needs("pyarrow")
def piece_by_piece():
    a, b = mixed(2_400, 0), mixed(1_800, 1, together=0.2, shift=0.2, missing=0.1)
    return said(samelaw.compare(a, b, **FEW))


@case
@streamed
@needs("pyarrow")
def piece_by_piece_without_a_change():
    return said(samelaw.compare(mixed(2_400, 2), mixed(1_800, 3), **FEW))


@case
@needs("pyarrow")
def a_reference_with_rows():
    a, b = two((500, 300), 23, x=lambda x: x + 0.5)
    return said(samelaw.compare(samelaw.Reference.of(a, rng=3), b, **FEW))


@case
@needs("pyarrow")
def a_reference_without_rows():
    a, b = two((500, 300), 25, x=lambda x: x + 0.5)
    reference = samelaw.Reference.of(a, keep_rows=False, rng=3)
    return said(samelaw.compare(reference, b, **FEW))


@case
@needs("duckdb", "pyarrow")
def inside_a_database():
    import duckdb

    from samelaw.extras.sql import compare_in_database

    with duckdb.connect() as database:
        for name, seed in (("may", 0), ("june", 1)):
            database.register("rows", mixed(1_500, seed, shift=0.3 * seed))
            database.execute(f"CREATE TABLE {name} AS SELECT * FROM rows")
        return said(compare_in_database(database, "may", "june", **FEW))


def outcome(strategy=None, rows=(90, 70), **options):
    strategy = samelaw.Fuse() if strategy is None else strategy
    result = samelaw.two_sample_test(*samples(rows), strategy=strategy, **options, **FEW)
    return said(result)


@case
def the_default_test():
    return outcome()


@case
def the_default_test_of_many_rows():
    return outcome(rows=(1_500, 1_200))


@case
def rjsd_fuse_and_mmd_fuse():
    return {"rjsd": outcome(samelaw.Fuse.rjsd()), "mmd": outcome(samelaw.Fuse.mmd())}


@case
def split_aggregate_and_permutation():
    estimator = samelaw.GramEstimator(samelaw.Gaussian(1.0))
    strategies = (samelaw.Split(), samelaw.Aggregate(), samelaw.Permutation(estimator))
    return {type(strategy).__name__: outcome(strategy) for strategy in strategies}


@case
def exact_and_second_order():
    statistics = (samelaw.Exact(), samelaw.SecondOrder())
    return {type(one).__name__: outcome(samelaw.Fuse(statistic=one)) for one in statistics}


@case
def rows_of_groups():
    labels = np.repeat(np.arange(40), 4)
    return outcome(groups=samelaw.Groups(labels), rows=(80, 80))


@case
def three_samples_and_many_groups():
    rng = np.random.default_rng(31)
    groups = {name: rng.normal(size=(40, 2)) + (i > 1) for i, name in enumerate("abc")}
    return {
        "k samples": said(samelaw.k_sample_test(groups, **FEW)),
        "pairs": said(samelaw.group_tests(groups, **FEW)),
    }


@case
def groups_against_a_control():
    from samelaw.extras.groups import control_tests

    rng = np.random.default_rng(33)
    groups = {f"g{i}": rng.normal(size=(25, 3)) + (i == 2) for i in range(4)}
    control = rng.normal(size=(120, 3))
    return said(control_tests({"control": control, **groups}, "control", **FEW))


@case
def a_monitor_with_an_alarm():
    rng = np.random.default_rng(35)
    monitor = samelaw.DriftMonitor(rng.normal(size=(2_000, 3)), rng=1)
    quiet = monitor.update(rng.normal(size=(300, 3)))
    loud = monitor.update(rng.normal(0.3, size=(400, 3)))
    return {"quiet": said(quiet), "loud": said(loud)}


@case
def generators_evaluated():
    from samelaw.extras.generators import evaluate_generators

    rng = np.random.default_rng(37)
    real = rng.normal(size=(150, 4))
    generated = {"near": rng.normal(size=(150, 4)), "far": 1.5 * rng.normal(size=(150, 4))}
    return said(evaluate_generators(real, generated, permutations=99, rng=0))


@case
def divergences_and_information():
    x, y = samples()
    kernel = samelaw.Gaussian(1.5)
    ends = {"kernel": kernel}
    return {
        "rjsd": float(samelaw.rjsd(x, y)),
        "corrected": float(samelaw.rjsd(x, y, corrected=True)),
        "order 10": float(samelaw.rjsd(x, y, entropy=samelaw.PowerSeries(10), **ends)),
        "renyi": float(samelaw.rjsd(x, y, entropy=samelaw.Renyi(2.0), **ends)),
        "balanced": float(samelaw.rjsd(x, y, weights="balanced", **ends)),
        "mmd": float(samelaw.mmd(x, y)),
        "kl": float(samelaw.kernel_kl(x, y)),
        "error": float(samelaw.standard_error(x, y, **ends)),
        "entropy": float(samelaw.entropy(x)),
        "information": float(samelaw.mutual_information(y[:, :1], y[:, 1:])),
        "pairwise": samelaw.pairwise_divergence([x, y, x + 1]).tolist(),
    }


@case
def estimators():
    x, y = samples()
    kernel = samelaw.Gaussian(1.5)
    made = (
        samelaw.GramEstimator(kernel),
        samelaw.FourierEstimator(kernel, 64, rng=0),
        samelaw.NystromEstimator(kernel, 20, rng=0),
    )
    return {type(one).__name__: float(one(x, y)) for one in made}


@case
@needs("torch")
def losses_with_gradients():
    import torch

    from samelaw import learn

    torch.manual_seed(0)
    x, y = (torch.from_numpy(sample).float() for sample in samples((32, 24)))
    y.requires_grad_()
    answers = {}
    for name, loss in (("default", learn.RJSDLoss()), ("wide", learn.RJSDLoss(bandwidth=2.0))):
        value = loss(x, y)
        (gradient,) = torch.autograd.grad(value, y)
        answers[name] = {"value": value.item(), "gradient": gradient.norm().item()}
    return answers


@case
@needs("torch")
def variational_estimate():
    import torch

    from samelaw import learn

    torch.manual_seed(0)
    x, y = samples((300, 300), shift=1.5)
    fit = learn.VariationalJSD().fit(x, y, steps=60, rng=0)
    return {"value": fit.value}
