"""Where the time of a test run went: CPU seconds per folder, the slowest tests, and dear ones.

Seconds of the processor, not of the clock: they are the same however many processes share the work,
and they include the processes a test started and waited for.
"""

import os
from collections import defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest

SLOWEST = 10
DEAR = 2.0
"""CPU seconds of a test function, all its cases together, above which it should be `long`."""


def cpu_seconds() -> float:
    """User and system time of this process and of its children that have ended."""
    return sum(os.times()[:4])


class Spending:
    """Stamps every report with its CPU seconds, in workers of xdist too; prints them at the end."""

    def __init__(self) -> None:
        self.last = cpu_seconds()

    def pytest_runtest_logstart(self) -> None:
        self.last = cpu_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self,
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        now = cpu_seconds()
        report.cpu_seconds, self.last = now - self.last, now  # type: ignore[attr-defined]
        return report

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        reports = [
            report
            for kind in terminalreporter.stats.values()
            for report in kind
            if hasattr(report, "cpu_seconds")
        ]
        if not reports or terminalreporter.config.option.verbose < -1:
            return
        terminalreporter.write_sep("=", "where the time went (CPU seconds)")
        lasting = {r.nodeid for r in reports if {"long", "heavy"} & r.keywords.keys()}
        spent = per_test(reports)
        for line in [*table(spent), *dear(spent, lasting)]:
            terminalreporter.write_line(line)


def per_test(reports: Iterable[pytest.TestReport]) -> dict[str, float]:
    """CPU seconds of setup, call and teardown together, by test."""
    spent: dict[str, float] = defaultdict(float)
    for report in reports:
        spent[report.nodeid] += report.cpu_seconds  # type: ignore[attr-defined]
    return dict(spent)


def per_folder(spent: dict[str, float]) -> dict[str, tuple[int, float]]:
    """Number of tests and CPU seconds, by folder, the dearest first."""
    folders: dict[str, list[float]] = defaultdict(list)
    for test, seconds in spent.items():
        folders[Path(test.split("::")[0]).parent.as_posix()].append(seconds)
    dearest = sorted(folders, key=lambda name: -sum(folders[name]))
    return {name: (len(folders[name]), sum(folders[name])) for name in dearest}


def per_function(spent: dict[str, float]) -> dict[str, float]:
    """CPU seconds of all cases of a test function together, the dearest first."""
    functions: dict[str, float] = defaultdict(float)
    for test, seconds in spent.items():
        functions[test.split("[")[0]] += seconds
    return {name: functions[name] for name in sorted(functions, key=lambda f: -functions[f])}


def table(spent: dict[str, float]) -> list[str]:
    """The lines that are printed: folders, their sum, the slowest tests."""
    folders = [
        f"{seconds:8.1f}  {name} ({count} tests)"
        for name, (count, seconds) in per_folder(spent).items()
    ]
    total = f"{sum(spent.values()):8.1f}  in all"
    slowest = sorted(spent, key=lambda test: -spent[test])[:SLOWEST]
    return [*folders, total, "", *(f"{spent[test]:8.1f}  {test}" for test in slowest)]


def dear(spent: dict[str, float], lasting: set[str]) -> list[str]:
    """Test functions dearer than DEAR in cases that are not marked `long` or `heavy`.

    Told, not forbidden: seconds differ between machines, and whoever is the first to need JAX pays
    for loading it.
    """
    quick = per_function({test: cost for test, cost in spent.items() if test not in lasting})
    found = [f"{cost:8.1f}  {name}" for name, cost in quick.items() if cost > DEAR]
    said = f"Dearer than {DEAR:g} s and not marked long (CONTRIBUTING.md: when a test is long):"
    return ["", said, *found] if found else []
