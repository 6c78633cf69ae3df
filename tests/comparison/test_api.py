"""Comparing tables: the acceptance tests of the product, on tables with a known answer."""

import json
from decimal import Decimal

import numpy as np
import pytest

from optional import need
from samelaw import compare
from samelaw.comparison.verdict import ALIKE, DIFFERENT, NOT_SHOWN, TOO_LITTLE
from samelaw.testing import Sequential

FAST = {"permutations": 199, "rng": 0}


def shop(rng, rows, rho=0.6):
    """Orders of a shop: skewed, correlated, categorical, missing, dated."""
    x = rng.normal(size=rows)
    y = rho * x + np.sqrt(1 - rho**2) * rng.normal(size=rows)
    age = rng.integers(18, 80, rows).astype(float)
    age[rng.random(rows) < 0.1] = np.nan
    return {
        "amount": np.exp(rng.normal(3, 0.7, rows)),
        "x1": x,
        "x2": y,
        "age": age,
        "region": rng.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2]),
        "member": rng.random(rows) < 0.4,
    }


def pair(seed=0, rows=(150, 120), **options):
    rng = np.random.default_rng(seed)
    return shop(rng, rows[0]), shop(rng, rows[1], **options)


def of(columns, tables):
    """These columns alone: what a comparison costs grows with the square of their number."""
    return tuple({name: table[name] for name in columns} for table in tables)


def test_alike_tables_are_not_told_apart():
    result = compare(*pair(seed=2), **FAST)
    assert result.verdict == ALIKE
    assert not result.reject
    assert result.columns_changed == ()
    assert result.sentence == "No difference found between A and B."
    assert result.effect_interval[0] == 0
    assert result.effect <= result.effect_interval[1] < 0.2
    assert 0 < result.detectable_effect < 0.2


def test_a_change_of_correlation_alone_names_exactly_the_two_columns():
    result = compare(*pair(seed=2, rows=(250, 250), rho=-0.4), **FAST)
    assert result.reject
    assert set(result.columns_changed) == {"x1", "x2"}
    assert [set(group) for group in result.column_groups] == [{"x1", "x2"}]
    assert not any(found.changed for found in result.marginals)
    assert "rank correlation" in result.pairs[0].sentence
    assert "x1 and x2 no longer go together as before" in result.sentence


def test_a_moved_column_is_the_only_one_named():
    a, b = pair()
    b["amount"] = b["amount"] * 1.6
    result = compare(a, b, **FAST)
    assert result.verdict == DIFFERENT
    assert result.columns_changed == ("amount",)
    assert result.marginals[0].column == result.effect_of == "amount"
    assert "median" in result.marginals[0].sentence
    assert result.effect_interval[0] <= result.effect <= result.effect_interval[1]


def test_missingness_is_tested_and_reported():
    a, b = pair()
    b["age"][:60] = np.nan
    result = compare(a, b, **FAST)
    assert result.columns_changed == ("age",)
    [found] = [m for m in result.missing if m.column == "age"]
    assert found.changed
    assert found.share_b > 0.4 > found.share_a
    assert any(m.missing and m.changed and "missing" in m.sentence for m in result.marginals)


