"""Words that are numbers, times or truth values: one strict rule per value, NaN if it breaks it.

The rules look at one value at a time. How a column is read depends on how many values of both
tables follow a rule, so which table a row belongs to never decides it.
"""

import math
import re
from datetime import UTC, datetime

MISSING_WORDS = frozenset(
    {"NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan", "NaT"}
    | {"NULL", "null", "None"}
)
"""Spellings of a missing value, besides blanks."""

SPANS = "durations are compared as numbers of seconds: 1h 30m is 5,400"
"""The same of numbers that were durations."""

OF_DAY = "times of day are compared as numbers of hours: 08:15 is 8.25"
"""What a reader of numbers should know that were times of day."""

TRUTH = {
    **dict.fromkeys(("true", "t", "yes", "y", "on"), 1.0),
    **dict.fromkeys(("false", "f", "no", "n", "off"), 0.0),
}
"""Truth values in any case, besides 0 and 1; a column may mix them."""

# No leading zeros (007 is a code, not a number), no underscores, no digits of other scripts.
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_COMMA = re.compile(
    r"[+-]?(?:0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:\.[0-9]{3})+),[0-9]+(?:[eE][+-]?[0-9]+)?"
)
# Thousands by commas, blanks or apostrophes, all of them the same; with decimal commas no commas.
_GROUPED = re.compile(
    r"[+-]?[1-9][0-9]{0,2}([,'’ \u00a0\u202f])[0-9]{3}(?:\1[0-9]{3})*(?:\.[0-9]*)?"
)
_COMMA_GROUPED = re.compile(
    r"[+-]?[1-9][0-9]{0,2}(['’ \u00a0\u202f])[0-9]{3}(?:\1[0-9]{3})*(?:,[0-9]*)?"
)
_DOTTED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
_CODE = re.compile(r"[+-]?0[0-9]+")
_SIGNS = (
    "$",
    "€",
    "£",
    "¥",
    "₹",
    "%",
    "USD",
    "EUR",
    "GBP",
    "JPY",
    "CHF",
    "CNY",
    "INR",
    "CAD",
    "AUD",
)
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_CLOCK = re.compile(
    r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]{1,9})?))?(?: ?([ap])\.?m\.?)?",
    re.IGNORECASE,
)
_WITH_UNIT = re.compile(
    r"([+-]?[0-9.].*?)[ \u00a0\u202f]?((?:[°º]|[^\W\d_])(?:[^\W\d_]|[/²³])*)", re.DOTALL
)
_NO_UNITS = frozenset({"am", "pm", "a", "p", "st", "nd", "rd", "th"})  # 8 pm and 1st
# Capitals right behind a whole number are mostly part of a code, as in 1OT and 4WD.
_CAPITAL_UNITS = frozenset(
    {"A", "C", "F", "J", "K", "L", "M", "N", "V", "W", "CC", "CM", "FT", "G", "GB", "GHZ", "GW"}
    | {"HP", "HZ", "IN", "KB", "KG", "KHZ", "KM", "KPH", "KV", "KW", "KWH", "LB", "LBS", "MB"}
    | {"MG", "MHZ", "ML", "MM", "MPG", "MPH", "MW", "MWH", "OZ", "PB", "PSI", "RPM", "TB"}
)
_STARTS = frozenset("+-.0123456789")
_LONGEST = 40  # characters of a number and its unit
# As pandas and Python write durations, as ISO 8601 does, and as people do.
_SPAN = re.compile(
    r"(?P<minus>-)?(?P<d>[0-9]+) days?,? [+]?"
    r"(?P<h>[0-9]{1,2}):(?P<m>[0-9]{2}):(?P<s>[0-9]{2}(?:\.[0-9]+)?)"
)
_ISO_SPAN = re.compile(
    r"(?P<minus>-)?P(?=[0-9T])(?:(?P<d>[0-9]+)D)?(?:T(?=[0-9])(?:(?P<h>[0-9]+)H)?(?:(?P<m>[0-9]+)M)?"
    r"(?:(?P<s>[0-9]+(?:\.[0-9]+)?)S)?)?"
)
_TOLD_SPAN = re.compile(
    r"(?P<minus>-)?(?:(?P<d>[0-9]+) ?d(?:ays?)? ?)?(?:(?P<h>[0-9]+) ?h(?:(?:ou)?rs?)? ?)?"
    r"(?:(?P<m>[0-9]+) ?m(?:in(?:ute)?s?)? ?)?(?:(?P<s>[0-9]+(?:\.[0-9]+)?) ?s(?:ec(?:ond)?s?)?)?"
)
# Minutes, seconds and a fraction, as laps are timed and spreadsheets show times: never an hour.
_LAP = re.compile(r"(?P<minus>-)?(?P<d>)(?P<h>)(?P<m>[0-9]+):(?P<s>[0-5][0-9]\.[0-9]+)")
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


