"""References under differential privacy: what depends on a row is noised or absent."""

import numpy as np
import pytest

from levels import check
from optional import need
from samelaw import Reference, compare
from samelaw.core.container import Format
from samelaw.estimate import privacy
from samelaw.estimate.privacy import Budget
from samelaw.reading.read import read_table
from samelaw.references.private_reference import (
    FREQUENCIES,
    SOURCE,
    coordinate_ranges,
    equivalent_rows,
    noised_densities,
    private_reference,
    shares_rows,
    shown_density,
)

PRIVATE = (1.0, 1e-6)


def table(seed, n, shift=0.0, both=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = both * x + np.sqrt(1 - both**2) * rng.normal(size=n)
    return {
        "x": x + shift,
        "y": np.where(rng.random(n) < 0.1, np.nan, y),
        "k": rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2]).tolist(),
        "yes": (rng.random(n) < 0.4).tolist(),
    }


@pytest.fixture(scope="module")
def public():
    return Reference.of(table(99, 1_000), rng=0)


@pytest.fixture
def without_noise(monkeypatch):
    monkeypatch.setattr(privacy, "system_normals", np.zeros)


def replaced(rows, place, row):
    return {name: [*v[:place], row[name], *v[place + 1 :]] for name, v in rows.items()}


NEIGHBOURS = [
    {"x": 1e9, "y": -1e9, "k": "never seen before", "yes": True},
    {"x": -1e9, "y": None, "k": None, "yes": None},
    {"x": 0.1, "y": 0.2, "k": "a", "yes": False},
]


def lists(rows):
    return {name: list(values) for name, values in rows.items()}


@pytest.mark.parametrize("row", NEIGHBOURS)
def test_nothing_else_of_a_row_is_in_the_file(public, without_noise, tmp_path, row):
    """With the noise off, files of neighbours differ in the two sums that get noise alone."""
    rows = lists(table(0, 300))
    files = []
    for name, one in (("a", rows), ("b", replaced(rows, 7, row))):
        Reference.of(one, like=public, private=PRIVATE).save(tmp_path / f"{name}.safetensors")
        files.append(Format("reference", 1).read(tmp_path / f"{name}.safetensors", 10**7))
    first, second = files
    assert first.facts == second.facts
    assert first.facts["source"] == SOURCE
    assert first.facts["rules"] == public.rules.state()[0]
    noised = {"summary.covariance", "summary.mean"}
    assert first.arrays.keys() == second.arrays.keys()
    for name, array in first.arrays.items():
        same = np.array_equal(array, second.arrays[name], equal_nan=True)
        assert same != (name in noised), name
    assert np.isnan(first.arrays["summary.total"]).all()  # left out
    assert np.isnan(first.arrays["summary.squares"]).all()
    assert first.arrays["kept"].size == 0


@pytest.mark.parametrize("row", NEIGHBOURS)
def test_a_row_moves_the_sums_by_no_more_than_the_noise_covers(public, without_noise, row):
    rows = lists(table(0, 50))
    first, second = (
        Reference.of(one, like=public, private=PRIVATE) for one in (rows, replaced(rows, 3, row))
    )
    noise = first.noise
    change = first.summary.covariance.total - second.summary.covariance.total
    means = (first.summary.columns.mean - second.summary.columns.mean) * 50
    assert np.linalg.norm(change) <= np.sqrt(2) + 1e-4  # rounded to a millionth of the noise
    whitened = (np.linalg.norm(change) / noise.matrix) ** 2 + ((means / noise.columns) ** 2).sum()
    assert np.sqrt(whitened) <= (1 + 1e-4) / Budget(*PRIVATE).scale
    assert (np.abs(means) <= coordinate_ranges(public.rules) + 1e-4).all()


def test_the_noise_is_there_and_never_twice_the_same(public):
    one, other = (
        Reference.of(table(0, 300), like=public, private=PRIVATE, rng=1) for _ in range(2)
    )
    assert one.summary.feature_map.size == 2 * FREQUENCIES
    drawn = [summary.covariance.total for summary in (one.summary, other.summary)]
    assert np.mean(drawn[0] == drawn[1]) < 0.01  # sums are rounded: a few may agree by chance
    spread = np.std(one.summary.columns.mean - other.summary.columns.mean) * 300
    assert spread > 0.2 * one.noise.columns.min()


def test_saved_loaded_and_merged_noises_add_up(public, tmp_path):
    one, other = (
        Reference.of(table(i, 400), like=public, private=budget)
        for i, budget in enumerate([PRIVATE, (2.0, 1e-7)])
    )
    one.save(tmp_path / "one.safetensors")
    again = Reference.load(tmp_path / "one.safetensors")
    assert again.noise.budgets == one.noise.budgets
    assert np.array_equal(again.summary.covariance.total, one.summary.covariance.total)
    both = again + other
    assert (both.rows, len(both.kept)) == (800, 0)
    assert both.noise.matrix == pytest.approx(np.hypot(one.noise.matrix, other.noise.matrix))
    assert [b.epsilon for b in both.noise.budgets] == [1.0, 2.0]
    assert np.trace(shown_density(both)) == pytest.approx(1.0)
    both.save(tmp_path / "both.safetensors")
    assert Reference.load(tmp_path / "both.safetensors").noise.budgets == both.noise.budgets
    clear = Reference.of(table(3, 300), like=one, keep_rows=False)
    assert clear.noise is None
    with pytest.raises(ValueError, match="only one is private, and their sum would not be"):
        one + clear


