"""What people see of an evaluation: the command, its page and its JSON."""

import json
import shlex
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from commandline import empty_folder, samelaw
from optional import need
from samelaw.extras.generators.evaluation import evaluate_generators

need("typer")
need("rich")

from samelaw.cli.evaluation import pair_words  # noqa: E402

__all__ = ["empty_folder", "samelaw"]

FEW = ("--permutations", "99", "--seed", "1")


@pytest.fixture
def features(empty_folder):
    """Real rows, a generator that is nearly right and one that is not."""
    rng = np.random.default_rng(0)
    for name, scale in {"real": 1.0, "new": 1.05, "<old>": 1.8}.items():
        np.save(f"{name}.npy", scale * rng.normal(size=(150, 3)))
    return ("real.npy", "<old>.npy", "new.npy")


def in_parts(name, rows):
    """Files of features in folders: three of numpy, Parquet or safetensors."""
    need("pyarrow")
    from pyarrow import parquet, table
    from safetensors.numpy import save_file

    Path(name).mkdir()
    for place, part in enumerate(np.array_split(rows, 3)):
        if name == "real":
            np.save(f"{name}/{place}.npy", part)
        elif name == "old":
            columns = {f"f{k}": part[:, k] for k in range(part.shape[1])}
            parquet.write_table(table(columns), f"{name}/{place}.parquet")
        else:
            save_file({"features": np.ascontiguousarray(part)}, f"{name}/{place}.safetensors")


def test_folders_of_any_of_the_formats_give_the_answer_of_single_files(samelaw, empty_folder):
    need("safetensors")
    rng = np.random.default_rng(0)
    scales = {"real": 1.0, "old": 1.8, "new": 1.0}
    samples = {name: scale * rng.normal(size=(150, 3)) for name, scale in scales.items()}
    for name, rows in samples.items():
        in_parts(name, rows)
        np.save(f"{name}.npy", rows)
    folders = samelaw("evaluate", *samples, *FEW, "--json", "-")
    single = samelaw("evaluate", *(f"{name}.npy" for name in samples), *FEW, "--json", "-")
    assert folders[0] == single[0] == 1
    ours, theirs = (json.loads(found[1])["generators"] for found in (folders, single))
    for one, other in zip(ours, theirs, strict=True):
        assert one["name"] + ".npy" == other["name"]
        assert one["pvalue"] == other["pvalue"]


def test_the_answer_comes_first_and_the_exit_code_says_it(samelaw, features):
    code, out, _ = samelaw("evaluate", *features, *FEW)
    assert code == 1
    assert out.startswith("new.npy is closest to real.npy. Told apart from real.npy: <old>.npy.")
    for word in ("RJSD (nats)", "Fréchet distance", "KID", "precision", "coverage", "Vendi"):
        assert word in out
    assert "new.npy is closer than <old>.npy" in " ".join(out.split())
    assert samelaw("evaluate", "real.npy", "new.npy", *FEW, "--quiet")[0] == 0


def test_the_printed_command_gives_the_same_answer(samelaw, features):
    _, out, _ = samelaw("evaluate", *features, *FEW, "--level", "0.01")
    command = shlex.split(out.split("Run it again: ")[1].splitlines()[0])
    assert samelaw(*command[1:])[1] == out


def test_differences_have_one_sign_in_whatever_order_the_files_come(samelaw, features):
    """Each line tells how much lower the RJSD of its first generator is."""
    old, new = features[1:]
    said = []
    for order in ((old, new), (new, old)):
        out = " ".join(samelaw("evaluate", "real.npy", *order, *FEW)[1].split())
        said.append(out.split(" • ")[1].split(" Run it again")[0])
    assert said[0] == said[1]
    assert said[0].startswith("new.npy is closer than <old>.npy: RJSD lower by 0.")
    near = {"a": features_of(1), "b": features_of(2)}
    found = evaluate_generators(features_of(0), near, permutations=19, rng=0)
    turned = evaluate_generators(
        features_of(0), dict(reversed(near.items())), permutations=19, rng=0
    )
    assert pair_words(found.pairs[0]) == pair_words(turned.pairs[0])
    assert "neither is shown to be closer; RJSD of" in pair_words(found.pairs[0])


def features_of(seed):
    return np.random.default_rng(seed).normal(size=(100, 3))


def test_page_and_json_hold_everything(samelaw, features, tmp_path):
    page, content = tmp_path / "page.html", tmp_path / "out.json"
    code, out, _ = samelaw("evaluate", *features, *FEW, "--report", page, "--json", content)
    assert (code, "Written:" in out) == (1, True)
    html = page.read_text()
    assert len(html.encode()) < 100_000
    assert "&lt;old&gt;.npy" in html
    assert "≈</span>new.npy is nearest</h1>" in html, "it was not told apart, the other one was"
    assert '<body class="none">' in html
    assert "<old>" not in html
    figure = html[html.index("<svg") : html.index("</svg>")]
    assert figure.count("stroke-linecap: round") == 1  # the dots, which markers would not leave
    assert "<use" not in figure
    assert "p < 0.0001" in " ".join(out.split())
    assert "p = 0;" not in out
    found = json.loads(content.read_text())
    schemas = files("samelaw.results") / "schemas"
    schema = json.loads((schemas / "generator_evaluation.json").read_text())
    need("jsonschema").validate(found, schema)
    assert [one["name"] for one in found["generators"]] == ["new.npy", "<old>.npy"]
    assert json.loads(samelaw("evaluate", *features, *FEW, "--json", "-")[1]) == found
