"""The examples for continuous integration, in the tools they are written for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from optional import need

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "examples" / "ci" / "github-actions.yml"
CONFIG = ROOT / "examples" / "ci" / "pre-commit-config.yaml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
pytestmark = pytest.mark.long  # git, pre-commit and a command per step
PROGRAMS = Path(sys.executable).parent
NOBODY = {
    f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}


@pytest.fixture(autouse=True)
def libraries():
    for name in ("yaml", "typer", "pre_commit", "check_jsonschema"):
        need(name)


def read(path):
    return need("yaml").safe_load(path.read_text())


def table(path, shift, seed):
    """Two columns of 200 rows; the first may have moved."""
    rows = np.random.default_rng(seed).normal((shift, 0), size=(200, 2))
    path.parent.mkdir(exist_ok=True)
    np.savetxt(path, rows, "%.4f", ",", header="amount,minutes", comments="")


@pytest.fixture
def repository(tmp_path):
    """A repository with a reference and a table of the same law, and a way to run things in it."""
    home = tmp_path / "home"
    home.mkdir()
    surroundings = {
        **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
        **NOBODY,
        "HOME": str(home),
        "PRE_COMMIT_HOME": str(home / "pre-commit"),
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }
    folder = tmp_path / "data repository"
    folder.mkdir()

    def run(*words, **more):
        return subprocess.run(
            words, cwd=folder, env={**surroundings, **more}, capture_output=True, text=True
        )

    table(folder / "data" / "reference.csv", 0.0, 0)
    table(folder / "data" / "orders.csv", 0.0, 1)
    for words in (("init", "-b", "main"), ("add", "."), ("commit", "-m", "one")):
        assert run("git", *words).returncode == 0
    return folder, run


def steps(repository):
    """Run the shell steps of the workflow as a runner does, until one fails; its exit code."""
    _, run = repository
    (job,) = read(WORKFLOW)["jobs"].values()
    for step in job["steps"]:
        if "run" not in step or step["run"].startswith("pip install"):
            continue
        given = {key: "main" for key in step.get("env", {})}  # github.base_ref
        found = run("bash", "-e", "-o", "pipefail", "-c", step["run"], **given)
        if found.returncode:
            return found.returncode
    return 0


def test_the_workflow_has_the_form_github_reads():
    command = [PROGRAMS / "check-jsonschema", "--builtin-schema", "vendor.github-workflows"]
    told = subprocess.run([*command, WORKFLOW], capture_output=True, text=True)
    assert told.returncode == 0, told.stdout
    (job,) = read(WORKFLOW)["jobs"].values()
    assert not any("${{" in step.get("run", "") for step in job["steps"])  # names are no code


@pytest.mark.parametrize(
    ("shift", "code", "said"),
    [pytest.param(0.0, 0, "No difference", marks=pytest.mark.heavy), (1.0, 1, "amount")],
)
def test_the_steps_of_the_workflow_say_what_changed(repository, shift, code, said):
    folder, run = repository
    assert run("git", "update-ref", "refs/remotes/origin/main", "HEAD").returncode == 0
    table(folder / "data" / "orders.csv", shift, 2)
    assert steps(repository) == code
    summary = (folder.parent / "summary.md").read_text()
    assert summary.startswith("## Orders against the main branch\n```\n")
    assert said in summary
    assert json.loads((folder / "answer.json").read_text())["columns_changed"] == ["amount"] * code
    assert (folder / "report.html").stat().st_size > 1_000
    (job,) = read(WORKFLOW)["jobs"].values()
    kept = job["steps"][-1]["with"]["path"].split()
    assert all((folder / name).exists() for name in kept)


def test_a_table_that_cannot_be_read_fails_the_workflow(repository):
    folder, run = repository
    assert run("git", "update-ref", "refs/remotes/origin/main", "HEAD").returncode == 0
    (folder / "data" / "orders.csv").write_text("")
    assert steps(repository) == 2


def test_a_table_that_is_new_on_the_branch_is_no_failure(repository):
    folder, run = repository
    assert run("git", "rm", "-q", "--cached", "data/orders.csv").returncode == 0
    assert run("git", "commit", "-q", "-m", "before it").returncode == 0
    assert run("git", "update-ref", "refs/remotes/origin/main", "HEAD").returncode == 0
    assert steps(repository) == 0
    assert "new on this branch" in (folder.parent / "summary.md").read_text()


def test_manifest_and_config_have_the_form_pre_commit_reads():
    for command, path in (("validate-manifest", HOOKS), ("validate-config", CONFIG)):
        told = subprocess.run([PROGRAMS / "pre-commit", command, path], capture_output=True)
        assert told.returncode == 0, told.stdout


@pytest.mark.parametrize(
    ("shift", "code", "said"),
    [
        (1.0, 1, "orders.csv differs from reference.csv: amount changed."),
        pytest.param(0.0, 0, "Passed", marks=pytest.mark.heavy),
    ],
)
def test_the_hook_stops_a_commit_whose_table_has_changed(repository, shift, code, said):
    """As the example has it, but with the program at hand: an environment of its own takes a net.

    ``pre-commit try-repo`` with one of its own was run by hand and said the same.
    """
    folder, run = repository
    (hook,), ((repo,),) = read(HOOKS), [read(CONFIG)["repos"]]
    (asked,) = repo["hooks"]
    assert asked["id"] == hook["id"]
    local = {k: v for k, v in hook.items() if k != "additional_dependencies"}
    local |= {**asked, "language": "system"}
    config = {"repos": [{"repo": "local", "hooks": [local]}]}
    (folder / ".pre-commit-config.yaml").write_text(need("yaml").safe_dump(config))
    assert run("pre-commit", "install").returncode == 0
    run("git", "add", ".")
    other = run("git", "commit", "-m", "nothing of the table")
    assert (other.returncode, "Skipped" in other.stderr) == (0, True)
    table(folder / "data" / "orders.csv", shift, 2)
    done = run("git", "commit", "-am", "new rows")
    assert (done.returncode, said in done.stderr) == (code, True)


def test_the_recipe_stops_where_damage_is_to_few_rows(repository):
    """Cancelled flights (2.5 %) are gone: an effect of .01, which --min-effect 0.02 let through."""
    folder, run = repository
    for seed, name in enumerate(("reference.csv", "orders.csv")):
        rng = np.random.default_rng(seed)
        delay, other = (rng.normal(size=2_000).round(3).astype(str) for _ in range(2))
        delay[rng.random(2_000) < 0.025] = ""
        kept = [line for line in zip(delay, other, strict=True) if line[0] or name[0] == "r"]
        lines = ["delay,other", *map(",".join, kept)]
        (folder / "data" / name).write_text("\n".join(lines) + "\n")
    (hook,) = read(CONFIG)["repos"][0]["hooks"]
    for options in (hook["args"], _workflow_options()):
        words = ("samelaw", "compare", "data/reference.csv", "data/orders.csv", *options[2:])
        assert run(*words).returncode == 1
        assert run(*words, "--min-effect", "0.02").returncode == 0


def _workflow_options():
    """What the workflow asks of `samelaw compare`, after the names of the tables."""
    (job,) = read(WORKFLOW)["jobs"].values()
    line = next(
        x for step in job["steps"] for x in step.get("run", "").split("\n") if "--seed" in x
    )
    words = line.split()
    return words[words.index("compare") + 1 : words.index("--seed") + 2]
