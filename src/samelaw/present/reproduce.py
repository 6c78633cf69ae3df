"""The experiments of the paper by the names of its figures and tables; they need a checkout.

What is run, and what it is held to, lives in ``experiments`` beside ``src``, which no wheel has.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

MARK = Path("experiments") / "reproduce.py"


def find_checkout(start: Path | None = None) -> Path:
    """The folder of the checkout: around the working directory, or around this package."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents, *Path(__file__).resolve().parents):
        if (folder / MARK).is_file():
            return folder
    raise ValueError(
        f"reproduce needs a checkout of samelaw: no {MARK.as_posix()} in {here.name or here} or "
        "above it. Run it inside one; an installed package has no experiments."
    )


def reproduce(name: str, options: Sequence[str], start: Path | None = None) -> None:
    """Run a figure, a table, ``all`` or ``list`` in the checkout; what fails there is an error."""
    checkout = find_checkout(start)
    paths = [str(checkout / "src"), str(checkout), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {"MPLBACKEND": "Agg", **os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "experiments.reproduce", name, *options]
    code = subprocess.run(command, cwd=checkout, env=environment).returncode
    if code:
        raise ValueError(f"{name} did not go through (exit code {code}); what it said is above.")
