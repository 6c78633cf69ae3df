"""References: small, additive, whole or refused, and exact because preparation rows stay apart."""

import json
import re

import numpy as np
import pytest

from levels import check, most
from samelaw import Reference, compare
from samelaw.comparison.references.reference import _FORMAT, ROWS
from samelaw.core.container import Container
from samelaw.tables.reading.read import read_table


def table(rng, n, shift=0.0):
    return {
        "size": rng.normal(size=n) + shift,
        "count": rng.integers(0, 8, n),
        "colour": rng.choice(["red", "blue", "green"], n).tolist(),
        "sold": np.where(rng.random(n) < 0.1, np.nan, rng.exponential(size=n)),
    }


@pytest.fixture(scope="module")
def reference():
    return Reference.of(table(np.random.default_rng(0), 500), rng=1)


def many_categories(rng, n):
    """More categories than a table of this length can have seen all of, in sorted order."""
    return {"k": sorted(f"c{i}" for i in (rng.pareto(0.7, n) * 3).astype(int))}


def test_a_changed_batch_is_told_by_its_columns(reference):
    rng = np.random.default_rng(2)
    found = compare(reference, table(rng, 200, shift=1.0), rng=0, permutations=99)
    assert found.columns_changed == ("size",)
    assert found.sizes == (400, 200)
    assert all(row.table == "B" for row in found.rows)
    assert not compare(reference, table(rng, 200), rng=0, permutations=99).reject


def test_preparation_rows_are_in_no_sum_and_not_kept(reference):
    assert reference.rows == len(reference.kept) == 400


def test_it_comes_back_from_a_small_file(reference, tmp_path):
    path = tmp_path / "r.safetensors"
    reference.save(path)
    again = Reference.load(path)
    assert again.fingerprint == reference.fingerprint
    np.testing.assert_array_equal(again.kept, reference.kept)
    for name, value in reference.summary.state().items():
        np.testing.assert_array_equal(again.summary.state()[name], value)


def test_the_default_is_under_a_megabyte_for_wide_tables_and_many_categories(tmp_path):
    rng = np.random.default_rng(0)
    wide = {f"x{i}": rng.normal(size=1500) for i in range(80)}
    wide |= {f"k{i}": [f"a long category {j}" for j in rng.integers(0, 900, 1500)] for i in (1, 2)}
    kept = Reference.of(wide, rng=0)
    kept.save(tmp_path / "r.safetensors")
    assert (tmp_path / "r.safetensors").stat().st_size < 1_000_000
    assert len(kept.kept) == ROWS


def test_references_of_parts_add_up(reference):
    rng = np.random.default_rng(3)
    parts = [Reference.of(table(rng, 300), like=reference, rng=i) for i in range(2)]
    one, other = reference + parts[0] + parts[1], parts[1] + (parts[0] + reference)
    assert one.rows == 400 + 2 * 300
    assert len(one.kept) == ROWS
    np.testing.assert_allclose(one.summary.total, other.summary.total)
    np.testing.assert_allclose(one.summary.columns.variance, other.summary.columns.variance)


def test_rows_that_stay_are_drawn_from_both_tables_alike(reference):
    rng = np.random.default_rng(3)
    late = Reference.of(table(rng, 1200, shift=50.0), like=reference, rng=0)
    shares = [
        float((reference.merge(late, rng=seed).kept[:, 0] > 2.5).mean()) for seed in range(20)
    ]
    assert np.mean(shares) == pytest.approx(1200 / 1600, abs=0.02)
    bare = Reference.of(table(rng, 100), like=reference, keep_rows=False, rng=0)
    assert len((reference + bare).kept) == 0  # they would be a sample of one table only


def test_other_rules_are_refused(reference):
    other = Reference.of(table(np.random.default_rng(9), 500), rng=2)
    with pytest.raises(ValueError, match="other rules or frequencies and cannot be added"):
        reference + other
    with pytest.raises(ValueError, match="made by other rules and cannot be compared"):
        compare(reference, other)
    with pytest.raises(ValueError, match="like= has the kinds"):
        Reference.of(table(np.random.default_rng(9), 50), like=reference, kinds={"size": "numeric"})


def test_a_table_that_lacks_a_column_or_rows_is_refused(reference):
    with pytest.raises(ValueError, match="has no column 'colour', 'sold', which the reference has"):
        Reference.of({"size": [1.0] * 30, "count": [1] * 30}, like=reference)
    with pytest.raises(ValueError, match="has 5 rows; a reference takes at least 20"):
        Reference.of({"x": [1.0, 2, 3, 4, 5]})
    with pytest.raises(ValueError, match="no column to keep"):
        Reference.of({"x": [1.0] * 50})
    with pytest.raises(ValueError, match=r"no kinds .--kind., groups"):
        compare(reference, table(np.random.default_rng(0), 50), groups="colour")


def spoiled(path, content, how):
    path.write_bytes(how(content))
    return path


