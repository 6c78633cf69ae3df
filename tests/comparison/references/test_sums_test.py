"""Tables against references without rows: approximate, and said to be."""

import json
from importlib.resources import files

import numpy as np
import pytest

from levels import check
from optional import need
from samelaw import Reference, compare
from samelaw.comparison.page.page import render_report

SCHEMA = json.loads((files("samelaw.results") / "schemas" / "comparison.json").read_text())


def table(rng, n, shift=0.0):
    return {
        "x": rng.normal(size=n) + shift,
        "y": rng.normal(size=n),
        "k": rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2]).tolist(),
    }


def bare(seed, n=600):
    return Reference.of(table(np.random.default_rng(seed), n), keep_rows=False, rng=seed)


def test_a_moved_column_is_named_and_the_answer_labelled():
    rng = np.random.default_rng(1)
    found = compare(bare(0), table(rng, 300, 0.6), rng=0)
    assert found.reject
    assert found.columns_changed == ("x",)
    assert "approximate" in found.sentence
    assert "approximate" in found.method
    assert found.sizes == (480, 300)
    low, high = found.effect_interval
    assert low <= found.effect <= high
    found.to_json()


def test_what_sums_cannot_tell_is_nowhere_an_effect_of_0():
    """Of a column of numbers, and of some of the columns together."""
    found = compare(bare(0), table(np.random.default_rng(1), 300, 0.6), columns=["x", "k"], rng=0)
    told = found.to_dict()
    need("jsonschema").validate(told, SCHEMA)
    effects = {one["column"]: one["effect"] for one in told["marginals"]}
    assert told["effect"] is None
    assert effects["x"] is None
    assert effects["k"] > 0
    assert found.to_frame().set_index("column")["effect"].isna().to_dict() == {
        "x": True,
        "k": False,
    }
    assert "effect      not known" in str(found)
    assert "effect – (" in found._repr_html_()
    page = render_report(found)
    assert "<b>–</b><span>not known of columns whose" in page
    assert "nan" not in page.split("</style>")[1].split("<script")[0]


def test_a_change_that_no_mean_shows_is_found_by_all_columns_together():
    rng = np.random.default_rng(1)
    other = table(rng, 600)
    other["y"] = 0.9 * other["x"] + np.sqrt(1 - 0.81) * rng.normal(size=600)
    found = compare(bare(0, 2000), other, rng=0)
    assert found.reject
    assert found.columns_changed == ()


def test_what_it_cannot_do_is_refused():
    new = table(np.random.default_rng(1), 50)
    with pytest.raises(ValueError, match="only tables can be compared with it"):
        compare(bare(0), bare(0))
    for option, value in (("same_within", 0.1), ("target", "x"), ("sample", 20)):
        with pytest.raises(
            ValueError, match=rf"keeps no rows: {option} \(--.*reference that keeps"
        ):
            compare(bare(0), new, **{option: value})
    for option in ({"groups": "k"}, {"unique": True}, {"kinds": {"x": "numeric"}}):
        with pytest.raises(ValueError, match="with a reference there is no kinds"):
            compare(bare(0), new, **option)
    with pytest.raises(ValueError, match=r"min_effect \(--min-effect\) needs all columns"):
        compare(bare(0), new, columns=["x"], min_effect=0.1)


def test_names_that_nobody_knows_are_refused_as_elsewhere():
    new = table(np.random.default_rng(1), 50)
    with pytest.raises(ValueError, match="column 'nope' is not in the dict; its columns are 'x'"):
        compare(bare(0), new, columns=["nope"])
    with pytest.raises(ValueError, match="column 'nope' is not in either table"):
        compare(bare(0), new, ignore=["nope"])
    with pytest.raises(ValueError, match="every column that both tables have is ignored"):
        compare(bare(0), new, ignore=["x", "y", "k"])


