"""Words that are numbers, times or truth values: one strict rule per value, NaN if it breaks it.

The rules look at one value at a time. A column is read as numbers only if every value of both
tables follows the rule, so which table a row belongs to never decides how it is read.
"""

import math
import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

MISSING_WORDS = frozenset(
    {"NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan", "NaT"}
    | {"NULL", "null", "None"}
)
"""Spellings of a missing value, besides blanks."""

TRUTH = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
"""Truth values in any case, besides 0 and 1; a column may mix them."""

# No leading zeros (007 is a code, not a number), no underscores, no digits of other scripts.
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_COMMA = re.compile(
    r"[+-]?(?:0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:\.[0-9]{3})+),[0-9]+(?:[eE][+-]?[0-9]+)?"
)
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_OTHER_DATE = re.compile(r"[0-9]{1,4}([./])[0-9]{1,2}\1[0-9]{2,4}(?:[ T].*)?")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def is_missing(text: str) -> bool:
    return not (word := text.strip()) or word in MISSING_WORDS


def number(text: str) -> float:
    """A number in point notation, NaN if the text is none.

    Examples
    --------
    >>> number("-1.5e3"), number("007"), number("1_000")
    (-1500.0, nan, nan)
    """
    text = text.strip()
    if _NUMBER.fullmatch(text) or _INFINITE.fullmatch(text):
        return float(text)
    return math.nan


def comma_number(text: str) -> float:
    """A number with a decimal comma, or a whole number; NaN if the text is neither.

    Examples
    --------
    >>> comma_number("1.234,5"), comma_number("12"), comma_number("1.5")
    (1234.5, 12.0, nan)
    """
    text = text.strip()
    if _COMMA.fullmatch(text):
        return float(text.replace(".", "").replace(",", "."))
    return math.nan if "." in text else number(text)


def whole(text: str) -> int:
    """All digits of a text that `number` or `comma_number` reads as a whole number.

    Examples
    --------
    >>> whole("9007199254740993"), whole("1e3"), whole("1.234,0")
    (9007199254740993, 1000, 1234)
    """
    try:
        return int(Decimal(text))
    except InvalidOperation:
        return int(comma_number(text))


def truth(text: str) -> float:
    """1 for true, yes and 1 (also 1.0); 0 for false, no and 0; else NaN."""
    value = TRUTH.get(text.strip().casefold())
    if value is None:
        value = number(text)
    return value if value in (0.0, 1.0) else math.nan


def seconds(text: str) -> float:
    """An ISO date or time as seconds since 1970, NaN if it is none; without a zone it is UTC.

    Examples
    --------
    >>> seconds("1970-01-02"), seconds("1970-01-01T01:00+01:00"), seconds("2025-02-30")
    (86400.0, 0.0, nan)
    """
    text = text.strip()
    if not _TIME.fullmatch(text):
        return math.nan
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return math.nan
    return seconds_of(moment)


def seconds_of(moment: datetime) -> float:
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH).total_seconds()


def is_other_date(text: str) -> bool:
    """Tell a date whose order of day and month is open (03/04/2025), so not read as a date."""
    return _OTHER_DATE.fullmatch(text.strip()) is not None
