"""All commands of ``samelaw``, in the order its help lists them; each returns its exit code."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from samelaw.cli.compare import compare
from samelaw.cli.evaluate import evaluate
from samelaw.cli.exit_codes import ERROR
from samelaw.cli.monitoring.command import monitor
from samelaw.cli.reference import merge, profile, show
from samelaw.cli.sql import sql
from samelaw.cli.terminal_streams import show as say
from samelaw.cli.terminal_streams import tell
from samelaw.core.version import own_version
from samelaw.results.shell import shell_line

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


def demo(
    folder: Annotated[Path, typer.Argument(help="Where the two tables and the report go.")] = Path(
        "samelaw-demo"
    ),
) -> int:
    """Compare two small tables of a shop and write a report to look at."""
    from samelaw.cli.demo import write_pair

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise ValueError(f"{folder} is a file, or lies in one; name a folder.") from None
    a, b = write_pair(folder, "changed")
    page = folder / "report.html"
    line = shell_line(["samelaw", "compare", str(a), str(b), "--report", str(page), "--seed", "2"])
    say(f"$ {line}\n")
    compare(str(a), str(b), report=page, seed=2)
    return 0  # they differ, as they should


def doctor() -> int:
    """Say what is installed, what is missing, and what makes things slow."""
    from samelaw.cli.doctor import examine

    tell("\n".join(examine()))
    return 0


for _command in (compare, evaluate, monitor, demo, doctor, profile, merge, show, sql):
    app.command()(_command)
