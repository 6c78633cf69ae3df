"""What ``samelaw monitor`` does: files one after another, each judged once."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, fields
from pathlib import Path

from samelaw.cli.monitoring.metrics import json_lines, prometheus
from samelaw.cli.request import Written
from samelaw.cli.terminal_streams import say, tell
from samelaw.core.files import alone_with, digest_of, starts_with, write_text
from samelaw.monitor.history import DriftHistory, Period, period_words, watch_period
from samelaw.monitor.monitor import DriftMonitor
from samelaw.monitor.promises import Ever, Promise, RunLength
from samelaw.monitor.stream import Stream
from samelaw.results.escape_controls import legible
from samelaw.results.result import plain
from samelaw.results.words import in_a_row, shorten
from samelaw.tables.reading.opening import is_stream
from samelaw.tables.reading.read import STDIN, files_of, is_path

NAME_WIDTH = 28


@dataclass(frozen=True)
class Plan:
    """How a stream is to be watched.

    Parameters
    ----------
    tables : the reference, then what is judged.
    ever, run_length : the promise; at most one of them is given.
    on_suspicion : whether pairing rows are spent only while the stream looks suspicious.
    reserve : whether rows of the stream pair when those of the reference get few.
    stretch : rows that count as one; 0 to find how many.
    in_order : whether rows of a file are in the order of time.
    written : how files are written.
    """

    tables: Sequence[str]
    ever: float | None = None
    run_length: int | None = None
    pairs: int = 1
    on_suspicion: bool = False
    reserve: bool = True
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
    def settings(self) -> Mapping[str, object]:
        """How the stream is judged, which must stay as it was when it began."""
        left_out = ("tables", "seed", "written")
        return {
            one.name: getattr(self, one.name) for one in fields(self) if one.name not in left_out
        }

    def monitor(self) -> DriftMonitor:
        promise = self.promise  # before anything is read
        return DriftMonitor(
            self.written.table(self.tables[0]),
            promise=promise,
            pairs=self.pairs,
            suspicion=self.on_suspicion,
            reserve=self.reserve,
            stretch=self.stretch or None,
            shuffle=not self.in_order,
            kinds=self.kinds,
            ignore=self.ignore,
            rng=self.seed,
        )


@dataclass(frozen=True)
class Outputs:
    """What is written after every call."""

    report: Path | None = None
    json: Path | None = None
    lines: Path | None = None
    metrics: Path | None = None
    quiet: bool = False
    command: Sequence[str] = ()

    def write(self, history: DriftHistory) -> None:
        if self.report:
            from samelaw.cli.monitoring.page import write_drift_page

            write_drift_page(history, self.report, command=self.again(history.reading.seed))
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

    def announce(self, period: Period) -> None:
        """Print a period."""
        if not self.quiet:
            tell(period_line(period))


def period_line(period: Period) -> str:
    """A period as a line of the terminal."""
    return legible(f"{shorten(period.name, NAME_WIDTH):<{NAME_WIDTH}}  {period_words(period)}")


@dataclass
class Call:
    """One call of the command: what it goes on from, and what it adds.

    Parameters
    ----------
    state : where the stream is kept; None: nowhere.
    unread : files that could not be read.
    known : names of files whose content had been judged.
    """

    plan: Plan
    outputs: Outputs
    state: Path | None
    stream: Stream
    unread: list[Period] = field(default_factory=list)
    known: list[str] = field(default_factory=list)

    def judge(self) -> DriftHistory:
        """Tell what was judged and not told, judge what is new, and write everything."""
        for period in self.stream.untold:
            self.outputs.announce(period)
        for name in self.plan.tables[1:]:
            for path in self._files(name):
                self._take(path)
        if self.known and not self.outputs.quiet:
            are = "file was" if len(self.known) == 1 else "files were"
            tell(f"{len(self.known):,} {are} judged before: a file is judged once.")
        history = self.stream.history(self.unread)
        self.outputs.write(history)
        return history

    def told(self) -> None:
        """Remember that every output has what was judged."""
        if self.stream.told < len(self.stream.periods):
            self.stream.told = len(self.stream.periods)
            self._save()

    def _save(self) -> None:
        if self.state:
            self.stream.write(self.state)

    def _files(self, name: str) -> Sequence[str]:
        """The files that a folder or pattern stands for, in the order of their names."""
        try:
            return [str(path) for path in files_of(Path(name))] if is_path(name) else [name]
        except (ValueError, OSError) as error:
            self._set_aside(name, error)
            return []

    def _take(self, path: str) -> None:
        """Judge a file unless its content was judged before, and save that it was."""
        before = self.stream.monitor.to_bytes()
        try:
            period = self._period(path)
        except (ValueError, TypeError, OSError, ArithmeticError, ImportError) as error:
            self.stream.monitor = DriftMonitor.from_bytes(before)
            self._set_aside(path, error)
            return
        if period is None:
            self.known.append(path)
            return
        self.stream.add(period)
        self._save()
        self.outputs.announce(period)

    def _period(self, path: str) -> Period | None:
        """What came of a file; None if its content was judged before."""
        digest = content_of(path, self.state)
        if self.stream.knows(digest):
            return None
        size = Path(path).stat().st_size if digest else 0
        self._check_growth(path)
        table = self.plan.written.table(path)
        if content_of(path, self.state) != digest:
            raise ValueError(f"{path} changed while it was read; run the same command again.")
        return watch_period(self.stream.monitor, table, named(path), digest, size)

    def _check_growth(self, path: str) -> None:
        """Refuse a file that holds rows that were judged, and further ones below them."""
        last = [one for one in self.stream.periods if one.name == named(path) and one.digest]
        if last and starts_with(Path(path), last[-1].size, last[-1].digest):
            raise ValueError(
                f"{path} has grown since it was judged, and its first rows would count twice; put "
                "the new rows into a file of their own."
            )

    def _set_aside(self, path: str, error: Exception) -> None:
        now, said = self.stream.monitor.reading, " ".join(str(error).split())
        evidence = (now.evidence, now.threshold)
        period = Period(named(path), now.rows, 0, *evidence, run=now.run, error=said)
        self.unread.append(period)
        say(f"samelaw: {legible(path)} was not judged: {legible(said)}")


def named(path: str) -> str:
    return Path(path).name or path


def content_of(name: str, state: Path | None) -> str:
    """By what a file is recognised: SHA-256 of its bytes; of several files, of theirs."""
    if name == STDIN or (is_path(name) and is_stream(Path(name))):
        if state:
            raise ValueError(
                f"{name} is a pipe, which --state cannot recognise when it comes again; write its "
                "rows to a file."
            )
        return ""
    if not is_path(name):
        return ""  # reading it says what is wrong
    digests = [digest_of(path) for path in files_of(Path(name)) if path.is_file()]
    if len(digests) < 2:
        return "".join(digests)
    return hashlib.sha256("".join(digests).encode()).hexdigest()


@contextmanager
def calling(plan: Plan, outputs: Outputs, state: Path | None) -> Iterator[Call]:
    """A call that goes on from a state, if there is one; no other call has it meanwhile."""
    if len(plan.tables) < 2:
        raise ValueError(
            "there is nothing to judge: name the reference and at least one table after it."
        )
    with alone_with(state) if state else nullcontext():
        yield Call(plan, outputs, state, resumed(plan, state))


def resumed(plan: Plan, state: Path | None) -> Stream:
    """The stream of a state that was begun by the same command; a new one if there is none."""
    source = plan.tables[0]
    if state is None:
        return Stream(plan.monitor(), source)
    digest = content_of(source, state)
    if not state.exists():
        return Stream(plan.monitor(), source, digest, plain(plan.settings))
    stream = Stream.read(state)
    if not digest or stream.digest != digest:
        raise ValueError(
            f"{source} is not what {state} was begun with ({stream.source}): give that reference, "
            "or begin another state."
        )
    _check_settings(plan, stream, state)
    return stream


def _check_settings(plan: Plan, stream: Stream, state: Path) -> None:
    now = plain(plan.settings)
    if plan.seed is not None:
        now["seed"] = plan.seed
    then = {**stream.settings, "seed": stream.monitor.reading.seed}
    if other := [_option(name) for name in now if now[name] != then[name]]:
        raise ValueError(
            f"{state} was begun with other values of {in_a_row(other)}; give the same ones, or "
            "begin another state."
        )


def _option(name: str) -> str:
    return "--kind" if name == "kinds" else f"--{name.replace('_', '-')}"


def accept(state: Path, collect: int | None) -> DriftHistory:
    """Take the change in a state as known."""
    if not state.is_file():
        raise ValueError(f"--state: {state} does not exist; check the path.")
    with alone_with(state):
        stream = Stream.read(state)
        if not stream.monitor.reading.alarm:
            raise ValueError(
                "--accept: no alarm stands, so there is no change to take as known; a new run "
                "would only need more evidence for the next alarm."
            )
        stream.monitor.accept(collect=collect)
        stream.write(state)
        return stream.history()
