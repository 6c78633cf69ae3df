"""profile, compare, merge and show on the command line."""

import numpy as np

from csvs import FEW, rows_of, write

SEED = ("--seed", "1")


def test_a_table_is_compared_with_when_its_rows_are_gone(samelaw, tmp_path):
    a = write("a.csv", rows_of(200))
    code, out, err = samelaw("profile", a, "-o", "ref.safetensors", *SEED)
    assert (code, err) == (0, "")
    assert "A reference of 160 rows of a.csv." in out
    assert "Run it again: samelaw profile a.csv -o ref.safetensors --seed 1" in out
    a.unlink()
    write("b.csv", rows_of(150, shift=2))
    code, out, _ = samelaw("compare", "ref.safetensors", "b.csv", *FEW, "--report", "r.html")
    assert code == 1
    assert "b.csv differs from ref.safetensors" in out
    write("same.csv", rows_of(150))
    assert samelaw("compare", "ref.safetensors", "same.csv", *FEW)[0] == 0


def test_references_merge_by_the_rules_of_the_first(samelaw):
    write("a.csv", rows_of(100))
    write("b.csv", rows_of(60))
    samelaw("profile", "a.csv", "-o", "a.safetensors", *SEED)
    code, out, _ = samelaw(
        "profile", "b.csv", "-o", "b.safetensors", "--like", "a.safetensors", *SEED, "-q"
    )
    assert (code, out) == (0, "A reference of 60 rows of b.csv.\n")
    twice = samelaw("merge", "a.safetensors", "a.safetensors", "-o", "c.safetensors")
    assert twice[0] == 2
    assert "hold the same rows; name each reference once" in twice[2]
    code, out, _ = samelaw("merge", "a.safetensors", "b.safetensors", "-o", "c.safetensors", *SEED)
    assert code == 0
    assert "A reference of 140 rows of a.csv + b.csv." in out
    code, out, _ = samelaw("show", "c.safetensors")
    assert code == 0
    assert "140 rows drawn at random" in " ".join(out.split())
    samelaw("profile", "b.csv", "-o", "d.safetensors", "--seed", "2")
    code, _, err = samelaw("merge", "a.safetensors", "d.safetensors", "-o", "e.safetensors")
    assert code == 2
    assert "a.csv and b.csv have other rules or frequencies and cannot be added" in err


def test_without_rows_the_answer_is_approximate(samelaw):
    write("a.csv", rows_of(200))
    write("b.csv", rows_of(150, shift=2))
    samelaw("profile", "a.csv", "-o", "a.safetensors", "--no-rows", *SEED)
    code, out, _ = samelaw(
        "compare", "a.safetensors", "b.csv", *SEED, "--report", "r.html", "--json", "r.json"
    )
    assert code == 1
    assert "(approximate: the reference keeps no rows)" in " ".join(out.split())


def test_what_goes_wrong_is_said_in_a_line(samelaw, tmp_path):
    write("a.csv", rows_of(60))
    cases = {
        ("profile", "a.csv", "-o", "ref.bin"): "-o: ref.bin must end in .safetensors",
        ("profile", "a.csv", "-o", "a.csv"): "-o: a.csv is an input; choose another name.",
        ("show", "none.safetensors"): "none.safetensors does not exist; check the path.",
        ("compare", "none.safetensors", "a.csv"): "none.safetensors does not exist",
        ("merge", "a.safetensors", "-o", "b.safetensors"): "a.safetensors is alone; name at least",
    }
    for arguments, message in cases.items():
        code, _, err = samelaw(*arguments)
        assert code == 2
        assert message in err
    np.savez(tmp_path / "x.npz", x=np.ones(3))
    (tmp_path / "x.npz").rename("x.safetensors")
    code, _, err = samelaw("compare", "x.safetensors", "a.csv")
    assert code == 2
    assert "is no samelaw reference, or is cut off" in err


def test_without_rows_what_is_asked_is_answered_or_refused(samelaw):
    write("a.csv", rows_of(200))
    x, y = np.random.default_rng(1).normal(size=(2, 150))
    write(
        "b.csv",
        "\n".join(["x,y", *(f"{2 + i:.3f},{j:.3f}" for i, j in zip(x, y, strict=True)), ""]),
    )
    samelaw("profile", "a.csv", "-o", "a.safetensors", "--no-rows", *SEED)
    asked = ("compare", "a.safetensors", "b.csv", *SEED)
    assert samelaw(*asked, "--columns", "x")[0] == 1
    for some in (("--columns", "y"), ("--ignore", "x")):
        assert samelaw(*asked, *some)[0] == 0
    for option, value in (("--target", "x"), ("--sample", "50"), ("--rows", "out.csv")):
        code, _, err = samelaw(*asked, option, value)
        assert code == 2
        assert f"({option}) cannot be answered from its sums" in " ".join(err.split())
    code, _, err = samelaw(*asked, "--columns", "nope")
    assert code == 2
    assert "column 'nope' is not in a.safetensors" in err


def test_a_table_is_read_as_it_is_said_to_be_written(samelaw):
    text = rows_of(200)
    write("caret.csv", "shop\n" + text.replace(",", "^"))
    said = ("--sep", "^", "--encoding", "cp1252", "--skip", "1")
    code, out, err = samelaw("profile", "caret.csv", "-o", "a.safetensors", *said, *SEED)
    assert (code, err) == (0, "")
    assert "--sep '^' --encoding cp1252 --skip 1 --seed 1" in " ".join(out.split())
    assert "A reference of 160 rows" in out
    code, _, err = samelaw(
        "profile", "caret.csv", "-o", "b.safetensors", *said, "--dask", "tcp://nowhere:1"
    )
    assert code == 2
    assert "--sep and --dask exclude each other" in err
