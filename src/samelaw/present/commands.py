"""The commands of ``samelaw``; each is a small function that returns its exit code."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samelaw.core.files import write_text
from samelaw.present import options
from samelaw.present.exit_codes import DIFFERENT, ERROR, NO_DIFFERENCE
from samelaw.present.in_database import (
    Chosen,
    again_with,
    answered,
    refuse_beside_sql,
    run_there,
    tables_of,
)
from samelaw.present.outputs import check_outputs
from samelaw.present.request import LEVEL, Request, kinds_of, names_of, sign_of, size_of
from samelaw.present.shell import shell_line
from samelaw.present.spreadsheet import rows_csv
from samelaw.present.streams import show, speaks_unicode
from samelaw.present.versions import own_version
from samelaw.show.legible import legible

if TYPE_CHECKING:
    from samelaw.comparison.result import Comparison

STDOUT = Path("-")

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    help="Do two tables follow the same law, how far apart are they, and where do they differ? "
    "Exit codes: 0 no difference found, 1 different, 2 any error.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"samelaw {own_version()}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """Say what can be done when nothing was asked for."""
    if context.invoked_subcommand is None:  # not 0: a script must not read it as a verdict
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(ERROR)


@app.command()
def compare(
    a: Annotated[
        str, typer.Argument(metavar="A", help="File, folder or pattern of files; - reads stdin.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="What to compare it with.")],
    columns: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Only these: one,two; repeatable.")
    ] = None,
    ignore: options.Ignore = None,
    kind: options.Kinds = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Rows with one value here (customer, day) belong together."
        ),
    ] = None,
    swap_sides: Annotated[
        bool,
        typer.Option("--swap-sides", help="Rows of a group share what befell it in A and in B."),
    ] = False,
    thin_groups: Annotated[
        bool,
        typer.Option("--thin-groups", help="As many rows of every group: exact for any sizes."),
    ] = False,
    unique: Annotated[
        bool,
        typer.Option("--unique", help="Distinct rows of each table only; p is then not exact."),
    ] = False,
    target: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Did the inputs change, this, or their relation?"),
    ] = None,
    allow_schema: Annotated[
        bool,
        typer.Option("--allow-schema", help="Columns gone, new or of another type are no alarm."),
    ] = False,
    sample: Annotated[
        int | None, typer.Option(metavar="ROWS", help="Compare so many rows of each, at random.")
    ] = None,
    where: Annotated[
        str | None, typer.Option(metavar="SQL", help="Only rows that fulfil it: 'price > 5'.")
    ] = None,
    sep: Annotated[
        str | None, typer.Option(metavar="SIGN", help="Between the values of CSV: ';', '\\t'.")
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether CSV starts with a line of names."),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of CSV, as in cp1252.")
    ] = None,
    level: options.Level = LEVEL,
    min_effect: Annotated[
        float, typer.Option(help="Smallest effect, 0 to 1, that matters to you.")
    ] = 0.0,
    same_within: Annotated[
        float | None,
        typer.Option(metavar="EFFECT", help="Ask instead: shown the same up to this effect?"),
    ] = None,
    report: options.Report = None,
    json: options.Json = None,
    rows: Annotated[
        Path | None, typer.Option(metavar="OUT.csv", help="Write the rows that stand out.")
    ] = None,
    with_rows: Annotated[
        bool | None,
        typer.Option(
            "--with-rows/--no-rows",
            help="Values of rows in the JSON too / nowhere. Otherwise the page has some.",
        ),
    ] = None,
    seed: options.Seed = None,
    permutations: options.Permutations = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="So much beyond the tables in memory: 500M, 2G."),
    ] = None,
    dask: options.Dask = None,
    sql: Annotated[
        bool,
        typer.Option("--sql", help="Inside their database: only sums over blocks leave it."),
    ] = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Compare two tables: CSV, Parquet, Arrow, JSON, Excel, NumPy; .gz, .zip too.

    Prints a sentence, the numbers, and the columns that changed. Exit codes: 0 no difference
    found, 1 different, 2 any error. With --same-within: 0 shown to be the same, 1 not shown.
    """
    printed = None if json == STDOUT else json
    outputs = {"--report": report, "--json": printed, "--rows": rows}
    check_outputs(outputs, (a, b))
    if sql:
        refuse_beside_sql(
            {
                "--groups": groups,
                "--swap-sides": swap_sides,
                "--thin-groups": thin_groups,
                "--unique": unique,
                "--target": target,
                "--sample": sample,
                "--where": where,
                "--min-effect": min_effect,
                "--same-within": same_within,
                "--report": report,
                "--rows": rows,
                "--with-rows": with_rows,
                "--dask": dask,
                "--memory": memory,
                "--allow-schema": allow_schema,
                "--sep": sep,
                "--header": header,
                "--encoding": encoding,
            }
        )
        chosen = Chosen(
            columns=names_of(columns) or None, ignore=names_of(ignore), kinds=kinds_of(kind)
        )
        return _in_database(a, b, chosen, level, permutations, seed, json, quiet)
    if rows and with_rows is False:
        raise ValueError("--rows and --no-rows exclude each other; leave one out.")
    request = Request(
        a,
        b,
        columns=names_of(columns),
        ignore=names_of(ignore),
        kinds=kinds_of(kind),
        groups=groups,
        swap=swap_sides,
        thin=thin_groups,
        unique=unique,
        target=target,
        level=level,
        min_effect=min_effect,
        same_within=same_within,
        permutations=permutations,
        memory=size_of(memory),
        allow_schema=allow_schema,
        sample=sample,
        where=where,
        sep=sign_of(sep),
        header=header,
        encoding=encoding,
        dask=dask,
    )
    found = _answer(request, seed, quiet)
    if with_rows is False:
        found = found.without_rows()
    command = request.again(found.seed, with_rows, outputs)
    if report:
        from samelaw.present.page import write_report

        write_report(found, report, command=command)
    if printed:
        write_text(printed, found.to_json(rows=bool(with_rows), indent=1) + "\n")
    if rows:
        write_text(rows, rows_csv(found))
    if json == STDOUT:
        ascii_only = not speaks_unicode()
        show(found.to_json(rows=bool(with_rows), indent=1, ensure_ascii=ascii_only))
    else:
        _show(found, quiet)
        _close(command, outputs, quiet)
    wanted = not found.reject if found.same is None else found.same
    return NO_DIFFERENCE if wanted else DIFFERENT


