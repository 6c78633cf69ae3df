"""The command ``samelaw``: 0 no difference found, 1 different, 2 any error.

A crash must never look like a verdict, so every way out passes through `run`.
"""

import os
import sys
import warnings
from collections.abc import Sequence

from samelaw.cli.blas_threads import one_thread
from samelaw.cli.exit_codes import DIFFERENT, ERROR, INTERRUPTED
from samelaw.cli.terminal_streams import flush, say, silence, steady
from samelaw.results.escape_controls import legible

_NEEDS = "samelaw: the command line needs {name}; run: pip install 'samelaw[cli]'"
_EXPECTED = (ValueError, TypeError, OSError, ArithmeticError, ImportError)


def main() -> None:
    """Run the command line and leave with its exit code."""
    one_thread()
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """The exit code of ``samelaw`` with these arguments; errors are said in one line on stderr."""
    steady()
    try:
        from samelaw.cli.commands import app
    except ImportError as error:
        say(_NEEDS.format(name=error.name or error))
        return ERROR
    debug = "--debug" in arguments or bool(os.environ.get("SAMELAW_DEBUG"))
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            code = app(list(arguments), prog_name="samelaw", standalone_mode=False)
        if code == INTERRUPTED:  # what typer makes of Ctrl-C
            raise KeyboardInterrupt
        flush()
        return int(code or 0)
    except BrokenPipeError:  # the reader of the help has seen enough
        silence()
        return ERROR
    except KeyboardInterrupt:
        say("samelaw: interrupted; nothing was written.")
        return INTERRUPTED
    except SystemExit as error:  # the libraries below leave like this on a broken pipe
        return error.code if isinstance(error.code, int) and error.code != DIFFERENT else ERROR
    except Exception as error:
        from samelaw.tables.reading.passwords import password_typed

        hidden = password_typed(arguments)
        if debug:
            import traceback

            traceback.print_exc() if not hidden else traceback.print_tb(error.__traceback__)
        say(f"samelaw: {hidden or _explain(error)}")
        return ERROR


def _explain(error: Exception) -> str:
    """One line for people: what happened and what to do."""
    if hasattr(error, "format_message"):  # wrong usage, found by typer
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "samelaw"
        return f"{legible(error.format_message().strip().rstrip('.?'))}. Try: {path} --help"
    if isinstance(error, MemoryError) and "memory=" not in str(error):  # not one of our refusals
        return "not enough memory; compare fewer columns (--columns) or a sample (--sample)."
    text = legible(" ".join(str(error).split()))  # a name from a file must not drive the terminal
    if isinstance(error, (*_EXPECTED, MemoryError)) and text:
        return text
    return (
        f"unexpected {type(error).__name__}: {text or 'no details'}. This is a mistake in samelaw: "
        "please report it with what SAMELAW_DEBUG=1 shows."
    )


def _show_warning(
    message: Warning | str, category: type[Warning], *place: object, **more: object
) -> None:
    """Warnings meant for programmers stay away from people who run a command."""
    if issubclass(category, UserWarning):
        say(f"samelaw: note: {legible(str(message))}")


if __name__ == "__main__":
    main()
