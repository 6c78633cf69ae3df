"""The report: one page that holds everything, says the verdict first, and trusts no name."""

import base64
import hashlib
import re
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from functools import cache
from html.parser import HTMLParser
from itertools import combinations, pairwise

import numpy as np
import pytest

from comparisons import changed_shop, same_shop
from optional import need
from samelaw.comparison.findings import Rule
from samelaw.comparison.page.content import MOST_PANELS
from samelaw.comparison.page.page import render_report, write_report
from samelaw.results.escape_controls import legible
from samelaw.tables.columns.panels import Panel
from samelaw.tables.pairing.left_out import LeftOut
from samelaw.tables.pairing.rewritten import Cause

VOID = {"meta", "link", "br", "input", "img", "hr", "path"}
LARGEST = 300_000


@pytest.fixture(autouse=True)
def _libraries():
    need("jinja2")
    need("matplotlib")


def test_causes_stand_below_the_sentence_and_the_largest_effect_comes_first():
    cause = Cause("one row occurs 51 times in B, never in A", "row 5 of B")
    found = changed_shop(causes=(cause,))
    page = render_report(found)
    assert page.index(found.sentence) < page.index(cause.text) < page.index("The numbers")
    titles = [f'aria-label="{what} that changed"' for what in ("Pairs", "Columns")]
    for effect in (0.9, 0.01):
        pair = replace(found.pairs[0], changed=True, effect=effect)
        page = render_report(replace(found, pairs=(pair,), pairs_changed=1))
        pairs, columns = map(page.index, titles)
        assert (pairs < columns) == (effect == 0.9)