def literal(text: str, *, comma: bool = False, dots: bool = False) -> str:
    """A number as Python writes it, without signs of thousands; empty if the text is none.

    Examples
    --------
    >>> literal("1,234.5"), literal("1 234,5", comma=True), literal("1,5"), literal("007")
    ('1234.5', '1234.5', '', '')
    >>> literal("1.234"), literal("1.234", dots=True)
    ('1.234', '1234')
    """
    if dots and _DOTTED.fullmatch(text):
        return text.replace(".", "")
    if comma and _COMMA.fullmatch(text):
        return text.replace(".", "").replace(",", ".")
    if (_NUMBER.fullmatch(text) and not (comma and "." in text)) or _INFINITE.fullmatch(text):
        return text
    if grouped := (_COMMA_GROUPED if comma else _GROUPED).fullmatch(text):
        return text.replace(grouped[1], "").replace(",", ".")
    return ""


def commas(text: str) -> tuple[bool, bool]:
    """Whether a comma may be a decimal one, and whether it must: 1,234 may be a thousand.

    Examples
    --------
    >>> commas("1,5"), commas("1,234"), commas("0,123"), commas("1,2,3")
    ((True, True), (True, False), (True, True), (False, False))
    """
    body = without_unit(undressed(text)[0])[0]
    alike = _COMMA.fullmatch(body) is not None
    return alike, alike and _GROUPED.fullmatch(body) is None


def is_dotted(text: str) -> bool:
    """Tell a number whose dots may mark thousands: three digits after each, none but 0 before."""
    return _DOTTED.fullmatch(text) is not None


def undressed(text: str) -> tuple[str, str]:
    """A text without the sign of a currency or of percent at either end, and that sign.

    Percent are not divided by 100: they are numbers of another unit, and should look so. What
    stands in brackets is below 0, as accountants write it.

    Examples
    --------
    >>> undressed("-$1.23"), undressed("12 %"), undressed("5")
    (('-1.23', '$'), ('12', '%'), ('5', ''))
    >>> undressed("(83.99)"), undressed("($5)"), undressed("(see note)")
    (('-83.99', ''), ('-5', '$'), ('(see note)', ''))
    """
    body = text.strip().replace("−", "-", 1)
    if body[-1:].isdigit() and body[:1].isdigit():  # most numbers
        return body, ""
    if (found := _unsigned(body))[0].startswith("("):
        return _out_of_brackets(*found) or (body, "")
    return found


def _unsigned(body: str) -> tuple[str, str]:
    minus = body[:1] if body[:1] in ("+", "-") else ""
    rest = body[len(minus) :].lstrip()
    if not (rest.startswith(_SIGNS) or rest.endswith(_SIGNS)):
        return body, ""
    for sign in _SIGNS:
        if rest.endswith(sign):
            return minus + rest[: -len(sign)].rstrip(), sign
        if rest.startswith(sign) and sign != "%":
            return minus + rest[len(sign) :].lstrip(), sign
    return body, ""


def _out_of_brackets(body: str, sign: str) -> tuple[str, str] | None:
    """A number in brackets with a minus instead, and its sign; None if it is none.

    Brackets are no way of writing to be compared: they say what the number below 0 says.
    """
    if not body.endswith(")"):
        return None
    inner, own = _unsigned(body[1:-1].strip())
    if not (inner[:1].isdigit() or inner[:1] == ".") or (sign and own):
        return None
    return f"-{inner}", sign or own


