"""What every long computation takes: a seed that is written down, and a report of progress."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from samelaw.core.array import as_rng

Progress: TypeAlias = Callable[[int, int], None]
"""Called with (steps done, steps in all)."""


def as_seed(rng: Any) -> tuple[np.random.Generator, int | None]:
    """A Generator and the seed that makes it again (None if a Generator came in)."""
    if isinstance(rng, np.random.Generator):
        return rng, None
    seed = int(np.random.default_rng().integers(2**32)) if rng is None else int(rng)
    return as_rng(seed), seed


def as_progress(progress: Any) -> Progress | None:
    """None, a callable, or True for a plain line on standard error."""
    if progress is None or progress is False:
        return None
    if progress is True:
        return _print_progress
    if not callable(progress):
        raise TypeError(f"progress must be True or a callable(done, total), got {progress!r}.")
    return progress  # type: ignore[no-any-return]


def _print_progress(done: int, total: int) -> None:
    import sys

    end = "\n" if done >= total else ""
    sys.stderr.write(f"\r{done}/{total}{end}")
    sys.stderr.flush()