def test_files_that_are_no_whole_reference_are_refused(reference, tmp_path):
    path = tmp_path / "r.safetensors"
    reference.save(path)
    whole = path.read_bytes()
    with pytest.raises(ValueError, match="or is cut off"):
        Reference.load(spoiled(path, whole, lambda c: c[:-100]))
    with pytest.raises(ValueError, match="does not match its checksum"):
        Reference.load(spoiled(path, whole, lambda c: c[:-10] + bytes([c[-10] ^ 1]) + c[-9:]))
    with pytest.raises(ValueError, match="is no samelaw reference, or is cut off"):
        Reference.load(spoiled(path, whole, lambda _: b"x,y\n1,2\n" * 9))
    with pytest.raises(FileNotFoundError, match="does not exist"):
        Reference.load(tmp_path / "none.safetensors")
    with path.open("wb") as file:
        file.truncate(65 * 2**20)
    with pytest.raises(ValueError, match="at most 67,108,864 are opened"):
        Reference.load(path)


def test_newer_and_hand_made_files_are_refused(reference, tmp_path):
    path = tmp_path / "r.safetensors"
    newer = type(_FORMAT)("reference", _FORMAT.version + 1)
    newer.write(path, Container({}, {}))
    with pytest.raises(ValueError, match="version 2; this samelaw reads version 1: update samelaw"):
        Reference.load(path)
    _FORMAT.write(path, Container({"kept": np.ones((2, 2))}, {"rules": [], "source": "x"}))
    with pytest.raises(ValueError, match="holds no whole reference"):
        Reference.load(path)


def test_nothing_but_names_categories_and_quantiles_is_in_the_header(reference, tmp_path):
    path = tmp_path / "r.safetensors"
    reference.save(path)
    content = path.read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    facts = json.loads(header["__metadata__"]["samelaw"])["facts"]
    assert set(facts) == {"rules", "source"}
    assert {key for rule in facts["rules"] for key in rule} == {
        *("name", "kind", "words", "gaps", "of_day"),
    }


def alarms(runs, profile):
    """False alarms at level .1 of tables with very many categories, the first of them sorted."""
    found = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        a, b = (many_categories(rng, n) for n in (160, 110))
        found += compare(profile(a, seed), b, level=0.1, permutations=49, rng=seed).reject
    return found


def honest(a, seed):
    return Reference.of(a, kinds={"k": "categorical"}, rng=seed)


def counted_on_a_alone(a, seed):
    """The mistake: categories are counted on the very rows that are then compared."""
    rows, rng = read_table(a), np.random.default_rng(seed)
    return Reference.empty(rows, {"k": "categorical"}, rng).update(
        rows, rng.permutation(rows.rows), rng
    )


@pytest.mark.long
def test_many_categories_of_a_sorted_table_raise_no_false_alarms_unless_counted_on_a_alone():
    assert alarms(5, honest) <= most(5, 0.1)
    assert alarms(5, counted_on_a_alone) > most(5, 0.1)


@pytest.mark.heavy
def test_the_level_is_exact_with_many_categories_of_sorted_tables():
    check(alarms(1000, honest), 1000, 0.1)


def test_row_numbers_are_identifiers_though_few_rows_make_the_rules():
    rng = np.random.default_rng(0)
    table = {"row": np.arange(500), "x": rng.normal(size=500)}
    assert [c.kind for c in Reference.of(table, rng=0).rules.columns] == ["identifier", "numeric"]
    told = Reference.of(table, kinds={"row": "integer"}, rng=0)
    assert [c.kind for c in told.rules.columns] == ["integer", "numeric"]


def test_a_key_that_counts_up_with_gaps_is_no_difference_of_later_rows():
    rng = np.random.default_rng(0)
    order, x = np.cumsum(rng.integers(1, 9, 800)), rng.normal(size=800)
    old = Reference.of({"order": order[:500], "x": x[:500]}, rng=0)
    assert [c.kind for c in old.rules.columns] == ["identifier", "numeric"]
    found = compare(old, {"order": order[500:], "x": x[500:]}, rng=0, permutations=99)
    assert not found.reject
    assert [out.column for out in found.left_out] == ["order"]
    told = Reference.of({"order": order[:500], "x": x[:500]}, kinds={"order": "integer"}, rng=0)
    assert told.rules.columns[0].kind == "integer"
    mixed = Reference.of({"order": rng.permutation(order[:500]), "x": x[:500]}, rng=0)
    assert mixed.rules.columns[0].kind == "integer"


def test_a_text_is_no_list_of_columns_to_leave_out():
    with pytest.raises(ValueError, match="ignore is the text 'xy'; expected a list of names"):
        Reference.of({"x": np.arange(50.0), "y": np.arange(50.0)}, ignore="xy")


def test_it_prints_in_a_line_without_the_rows_it_kept(reference):
    assert re.fullmatch(r"Reference\('.*', [0-9,]+ rows, \d+ columns\)", repr(reference))
