"""Tables through the rules of a reference: what is not in it is named."""

import numpy as np
import pytest

from samelaw import Reference, compare
from samelaw.comparison.references.as_table import is_reference, kept_table, through_rules
from samelaw.tables.columns.raw_column import Form
from samelaw.tables.reading.formats import FOUND

RNG = np.random.default_rng(0)
A = {
    "size": RNG.normal(size=300),
    "colour": RNG.choice(["red", "blue"], 300).tolist(),
    "day": (np.datetime64("2025-01-01") + RNG.integers(0, 90, 300)),
}
REFERENCE = Reference.of(A, rng=0)


def test_kept_rows_come_back_as_they_were():
    table = kept_table(REFERENCE)
    sizes = table.raw["size"].numbers(Form.NUMBER)
    inner = REFERENCE.rules.columns[0].knots[1:-1]
    inside = A["size"][(A["size"] > inner[0]) & (A["size"] < inner[-1])]
    near = np.abs(sizes[:, None] - inside).min(axis=1)
    assert np.median(near) < 1e-5
    shares = np.bincount(table.raw["colour"].words()[0]) / table.rows
    assert shares[0] == pytest.approx(0.5, abs=0.1)


def test_order_of_columns_does_not_matter_and_new_ones_are_told():
    turned = {name: A[name][:100] for name in reversed(A)}
    assert compare(REFERENCE, turned, permutations=49, rng=0).columns_compared == 2
    found = compare(REFERENCE, turned | {"extra": np.arange(100.0)}, permutations=49, rng=0)
    assert [change.text for change in found.schema_changes] == [
        "extra: only in B, so not compared."
    ]
    del turned["size"]
    found = compare(REFERENCE, turned, permutations=49, rng=0)
    assert [change.text for change in found.schema_changes] == ["size: only in A, so not compared."]
    assert found.reject


def test_unseen_categories_and_words_among_numbers_are_named():
    batch = {
        "size": ["1.5", "abc"] * 40,
        "colour": ["red"] * 60 + ["mauve"] * 20,
        "day": A["day"][:80],
    }
    found = compare(REFERENCE, batch, permutations=49, rng=0)
    notes = " ".join(found.notes)
    assert "colour: 20 rows hold values that are not listed in the reference" in notes
    assert "'mauve'" in notes
    assert "size: 40 values are no numbers and count as missing." in notes
    assert "of day (dates, text, identifiers) a reference keeps only whether" in notes
    assert "colour" in found.columns_changed


def test_a_value_becomes_the_same_whatever_is_beside_it():
    batch = {name: values[:50] for name, values in A.items()}
    whole = through_rules(REFERENCE, batch, FOUND)
    one = through_rules(REFERENCE, {n: v[7:8] for n, v in batch.items()}, FOUND)
    sizes = [side.raw["size"].numbers(Form.NUMBER) for side in (one, whole)]
    assert sizes[0][0] == sizes[1][7]


def test_a_file_is_known_by_its_ending(tmp_path):
    path = tmp_path / "A.safetensors"
    REFERENCE.save(path)
    assert is_reference(path)
    assert not is_reference("a.csv")
    batch = {name: values[:60] for name, values in A.items()}
    found = compare(batch, path, permutations=49, rng=0)
    assert found.sources[1] == str(path)
    assert found.sizes == (60, 240)


def test_a_table_without_a_column_of_the_reference_is_refused_in_words():
    with pytest.raises(ValueError, match="share no column to compare: the first has 'size'"):
        compare(REFERENCE, {"other": np.arange(50.0)}, permutations=49, rng=0)


def test_values_beyond_a_reference_are_not_called_all_the_same():
    """Drawn in to one value, they were "always 8.7 in B", which no row of B was."""
    rng = np.random.default_rng(0)
    weights = rng.gamma(3.0, 0.8, size=700)
    reference = Reference.of({"kg": weights[:400]}, rng=0)
    grams = {"kg": 1_000.0 * weights[400:]}
    found = compare(reference, grams, rng=0, permutations=19)
    assert found.columns_changed == ("kg",)
    assert "always" not in found.sentence + "".join(found.notes)
    said = next(note for note in found.notes if "values lie beyond" in note)
    assert f"the farthest is {grams['kg'].max():,.0f}"[:-2] in said
    assert any("count as its ends" in note for note in found.notes)
    quiet = compare(reference, {"kg": weights[400:]}, rng=0, permutations=19)
    assert not any("count as its ends" in note for note in quiet.notes)


def test_an_end_of_a_reference_is_no_value():
    """ "75.48 in 0.4 % → 4.2 %" was said of tables without any 75.48."""
    rng = np.random.default_rng(1)
    prices = rng.lognormal(3.0, 0.5, size=600)
    reference = Reference.of({"price": prices, "items": rng.integers(0, 4, 600)}, rng=0)
    later = {"price": rng.lognormal(3.0, 0.8, size=600), "items": rng.integers(0, 9, 600)}
    found = compare(reference, later, rng=0, permutations=99)
    said = {finding.column: finding.sentence for finding in found.marginals}
    high = reference.rules.columns[0].knots[-1]
    assert not (later["price"] == high).any()
    assert f"{high:.4g} or more in" in said["price"] or f"{high:.4g} or more new" in said["price"]
    most = round(reference.rules.columns[1].knots[-1])
    assert f"{most} or more" in said["items"]
    assert "or less" not in said["items"]  # 0 is a value
    turned = compare(later, reference, rng=0, permutations=99)
    assert f"{most} or more" in "".join(each.sentence for each in turned.marginals)