@pytest.mark.parametrize("asked", [{"columns": ["y", "k"]}, {"ignore": ["x"]}])
def test_columns_that_nobody_asked_for_have_no_say(asked):
    new = table(np.random.default_rng(1), 300, 2.0)
    found = compare(bare(0), new, rng=0, **asked)
    assert {one.column for one in found.marginals} == {"y", "k"}
    assert not found.reject
    assert found.schema_changes == ()
    assert "tested one by one" in " ".join(found.notes)
    assert compare(bare(0), new, rng=0, columns=["x"]).columns_changed == ("x",)


def test_columns_that_came_or_went_are_told():
    rng = np.random.default_rng(1)
    more = {**table(rng, 200), "extra": np.ones(200)}
    found = compare(bare(0), more, rng=0)
    assert found.sentence.startswith("B differs from A: extra is new; no other difference found")
    assert (found.reject, found.schema_differs, found.values_differ) == (True, True, False)
    assert not compare(bare(0), more, rng=0, allow_schema=True).reject
    assert not compare(bare(0), more, rng=0, ignore=["extra"]).reject
    gone = {name: values for name, values in table(rng, 200).items() if name != "k"}
    assert "k is gone" in compare(bare(0), gone, rng=0).sentence
    assert "k is new" in compare(gone, bare(0), rng=0).sentence
    words = {**table(rng, 200), "x": ["much"] * 200}
    assert "x is text, not numbers" in compare(bare(0), words, rng=0).sentence


def test_the_reference_may_be_the_second_table():
    new = table(np.random.default_rng(1), 300, 1.0)
    there, back = compare(bare(0), new, rng=0), compare(new, bare(0), rng=0)
    assert (there.sizes, back.sizes) == ((480, 300), (300, 480))
    before, after = there.marginals[0].sentence.removeprefix("mean normal score ").split(" → ")
    assert back.marginals[0].sentence == f"mean normal score {after} → {before}"


def test_no_p_value_is_0_and_none_is_less_than_the_draws_can_give():
    new = table(np.random.default_rng(1), 20_000, 9.0)
    new["k"] = ["c"] * 20_000
    found = compare(bare(0), new, rng=0, permutations=99)
    assert len(found.null_distribution) == 99
    assert found.pvalue == 0.01
    assert all(0.0 < one.pvalue <= 1.0 for one in found.marginals)
    assert 0.0 < compare(bare(0), new, rng=0, columns=["k"]).pvalue < 1e-9


def test_a_change_that_is_too_little_is_said_to_be():
    new = table(np.random.default_rng(1), 300, 0.6)
    found = compare(bare(0), new, rng=0, min_effect=0.5)
    assert (found.verdict, found.reject) == ("different, but too little to matter", False)
    assert found.sentence.endswith("not shown to reach 0.5, so it may not matter.")


def test_what_cannot_be_drawn_is_said():
    found = compare(bare(0), table(np.random.default_rng(1), 50), rng=0)
    with pytest.raises(ValueError, match=r"'x' cannot be drawn.*the reference keeps no rows"):
        found.plot(column="x")


@pytest.mark.parametrize(
    ("rows", "runs"),
    [(2, 6), *(pytest.param(rows, 60, marks=pytest.mark.long) for rows in (2, 5, 20, 50))],
)
def test_a_few_rows_raise_no_more_alarms_than_promised(rows, runs):
    """Drawn from each other they did: 26 of 100 with five rows, all with two."""
    past = [bare(seed, 2_500) for seed in range(3)]
    found = [
        compare(past[seed % 3], table(np.random.default_rng([seed, 8]), rows), rng=seed).reject
        for seed in range(runs)
    ]
    check(sum(found), runs, 0.05, exact=False)


@pytest.mark.heavy
@pytest.mark.parametrize("size", [5, 20, 150, 1500])
def test_false_alarms_are_about_as_many_as_promised(size):
    runs, alarms = 300, 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, 7])
        alarms += compare(bare(seed), table(rng, size), level=0.1, rng=seed).reject
    check(alarms, runs, 0.1, slack=0.03, exact=False)
