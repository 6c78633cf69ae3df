"""``samelaw monitor``: a stream against a reference, with false alarms bounded for ever."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samelaw.cli import options
from samelaw.cli.exit_codes import DIFFERENT, ERROR, NO_DIFFERENCE
from samelaw.cli.outputs import STDOUT, check_outputs, close
from samelaw.cli.request import Written, kinds_of, names_of, sign_of
from samelaw.cli.terminal_streams import flush, show, speaks_unicode, tell
from samelaw.results.escape_controls import legible
from samelaw.results.shell import shell_line

if TYPE_CHECKING:
    from samelaw.monitor.history import DriftHistory


def monitor(
    tables: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="REF NEW...",
            help="The reference, then files in their order; a folder stands for its files.",
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Go on from this file, and keep there what was judged."),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Take the change in --state as known.")
    ] = False,
    collect: Annotated[
        int | None,
        typer.Option(metavar="ROWS", help="With --accept: the next rows are the new reference."),
    ] = None,
    ever: Annotated[
        float | None,
        typer.Option(metavar="LEVEL", help="Chance of ever a false alarm (default 0.05)."),
    ] = None,
    run_length: Annotated[
        int | None,
        typer.Option(metavar="ROWS", help="Instead: rows to a false alarm, on average."),
    ] = None,
    pairs: Annotated[
        int, typer.Option(help="Reference rows that each row meets; more see sooner.")
    ] = 1,
    on_suspicion: Annotated[
        bool,
        typer.Option(
            "--on-suspicion",
            help="Spend pairing rows only while the stream looks suspicious (best with --pairs 4).",
        ),
    ] = False,
    reserve: Annotated[
        bool,
        typer.Option(
            "--reserve/--no-reserve",
            help="Go on with rows of the stream when REF is used up (default: yes).",
            show_default=False,
        ),
    ] = True,
    stretch: Annotated[
        int,
        typer.Option(
            metavar="ROWS",
            help="Rows depend on their neighbours: so many count as one (0: find how many).",
        ),
    ] = 1,
    in_order: Annotated[
        bool, typer.Option("--in-order", help="Rows of a file are in the order of time.")
    ] = False,
    ignore: options.Ignore = None,
    kind: options.Kinds = None,
    sep: options.Sep = None,
    header: options.Header = None,
    encoding: options.Encoding = None,
    skip: options.Skip = None,
    sheet: options.Sheet = None,
    report: options.Report = None,
    json: options.Json = None,
    json_lines: Annotated[
        Path | None, typer.Option(metavar="OUT.jsonl", help="Write a line of JSON per file.")
    ] = None,
    prometheus: Annotated[
        Path | None, typer.Option(metavar="OUT.prom", help="Write numbers for Prometheus.")
    ] = None,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Watch a stream against a reference, with false alarms bounded for ever.

    With --state the same command may run again and again: it judges each file once, by its
    content, and tells again what an output that failed did not tell. After an alarm each further
    file is compared with the reference by itself, until --accept.

    Exit codes: 0 no alarm, 1 an alarm stands, 2 any error, a file that cannot be read included.
    """
    from samelaw.cli.monitoring import files as monitoring

    printed = None if json == STDOUT else json
    named = {
        "--report": report,
        "--json": printed,
        "--json-lines": json_lines,
        "--prometheus": prometheus,
        "--state": state,
    }
    check_outputs(named, tables or ())
    plan = monitoring.Plan(
        tables or [],
        ever,
        run_length,
        pairs,
        on_suspicion,
        reserve,
        stretch,
        in_order,
        names_of(ignore),
        kinds_of(kind),
        seed,
        Written(sign_of(sep), header, encoding, skip, sheet),
    )
    outputs = monitoring.Outputs(
        report,
        printed,
        json_lines,
        prometheus,
        quiet or json == STDOUT,
        ["samelaw", *sys.argv[1:]] if tables else (),
    )
    if collect is not None and not accept:
        raise ValueError("--collect belongs to --accept; add it, or leave it out.")
    if accept:
        if state is None or tables:
            raise ValueError("--accept takes --state FILE and no tables; type just these.")
        found = monitoring.accept(state, collect)
        outputs.write(found)
        _answer(found, quiet, json == STDOUT)
        return NO_DIFFERENCE
    with monitoring.calling(plan, outputs, state) as call:
        found = call.judge()
        _answer(found, quiet, json == STDOUT)
        if state is None and json != STDOUT:
            close(outputs.again(found.reading.seed), named, quiet)
        elif state and found.reading.alarm and not outputs.quiet:
            accepting = shell_line(["samelaw", "monitor", "--accept", "--state", str(state)])
            show(f"\nOnce you know why: {accepting}")
        flush()
        call.told()
    if found.reading.alarm:
        return DIFFERENT
    return ERROR if call.unread else NO_DIFFERENCE


def _answer(found: "DriftHistory", quiet: bool, as_json: bool) -> None:
    if as_json:
        show(found.to_json(indent=1, ensure_ascii=not speaks_unicode()))
    else:
        tell(legible(found.reading.sentence) if quiet else f"\n{found}")
