"""What users install: built, put into empty environments at both ends of the versions, and run."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from optional import need

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BASE_MEGABYTES = 20
"""Of the base install beside numpy and scipy, which are 214 of its 229 MB as pinned."""
WHEEL_MEGABYTES = 1
IMPORT_SECONDS = 1.0
ALONE = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
"""What an empty environment sees: nothing of this tree."""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Wheel and sdist of this tree."""
    need("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def package_files():
    """Files of the package as git knows them."""
    told = subprocess.run(
        ["git", "ls-files", "src/samelaw"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {path.removeprefix("src/") for path in told.stdout.split("\n") if path}


def test_wheel_and_sdist_hold_the_package_and_nothing_else(built):
    wheel, sdist = built
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert inside == package_files()
    with tarfile.open(sdist) as archive:
        top = {"/".join(name.split("/")[1:2]) for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "src"} <= top
    assert not top & {"tests", "docs", "experiments", "benchmarks", "build"}
    assert wheel.stat().st_size < WHEEL_MEGABYTES * 1e6


def test_metadata_says_what_it_is(built):
    with zipfile.ZipFile(built[0]) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith("METADATA")]
        told = archive.read(name).decode()
    for line in (f"Version: {PROJECT['version']}", "License-Expression: BSD-3-Clause"):
        assert line in told
    assert f"Requires-Python: {PROJECT['requires-python']}" in told
    assert "# samelaw" in told  # the README


def lowest(requirements):
    """The lower bounds of requirements, as pins."""
    found = (re.match(r"([\w.-]+)>=([\w.]+)", line) for line in requirements)
    return [f"{match[1]}=={match[2]}" for match in found]


def test_every_requirement_has_a_lower_bound():
    for requirements in (PROJECT["dependencies"], PROJECT["optional-dependencies"]["cli"]):
        assert len(lowest(requirements)) == len(requirements)
    assert lowest(["numpy>=2", "a-b>=1.2.3"]) == ["numpy==2", "a-b==1.2.3"]


def environment(folder, *words):
    """An empty environment with what pip is told to install; its programs."""
    venv.create(folder, with_pip=True)
    programs = folder / "bin"
    command = [str(programs / "python"), "-m", "pip", "install", "-q", *words]
    done = alone(command, folder)
    assert done.returncode == 0, done.stderr
    return programs


def pins(which, folder):
    if which == "newest":
        return []
    if which == "tested":
        return ["-c", str(ROOT / "constraints.txt")]
    path = folder / "lowest.txt"
    requirements = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["cli"]]
    path.write_text("\n".join(lowest(requirements)))
    return ["-c", str(path)]


@pytest.mark.heavy
@pytest.mark.parametrize("which", ["lowest", "tested", "newest"])
def test_the_demo_runs_from_the_wheel_in_an_empty_environment(built, tmp_path, which):
    pinned = pins(which, tmp_path)
    programs = environment(tmp_path / "env", *pinned, f"{built[0]}[cli]")
    run = alone([programs / "samelaw", "demo", "shop"], tmp_path)
    assert run.returncode == 0, run.stderr  # a demo that shows a difference has not failed
    assert "no longer go together as before" in run.stdout.replace("\n", " ")
    assert (tmp_path / "shop" / "report.html").stat().st_size > 50_000
    where = [programs / "python", "-c", "import samelaw; print(samelaw.__file__)"]
    told = alone(where, tmp_path)
    assert str(tmp_path) in told.stdout


def alone(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=ALONE)


@pytest.mark.heavy
def test_the_base_install_is_small_and_loads_fast(built, tmp_path):
    programs = environment(tmp_path / "env", *pins("tested", tmp_path), str(built[0]))
    (site,) = (tmp_path / "env" / "lib").glob("python3*/site-packages")
    tools = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "numpy", "scipy")
    sizes = {
        folder.name: sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
        for folder in site.iterdir()
        if folder.is_dir() and not folder.name.startswith(tools)
    }
    assert sum(sizes.values()) < BASE_MEGABYTES * 1e6, sizes
    script = "import time; t = time.process_time(); import samelaw; print(time.process_time() - t)"
    run = [programs / "python", "-c", script]
    seconds = min(float(alone(run, tmp_path).stdout) for _ in range(3))
    assert seconds < IMPORT_SECONDS


@pytest.mark.heavy
def test_the_sdist_makes_the_same_package(built, tmp_path):
    wheel, sdist = built
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "w")]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (again,) = (tmp_path / "w").glob("*.whl")
    names = [sorted(zipfile.ZipFile(path).namelist()) for path in (wheel, again)]
    assert names[0] == names[1]
