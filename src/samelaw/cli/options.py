"""Options that several commands share, each with its words."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

Level: TypeAlias = Annotated[
    float, typer.Option(help="Chance of a false alarm, at most.", show_default=True)
]
Ignore: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="NAMES", help="All but these; repeatable.")
]
Kinds: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="NAME=KIND", help="As in zip=categorical; repeatable.")
]
Sep: TypeAlias = Annotated[
    str | None, typer.Option(metavar="SIGN", help="Between the values of CSV: ';', '\\t'.")
]
Header: TypeAlias = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether CSV starts with a line of names."),
]
Encoding: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="Of CSV, as in cp1252.")
]
Skip: TypeAlias = Annotated[
    int | None, typer.Option(metavar="LINES", help="Above the names, in CSV and Excel.")
]
Sheet: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="Of Excel files; else the first.")
]
Report: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="OUT.html", help="Write a page to read or mail.")
]
Json: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="OUT.json", help="Write everything as JSON; - prints it.")
]
Seed: TypeAlias = Annotated[int | None, typer.Option(min=0, help="To get the same answer again.")]
Permutations: TypeAlias = Annotated[
    int | None, typer.Option(help="Permutations behind the p-value.")
]
Dask: TypeAlias = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="On this cluster: tcp://host:8786.")
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Print the sentence only.")]
Debug: TypeAlias = Annotated[bool, typer.Option("--debug", hidden=True)]
