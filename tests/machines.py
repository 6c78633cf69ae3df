"""Other processors, as far as one can be had here: kernels of the BLAS and of numpy, threads."""

import numpy._core._multiarray_umath as numpys

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def dispatched() -> str:
    """The features of this processor that numpy can do without."""
    return " ".join(f for f in numpys.__cpu_dispatch__ if numpys.__cpu_features__.get(f))


MACHINES = {
    "this one": ONE_THREAD,
    "two threads": {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
    "Haswell": ONE_THREAD | {"OPENBLAS_CORETYPE": "Haswell"},
    "Sandybridge": ONE_THREAD | {"OPENBLAS_CORETYPE": "Sandybridge"},
    "Prescott": ONE_THREAD
    | {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": dispatched()},
}
"""Environments to run something in; the last is an old processor altogether."""
