"""``samelaw evaluate``: which generator is closer to what is real."""

from typing import Annotated

import typer

from samelaw.cli import options
from samelaw.cli.exit_codes import DIFFERENT, NO_DIFFERENCE
from samelaw.cli.outputs import STDOUT, check_outputs, close
from samelaw.cli.request import LEVEL
from samelaw.cli.terminal_streams import show, speaks_unicode, tell
from samelaw.core.files import write_text


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
    from samelaw.cli.evaluation import answer, evaluate_files, write_page

    printed = None if json == STDOUT else json
    outputs = {"--report": report, "--json": printed}
    check_outputs(outputs, (real, *generated))
    found = evaluate_files(real, generated, level, permutations, seed, quiet)
    command = ["samelaw", "evaluate", real, *generated]
    command += ["--level", str(level)] * (level != LEVEL)
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
        if quiet:
            tell(found.sentence)
        else:
            show(answer(found))
        close(command, outputs, quiet)
    return DIFFERENT if found.reject else NO_DIFFERENCE
