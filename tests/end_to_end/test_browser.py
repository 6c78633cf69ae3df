"""The report in headless Chromium: quiet, offline, legible on a phone, in the dark and on paper.

Needs Debian's chromium and chromium-driver. Where they are absent these tests are skipped and say
so; with CI=true their absence is a failure.
"""

import base64
import json
import os
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import samelaw
from conftest import CI
from monitors import shop
from optional import need

ROOT = Path(__file__).parents[2]
DATA = ROOT / "examples" / "data"
PHONE, DESKTOP = 360, 1100
ABSENT = (
    "no chromium and chromedriver on this machine: not checked that the report opens without "
    "errors and requests, draws its figures, fits a phone, and has a dark and a printed form; "
    "on Debian: apt-get install chromium chromium-driver"
)


@pytest.fixture(scope="module")
def browser():
    """Chromium with its logs of the console and of the network."""
    need("selenium")
    programs = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if not all(programs):
        (pytest.fail if CI else pytest.skip)(ABSENT)
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = programs[0]
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, Service(programs[1]))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Reports of the shipped pairs and of a table that means harm, made when asked for."""
    need("pyarrow")
    folder = tmp_path_factory.mktemp("reports")

    @cache
    def page(name):
        sample = None if name == "hostile" else 250
        found = samelaw.compare(*tables(name), sample=sample, permutations=99, rng=1)
        path = folder / f"{name}.html"
        samelaw.write_report(found, path, command=("samelaw", "compare"))
        return found, path

    return page


def tables(name):
    if name != "hostile":
        return [DATA / f"{name}_{side}.csv" for side in "ab"]
    harm = "<script>document.title='harmed'</script>"
    return [{harm: [f"{harm}{i % 3}" for i in range(60)], "{{x}}" * 30: x} for x in hostile()]


def hostile():
    return [float(i) for i in range(60)], [float(i) + 100.5 for i in range(60)]


def show(browser, path, *, width=DESKTOP, scheme="light", media="screen"):
    """Open a page at a width, in a colour scheme, for a screen or a printer."""
    browser.get_log("browser")
    browser.get_log("performance")
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [feature]})
    browser.get(path.as_uri())
    keep(browser, f"{path.stem}-{width}-{scheme}-{media}")


def keep(browser, name):
    """Leave a picture of the whole page in SAMELAW_SCREENSHOTS, to look at."""
    if folder := os.environ.get("SAMELAW_SCREENSHOTS"):
        size = browser.execute_script(
            "const e = document.documentElement; return [e.scrollWidth, e.scrollHeight]"
        )
        clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
        shot = browser.execute_cdp_cmd(
            "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip}
        )
        (Path(folder) / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


def requests(browser, path):
    """Addresses the page asked for, besides itself and what it carries."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    return [url for url in asked if url != path.as_uri() and not url.startswith("data:")]


@pytest.fixture(scope="module")
def drift_page(tmp_path_factory):
    """A watched shop whose amounts double, and a file that means harm."""
    need("jinja2")
    from samelaw.cli.monitoring.page import write_drift_page
    from samelaw.monitor.history import DriftHistory, Period, watch_period

    rng = np.random.default_rng
    monitor = samelaw.DriftMonitor(shop(rng(0), 6_000), rng=0)
    periods = []
    for day in range(6):
        batch = shop(rng(day + 1), 400)
        batch["amount"] = batch["amount"] * (1 + (day > 3))
        periods.append(watch_period(monitor, batch, f"2026-01-{day + 1:02}.csv"))
    harm = "<script>document.title='harmed'</script>"
    periods.append(Period(harm * 3, 2_400, 0, 1.0, 40.0, error=harm))
    path = tmp_path_factory.mktemp("drift") / "drift.html"
    write_drift_page(DriftHistory(monitor.reading, periods, "shop.csv"), path)
    return path


@pytest.mark.long
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_the_page_of_a_monitor_opens_quietly_and_fits(browser, drift_page, width):
    show(browser, drift_page, width=width)
    assert browser.get_log("browser") == []
    assert requests(browser, drift_page) == []
    assert browser.title != "harmed"
    assert "Alarm in 2026-01-05.csv" in browser.find_element("tag name", "body").text
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width
    assert "{" not in "".join(
        text.text for text in browser.find_elements("css selector", "svg text")
    )


@pytest.mark.parametrize(
    "name",
    [*(pytest.param(name, marks=pytest.mark.long) for name in ("changed", "same")), "hostile"],
)
def test_it_opens_without_errors_and_asks_for_nothing(browser, pages, name):
    comparison, path = pages(name)
    show(browser, path)
    assert browser.get_log("browser") == []
    assert requests(browser, path) == []
    text = " ".join(browser.find_element("tag name", "body").text.split())
    assert comparison.sentence in text
    assert browser.find_element("tag name", "h1").text.lower().endswith(comparison.verdict)
    assert browser.title != "harmed"


