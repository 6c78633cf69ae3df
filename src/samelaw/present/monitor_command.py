"""``samelaw monitor``: a stream against a reference, with false alarms bounded for ever."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from samelaw.present import options
from samelaw.present.exit_codes import DIFFERENT, ERROR, NO_DIFFERENCE
from samelaw.present.outputs import STDOUT, check_outputs, close
from samelaw.present.request import Written, kinds_of, names_of, sign_of
from samelaw.present.streams import show, speaks_unicode, tell
from samelaw.show.legible import legible


def monitor(
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="REF NEW...", help="The reference, then tables in their order."),
    ] = None,
    watch: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Judge each new file of a folder, once.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where a watch keeps all it knows.")
    ] = None,
    interval: Annotated[
        str, typer.Option(help="Between two looks at the folder: 90s, 5m, 1h.")
    ] = "60s",
    once: Annotated[
        bool, typer.Option("--once", help="Judge what is in the folder now, and leave.")
    ] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Take the change in --state as known, and leave.")
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
    route: Annotated[
        str,
        typer.Option(
            help="What rows are held to: always pairing rows, on suspicion alone (suspicion), or "
            "all held-out rows (whole), which last for ever."
        ),
    ] = "always",
    reserve: Annotated[
        bool | None,
        typer.Option(
            "--reserve/--no-reserve",
            help="Go on with rows of the stream when REF is used up (default: yes).",
            show_default=False,
        ),
    ] = None,
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
    webhook: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Post alarms there as JSON; judging never waits."),
    ] = None,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Watch a stream against a reference, with false alarms bounded for ever.

    Exit codes: 0 no alarm, 1 alarm, 2 any error; with --watch also 2 if files were set aside.
    """
    from samelaw.present import monitoring
    from samelaw.present.watch import as_seconds
    from samelaw.present.webhook import check_address

    printed = None if json == STDOUT else json
    named = {
        "--report": report,
        "--json": printed,
        "--json-lines": json_lines,
        "--prometheus": prometheus,
        "--state": state,
    }
    check_outputs(named, [*(tables or ()), *([str(watch)] if watch else [])])
    seconds = as_seconds(interval)
    if (watch or accept) and state is None:
        raise ValueError("--watch and --accept need --state FILE, where all that is known is kept.")
    if state and not (watch or accept):
        raise ValueError("--state belongs to --watch DIR or --accept; add one of them.")
    plan = monitoring.Plan(
        tables or [],
        ever,
        run_length,
        pairs,
        route,
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
        check_address(webhook) if webhook else None,
        quiet or json == STDOUT,
        ["samelaw", *sys.argv[1:]] if tables else (),
        round(seconds) if watch and not once else 0,
    )
    aside = 0
    if accept and state:
        found = monitoring.accept(state, collect)
        outputs.write(found)
    elif watch and state:
        found, aside = monitoring.watch_folder(plan, outputs, watch, state, seconds, once=once)
    else:
        found = monitoring.judge_tables(plan, outputs)
    if json == STDOUT:
        show(found.to_json(indent=1, ensure_ascii=not speaks_unicode()))
    else:
        tell(legible(found.reading.sentence) if quiet else f"\n{found}")
        if not (watch or accept):
            close(outputs.again(found.reading.seed), named, quiet)
    monitoring.tell_aside(found.periods)
    if found.reading.alarm:
        return DIFFERENT
    return ERROR if aside else NO_DIFFERENCE
