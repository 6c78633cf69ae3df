"""Where outputs may go: found out before the work, not after it; and what is said of them."""

import glob
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from samelaw.cli.terminal_streams import show
from samelaw.core.files import is_special
from samelaw.results.escape_controls import legible
from samelaw.results.shell import shell_line

STDOUT = Path("-")

_READABLE = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".gz")


_ENDINGS = {"--report": (".html", ".htm"), "--rows": (".csv", ".txt")}
"""Of what options write, the usual one first; without an ending a name is as good."""


def check_outputs(outputs: Mapping[str, Path | None], inputs: Sequence[str]) -> None:
    """Raise before any work if an output cannot be written or would destroy an input.

    Parameters
    ----------
    outputs : {option: path}
        None where an option was not given.
    inputs : paths, folders or patterns that will be read.
    """
    wanted = {option: path for option, path in outputs.items() if path is not None}
    for option, path in wanted.items():
        _check_place(option, path)
        _check_inputs(option, path, inputs)
        _check_ending(option, path)
    places = [path.resolve() for path in wanted.values()]
    if len(set(places)) < len(places):
        raise ValueError(f"{' and '.join(wanted)} name the same file; give each its own.")


def _check_ending(option: str, path: Path) -> None:
    """Programs that open a file by its ending would refuse one of another format."""
    ours = _ENDINGS.get(option, ())
    if ours and path.suffix and path.suffix.lower() not in ours:
        raise ValueError(f"{option}: {path} ends in {path.suffix!r}; expected {ours[0]!r}.")


def _check_place(option: str, path: Path) -> None:
    if path == STDOUT:
        raise ValueError(f"{option}: - is no file; name one (only --json - prints).")
    if path.is_dir():
        raise ValueError(f"{option}: {path} is a folder; add a file name.")
    if is_special(path):
        return
    folder = path.resolve().parent
    if not folder.is_dir():
        raise ValueError(f"{option}: the folder {path.parent} does not exist; create it first.")
    try:  # asking for permissions is no answer: a disk can be read-only, root may do anything
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise ValueError(
            f"{option}: nothing can be written to {path.parent} ({error.strerror}); "
            "choose another folder."
        ) from error


def _check_inputs(option: str, path: Path, inputs: Sequence[str]) -> None:
    target = path.resolve()
    for source in inputs:
        read = [Path(source), *map(Path, glob.glob(source))]
        if any(target == file.resolve() for file in read):
            raise ValueError(f"{option}: {path} is an input; choose another name.")
        if any(
            folder.is_dir() and target.is_relative_to(folder.resolve()) for folder in read
        ) and path.name.lower().endswith(_READABLE):
            raise ValueError(
                f"{option}: {path} would lie in the input {source}; choose another folder."
            )


def close(command: Sequence[str], outputs: Mapping[str, Path | None], quiet: bool) -> None:
    """How to run it again, on one line to paste, and what was written."""
    if quiet:
        return
    lines = ["", f"Run it again: {shell_line(command)}"]
    if written := [legible(str(path)) for path in outputs.values() if path]:
        lines.append(f"Written: {', '.join(written)}")
    show("\n".join(lines))