@pytest.mark.long
def test_the_log_would_show_a_request(browser, tmp_path):
    """The check above can fail: a page that asks for something is caught."""
    path = tmp_path / "asks.html"
    path.write_text(
        "<!doctype html><link rel=icon href=data:,><img src='http://127.0.0.1:9/x.png'>"
    )
    show(browser, path)
    assert requests(browser, path) == ["http://127.0.0.1:9/x.png"]
    assert browser.get_log("browser")


@pytest.mark.long
@pytest.mark.parametrize("name", ["changed", "same", "hostile"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_figures_are_drawn_and_nothing_scrolls_sideways(browser, pages, name, width):
    comparison, path = pages(name)
    show(browser, path, width=width)
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    sizes = browser.execute_script(
        "return [...document.querySelectorAll('svg')].map(s => "
        "{const b = s.getBoundingClientRect(), g = s.firstElementChild.getBBox();"
        "return [b.width, b.height, g.width, g.height]})"
    )
    assert len(sizes) == min(len(comparison.panels), 24) + 3  # the null, two pictures
    assert all(min(size) > 20 for size in sizes)
    bars = browser.execute_script(
        "return [...document.querySelectorAll('.bar')].map(b => [b.clientWidth, b.clientHeight])"
    )
    assert all(min(bar) > 10 for bar in bars)
    wide, room = browser.execute_script(
        "const e = document.documentElement; return [e.scrollWidth, e.clientWidth]"
    )
    assert wide <= room
    smallest = browser.execute_script(
        "return Math.min(...[...document.querySelectorAll('svg text')].map(t => "
        "{const m = t.getScreenCTM();"
        "return parseFloat(getComputedStyle(t).fontSize) * Math.hypot(m.a, m.b)}))"
    )
    assert smallest >= 7.5  # pixels


@pytest.mark.long
def test_what_is_outside_of_the_page_can_be_scrolled_to(browser, pages):
    show(browser, pages("changed")[1], width=PHONE)
    hidden = browser.execute_script(
        "return [...document.querySelectorAll('td, th, p, dd, figcaption')].filter(e => "
        "e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll')).length"
    )
    assert hidden == 0
    regions = browser.execute_script(
        "return [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth"
        " && (e.tabIndex < 0 || !e.getAttribute('aria-label'))).length"
    )
    assert regions == 0  # each can be reached and scrolled by keyboard


def colors(browser, selector):
    return browser.execute_script(
        "const s = getComputedStyle(document.querySelector(arguments[0]));"
        "return [s.backgroundColor, s.color, s.fill]",
        selector,
    )


def brightness(color):
    parts = color[color.index("(") + 1 : color.index(")")].split(",")[:3]
    return sum(float(part) for part in parts) / 3


@pytest.mark.long
def test_dark_is_dark_and_light_is_light(browser, pages):
    _, path = pages("changed")
    seen = {}
    for scheme in ("light", "dark"):
        show(browser, path, scheme=scheme)
        seen[scheme] = colors(browser, "body"), colors(browser, "svg text")
    (page, text, _), (_, _, label) = seen["light"]
    assert brightness(page) > 240 > 100 > max(brightness(text), brightness(label))
    (page, text, _), (_, _, label) = seen["dark"]
    assert brightness(page) < 40 < 180 < min(brightness(text), brightness(label))


@pytest.mark.long
def test_paper_is_light_whatever_the_screen(browser, pages):
    _, path = pages("changed")
    show(browser, path, scheme="dark", media="print")
    (page, text, _), (_, _, label) = colors(browser, "body"), colors(browser, "svg text")
    assert brightness(page) > 240 > 100 > max(brightness(text), brightness(label))
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    pdf = base64.b64decode(printed["data"])
    assert pdf.startswith(b"%PDF")
    assert 20_000 < len(pdf) < 2_000_000


@pytest.mark.long
def test_a_click_sorts_a_table_and_another_turns_it(browser, pages):
    show(browser, pages("changed")[1])
    table = browser.find_elements("css selector", "table.sort")[-1]
    assert browser.execute_script("return !!arguments[0].closest('details')", table)

    def column(place):
        return browser.execute_script(
            "return [...arguments[0].tBodies[0].rows].map(r => r.cells[arguments[1]])"
            ".map(c => c.dataset.v ?? c.textContent)",
            table,
            place,
        )

    effects = list(map(float, column(2)))
    assert effects[0] == max(effects)  # in order before anybody clicks
    _, _, _, by_p = table.find_elements("css selector", "thead button")
    by_p.click()
    pvalues = list(map(float, column(4)))
    assert pvalues == sorted(pvalues)
    by_p.click()
    assert list(map(float, column(4))) == sorted(pvalues, reverse=True)
    head = table.find_elements("css selector", "thead th")[4]
    assert head.get_attribute("aria-sort") == "descending"


@pytest.mark.long
def test_it_is_whole_without_scripts(browser, pages):
    comparison, path = pages("changed")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        show(browser, path)
        assert browser.find_elements("css selector", "thead button") == []
        words = " ".join(browser.find_element("tag name", "body").text.split())
        assert all(name in words for name in comparison.columns_changed)
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
