"""``samelaw compare``: two tables, one sentence, and where they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samelaw.cli import options
from samelaw.cli.exit_codes import DIFFERENT, NO_DIFFERENCE
from samelaw.cli.in_database import (
    Chosen,
    again_with,
    answered,
    refuse_beside_sql,
    run_there,
    tables_of,
)
from samelaw.cli.outputs import STDOUT, check_outputs, close
from samelaw.cli.request import LEVEL, Request, Written, kinds_of, names_of, sign_of, size_of
from samelaw.cli.spreadsheet import rows_csv
from samelaw.cli.terminal_streams import show, speaks_unicode
from samelaw.core.files import write_text

if TYPE_CHECKING:
    from samelaw.comparison.result import Comparison


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
    sep: options.Sep = None,
    header: options.Header = None,
    encoding: options.Encoding = None,
    skip: options.Skip = None,
    sheet: options.Sheet = None,
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
                "--skip": skip,
                "--sheet": sheet,
            }
        )
        chosen = Chosen(
            columns=names_of(columns) or None, ignore=names_of(ignore), kinds=kinds_of(kind)
        )
        return _in_database(a, b, chosen, level, permutations, seed, json, quiet)
    if rows and with_rows is False:
        raise ValueError("--rows and --no-rows exclude each other; leave one out.")
    if rows:
        _check_rows_known(a, b)
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
        written=Written(sign_of(sep), header, encoding, skip, sheet),
        dask=dask,
    )
    found = _answer(request, seed, quiet)
    if with_rows is False:
        found = found.without_rows()
    command = request.again(found.seed, with_rows, outputs)
    _write(found, command, outputs, bool(with_rows))
    if json == STDOUT:
        ascii_only = not speaks_unicode()
        show(found.to_json(rows=bool(with_rows), indent=1, ensure_ascii=ascii_only))
    else:
        _show(found, quiet)
        close(command, outputs, quiet)
    wanted = not found.reject if found.same is None else found.same
    return NO_DIFFERENCE if wanted else DIFFERENT


def _write(
    found: "Comparison",
    command: Sequence[str],
    outputs: Mapping[str, Path | None],
    with_rows: bool,
) -> None:
    """The files that were asked for."""
    if page := outputs["--report"]:
        from samelaw.comparison.page.page import write_report

        write_report(found, page, command=command)
    if everything := outputs["--json"]:
        write_text(everything, found.to_json(rows=with_rows, indent=1) + "\n")
    if standing_out := outputs["--rows"]:
        write_text(standing_out, rows_csv(found))


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
    again += ["--level", str(level)] * (level != LEVEL)
    again += [] if permutations is None else ["--permutations", str(permutations)]
    printed = json == STDOUT
    return answered(
        found, [*again, "--seed", str(number)], None if printed else json, printed, quiet
    )


def _check_rows_known(a: str, b: str) -> None:
    """Refuse --rows against a reference that keeps none: the file would be empty."""
    from samelaw.comparison.references.as_table import refuse_without_rows, without_rows

    if (bare := without_rows(a, b)) is not None:
        refuse_without_rows(bare.source, {"rows (--rows)": True})


def _answer(request: Request, seed: int | None, quiet: bool) -> "Comparison":
    from samelaw.cli.terminal import progress_bar
    from samelaw.comparison import api
    from samelaw.extras.dask.client import on_cluster

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
            **asdict(request.written),
            rng=seed,
            progress=progress,
        )


def _show(found: "Comparison", quiet: bool) -> None:
    from samelaw.cli.terminal import shown

    show(shown(found, quiet=quiet))