def _in_database(
    a: str,
    b: str,
    chosen: Chosen,
    level: float,
    permutations: int | None,
    seed: int | None,
    json: Path | None,
    quiet: bool,
) -> int:
    """The same program as `samelaw sql A B --on ADDRESS`."""
    from samelaw.core.checks import as_seed

    address, tables = tables_of(a, b)
    number = as_seed(seed)[1]
    assert number is not None
    found = run_there(tables, address, chosen, level, permutations, number)
    again = ["samelaw", "compare", a, b, "--sql", *again_with(chosen)]
    again += ["--level", f"{level:g}"] * (level != LEVEL)
    again += [] if permutations is None else ["--permutations", str(permutations)]
    printed = json == STDOUT
    return answered(
        found, [*again, "--seed", str(number)], None if printed else json, printed, quiet
    )


@app.command()
def evaluate(
    real: Annotated[str, typer.Argument(metavar="REAL", help="Features of real items.")],
    generated: Annotated[
        list[str], typer.Argument(metavar="GENERATED…", help="Those of one or more generators.")
    ],
    level: options.Level = LEVEL,
    report: options.Report = None,
    json: options.Json = None,
    seed: options.Seed = None,
    permutations: options.Permutations = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Is my generator better? Features of real and generated items: one array or folder each.

    Reads .npy, .npz, .safetensors, .parquet, .arrow and folders of them, rows of any extractor.
    Prints measures with errors, whether each generator can be told from real, and which one is
    closer. Exit codes: 0 none was told apart, 1 some were, 2 any error.
    """
    from samelaw.present.evaluation import answer, evaluate_files, write_page

    printed = None if json == STDOUT else json
    outputs = {"--report": report, "--json": printed}
    check_outputs(outputs, (real, *generated))
    found = evaluate_files(real, generated, level, permutations, seed, quiet)
    command = ["samelaw", "evaluate", real, *generated]
    command += ["--level", f"{level:g}"] * (level != LEVEL)
    command += [] if permutations is None else ["--permutations", str(permutations)]
    command += ["--seed", str(found.seed)]
    command += [w for option, path in outputs.items() if path for w in (option, str(path))]
    if report:
        write_page(found, report, command=command)
    if printed:
        write_text(printed, found.to_json(indent=1) + "\n")
    if json == STDOUT:
        show(found.to_json(indent=1, ensure_ascii=not speaks_unicode()))
    else:
        show(found.sentence if quiet else answer(found))
        _close(command, outputs, quiet)
    return DIFFERENT if found.reject else NO_DIFFERENCE


def _answer(request: Request, seed: int | None, quiet: bool) -> "Comparison":
    from samelaw.comparison import api
    from samelaw.present.dask_client import on_cluster
    from samelaw.present.terminal import progress_bar

    sources = on_cluster(request.dask, [request.a, request.b])
    with progress_bar(quiet) as progress, sources as (a, b):
        return api.compare(
            a,
            b,
            columns=request.columns or None,
            ignore=request.ignore,
            kinds=request.kinds,
            groups=request.belonging,
            unique=request.unique,
            target=request.target,
            level=request.level,
            min_effect=request.min_effect,
            same_within=request.same_within,
            permutations=request.permutations,
            memory=request.memory,
            allow_schema=request.allow_schema,
            sample=request.sample,
            where=request.where,
            sep=request.sep,
            header=request.header,
            encoding=request.encoding,
            rng=seed,
            progress=progress,
        )


def _show(found: "Comparison", quiet: bool) -> None:
    from samelaw.present.terminal import shown

    show(shown(found, quiet=quiet))


def _close(command: Sequence[str], outputs: Mapping[str, Path | None], quiet: bool) -> None:
    """How to run it again, on one line to paste, and what was written."""
    if quiet:
        return
    lines = ["", f"Run it again: {shell_line(command)}"]
    if written := [legible(str(path)) for path in outputs.values() if path]:
        lines.append(f"Written: {', '.join(written)}")
    show("\n".join(lines))


@app.command()
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

    Exit codes: 0 no alarm, 1 alarm, 2 any error.
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
    if accept and state:
        found = monitoring.accept(state, collect)
        outputs.write(found)
    elif watch and state:
        found = monitoring.watch_folder(plan, outputs, watch, state, seconds, once=once)
    else:
        found = monitoring.judge_tables(plan, outputs)
    if json == STDOUT:
        show(found.to_json(indent=1, ensure_ascii=not speaks_unicode()))
    else:
        show(legible(found.reading.sentence) if quiet else f"\n{found}")
    return DIFFERENT if found.reading.alarm else NO_DIFFERENCE


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(help="Where the two tables and the report go.")] = Path(
        "samelaw-demo"
    ),
) -> int:
    """Compare two small tables of a shop and write a report to look at."""
    from samelaw.present.demo import write_pair

    folder.mkdir(parents=True, exist_ok=True)
    a, b = write_pair(folder, "changed")
    page = folder / "report.html"
    line = shell_line(["samelaw", "compare", str(a), str(b), "--report", str(page)])
    show(f"$ {line}\n")
    return compare(str(a), str(b), report=page, seed=2)


@app.command()
def reproduce(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="list, fig1 … fig5, fig8, table1 … table4, all.")
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Minutes: few draws, kept in build; decides nothing.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Processes.")] = 1,
    budget: Annotated[
        float | None, typer.Option(metavar="MINUTES", help="Per experiment; the next run goes on.")
    ] = None,
) -> int:
    """Run a figure or table of the paper again, in a checkout of samelaw.

    Writes its figure, numbers and verdict; goes on where it was stopped. Exit codes: 0 done,
    2 any error.
    """
    from samelaw.present.reproduce import reproduce as run

    options = ["--quick"] * quick + ["--jobs", str(jobs)] * (jobs != 1)
    run(name, options + (["--budget", f"{budget:g}"] if budget is not None else []))
    return 0


@app.command()
def doctor() -> int:
    """Say what is installed, what is missing, and what makes things slow."""
    from samelaw.present.doctor import examine

    show("\n".join(examine()))
    return 0
