"""Values as words: the one spelling that numbers and times have among words."""

import json
from decimal import Decimal

import numpy as np

from samelaw.core.types import Matrix

_LONGEST = 400  # digits; others are written with an exponent
_LAST_MOMENT = 9e12  # seconds since 1970 that microseconds in 64 bits hold


def spell(value: object) -> str:
    """The one spelling of a value: 1 and 1.0 are the same, True is true.

    Lists, arrays and objects are spelled as JSON has them, whatever library holds them; bytes are
    the text that they hold, as engines write words to Parquet files without saying so.

    Examples
    --------
    >>> spell(1.0), spell(0.5), spell(True), spell("red"), spell(b"red"), spell(np.array([1, 2]))
    ('1', '0.5', 'true', 'red', 'red', '[1, 2]')
    """
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    if isinstance(value, Decimal) and abs(value.adjusted()) < _LONGEST:
        digits = f"{value:f}"
        return digits.rstrip("0").rstrip(".") if "." in digits else digits
    if isinstance(value, list | tuple | dict | np.ndarray):
        return _nested(value)
    if isinstance(value, bytes):
        return _text(value)
    return str(value)


def _text(value: bytes) -> str:
    """Bytes as the text that they are in UTF-8, or as Python writes them if they are none."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return str(value)


def _nested(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=_within)
    except (TypeError, ValueError, RecursionError):  # keys that are no words, and the like
        return str(value)


def _within(value: object) -> object:
    """What JSON has for a value within others."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def spell_times(values: Matrix) -> list[str]:
    """Seconds since 1970 (n,) as ISO dates, with the time where one has one.

    Seconds beyond what a calendar holds stay seconds.

    Examples
    --------
    >>> spell_times(np.array([0.0, 86400.0])), spell_times(np.array([0.5, 1e13]))[1]
    (['1970-01-01', '1970-01-02'], '10000000000000 s')
    """
    unit = "D" if bool(np.all(values % 86400 == 0)) else "us"
    near = np.abs(values) < _LAST_MOMENT
    moments = np.rint(np.where(near, values, 0.0) * 1e6).astype("datetime64[us]")
    spelled = [str(moment) for moment in moments.astype(f"datetime64[{unit}]")]
    return [
        word if close else f"{value:.0f} s"
        for word, close, value in zip(spelled, near, values, strict=True)
    ]
