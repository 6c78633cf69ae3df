"""`memory=` bounds everything a test or a comparison takes beyond what it was given."""

import gc
import tracemalloc

import numpy as np
import pytest

from samelaw import (
    Aggregate,
    FourierEstimator,
    Fuse,
    Gaussian,
    Permutation,
    Split,
    compare,
    group_tests,
    two_sample_test,
)
from samelaw.comparison.joint_test import fitting
from samelaw.core import memory as budget
from samelaw.core.memory import DEFAULT, LEAST, Budget, pieces
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table
from samelaw.testing import KernelGroup
from samelaw.testing.permuting.permutations import Labels

MIB = 2**20
LONG = pytest.mark.long
ONE = Fuse([KernelGroup([Gaussian(1.0)], (1,))])
SLACK = 8 * MIB
"""For what does not grow: modules that are loaded late, results, the tracing itself."""


def samples(n, m, columns=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, columns)), rng.normal(size=(m, columns))


def mixed(n, seed, columns=2):
    rng = np.random.default_rng(seed)
    words = np.array(["a", "b", "c", "d"])
    table = {f"x{i}": rng.normal(size=n) for i in range(columns)}
    table |= {f"k{i}": rng.integers(0, 50, size=n) for i in range(columns)}
    table |= {f"c{i}": rng.choice(words, size=n) for i in range(columns)}
    return table