def without_unit(text: str) -> tuple[str, str]:
    """A number without the letters behind it, and those; other texts as they are.

    Examples
    --------
    >>> without_unit("76.3 kg"), without_unit("-2,5°C"), without_unit("1.5e3"), without_unit("3rd")
    (('76.3', 'kg'), ('-2,5', '°C'), ('1.5e3', ''), ('3rd', ''))
    >>> without_unit("512MB"), without_unit("1OT")
    (('512', 'MB'), ('1OT', ''))
    """
    body = text.strip().replace("−", "-", 1)
    if len(body) > _LONGEST or body[:1] not in _STARTS or body[-1:].isdigit():
        return body, ""
    found = _WITH_UNIT.fullmatch(body)
    if found is None or found[2].casefold() in _NO_UNITS or literal(body):
        return body, ""
    figures, letters = found[1], found[2]
    if not (literal(figures) or literal(figures, comma=True)) or _is_coded(body, figures, letters):
        return body, ""
    return figures, letters


def _is_coded(body: str, figures: str, letters: str) -> bool:
    """Whether letters right behind figures make a code of them rather than an amount."""
    glued = len(figures) + len(letters) == len(body)
    capitals = letters.isupper() and letters.isascii() and letters not in _CAPITAL_UNITS
    return glued and capitals and figures.isdigit()


def is_code(text: str) -> bool:
    """Tell digits with leading zeros: a column with some is one of codes, not of numbers."""
    return _CODE.fullmatch(text.strip()) is not None


def truth(text: str) -> float:
    """1 for true, yes, on, T, Y and 1 (also 1.0); 0 for their contraries; else NaN."""
    value = TRUTH.get(text.strip().casefold())
    if value is None:
        value = number(text)
    return value if value in (0.0, 1.0) else math.nan


def hours(text: str) -> float:
    """A time of day in hours, NaN if the text is none.

    Examples
    --------
    >>> hours("08:15"), hours("20:15:36"), hours("8:15 PM"), hours("8.15")
    (8.25, 20.26, 20.25, nan)
    """
    found = _CLOCK.fullmatch(text.strip())
    if found is None or (found[4] and not 1 <= int(found[1]) <= 12):
        return math.nan
    hour = int(found[1])
    if found[4]:
        hour = hour % 12 + (12 if found[4] in "pP" else 0)
    return (3600 * hour + 60 * int(found[2]) + float(found[3] or 0)) / 3600


def span(text: str) -> float:
    """A duration in seconds, NaN if the text is none; "43 m" alone may be metres.

    Examples
    --------
    >>> span("1 days 01:00:30"), span("PT1H30M"), span("1h 05m"), span("43 m")
    (90030.0, 5400.0, 3900.0, nan)
    >>> span("-1 days +23:59:00"), span("01:30.5")
    (-60.0, 90.5)
    """
    text = text.strip()
    if len(text) > _LONGEST or not (text[:1].isdigit() or text[:1] in ("-", "P")):
        return math.nan
    found = _SPAN.fullmatch(text)
    if found:
        days = -float(found["d"]) if found["minus"] else float(found["d"])  # the time counts up
        return 86_400.0 * days + _seconds_of_day(found)
    found = _ISO_SPAN.fullmatch(text) or _LAP.fullmatch(text)
    if found is None:
        found = _TOLD_SPAN.fullmatch(text)
        if found is None or sum(found[unit] is not None for unit in "dhms") < 2:
            return math.nan
    size = 86_400.0 * float(found["d"] or 0) + _seconds_of_day(found)
    return -size if found["minus"] else size


def _seconds_of_day(found: re.Match[str]) -> float:
    return 3_600.0 * float(found["h"] or 0) + 60.0 * float(found["m"] or 0) + float(found["s"] or 0)


def seconds(text: str) -> float:
    """An ISO date or time as seconds since 1970, NaN if it is none; without a zone it is UTC.

    Examples
    --------
    >>> seconds("1970-01-02"), seconds("1970-01-01T01:00+01:00"), seconds("2025-02-30")
    (86400.0, 0.0, nan)
    >>> seconds("1970-01-01 02:00:00.5+02")
    0.5
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