@pytest.mark.parametrize("count", [pytest.param(50, marks=pytest.mark.long), 100])
def test_some_of_many_categories_exchanged_for_others(count):
    """A fifth of the rows: no sharing of classes may hide it."""
    rng = np.random.default_rng(4)
    words = np.array([f"w{i:03}" for i in range(count + count // 5)])
    a, b = (
        {"word": rng.choice(some, 500), "x": rng.normal(size=500)}
        for some in (words[:count], words[-count:])
    )
    found = compare(a, b, permutations=99, rng=0)
    assert found.columns_changed == ("word",)
    assert found.marginals[0].effect > 0.1


def test_a_new_category_is_named_with_its_column():
    a, b = pair()
    b["region"] = np.where(np.arange(120) < 24, "abroad", b["region"])
    result = compare(a, b, **FAST)
    assert result.columns_changed == ("region",)
    assert any("abroad" in change.text for change in result.schema_changes)


def test_a_column_that_vanished_is_a_difference_unless_it_may():
    a, b = of(("amount", "x1", "region"), pair(seed=1, rows=(80, 70)))
    b["income"] = b.pop("amount")
    result = compare(a, b, **FAST)
    assert result.reject
    assert result.schema_differs
    assert not result.values_differ
    assert result.verdict == DIFFERENT
    assert result.columns_changed == ()
    assert result.sentence == (
        "B differs from A: amount is gone, income is new; no other difference found."
    )
    assert dict(result.facts())["changed"] == "amount (only in A), income (only in B)"
    assert "•  amount: only in A" in str(result)
    allowed = compare(a, b, allow_schema=True, **FAST)
    assert not allowed.reject
    assert allowed.sentence == "No difference found between A and B."
    assert allowed.schema_changes == result.schema_changes
    assert allowed.pvalue == result.pvalue
    ignored = compare(a, b, ignore=["amount", "income"], **FAST)
    assert not ignored.reject
    same = compare(a, b, same_within=0.5, **FAST)
    assert (same.same, same.verdict, same.rows_needed) == (False, NOT_SHOWN, None)
    assert compare(a, b, same_within=0.5, allow_schema=True, **FAST).same


def test_a_declared_type_that_changed_is_a_difference():
    pd = need("pandas")
    a, b = map(pd.DataFrame, of(("amount", "age", "region"), pair(seed=1)))
    b["age"] = b["age"].map(lambda v: None if v != v else f"{v:.0f}").astype("str")
    result = compare(a, b, **FAST)
    assert result.reject
    assert "age is text, not numbers" in result.sentence
    assert {m.column for m in result.marginals if m.changed} == set()  # the values are the same


def stray(values, every, word="oops"):
    return [word if i % every == 0 else f"{v:.3f}" for i, v in enumerate(values)]


def test_stray_words_are_tested_as_values():
    a, b = of(("x1", "age", "region"), pair(seed=1))
    plain = a | {"x1": [f"{v:.3f}" for v in a["x1"]]}
    few = compare(plain, b | {"x1": stray(b["x1"], 120)}, **FAST)
    assert not few.reject  # one word in 120 rows may be chance
    assert "x1 (as written): new in B: 'oops' (1 row)." in [c.text for c in few.schema_changes]
    many = compare(plain, b | {"x1": stray(b["x1"], 10)}, **FAST)
    assert many.columns_changed == ("x1",)
    (changed,) = [m for m in many.marginals if m.changed]
    assert (changed.name, changed.part, changed.kind) == (
        *("x1 (as written)", "as written", "numeric"),
    )
    assert "'oops' new (10 %)" in changed.sentence
    assert {m.name for m in many.marginals if m.column == "x1"} == {"x1", "x1 (as written)"}
    assert many.plot(column="x1 (as written)").get_title() == "x1 (as written)"


def test_signs_of_currencies_and_percent_are_read_and_told():
    a, b = of(("amount", "x1", "region"), pair(seed=1))
    plain = a | {"amount": [f"{v:.2f}" for v in a["amount"]]}
    result = compare(plain, b | {"amount": [f"${v:.2f}" for v in b["amount"]]}, **FAST)
    assert [m.name for m in result.marginals if m.changed] == ["amount (as written)"]
    assert result.marginals[0].sentence == "'(plain)' gone (100 %), 'with $' new (100 %)"
    both = [{"amount": [f"{v:,.2f} €" for v in 1000 * t["amount"]]} for t in (a, b)]
    alike = compare(*both, **FAST)
    assert not alike.reject
    assert [m.name for m in alike.marginals] == ["amount"]


def test_texts_of_other_words_are_told_apart():
    rng = np.random.default_rng(0)
    words = {"a": ["red", "green", "blue", "grey"], "b": ["uno", "dos", "tres", "ocho"]}
    notes = {
        side: {"note": [f"{' '.join(rng.choice(some, 5))} {i}" for i in range(80)]}
        for side, some in words.items()
    }
    result = compare(notes["a"], notes["b"], **FAST)
    assert "note (words)" in [m.name for m in result.marginals if m.changed]
    again = {"note": [f"{' '.join(rng.choice(words['a'], 5))} {i}" for i in range(80)]}
    assert not compare(notes["a"], again, **FAST).reject


def test_a_sample_is_compared_and_drawn_again_by_its_seed():
    a, b = of(("amount", "age", "region"), pair(rows=(400, 300)))
    result = compare(a, b, sample=100, **FAST)
    assert result.sizes == (400, 300)
    assert result.settings["sample"] == 100
    assert any("100 of the 400 rows of A" in note for note in result.notes)
    assert compare(a, b, sample=100, **FAST).pvalue == result.pvalue
    for row in result.rows:
        table = a if row.table == "A" else b
        assert float(row.values["amount"]) == table["amount"][row.row]
    groups = np.arange(400) % 20
    grouped = compare(
        a | {"who": groups}, b | {"who": groups[:300]}, groups="who", sample=90, **FAST
    )
    assert any("90 of the 400" in note for note in grouped.notes)


def test_rows_that_were_planted_are_found():
    a, b = of(("amount", "x1", "age", "region"), pair(rows=(250, 250)))
    planted = np.arange(20)
    b["x1"][planted] += 4
    b["amount"][planted] *= 8
    result = compare(a, b, **FAST)
    found = [row.row for row in result.rows if row.table == "B"]
    assert len(set(found) & set(planted)) >= 14
    first = result.rows[0]
    assert first.score > 0
    assert first.values["region"] in {"north", "south", "west"}
    assert any(row.table == "A" for row in result.rows)


def test_directions_name_the_columns_that_moved():
    a, b = pair(rows=(120, 120))
    b["x1"] = b["x1"] + 1.0
    result = compare(a, b, **FAST)
    strongest = result.directions[0]
    assert strongest.columns[0][0] == "x1"
    assert strongest.strength == pytest.approx(strongest.share_b - strongest.share_a)


def test_a_significant_change_may_be_too_little_to_matter():
    a, b = of(("amount", "region"), pair(rows=(300, 300)))
    b["amount"] = b["amount"] * 1.35
    assert compare(a, b, **FAST).verdict == DIFFERENT
    result = compare(a, b, min_effect=0.2, **FAST)
    assert result.verdict == TOO_LITTLE
    assert not result.reject
    assert result.pvalue <= 0.05
    assert "may not matter" in result.sentence


def test_sameness_is_shown_only_by_enough_rows():
    a, b = of(("amount", "age", "region"), pair(rows=(300, 300)))
    near = compare(a, b, same_within=0.2, **FAST)
    assert near.verdict == "the same within 0.2"
    assert near.same
    assert near.rows_needed is None
    assert near.effect_limit < 0.2
    far = compare(a, b, same_within=0.01, **FAST)
    assert far.verdict == NOT_SHOWN
    assert far.same is False
    assert far.effect_limit == near.effect_limit >= 0.01
    assert far.pvalue == near.pvalue  # the test is the same, the question another
    assert min(far.rows_needed) > 300


def test_an_effect_that_is_too_large_is_not_called_the_same():
    a, b = of(("amount", "x1", "region"), pair(rows=(200, 200)))
    b["amount"] = b["amount"] * 3
    result = compare(a, b, same_within=0.02, **FAST)
    assert result.verdict == NOT_SHOWN
    assert result.rows_needed is None  # no number of rows would show it
    assert result.reject


def test_a_changed_column_has_a_plain_difference():
    a, _ = of(("amount", "region"), pair(rows=(300, 300)))
    b = {**a, "amount": a["amount"] + 7}
    (found,) = [m for m in compare(a, b, **FAST).marginals if m.column == "amount"]
    assert [m.of for m in found.measures] == ["median", "mean"]
    for measure in found.measures:
        assert measure.interval[0] < 7 < measure.interval[1]
        assert measure.difference == pytest.approx(measure.b - measure.a) == pytest.approx(7)


def test_rows_of_a_group_are_relabelled_together():
    """Every customer has a habit of their own: 12 customers a side, many rows, no difference."""
    rng = np.random.default_rng(5)

    def customers(names):
        habit = {name: rng.normal(0, 2) for name in names}
        who = np.repeat(names, 25)
        return {"customer": who, "spent": np.array([habit[w] for w in who]) + rng.normal(size=300)}

    a, b = customers([f"a{i}" for i in range(12)]), customers([f"b{i}" for i in range(12)])
    assert compare(a, b, ignore=["customer"], **FAST).reject  # rows taken as independent
    result = compare(a, b, groups="customer", **FAST)
    assert not result.reject
    assert result.settings["groups"] == "customer"
    assert all(found.column != "customer" for found in result.marginals)


def test_the_same_seed_gives_the_same_answer_and_the_seed_is_kept():
    a, b = of(("x1", "age", "region"), pair(rows=(40, 30)))
    one, other = (compare(a, b, permutations=99, rng=7).to_dict() for _ in range(2))
    assert one == other
    free = compare(a, b, permutations=99)
    assert compare(a, b, permutations=99, rng=free.seed).to_dict() == free.to_dict()


def test_json_is_plain_and_complete():
    result = compare(*pair(rows=(60, 50)), permutations=99, rng=0)
    loaded = json.loads(result.to_json(rows=True))
    for key in (
        "schema_version", "verdict", "pvalue", "level", "effect", "effect_interval",
        "columns_changed", "column_groups", "marginals", "missing", "schema_changes", "rows",
        "sizes", "settings", "seed",
    ):  # fmt: skip
        assert key in loaded
    statistic, pvalue = result
    assert (statistic, pvalue) == (loaded["statistic"], loaded["pvalue"])


def test_progress_rises_to_its_end():
    seen = []
    compare(*pair(rows=(60, 50)), permutations=99, rng=0, progress=lambda *step: seen.append(step))
    done = [step[0] for step in seen]
    assert done == sorted(done)
    assert seen[-1] == (100, 100)


def test_blocks_of_large_tables_find_the_same():
    a, b = of(("x1", "x2", "region"), pair(rows=(1_200, 900), rho=0.1))
    result = compare(a, b, **FAST)
    assert "blocks" in result.method
    assert set(result.columns_changed) == {"x1", "x2"}


def test_arrays_are_tables_without_names():
    rng = np.random.default_rng(10)
    x, y = rng.normal(size=(120, 3)), rng.normal(size=(100, 3))
    y[:, 2] += 1.5
    result = compare(x, y, **FAST)
    assert len(result.columns_changed) == 1
    assert "2" in result.columns_changed[0] or "3" in result.columns_changed[0]


def test_one_column_suffices():
    rng = np.random.default_rng(9)
    result = compare({"v": rng.normal(size=80)}, {"v": rng.normal(size=70) + 1}, **FAST)
    assert result.columns_changed == ("v",)
    assert result.pairs == ()


def test_few_rows_are_enumerated():
    result = compare({"v": [1.0, 2, 3, 4]}, {"v": [11.0, 12, 13, 14]}, rng=0)
    assert result.pvalue == pytest.approx(2 / 70)
    assert len(result.null_distribution) == 69


def test_early_stopping_is_refused_with_what_to_do():
    """It used to die in "unsupported operand type(s) for +"."""
    with pytest.raises(TypeError, match=r"whole number for compare, got Sequential.*=9999\."):
        compare(*pair(rows=(20, 20)), permutations=Sequential())


def test_names_to_ignore_may_come_from_a_generator():
    a, b = pair(rows=(40, 40))
    found = compare(a, b, ignore=(name for name in ("x1", "age")), permutations=39, rng=0)
    assert found.settings["ignore"] == ["x1", "age"]
    assert {"x1", "age"}.isdisjoint(marginal.column for marginal in found.marginals)


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        ({"v": [1.0]}, {"v": [1.0, 2]}, {}, "one row; a comparison needs at least two"),
        ({"v": [1.0, 2]}, {"v": [1.0, 3]}, {}, "only 6 permutations"),
        ({"v": [1.0, 2]}, {"w": [1.0, 3]}, {}, "share no column"),
        ({"v": [1.0, 2]}, {"v": [1.0, 3]}, {"level": 1.5}, "level"),
        ({"v": [1.0, 2]}, {"v": [1.0, 3]}, {"min_effect": -1}, "min_effect"),
        ({"v": [1.0, 2]}, {"v": [1.0, 3]}, {"same_within": 0}, "same_within must be above 0"),
        (
            {"v": [1.0, 2]},
            {"v": [1.0, 3]},
            {"same_within": 0.1, "min_effect": 0.1},
            "--same-within.*give one of them",
        ),
        ({"v": [1.0, 2]}, {"v": [1.0, 3]}, {"groups": "day"}, "day"),
        ({"v": [1.0, 2]}, {"v": [1.0, 3]}, {"permutations": 5}, "5 permutations cannot reach"),
        ({"v": [5.0, 5]}, {"v": [5.0, 5]}, {}, "no column is left to compare"),
    ],
)
def test_bad_input_is_a_clear_error(a, b, options, message):
    with pytest.raises(ValueError, match=message):
        compare(a, b, **options)


def test_columns_are_read_alone_and_wrong_ones_are_refused(tmp_path):
    pa = need("pyarrow")
    rng = np.random.default_rng(0)
    path = tmp_path / "t.parquet"
    table = pa.table({"x": rng.normal(size=40), "y": rng.normal(size=40), "g": list("ab") * 20})
    need("pyarrow.parquet").write_table(table, path)
    found = compare(path, path, columns=["x"], ignore=["y"], kinds={"g": "text"}, **FAST)
    assert [marginal.column for marginal in found.marginals] == ["x"]
    with pytest.raises(ValueError, match=r"'z' is not in .*t\.parquet; its columns are 'x', 'y'"):
        compare(path, path, columns=["x", "z"], **FAST)
    with pytest.raises(ValueError, match="columns is the text 'x'; expected a list of names"):
        compare(path, path, columns="x", **FAST)


def test_values_of_rows_are_given_only_if_asked_for():
    found = compare(*pair(), **FAST)
    assert "rows" not in found.to_dict()
    assert len(found.to_dict(rows=True)["rows"]) == len(found.rows) > 0
    bare = found.without_rows()
    assert bare.rows == bare.picture.x == bare.picture.witness == ()
    assert bare.to_dict(rows=True)["rows"] == []
    assert bare.to_dict() == found.to_dict()


def test_names_cannot_drive_a_notebook_or_a_terminal():
    rng = np.random.default_rng(0)
    a = {"x\x1b[2J\u202e": rng.normal(size=60)}
    b = {"x\x1b[2J\u202e": rng.normal(size=60) + 3}
    found = compare(a, b, **FAST)
    for text in (str(found), found._repr_html_(), found.to_json()):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "x\\x1b[2J\\u202e" in str(found)


@pytest.mark.parametrize("largest", [1e308, 1.7e308])
def test_numbers_whose_differences_overflow_are_compared(largest):
    rng = np.random.default_rng(0)
    a = {"x": largest * rng.uniform(-1, 1, 100), "y": np.repeat([largest, -largest], 50)}
    b = {"x": largest * rng.uniform(0, 1, 100), "y": np.full(100, -largest)}
    found = compare(a, b, **FAST)
    assert set(found.columns_changed) == {"x", "y"}
    assert "where" in str(found)
    outlier = np.append([largest, -largest], rng.random(100))
    assert compare({"x": outlier}, {"x": rng.random(100)}, **FAST).columns_changed == ()


@pytest.mark.parametrize("start", [2**53, 2**60, 10**30, Decimal(2**60), Decimal("1e15") + 1])
def test_digits_beyond_floats_are_compared(start):
    rng = np.random.default_rng(0)
    a, b = ({"x": [start + low + int(k) for k in rng.integers(0, 40, 200)]} for low in (0, 20))
    found = compare(a, b, **FAST)
    assert found.columns_changed == ("x",)
    assert found.effect > 0.4  # .45 of the rows would have to change
