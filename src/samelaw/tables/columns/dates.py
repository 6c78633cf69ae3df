"""Dates as people write them: 2024/01/02, 27.09.2024, 18 May 2024, May 15, 2024, 09/27/2024.

The year comes first or last. With dots the day is before the month; with slashes and dashes the
order is open in 03/04/2025, and the other dates of the column have to tell it.
"""

import math
import re
from datetime import UTC, datetime, timedelta, timezone

from samelaw.tables.columns import parse

CENTURY = 69
"""Years of two digits from here on are of the 1900s, as POSIX has it."""

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_BY_NAME = {name[:3]: i for i, name in enumerate(_MONTHS, 1)}
_STARTS = frozenset((*_BY_NAME, "mon", "tue", "wed", "thu", "fri", "sat", "sun"))
_DAYS = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_NAMED = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS if name != "september")
_MONTH = rf"(?P<name>{_NAMED}|sept?(?:ember)?)\.?"
_CLOCK = (
    r"(?:(?:[t ]|, ?)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2}(?:\.[0-9]{1,9})?))?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?(?: ?(?P<zone>z|utc|gmt|[+-][0-9]{2}(?::?[0-9]{2})?))?)?"
)

_GROUPS = ("year", "hour", "minute", "second", "half", "zone")
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_ORDERS = {
    (first, second): frozenset(order for order, fits in ((True, first), (False, second)) if fits)
    for first in (False, True)
    for second in (False, True)
}


def _rule(date: str) -> re.Pattern[str]:
    return re.compile(rf"{date}{_CLOCK}", re.IGNORECASE | re.ASCII)


_RULES = (
    _rule(r"(?P<year>\d{4})(?P<sign>[-/.])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})"),
    _rule(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})"),
    # 3.11.12 is a version: years of two digits want days and months of two
    _rule(r"(?P<day>\d{2})\.(?P<month>\d{2})\.(?P<year>\d{2})"),
    _rule(
        rf"(?:{_DAYS}\.?,? )?(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th)?(?P<sign>[ /-]){_MONTH}"
        r"(?:(?P=sign)|, ?)(?P<year>\d{4}|\d{2})"
    ),
    _rule(
        rf"(?:{_DAYS}\.?,? )?{_MONTH}[ -](?P<day>\d{{1,2}})(?:st|nd|rd|th)?"
        r"(?:, ?|[ -])(?P<year>\d{4})"
    ),
)
_OPEN = _rule(
    r"(?P<one>\d{1,2})(?P<sign>[/-])(?P<other>\d{1,2})(?P=sign)(?P<year>\d{4}|(?<=/)\d{2})"
)


def seconds(text: str, day_first: bool | None = None) -> float:
    """A date, with or without a time of day, as seconds since 1970; NaN if the text is none.

    ``day_first`` is the order of dates with slashes and dashes, which without it are none.

    Examples
    --------
    >>> seconds("1970/01/02"), seconds("2 Jan 1970"), seconds("2/1/1970")
    (86400.0, 86400.0, nan)
    >>> seconds("2/1/1970", day_first=True), seconds("1/2/70 1:00 AM", day_first=False)
    (86400.0, 90000.0)
    """
    text = text.strip()
    if not math.isnan(found := parse.seconds(text)):
        return found
    if not (text[:1].isdigit() or text[:3].lower() in _STARTS):  # most words
        return math.nan
    if day_first is not None and (match := _OPEN.fullmatch(text)):
        day, month = match["one"], match["other"]
        return _moment(match, *((day, month) if day_first else (month, day)))
    for rule in _RULES:
        if match := rule.fullmatch(text):
            parts = match.groupdict()
            name = parts.get("name")
            month = str(_BY_NAME[name[:3].lower()]) if name else parts["month"]
            return _moment(match, parts["day"], month)
    return math.nan


def orders(text: str) -> frozenset[bool]:
    """The orders in which a text is a date, if its order is open: day first, month first.

    Examples
    --------
    >>> sorted(orders("03/04/2025")), orders("27/04/2025"), orders("2025-04-27")
    ([False, True], frozenset({True}), frozenset())
    """
    match = _OPEN.fullmatch(text.strip())
    if match is None:
        return frozenset()
    one, other = int(match["one"]), int(match["other"])
    return _ORDERS[_is_day(one, other), _is_day(other, one)]


def _is_day(day: int, month: int) -> bool:
    """Whether a month has such a day, in some year."""
    return 1 <= month <= 12 and 1 <= day <= _LONGEST[month - 1]


def _moment(match: re.Match[str], day: str, month: str) -> float:
    year, hour, minute, second, half, zone = match.group(*_GROUPS)
    whole, fraction = divmod(float(second or 0), 1.0)
    try:
        moment = datetime(
            _year(year),
            int(month),
            int(day),
            _hour(int(hour or 0), half),
            int(minute or 0),
            int(whole),
            tzinfo=_zone(zone),
        )
    except ValueError:
        return math.nan
    return parse.seconds_of(moment) + fraction


def _year(digits: str) -> int:
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (1900 if int(digits) >= CENTURY else 2000)


def _hour(hour: int, half: str | None) -> int:
    """Hours of the day; 12 AM is midnight, and no hour is after 12 PM."""
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError(f"{hour} {half}m is no hour.")
    return hour % 12 + (12 if half.lower() == "p" else 0)


def _zone(zone: str | None) -> timezone:
    if zone is None or zone[0] not in "+-":
        return UTC
    apart = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:].lstrip(":") or 0))
    return timezone(-apart if zone[0] == "-" else apart)
