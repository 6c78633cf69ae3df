"""What ``samelaw monitor`` does: tables one after another, or files of a folder as they come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from samelaw.core.files import write_text
from samelaw.monitor.history import DriftHistory, Period, period_words, watch_period
from samelaw.monitor.ledger import Ledger
from samelaw.monitor.monitor import DriftMonitor
from samelaw.monitor.promises import Ever, Promise, RunLength
from samelaw.monitor.routes import Always, Route
from samelaw.monitor.suspicion import OnSuspicion
from samelaw.monitor.whole_reference import WholeReference
from samelaw.present.drift_files import json_lines, prometheus
from samelaw.present.request import Written
from samelaw.present.streams import say, tell
from samelaw.present.watch import SETTLED, Watch, watch
from samelaw.present.webhook import post
from samelaw.show.legible import legible
from samelaw.show.result import plain
from samelaw.show.words import in_a_row, shorten

NAME_WIDTH = 28
MOST_NAMED = 5  # files that were set aside
ROUTES = {"always": Always(), "suspicion": OnSuspicion(), "whole": WholeReference()}


@dataclass(frozen=True)
class Plan:
    """How a stream is to be watched.

    Parameters
    ----------
    tables : the reference, then what is judged.
    ever, run_length : the promise; at most one of them is given.
    route : a name of ROUTES.
    reserve : whether rows of the stream pair when those of the reference get few; None: if so.
    stretch : rows that count as one; 0 to find how many.
    in_order : whether rows of a file are in the order of time.
    written : how files are written.
    """

    tables: Sequence[str]
    ever: float | None = None
    run_length: int | None = None
    pairs: int = 1
    route: str = "always"
    reserve: bool | None = None
    stretch: int = 1
    in_order: bool = False
    ignore: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    written: Written = field(default_factory=Written)

    @property
    def promise(self) -> Promise:
        if self.ever is not None and self.run_length is not None:
            raise ValueError("--ever and --run-length exclude each other; leave one out.")
        if self.run_length is not None:
            return RunLength(self.run_length)
        return Ever() if self.ever is None else Ever(self.ever)

    @property
    def _route(self) -> Route:
        if self.route not in ROUTES:
            known = ", ".join(ROUTES)
            raise ValueError(f"--route is {self.route!r}; expected one of {known}.")
        return ROUTES[self.route]

    def monitor(self) -> DriftMonitor:
        promise, route = self.promise, self._route  # before anything is read
        return DriftMonitor(
            self.written.table(self.tables[0]),
            promise=promise,
            pairs=self.pairs,
            route=route,
            reserve=self.reserve,
            stretch=self.stretch or None,
            shuffle=not self.in_order,
            kinds=self.kinds,
            ignore=self.ignore,
            rng=self.seed,
        )


@dataclass(frozen=True)
class Outputs:
    """What is written whenever something is new.

    Parameters
    ----------
    refresh : int
        Seconds after which the page loads itself again.
    """

    report: Path | None = None
    json: Path | None = None
    lines: Path | None = None
    metrics: Path | None = None
    webhook: str | None = None
    quiet: bool = False
    command: Sequence[str] = ()
    refresh: int = 0

    def write(self, history: DriftHistory) -> None:
        if self.report:
            from samelaw.present.drift_page import write_drift_page

            command = self.again(history.reading.seed)
            write_drift_page(history, self.report, command=command, refresh=self.refresh)
        if self.json:
            write_text(self.json, history.to_json(indent=1) + "\n")
        if self.lines:
            write_text(self.lines, json_lines(history.periods))
        if self.metrics:
            write_text(self.metrics, prometheus(history))

    def again(self, seed: int | None) -> Sequence[str]:
        """The command that gives the same answer again."""
        if not self.command or seed is None or "--seed" in self.command:
            return self.command
        return [*self.command, "--seed", str(seed)]

    def tell(self, history: DriftHistory, new: Sequence[Period]) -> None:
        """Write everything, print what is new, and send word of an alarm."""
        self.write(history)
        for period in new:
            self.announce(period)

    def announce(self, period: Period) -> None:
        """Print a period, and send word of its alarm."""
        if not self.quiet:
            tell(period_line(period))
        if self.webhook and period.alarm:
            post(self.webhook, {"name": period.name, **plain(period.alarm), "panels": []})


def period_line(period: Period) -> str:
    """A period as a line of the terminal."""
    return legible(f"{shorten(period.name, NAME_WIDTH):<{NAME_WIDTH}}  {period_words(period)}")


def judge_tables(plan: Plan, outputs: Outputs) -> DriftHistory:
    """One table after another against the first."""
    if len(plan.tables) < 2:
        raise ValueError(
            "there is nothing to judge: name the reference and at least one table after it, or a "
            "folder to watch with --watch DIR --state FILE."
        )
    monitor, periods = plan.monitor(), []
    for name in plan.tables[1:]:
        period = watch_period(monitor, plan.written.table(name), Path(name).name or name)
        periods.append(period)
        outputs.announce(period)
    history = DriftHistory(monitor.reading, periods, plan.tables[0])
    outputs.write(history)
    return history


def watch_folder(
    plan: Plan,
    outputs: Outputs,
    folder: Path,
    state: Path,
    interval: float,
    *,
    once: bool = False,
) -> tuple[DriftHistory, int]:
    """The files of a folder as they come; and how many of them were set aside on the way."""
    if len(plan.tables) > 1:
        raise ValueError("--watch takes the reference alone; put further tables in its folder.")
    if not folder.is_dir():
        raise ValueError(f"--watch: the folder {folder} does not exist; create it first.")
    with Ledger(state) as ledger:
        monitor = _resumed(plan, ledger)
        found = Watch(folder, ledger, monitor, min(SETTLED, interval), plan.written)
        before = len(_set_aside(ledger.periods()))
        history = watch(found, interval, outputs.tell, once=once, failed=_say)
        return history, len(_set_aside(history.periods)) - before


def _set_aside(periods: Sequence[Period]) -> list[Period]:
    return [period for period in periods if period.error]


def tell_aside(periods: Sequence[Period]) -> None:
    """Say which files were never judged, in this run or before it, whoever reads the answer."""
    read = {period.name for period in periods if not period.error}
    names = dict.fromkeys(one.name for one in _set_aside(periods) if one.name not in read)
    if names:
        are = "file was" if len(names) == 1 else "files were"
        some = legible(in_a_row([shorten(name, NAME_WIDTH) for name in names], MOST_NAMED))
        say(f"samelaw: {len(names):,} {are} set aside and never judged: {some}.")


def _resumed(plan: Plan, ledger: Ledger) -> DriftMonitor:
    """The monitor of a ledger; a new one if there is none."""
    if ledger.started:
        return ledger.monitor()
    if not plan.tables:
        raise ValueError(f"{ledger.path} is new: name the reference first, as in REF --watch DIR.")
    monitor = plan.monitor()
    ledger.start(monitor, plan.tables[0])
    return monitor


def _say(error: OSError) -> None:
    say(f"samelaw: {legible(str(error))} It is tried again.")


def accept(state: Path, collect: int | None) -> DriftHistory:
    """Take the change in a state as known."""
    if not state.is_file():
        raise ValueError(f"--state: {state} does not exist; check the path.")
    with Ledger(state) as ledger:
        monitor = ledger.monitor()
        if not monitor.reading.alarm:
            raise ValueError(
                "--accept: no alarm stands, so there is no change to take as known; a new run "
                "would only need more evidence for the next alarm."
            )
        monitor.accept(collect=collect)
        ledger.save(monitor)
        return ledger.history(monitor)