def test_a_change_is_found_and_the_cost_is_told(public):
    reference = Reference.of(table(1, 20_000), like=public, private=PRIVATE)
    found = compare(reference, table(5, 1_000, shift=0.4), rng=0)
    assert "x" in found.columns_changed
    assert "approximate" in found.sentence
    assert "approximate" in found.method
    assert "the cost of privacy: the smallest effect that is found is" in found.notes[-1]
    assert f"as uncertain as that of {equivalent_rows(reference):,}" in found.notes[-1]
    assert compare(reference, table(3, 1_000, both=0.6), rng=0).reject
    found.to_json()


def test_more_rows_and_a_larger_budget_cost_less(public):
    def rows(n, epsilon):
        return equivalent_rows(private_reference(read_table(table(0, n)), public,
                                                 Budget(epsilon, 1e-6)))  # fmt: skip

    assert rows(300, 1.0) < rows(300, 10.0) < 300
    assert rows(300, 1.0) < rows(3_000, 1.0) / 10


def alarms(public, runs, rows):
    """False alarms; the noise is the system's, so that no seed makes them the same again."""
    found = 0
    for seed in range(runs):
        reference = Reference.of(table(10_000 + seed, rows), like=public, private=PRIVATE)
        found += compare(reference, table(20_000 + seed, 200), rng=seed).pvalue <= 0.05
    return found


@pytest.mark.long
def test_noise_alone_is_no_difference(public):
    check(alarms(public, 6, 300), 6, 0.05, exact=False)


@pytest.mark.heavy
@pytest.mark.parametrize("rows", [300, 20_000])
def test_the_level_is_kept_nearly(public, rows):
    """Approximate: twice the smaller of two p-values of which neither is exact."""
    check(alarms(public, 150, rows), 150, 0.05, exact=False)


def test_a_bootstrap_has_noise_of_the_same_law(public):
    reference = Reference.of(table(1, 500), like=public, private=PRIVATE)
    rng = np.random.default_rng(0)
    even = np.broadcast_to(np.eye(2 * FREQUENCIES) / (2 * FREQUENCIES), (50, 32, 32))
    drawn = noised_densities(even, reference, rng)
    assert np.trace(drawn, axis1=1, axis2=2) == pytest.approx(np.ones(50))
    apart = np.linalg.norm(drawn - even, axis=(1, 2))
    assert (apart > 0.01).all()
    clear = public.without_rows()
    assert noised_densities(even, clear, rng) is even


def test_what_cannot_be_private_is_refused(public):
    for options in (
        {},
        {"like": public, "kinds": {"x": "numeric"}},
        {"like": public, "ignore": ["x"]},
    ):
        with pytest.raises(ValueError, match="private needs like=, a reference of other rows"):
            Reference.of(table(0, 50), private=PRIVATE, **options)
    with pytest.raises(ValueError, match="has no column 'k'"):
        Reference.of({"x": [1.0], "y": [1.0]}, like=public, private=PRIVATE)
    with pytest.raises(ValueError, match="expected ε > 0"):
        Reference.of(table(0, 50), like=public, private=(0, 1e-6))


def test_a_few_rows_cannot_stand_for_the_law_of_both(public):
    reference = Reference.of(table(1, 500), like=public, private=PRIVATE)
    with pytest.raises(
        ValueError, match="has 99 rows; a comparison with a private reference takes"
    ):
        compare(reference, table(2, 99), rng=0)


class Cluster(dict):
    def to_delayed(self):
        raise NotImplementedError


def test_a_cluster_is_refused(public):
    with pytest.raises(ValueError, match="a Dask dataframe has no private reference"):
        Reference.of(Cluster(), like=public, private=PRIVATE)


def test_rules_made_from_the_rows_to_protect_are_refused(public, tmp_path):
    secret = table(0, 300)
    with pytest.raises(ValueError, match=r"was made from rows of .*which are public"):
        Reference.of(secret, like=Reference.of(secret, rng=0), private=PRIVATE)
    assert not shares_rows(public, read_table(secret))
    assert not shares_rows(Reference.of(secret, keep_rows=False, rng=0), read_table(secret))


def test_a_reference_of_the_same_file_is_refused_also_without_rows(tmp_path, monkeypatch):
    need("pyarrow")
    monkeypatch.chdir(tmp_path)
    lines = [f"{value:.6f}" for value in np.random.default_rng(0).normal(size=60)]
    (tmp_path / "secret.csv").write_text("\n".join(["x", *lines]) + "\n")
    like = Reference.of("secret.csv", keep_rows=False, rng=0)
    with pytest.raises(ValueError, match=r"the reference of secret.csv was made from rows of"):
        Reference.of(tmp_path / "secret.csv", like=like, private=PRIVATE)


@pytest.mark.parametrize("cells", [5, 150, 300, 600, 100_000])
def test_rows_that_are_like_others_by_chance_are_not_called_the_same(cells):
    draw = np.random.default_rng(cells).integers
    like = Reference.of({"k": draw(cells, size=400), "x": np.tile([0.5, 1.5], 200)}, rng=0)
    other = {"k": draw(cells, size=300), "x": np.tile([0.5, 1.5], 150)}
    assert not shares_rows(like, read_table(other))