def peak_of(work):
    gc.collect()
    tracemalloc.start()
    try:
        return work(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("sizes", "memory", "options", "route"),
    [
        pytest.param(*((5, 400_000), 128, {}, "all pairs of rows, 19"), marks=LONG, id="5 v many"),
        pytest.param((300_000, 200), 128, {}, "33 blocks", marks=LONG, id="200 v many"),
        pytest.param(
            *((4_000, 4_000), 256, {"permutations": 9_999}, "400 v 400 blocks"),
            marks=pytest.mark.heavy,
            id="many permutations",
        ),
        pytest.param(
            *((900, 800), 128, {"permutations": 4_999}, "blocks"), marks=LONG, id="blocks"
        ),
        pytest.param(
            *((600, 500), 128, {"permutations": 2_999}, "all pairs of rows"), marks=LONG, id="pairs"
        ),
        pytest.param(
            *((140_000, 140_000), 128, {"strategy": ONE}, "to keep within memory="),
            id="many v many",
        ),
        pytest.param(
            *((3_000, 3_000), 128, {"groups": np.arange(6_000) // 3}, "rows left out at random"),
            marks=LONG,
            id="groups",
        ),
    ],
)
def test_a_test_stays_within_its_memory(sizes, memory, options, route):
    x, y = samples(*sizes)
    options = {"permutations": 99, **options}
    result, peak = peak_of(lambda: two_sample_test(x, y, rng=0, memory=memory * MIB, **options))
    assert peak < memory * MIB + SLACK
    assert route in result.method
    assert result.sizes == sizes


@pytest.mark.parametrize(
    "strategy",
    [
        Aggregate(pairs=2),
        pytest.param(Split(iterations=2), marks=pytest.mark.heavy),
        Permutation(FourierEstimator(frequencies=2)),
    ],
    ids=lambda s: type(s).__name__,
)
def test_other_strategies_stay_within_their_memory(strategy):
    x, y = samples(1_500, 1_500, 1)
    options = {"strategy": strategy, "permutations": 99, "rng": 0, "memory": LEAST}
    _, peak = peak_of(lambda: two_sample_test(x, y, **options))
    assert peak < LEAST + SLACK


@pytest.mark.parametrize(
    "strategy", [Aggregate(pairs=2), pytest.param(Split(iterations=2), marks=LONG)]
)
def test_strategies_take_samples_of_which_rows_were_left_out(strategy):
    x, y = samples(6, 210_000, 1)
    options = {"strategy": strategy, "permutations": 19, "rng": 0, "memory": LEAST}
    assert two_sample_test(x, y, **options).sizes == (6, 210_000)


@pytest.mark.long
def test_a_comparison_stays_within_its_memory():
    a, b = mixed(20_000, 1, 1), mixed(200, 2, 1)
    found, peak = peak_of(lambda: compare(a, b, permutations=99, rng=0, memory=LEAST))
    assert peak < LEAST + SLACK
    assert found.sizes == (20_000, 200)
    assert found.settings["memory"] == LEAST


def test_rows_of_tables_that_do_not_fit_are_drawn_at_random_and_a_note_says_so():
    tables = ({"x": sample[:, 0]} for sample in samples(150_000, 140_000, 1))
    pair = pair_tables(*map(read_table, tables))
    fewer = fitting(pair, Budget.of(LEAST), np.random.default_rng(0))
    assert sum(fewer.sizes) < sum(pair.sizes) == sum(fewer.table_sizes)
    assert any("to keep within the memory allowed" in note for note in fewer.notes)
    with pytest.raises(MemoryError, match="rows of groups"):
        fitting(pair, Budget.of(LEAST), None)


@pytest.mark.heavy
def test_tables_that_do_not_fit_are_compared_within_their_memory():
    a, b = ({"x": sample[:, 0]} for sample in samples(150_000, 140_000, 1))
    found, peak = peak_of(lambda: compare(a, b, permutations=39, rng=0, memory=LEAST))
    assert peak < LEAST + SLACK
    assert any("to keep within the memory allowed" in note for note in found.notes)
    assert found.sizes == (150_000, 140_000)


@pytest.mark.parametrize(
    "sizes", [(120, 100), pytest.param((1_300, 900), marks=LONG)], ids=["rows", "blocks"]
)
def test_pieces_of_labellings_change_no_pvalue(sizes, monkeypatch):
    x, y = samples(*sizes, 2)
    results = []
    for entries in (budget.PIECE, 5_000):
        monkeypatch.setattr(budget, "PIECE", entries)
        results.append(two_sample_test(x, y, permutations=39, rng=3))
    assert results[0].pvalue == results[1].pvalue
    np.testing.assert_allclose(
        results[0].null_distribution, results[1].null_distribution, atol=1e-3
    )


@pytest.mark.parametrize("groups", [None, "who"], ids=["rows", "groups"])
def test_pieces_of_labellings_change_no_comparison(groups, monkeypatch):
    a, b = mixed(90, 1, 1), mixed(80, 2, 1)
    for seed, table in enumerate((a, b)):
        rng = np.random.default_rng(seed)
        table["who"] = rng.integers(30 * seed, 30 * seed + 40, len(table["x0"]))
    found = []
    for entries in (budget.PIECE, 5_000):
        monkeypatch.setattr(budget, "PIECE", entries)
        found.append(compare(a, b, groups=groups, permutations=99, rng=3))
    first, second = found
    assert first.pvalue == second.pvalue
    assert [m.pvalue for m in first.marginals] == [m.pvalue for m in second.marginals]
    assert [p.pvalue for p in first.pairs] == [p.pvalue for p in second.pairs]


def test_a_larger_budget_gives_the_same_answer_by_the_same_route():
    x, y = samples(300, 250)
    first, second = (two_sample_test(x, y, rng=0, memory=m) for m in (LEAST, None))
    assert first.method == second.method
    np.testing.assert_array_equal(first.null_distribution, second.null_distribution)


@pytest.mark.parametrize("strata", [None, np.repeat(np.arange(8), 10)], ids=["one", "strata"])
def test_labellings_drawn_in_pieces_are_those_drawn_at_once(strata, monkeypatch):
    labels = Labels(np.arange(80) % 8 < 3, strata)
    whole = labels.draw(np.random.default_rng(0), 60)
    monkeypatch.setattr(budget, "PIECE", 7 * 80)
    np.testing.assert_array_equal(labels.draw(np.random.default_rng(0), 60), whole)


def test_pieces_cover_every_labelling_once():
    assert [list(range(10))[some] for some in pieces(10, budget.PIECE // 4)] == [
        [0, 1, 2, 3], [4, 5, 6, 7], [8, 9],
    ]  # fmt: skip
    assert len(list(pieces(3, 10 * budget.PIECE))) == 3


@pytest.mark.parametrize("memory", [1.0, -5, float("nan"), LEAST - 1])
def test_a_budget_that_is_too_small_is_refused_with_the_least_that_works(memory):
    x, y = samples(20, 20)
    calls = [
        lambda: two_sample_test(x, y, memory=memory),
        lambda: compare(x, y, memory=memory),
        lambda: group_tests([x, y], memory=memory),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"memory is .* least that works is 134217728"):
            call()


def test_a_budget_that_is_no_number_is_refused():
    with pytest.raises(TypeError, match="memory must be a number of bytes, got '1 GiB'"):
        two_sample_test(*samples(20, 20), memory="1 GiB")
    assert Budget.of(None).total == DEFAULT


def test_a_quarter_of_the_machine_unless_told(monkeypatch):
    for memory, expected in ((2.0**33, 2.0**31), (2.0**20, LEAST), (float("inf"), DEFAULT)):
        monkeypatch.setattr(budget, "machine_memory", lambda memory=memory: memory)
        assert Budget.of_machine(None).total == expected
        assert Budget.of_machine(2**30).total == 2**30


def test_what_has_no_other_route_says_how_much_it_takes():
    x, y = samples(900, 800)
    with pytest.raises(MemoryError, match=r"GramEstimator of 3,800 rows .* at least (\d+)"):
        two_sample_test(*samples(3_000, 800), strategy=Permutation(), memory=LEAST)
    with pytest.raises(MemoryError, match=r"permutations .* take fewer permutations"):
        two_sample_test(x, y, strategy=Fuse(sketches=True), permutations=9_999_999, memory=LEAST)
    with pytest.raises(MemoryError, match=r"permutations of .* take fewer permutations"):
        compare(x[:, :1], y[:, :1], permutations=999_999, memory=LEAST)


def test_the_amount_an_error_names_is_enough():
    x, y = samples(1_500, 1_500, 1)
    options = {
        "strategy": Fuse([KernelGroup([Gaussian(1.0)], (1,))], sketches=False),
        "permutations": 19,
    }
    with pytest.raises(MemoryError) as caught:
        two_sample_test(x, y, **options, memory=LEAST)
    enough = int(str(caught.value).split("at least ")[1].split(",")[0])
    assert two_sample_test(x, y, **options, rng=0, memory=enough).method
    with pytest.raises(MemoryError):
        two_sample_test(x, y, **options, memory=enough - MIB)


@pytest.mark.heavy
@pytest.mark.parametrize("kind", ["test", "comparison"])
def test_five_rows_against_ten_million_take_less_than_a_gibibyte(kind):
    x, y = samples(5, 10_000_000)
    work = two_sample_test if kind == "test" else compare
    _, peak = peak_of(lambda: work(x, y, rng=0))
    assert peak < 2**30


def test_no_limit_is_a_budget():
    unlimited = Budget.of(float("inf"))
    assert unlimited.rows(8.0) > 10**15
    assert unlimited.fits(8.0) > 10**15
    assert unlimited.side(8.0) > 10**7
