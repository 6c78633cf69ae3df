"""What is in a reference, in words."""

import numpy as np

from samelaw import Reference
from samelaw.comparison.references.words import describe


def test_everything_that_is_kept_is_said():
    rng = np.random.default_rng(0)
    table = {
        "size": np.where(rng.random(200) < 0.2, np.nan, rng.integers(0, 4, 200) * 1.5),
        "colour": rng.choice(["red", "blue"], 200).tolist(),
        "paid": rng.random(200) < 0.5,
        "shop": ["north"] * 200,
        "nothing": [None] * 200,
        "day": np.datetime64("2025-01-01") + rng.integers(0, 90, 200),
    }
    said = describe(Reference.of(table, rng=0))
    for part in (
        "160 rows drawn at random",
        "these can reveal rows",
        "numeric: 4 quantiles from 0 to 4.5; some values missing",
        "categorical: 2 categories: ",
        "'red'",
        "boolean: true or false",
        "constant: always 'north'",
        "empty: no value",
        "datetime: only whether there is a value",
    ):
        assert part in " ".join(said.split())
    bare = describe(Reference.of(table, keep_rows=False, rng=0))
    assert "no rows, so that tests against it are approximate" in " ".join(bare.split())


def test_years_have_no_thousands():
    years = 1952 + np.arange(300) % 66
    kept = describe(Reference.of({"born": years, "paid": 10 * years}, rng=0))
    assert "from 1952 to 20" in kept
    assert "from 19,520 to 20," in kept


def test_times_of_day_are_read_as_a_clock_shows_them(tmp_path):
    times = [f"{8 + i % 9:02}:{i % 60:02}" for i in range(300)]
    reference = Reference.of({"opened": times, "x": np.arange(300.0)}, rng=0)
    reference.save(tmp_path / "r.safetensors")
    for one in (reference, Reference.load(tmp_path / "r.safetensors")):
        assert "from 08:0" in describe(one)
        assert "to 16:5" in describe(one)
