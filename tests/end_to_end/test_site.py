"""The documentation site: complete, grouped, with outputs, and whole without a network."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from conftest import CI
from optional import need

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SECTIONS = ("compare", "test", "learn", "understand", "reference")
PHONE, DESKTOP = 360, 1280
LINE = 90  # pixels of a top bar of one line, with its padding


@pytest.fixture
def extensions(monkeypatch):
    need("sphinx")
    monkeypatch.syspath_prepend(str(DOCS))


def linked(page):
    """Pages in the tables of contents of a page."""
    trees = re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(), re.DOTALL)
    return [line for tree in trees for line in tree.split("\n") if line and line[0] != ":"]


def test_every_page_is_in_one_group():
    assert linked(DOCS / "index.md") == [
        *(f"sections/{name}" for name in SECTIONS[:4]), "gallery/index", "sections/reference",
    ]  # fmt: skip
    found = [Path(line).name for name in SECTIONS for line in linked(DOCS / f"sections/{name}.md")]
    assert sorted(found) == sorted(path.stem for path in DOCS.glob("*.md") if path.stem != "index")


def test_the_gallery_has_pictures_and_real_data():
    texts = [path.read_text() for path in (ROOT / "examples").glob("plot_*.py")]
    assert len(texts) >= 15
    assert all("plt.subplots" in text or ".plot(" in text for text in texts)
    assert sum("(real data)" in text for text in texts) >= 2


def test_a_picture_of_a_page_is_drawn_by_an_example():
    for path in DOCS.glob("*.md"):
        for name in re.findall(r"sphx_glr_(plot_\w+)_001\.png", path.read_text()):
            assert (ROOT / "examples" / f"{name}.py").exists(), f"{path.name} shows {name}"


def test_the_page_of_installation_has_every_extra():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    rows = [line for line in (DOCS / "install.md").read_text().splitlines() if line[:1] == "|"]
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert told == extras["optional-dependencies"].keys() - {"dev", "docs"}


def test_the_page_of_tests_tells_what_the_default_looks_at():
    from samelaw import Fuse
    from samelaw.testing import LargestGroup

    page = (DOCS / "testing.md").read_text().partition("## What the default does")[2]
    told = page.partition("| you want")[0].replace("\n", " ")
    groups = [group for group in Fuse().components if isinstance(group, LargestGroup)]
    assert {group.degree for group in groups} == {1, 2}
    assert "the largest change of any one column and of any pair" in told
    assert max(group.penalty for group in Fuse().components) == 0.75
    assert "0.75 for the largest pair" in told


def test_outputs_stand_under_their_code(extensions, tmp_path, monkeypatch):
    import outputs

    monkeypatch.setattr(outputs, "KEPT", tmp_path)
    text = "a\n\n```python\nx = 2\n```\n\nb\n\n```python\nprint(x + 1)\n```\n\nc\n"
    made = outputs.with_outputs("page-of-a-test", text)
    assert made.count("{code-block} text") == 1
    assert made.index("print(x + 1)") < made.index("\n3\n````") < made.index("\nc\n")
    (kept,) = tmp_path.glob("*.json")
    kept.write_text(json.dumps([["", []], ["kept\n", []]]))
    assert "kept" in outputs.with_outputs("page-of-a-test", text)
    assert "kept" not in outputs.with_outputs("page-of-a-test", text.replace("x = 2", "x = 3"))


def test_sentences_may_break_on_a_phone_and_tables_may_not(extensions):
    from outputs import COLUMNS, shown

    assert ":class: output prose\n" in shown("a sentence " * 10, [])
    assert ":class: output\n" in shown("x" * COLUMNS, [])


def test_an_example_that_fails_stops_the_build(extensions, tmp_path, monkeypatch):
    import outputs
    from sphinx.errors import ExtensionError

    monkeypatch.setattr(outputs, "KEPT", tmp_path)
    with pytest.raises(ExtensionError, match=r"(?s)an example of page fails.*ZeroDivisionError"):
        outputs.with_outputs("page", "```python\n1 / 0\n```\n")


def test_formulas_become_mathml(extensions):
    from formulas import mathml

    pages = [path.read_text() for path in DOCS.glob("*.md")]
    found = [f for page in pages for f in re.findall(r"\$\$(.+?)\$\$", page, re.DOTALL)]
    found += [f for page in pages for f in re.findall(r"(?<!\$)\$([^$\n]+)\$(?!\$)", page)]
    assert len(found) > 100
    for formula in found:
        made = mathml(formula, "inline")
        assert made.startswith("<math")
        left = re.sub(r"<[^>]*>", "", made)
        assert "\\" not in left, f"{formula} → {left}"


def test_the_benchmarks_page_has_every_result(extensions):
    from measured import RESULTS, page

    made = page()
    for drawn in RESULTS.glob("*.png"):
        assert f"](../benchmarks/results/{drawn.name})" in made
    for path in RESULTS.glob("*.json"):
        found = json.loads(path.read_text())
        assert f"## {found['question']}" in made
        for row in found["rows"]:
            assert str(row["case"]).replace("|", r"\|") in made


def test_no_table_of_the_benchmarks_is_wider_than_a_page(extensions):
    from measured import WIDEST, page, tables

    lines = [line for line in page().splitlines() if line.startswith("|")]
    assert max(line.replace(r"\|", "").count("|") - 1 for line in lines) <= WIDEST
    unlike = [{"case": "a", "s": 1.0}, {"case": "b", "met": True}, {"case": "c", "s": 2.5}]
    assert tables(unlike) == [
        "| case | s |", "| --- | --- |", "| a | 1 |", "| c | 2.5 |", "",
        "| case | met |", "| --- | --- |", "| b | yes |", "",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """All pages, built anew; a warning is an error."""
    need("sphinx")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", str(folder / "trees"), str(DOCS), str(folder / "html")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.mark.heavy
def test_every_page_is_whole_without_a_network_at_every_width(site):
    from shutil import which

    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    programs = [which(name) for name in ("chromium", "chromedriver")]
    if not all(programs):
        (pytest.fail if CI else pytest.skip)("no chromium and chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = str(programs[0])
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    browser = webdriver.Chrome(options, Service(str(programs[1])))
    try:
        pages = [p for p in sorted(site.rglob("*.html")) if "_static" not in p.parts]
        assert len(pages) > 150
        for path in pages:
            for width in (PHONE, DESKTOP):
                look(browser, path, width)
    finally:
        browser.quit()


def look(browser, path, width):
    """One page: nothing asked for elsewhere, no raw formula, nothing wider than the window."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(path.as_uri())
    messages = [json.loads(e["message"])["message"] for e in browser.get_log("performance")]
    asked = [
        m["params"]["request"]["url"]
        for m in messages
        if m["method"] == "Network.requestWillBeSent"
    ]
    elsewhere = [url for url in asked if not url.startswith(("file:", "data:", "chrome"))]
    assert not elsewhere, f"{path.name} asks for {elsewhere}"
    text = browser.execute_script("return document.querySelector('main').innerText")
    assert not re.search(r"\\\(|\\\[|\$\$", text), f"{path.name} shows a raw formula"
    assert "object at 0x" not in text, f"{path.name} shows an address in memory"
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width, f"{path.name} is {wide} wide at {width}"
    bar = browser.execute_script("return document.querySelector('.bd-header').offsetHeight")
    assert bar < LINE, f"the top bar of {path.name} wraps at {width}"
    broken = browser.execute_script(
        "return [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
    )
    assert not broken, f"{path.name} lacks {broken}"
