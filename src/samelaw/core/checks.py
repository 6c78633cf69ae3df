"""Checks of parameters: numbers, counts, spectra, seeds, progress; of samples: `core.samples`."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from numbers import Integral, Real

import numpy as np

from samelaw.core.arrays import is_array, is_numpy, is_traced, namespace, to_numpy
from samelaw.core.errors import NumericalError
from samelaw.core.types import Array, Matrix, Progress, Seed

_SMALLEST = 1e-16  # of a typical row: squares of what is a thousandth of it have digits


@contextmanager
def no_overflow(what: str) -> Iterator[None]:
    """Turn numpy's infinities and NaN out of finite numbers into our error: what could not be."""
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            yield
    except FloatingPointError as error:
        raise NumericalError(f"{what} ({error}).") from error


def shown(value: object) -> str:
    """What came in, in one short line: of arrays and frames the kind and the shape."""
    shape = tuple(getattr(value, "shape", ()))
    if shape:
        return f"{type(value).__name__} of shape {shape}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:80]}…"


def is_null(value: object) -> bool:
    """None, NaN and NaT, also those of pandas and numpy: missing values differ from themselves."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling one cannot be compared
    return isinstance(value, float | np.floating | np.datetime64 | np.timedelta64) and bool(
        value != value
    )


def check_rows(what: str, sizes: Sequence[int], least: int = 2) -> None:
    """Raise unless the samples have as many rows as something needs."""
    for name, size in zip("xy", sizes, strict=False):
        if size < least:
            raise ValueError(f"{what} needs at least {least} rows in {name}, got {size}.")


def check_positive(name: str, value: Array) -> None:
    """Raise unless every entry is a positive finite number (abstract values pass)."""
    if is_traced(value):
        return
    try:
        numbers = to_numpy(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numbers: {error}.") from error
    real = numbers.dtype.kind in "iuf" and not isinstance(value, np.ma.MaskedArray)
    if not (real and numbers.size and np.all(np.isfinite(numbers) & (numbers > 0))):
        raise ValueError(f"{name} must be positive and finite, got {shown(value)}.")


def as_numbers(name: str, value: Array) -> Matrix:
    """Finite real numbers of any library or container as double-precision numpy."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array: drop or fill what is masked first.")
    try:
        found = to_numpy(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numbers: {error}.") from error
    if found.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be real numbers, got {shown(value)}.")
    with np.errstate(over="ignore"):  # of a wider type; infinite then
        found = found.astype(np.float64, copy=False)
    if not np.all(np.isfinite(found)):
        raise ValueError(f"{name} must be finite, got {shown(value)}.")
    return found


def as_vector(name: str, value: Array) -> Matrix:
    """Finite real numbers in a row, at least one."""
    found = as_numbers(name, value)
    if found.ndim != 1 or not found.size:
        raise ValueError(f"{name} must be a sequence of numbers, got shape {found.shape}.")
    return found


def as_count(name: str, value: object, least: int = 1) -> int:
    """A whole number of at least ``least``."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {shown(value)}.")
    return int(value)


def as_share(name: str, value: float) -> float:
    """A number strictly between 0 and 1."""
    if not (isinstance(value, Real) and math.isfinite(value) and 0 < value < 1):
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {shown(value)}.")
    return float(value)


def as_spectrum(value: Array) -> Array:
    """Eigenvalues (…, k) as an array of real floating-point numbers.

    Those of tensors are not looked at (that would wait for the device): NaN in, NaN out.
    """
    if not is_array(value) or is_numpy(value):
        if type(value) is np.ndarray and value.dtype in (np.float32, np.float64):
            _check_spectrum(value.shape, bool(np.isfinite(value).all()))
            return np.asarray(value)
        value = as_numbers("eigenvalues", value)
        _check_spectrum(value.shape, True)
        return value
    xp = namespace(value)
    if xp.isdtype(value.dtype, "complex floating"):
        raise TypeError("eigenvalues must be real numbers, got complex ones.")
    _check_spectrum(value.shape, True)
    if xp.isdtype(value.dtype, "real floating") and xp.finfo(value.dtype).bits >= 32:
        return value
    return xp.astype(value, xp.float32 if xp.isdtype(value.dtype, "real floating") else xp.float64)


def _check_spectrum(shape: Sequence[int], finite: bool) -> None:
    if not len(shape) or not shape[-1]:
        raise ValueError(f"eigenvalues have shape {tuple(shape)}; expected (…, k), k at least 1.")
    if not finite:
        raise ValueError("eigenvalues must be finite.")


def as_rng(rng: Seed) -> np.random.Generator:
    """A seed or a Generator becomes a Generator (SPEC 7)."""
    if isinstance(rng, list | tuple):
        known = all(isinstance(one, Integral) for one in rng)
    else:
        known = isinstance(rng, Integral | np.random.Generator | np.random.SeedSequence)
    if rng is not None and not known:
        raise TypeError(
            "rng must be a whole number or some, a numpy Generator or SeedSequence, or None, got "
            f"{shown(rng)}."
        )
    seeds = rng if isinstance(rng, list | tuple) else [rng]
    if any(isinstance(one, Integral) and one < 0 for one in seeds):
        raise ValueError(f"rng must be a whole number of at least 0, got {shown(rng)}.")
    return np.random.default_rng(rng)


def as_seed(rng: Seed) -> tuple[np.random.Generator, int | None]:
    """A Generator and the seed that makes it again (None if no number came in)."""
    if rng is None:
        rng = int(np.random.default_rng().integers(2**32))
    generator = as_rng(rng)
    return generator, int(rng) if isinstance(rng, Integral) else None


def check_squares(rows: Matrix, centre: Matrix) -> None:
    """Refuse rows (n, d) whose squares about a centre (d,) vanish in single precision."""
    apart = np.abs(rows - centre)
    rounding = 64 * np.finfo(np.float64).eps * np.abs(centre)  # of a column that is constant
    sizes = np.where(apart > rounding, apart, 0.0).max(axis=1)
    typical = float(np.median(sizes[sizes > 0])) if np.any(sizes > 0) else 1.0
    if typical < _SMALLEST:
        raise ValueError(
            f"rows lie about {typical:.3g} from their centre, and are compared in single "
            "precision, in which squares of such numbers vanish: rescale the rows."
        )


def as_progress(progress: Progress | bool | None) -> Progress | None:
    """None, a callable, or True for a plain line on standard error."""
    if progress is None or progress is False:
        return None
    if progress is True:
        return _print_progress
    if not callable(progress):
        raise TypeError(f"progress must be True or a callable(done, total), got {progress!r}.")
    return progress


def _print_progress(done: int, total: int) -> None:
    import sys

    end = "\n" if done >= total else ""
    sys.stderr.write(f"\r{done}/{total}{end}")
    sys.stderr.flush()
