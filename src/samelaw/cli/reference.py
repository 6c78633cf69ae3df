"""Commands for references: tables that can be compared with when their rows are gone."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from samelaw.cli import options
from samelaw.cli.outputs import check_outputs
from samelaw.cli.request import Written, kinds_of, names_of, sign_of
from samelaw.cli.terminal_streams import show as say
from samelaw.core.files import digest_of
from samelaw.extras.dask.client import on_cluster
from samelaw.results.escape_controls import legible
from samelaw.results.shell import shell_line

Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="REF.safetensors", help="Where it goes.")
]


def profile(
    table: Annotated[str, typer.Argument(metavar="A", help="File, folder or pattern of files.")],
    output: Output,
    like: Annotated[
        Path | None,
        typer.Option(metavar="REF", help="By the rules of this one, so that the two merge."),
    ] = None,
    no_rows: Annotated[
        bool, typer.Option("--no-rows", help="Keep sums only; tests are then approximate.")
    ] = False,
    ignore: options.Ignore = None,
    kind: options.Kinds = None,
    sep: options.Sep = None,
    header: options.Header = None,
    encoding: options.Encoding = None,
    skip: options.Skip = None,
    sheet: options.Sheet = None,
    dask: options.Dask = None,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Keep what is needed to compare later tables with A when its rows are gone.

    Under 1 MB: rules for columns, sums over all rows, and about 1,000 rows as scores. Then
    `samelaw compare REF.safetensors B`. Exit codes: 0 written, 2 any error.
    """
    from samelaw.comparison.references.reference import Reference
    from samelaw.core.checks import as_seed

    _check_output(output, [table, *([str(like)] if like else [])])
    written = Written(sign_of(sep), header, encoding, skip, sheet)
    if dask and (said := written.again()):
        raise ValueError(f"{said[0]} and --dask exclude each other: workers do the reading.")
    generator, drawn = as_seed(seed)
    with on_cluster(dask, [table]) as (source,):
        reference = Reference.of(
            source if dask else written.table(source),
            like=Reference.load(like) if like else None,
            keep_rows=not no_rows,
            ignore=names_of(ignore),
            kinds=kinds_of(kind),
            rng=generator,
        )
    reference = replace(reference, source=table)
    reference.save(output)
    again = ["samelaw", "profile", table, "-o", str(output)]
    again += ["--like", str(like)] if like else []
    again += ["--no-rows"] * no_rows + [w for n in names_of(ignore) for w in ("--ignore", n)]
    again += [w for name, one in kinds_of(kind).items() for w in ("--kind", f"{name}={one}")]
    again += [*written.again(), *(["--dask", dask] if dask else [])]
    again += ["--seed", str(drawn)]
    _close(reference, output, again, quiet)
    return 0


def merge(
    references: Annotated[
        list[Path], typer.Argument(metavar="R1 R2...", help="References of the same rules.")
    ],
    output: Output,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Add references up: that of all their tables together, exactly.

    They must have been made by the same rules (profile --like). Exit codes: 0 written, 2 any error.
    """
    from samelaw.comparison.references.reference import Reference
    from samelaw.core.checks import as_seed

    _check_output(output, [])
    if len(references) < 2:
        raise ValueError(f"{references[0]} is alone; name at least two references to merge.")
    generator, drawn = as_seed(seed)
    first, *others = map(Reference.load, references)
    _check_twins(references)
    for other in others:
        first = first.merge(other, rng=generator)
    first.save(output)
    again = ["samelaw", "merge", *map(str, references), "-o", str(output), "--seed", str(drawn)]
    _close(first, output, again, quiet)
    return 0


def show(
    reference: Annotated[Path, typer.Argument(metavar="REF", help="A file written by profile.")],
    debug: options.Debug = False,
) -> int:
    """Say in words what a reference holds, and what it gives away."""
    from samelaw.comparison.references.reference import Reference
    from samelaw.comparison.references.words import describe

    say(describe(Reference.load(reference)))
    return 0


def _check_twins(references: list[Path]) -> None:
    """Refuse a file that is named twice, or its copy: all its rows would count twice."""
    seen: dict[str, Path] = {}
    for path in references:
        twin = seen.setdefault(digest_of(path), path)
        if twin is not path:
            raise ValueError(f"{twin} and {path} hold the same rows; name each reference once.")


def _check_output(output: Path, inputs: list[str]) -> None:
    from samelaw.comparison.references.as_table import ENDING

    check_outputs({"-o": output}, inputs)
    if output.suffix.lower() != ENDING:
        raise ValueError(f"-o: {output} must end in {ENDING}, by which compare knows a reference.")


def _close(reference: object, output: Path, command: list[str], quiet: bool) -> None:
    from samelaw.comparison.references.reference import Reference
    from samelaw.comparison.references.words import describe

    assert isinstance(reference, Reference)
    if quiet:
        say(describe(reference).split("\n\n")[0].splitlines()[0])
        return
    written = f"Written: {legible(str(output))} ({output.stat().st_size:,} bytes)"
    again = f"Run it again: {shell_line(command)}"
    say(f"{describe(reference)}\n\n{again}\n{written}")