class Page(HTMLParser):
    """Elements with their attributes and the text, checked for balance on the way."""

    def __init__(self, html):
        super().__init__()
        self.open, self.elements, self.words = [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@cache
def shop_html():
    return render_report(changed_shop(), command=COMMAND)


@cache
def shop_page():
    return Page(shop_html())


@cache
def quiet_html():
    return render_report(same_shop(), made=date(2026, 3, 9))


def changed(**changes):
    """The changed shop with one column drawn: drawing is what a page costs."""
    return changed_shop(**{"panels": changed_shop().panels[:1], **changes})


COMMAND = ("samelaw", "compare", "a b.csv", "c.csv", "--seed", "7")


def test_the_verdict_comes_first_then_where_then_how_to_run_it_again():
    page = shop_page()
    parts = [
        "Different",
        "B differs from A in amount",
        "At least 3.4 % of the rows would have to change to turn A into B",
        "Effect",
        "Columns that changed",
        "p-value",
        "Where they differ",
        "Column, and what changed",
        "minutes_on_site × pages_seen",
        "Column by column",
        "All columns together",
        "Rows of B least like A",
        "Rows of A that are rarer in B",
        "Missing values and columns left out",
        "Every column",
        "Run it again",
        "samelaw compare 'a b.csv' c.csv --seed 7",
    ]
    body = page.text[page.text.index("do two tables") :]
    places = [body.index(part) for part in parts]
    assert places == sorted(places)


def test_every_number_of_the_verdict_is_there():
    text = shop_page().text
    for part in ("0.001", "0.061", "0.034 to 0.092 (95 % sure)", "0.018", "800 rows", "600 rows"):
        assert part in text
    for part in ("correlation 0.78 → 0.02", "together with pages_seen", "6.4 %", "5.2 %"):
        assert part in text
    assert "max-T over 9 columns" in text


def test_where_in_words_pairs_and_parts_of_dates_are_shown():
    found = changed(rule=Rule("age > 60", ("age > 60",), ("age",), 0.05, 0.11, 0.004, 0.06))
    hours = replace(found.marginals[0], part="hour of day", changed=True)
    pair = replace(found.pairs[0], effect=0.31, effect_interval=(0.27, 0.36))
    text = Page(render_report(replace(found, marginals=(hours,), pairs=(pair,)))).text
    assert "Clearest where age > 60: 5 % of A, 11 % of B (p = 0.004" in " ".join(text.split())
    for part in ("hour of day", "0.31", "0.27–0.36"):
        assert part in text


def test_the_headline_says_that_columns_were_not_compared():
    left = (LeftOut("id", "an identifier"),)
    page = render_report(replace(same_shop(), left_out=left))
    assert "No difference found in the columns compared</h1>" in page
    assert "in the columns compared" not in render_report(changed(left_out=left))


def test_no_difference_says_what_may_remain():
    text = Page(quiet_html()).text
    assert "No difference found" in text
    assert "up to 0.021 may remain" in text
    assert "Rows of B least like A" not in text


def test_one_file_that_asks_for_nothing():
    html = shop_html()
    page = shop_page()
    assert not page.all("img")
    script = re.search("<script>(.*)</script>", html, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert [link["href"] for link in page.all("link")] == ["data:,"]
    assert not re.search(r"url\(|@import|<iframe|\son\w+=", html)
    addresses = set(re.findall(r"https?://[^\s\"'<]+", html))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, not an address
    policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'")
    assert policy.endswith(f"script-src 'sha256-{digest}'")  # no other script can run
    assert page.all("script") == [{}]


def test_it_is_accessible():
    page = shop_page()
    assert page.all("html")[0]["lang"] == "en"
    assert page.words[
        page.words.index("Different: examples/data/changed_a.csv and examples/data/changed_b.csv")
    ]
    assert all(svg.get("role") == "img" and svg.get("aria-label") for svg in page.all("svg"))
    assert all(th.get("scope") in ("col", "row") for th in page.all("th"))
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


HOSTILE = [
    "<script>alert(1)</script>",
    "{{ 12345 * 1000 }}{% raw %}",
    "</title><b>",
    '" onmouseover="x',
    "a\x00b",
    "😀 größe",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_shown_as_text(name):
    found = changed_shop()
    column = replace(found.marginals[1], column=name, sentence=f"'{name}' 1 % → 2 %", changed=True)
    hostile = replace(
        found,
        sentence=f"B differs from A: {name} changed.",
        marginals=(column, *found.marginals),
        columns_changed=(name,),
        pairs=tuple(replace(pair, names=(name, name)) for pair in found.pairs),
        missing=(replace(found.missing[0], column=name),),
        rows=tuple(replace(row, values={name: name}) for row in found.rows),
        panels=(Panel(name, "categorical", (1.0,), (1.0,), categories=(name,)),),
        picture=replace(found.picture, axes=(name, name)),
        directions=(replace(found.directions[0], columns=((name, 1.0),), words=(name,)),),
        sources=(name, "b.csv"),
        notes=(name,),
        settings={name: name},
        effect_of=name,
    )
    html = render_report(hostile, command=(name,))
    page = Page(html)
    assert html.count("<script") == 1  # that of the page
    assert "12345000" not in html
    assert not [key for _, attributes in page.elements for key in attributes if key[:2] == "on"]
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in shop_page().elements}
    assert " ".join(legible(name).split()) in page.text


def many_columns(count):
    found = changed_shop()
    rng = np.random.default_rng(0)
    names = [f"a rather long name of a column {i}" for i in range(count)]
    shares = rng.dirichlet(np.ones(24), size=2)
    panels = [
        Panel(name, "numeric", *map(tuple, shares), edges=tuple(np.linspace(0, 1, 25)))
        for name in names
    ]
    sentence = "median 29.85 → 35.37, middle half 25.71 → 26.23 wide, 1–99 % 6.69…111.9 → 8.6…140"
    marginals = [
        replace(found.marginals[0], column=n, changed=True, sentence=sentence) for n in names
    ]
    return replace(
        found,
        panels=tuple(panels),
        marginals=tuple(marginals),
        columns_changed=tuple(names),
        rows=tuple(replace(row, values=dict.fromkeys(names, "x" * 30)) for row in found.rows),
        missing=tuple(replace(found.missing[0], column=name) for name in names),
    )


@pytest.mark.parametrize(
    "count",
    [pytest.param(100, marks=pytest.mark.heavy), pytest.param(2_000, marks=pytest.mark.long)],
)
def test_many_columns_stay_below_300_kb_and_the_rest_is_named(count):
    html = render_report(many_columns(count))
    assert len(html.encode()) < LARGEST
    text = Page(html).text
    assert f"{count - MOST_PANELS:,} more columns are not drawn" in text


def test_changed_columns_are_drawn_first():
    html = shop_html()
    order = re.findall(r"<figcaption><b>(\w+)</b>", html)
    assert order[:4] == ["amount", "device", "minutes_on_site", "pages_seen"]
    assert len(order) == 9


def test_the_page_bears_a_date_and_no_word_on_whose_machine():
    text = Page(quiet_html()).text
    assert "9 March 2026" in text
    assert "machine" not in text


def test_decimals_of_rows_are_short_and_numbers_that_may_be_names_are_not():
    found = changed()
    values = {"amount": "-0.4338453141293749", "device": "12345678901234", "age": "0.25"}
    html = render_report(replace(found, rows=(replace(found.rows[0], values=values),)))
    for cell in ("-0.433845", "12345678901234", "0.25"):
        assert f"<td>{cell}</td>" in html


def test_values_that_the_other_table_lacks_stand_out():
    found = changed()
    row = replace(found.rows[0], unseen=("device",))
    html = render_report(replace(found, rows=(row,)))
    assert html.count('<td class="new">') == 1


def test_many_pairs_are_five_lines_and_a_map():
    pair = changed_shop().pairs[0]
    names = [f"x{i}" for i in range(9)]
    pairs = tuple(replace(pair, columns=two, names=two) for two in combinations(names, 2))
    html = render_report(changed(pairs=pairs, pairs_changed=36))
    first, folded = html.split("All 36 pairs as a map, and in words")
    assert first.count('class="bar"') == 2 + 5  # columns and pairs
    assert folded.count('class="on"') == 36


def test_the_same_comparison_gives_the_same_bytes(tmp_path):
    found, made = changed(panels=changed_shop().panels[:4]), date(2026, 3, 9)
    write_report(found, tmp_path / "one.html", command=COMMAND, made=made)
    write_report(found, tmp_path / "two.html", command=COMMAND, made=made)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def contrast(one, other):
    def luminance(color):
        color = color if len(color) == 7 else "#" + "".join(2 * c for c in color[1:])
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_text_has_the_contrast_that_wcag_asks_for():
    css = re.search(r"<style>(.*)</style>", quiet_html(), re.DOTALL)[1]
    light, dark = (
        dict(re.findall(r"--(\w+):(#\w+)", block))
        for block in re.findall(r":root\{([^}]*)\}", css)[:2]
    )
    for colors in (light, dark):
        for ground in ("page", "card"):
            for text in ("text", "quiet", "ink", "differ", "none", "little"):
                assert contrast(colors[text], colors[ground]) >= 4.5, (text, ground)
            for shape in ("a", "b"):  # graphical objects need 3
                assert contrast(colors[shape], colors[ground]) >= 3, (shape, ground)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(
        ImportError, match=r"the report needs jinja2; run: pip install 'samelaw\[cli\]'"
    ):
        render_report(same_shop())


@pytest.mark.long
def test_threads_leave_the_settings_of_matplotlib_and_warnings_alone(tmp_path):
    need("pyarrow")
    mpl = need("matplotlib")
    found = changed()
    before, filters = dict(mpl.rcParams), list(warnings.filters)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # threads take turns inside of figures
    try:
        with ThreadPoolExecutor(4) as pool:
            done = [pool.submit(write_report, found, tmp_path / f"{i}.html") for i in range(4)]
            for one in done:
                one.result()
    finally:
        sys.setswitchinterval(interval)
    assert dict(mpl.rcParams) == before
    assert warnings.filters == filters
    assert len({path.read_text() for path in tmp_path.iterdir()}) == 1


def test_the_page_does_not_follow_the_settings_of_matplotlib():
    need("pyarrow")
    mpl = need("matplotlib")
    found = changed(panels=changed_shop().panels[:4])
    odd = {"font.size": 25, "axes.grid": True, "text.color": "red", "axes.linewidth": 5}
    odd |= {"svg.fonttype": "path", "axes.formatter.use_mathtext": True, "xtick.bottom": True}
    with mpl.rc_context(odd):
        page = render_report(found)
    assert page == render_report(found)
