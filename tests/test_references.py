"""What is cited exists: numbers of the paper, works of the bibliography, the paper itself."""

import re
import tomllib
from pathlib import Path

from optional import need

ROOT = Path(__file__).parents[1]
TEXTS = [*sorted((ROOT / "src").rglob("*.py")), *sorted((ROOT / "docs").glob("*.md"))]
TEXTS += [*sorted((ROOT / "experiments").rglob("*.py")), ROOT / "README.md"]
KINDS = "section|definition|proposition|theorem|lemma|figure|table"
NUMBER = r"\d+(?:\.\d+)*"
LETTER = r"[AB](?:\.\d)?\b"
REFERENCE = re.compile(
    rf"\b(?:({KINDS})s? ({NUMBER}(?:[a-f]\b)?(?:(?:,| and| to|–) ?{NUMBER})*)"
    rf"|(appendix) ({LETTER}))",
    re.IGNORECASE,
)
OTHERS = "its proposition 7"  # of Bach (2022)
CITED = re.compile(
    r"([A-Z][\w-]+)(?:, [A-Z][\w-]+)*(?: et al\.| (?:and|&) (?:van der )?[A-Z][\w-]+)?"
    r",? \(?((?:19|20)\d\d)\b"
)
NO_WORKS = {
    *((month, "2024") for month in ("May", "July", "Sep", "September")), ("Jan", "1970"),
}  # fmt: skip
"""Capital words before a year that are no authors."""


def read(path):
    return " ".join(path.read_text().split())


def printed():
    """Kinds and numbers of the paper: those docs/paper.md lists, and the figures and tables."""
    page = (ROOT / "docs" / "paper.md").read_text().lower()
    found = set(re.findall(rf"^\| (\w+) ({NUMBER}|[ab]) \|", page, re.MULTILINE))
    found |= {("section", part) for part in re.findall(r"\((\d\.\d\.\d)\)", page)}
    found |= {("appendix", part) for part in re.findall(r"\b([ab]\.\d)\b", page)}
    found |= {("figure", str(number)) for number in range(1, 9)}
    return found | {("table", str(number)) for number in range(1, 5)}


def references(text):
    for kind, numbers, appendix, letter in REFERENCE.findall(text.replace(OTHERS, "")):
        if appendix:
            yield "appendix", letter.lower()
        for number in re.findall(NUMBER, numbers):
            yield kind.lower(), number


def test_numbers_of_the_paper_exist():
    known = printed()
    wrong = {
        (path.relative_to(ROOT).as_posix(), *pair)
        for path in TEXTS
        for pair in references(read(path))
        if pair not in known
    }
    assert not wrong, "docs/paper.md lists what the paper has"


def test_references_that_were_wrong_are_found():
    """Sections that do not exist, and numbers of another kind: all of them stood in docstrings."""
    known = printed()
    for text in ("section 4.3", "Section 6.1", "definition 2", "propositions 3 and 5", "theorem 3"):
        assert any(pair not in known for pair in references(text)), text
    for text in ("section 5.3", "propositions 8 and 10", "theorem 11", "appendix B.2", "figure 1c"):
        pairs = list(references(text))
        assert pairs, text
        assert all(pair in known for pair in pairs), text


def works():
    """First author and year of every entry of the bibliography."""
    entries = re.findall(
        r"^- (.+?) \((\d{4})\)", (ROOT / "docs/bibliography.md").read_text(), re.MULTILINE
    )
    return {(re.split(r",| and | et ", names)[0].split()[-1], year) for names, year in entries}


def test_works_that_are_named_are_in_the_bibliography():
    named = {
        work
        for path in TEXTS
        if "experiments" not in path.parts and path.name != "bibliography.md"
        for work in CITED.findall(read(path))
    }
    assert {("Liu", "2020"), ("Friedman", "2023"), ("Virosztek", "2021")} <= named
    assert named - NO_WORKS <= works()


def test_the_paper_is_cited_the_same_everywhere():
    told = need("yaml").safe_load((ROOT / "CITATION.cff").read_text())
    (paper,) = told["references"]
    authors = " and ".join(f"{a['given-names']} {a['family-names']}" for a in paper["authors"])
    number = paper["identifiers"][0]["value"]
    for path in ("README.md", "docs/paper.md", "docs/bibliography.md"):
        text = " ".join((ROOT / path).read_text().replace("\n>", " ").replace("*", "").split())
        for part in (authors, paper["title"], number, str(paper["year"])):
            assert part in text, f"{path} lacks {part}"


def test_the_citation_names_this_version():
    told = need("yaml").safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (told["title"], told["version"]) == (project["name"], project["version"])
    assert told["license"] == project["license"]
