"""How many threads matrix products may take: it must be said before NumPy is loaded."""

import os

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
OURS = "SAMELAW_ONE_THREAD"  # says that the numbers above are not the caller's


def one_thread() -> None:
    """One BLAS thread unless the caller set a number.

    A comparison works on many small matrices, on which further threads mostly wait for each other:
    on two cores they were measured to take twenty times as long.
    """
    if not any(name in os.environ for name in THREADS):
        os.environ.update(dict.fromkeys((*THREADS, OURS), "1"))


def outside() -> dict[str, str]:
    """The environment as it was before `one_thread`."""
    ours = THREADS if OURS in os.environ else ()
    return {name: value for name, value in os.environ.items() if name not in ours}
