"""Numbers, shares, times and lists as people write them: the one home of formatting."""

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePath

from samelaw.results.escape_controls import legible

LEAST = 1e-4
"""Numbers from 0 to 1 below this are said to be below it."""

_SMALL, _LARGE = 1e-6, 1e15  # between them nobody needs an exponent
YEARS = (1000.0, 2999.0)
"""Whole numbers that read as years if all of a column lie between."""

_YEAR = re.compile(r"(?:\A|(?<!per)[\W_])year\s*\Z", re.IGNORECASE)
LONGEST_LABEL = 18
LONGEST_NAME = 80
"""Characters of a name at most; what may be longer is a sentence."""


def number(value: float, digits: int = 4, *, calendar: bool = False) -> str:
    """A value of a column: so many digits, without exponents for everyday sizes.

    ``calendar`` says that it is a year or a day in digits, whose thousands nobody marks.

    Examples
    --------
    >>> number(12345.678), number(0.25), number(-0.0), number(1e-9), number(12345.678, 6)
    ('12,346', '0.25', '0', '1e-09', '12,345.7')
    >>> number(1.3e7), number(0.00002)
    ('13,000,000', '0.00002')
    """
    return numbers([value], digits, calendar=calendar)[0]


def numbers(values: Sequence[float], digits: int = 4, *, calendar: bool = False) -> list[str]:
    """Numbers beside each other, in one style: all with exponents if one needs it.

    Examples
    --------
    >>> numbers([5.4e6, 1.3e7]), numbers([5.4e6, 1.3e16]), numbers([-1989, 2017], calendar=True)
    (['5,400,000', '13,000,000'], ['5.4e+06', '1.3e+16'], ['−1989', '2017'])
    """
    sizes = [abs(value) for value in values if value != 0 and math.isfinite(value)]
    plain = all(_SMALL <= size < _LARGE for size in sizes)
    texts = [_written(value, digits, plain) for value in values]
    return [text.replace(",", "") for text in texts] if calendar else texts


def are_years(name: str, low: float, high: float) -> bool:
    """Whether whole numbers of a column are years: by where all of them lie, or by its name.

    Examples
    --------
    >>> are_years("made", 1952, 2017), are_years("birth_year", -1989, 2017), are_years("n", 5, 2017)
    (True, True, False)
    """
    return (low >= YEARS[0] and high <= YEARS[1]) or bool(_YEAR.search(name))


def _written(value: float, digits: int, plain: bool) -> str:
    sign = "−" if value < 0 else ""
    value = abs(value)
    if value == 0 or not math.isfinite(value):
        return f"{sign}{value:g}"
    if not plain:
        return sign + re.sub(r"\.?0*e", "e", f"{value:.{digits - 1}e}")
    places = max(0, digits - 1 - math.floor(math.log10(value)))
    text = f"{sign}{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def signed(value: float) -> str:
    """A difference of values, with its sign and three digits.

    Examples
    --------
    >>> signed(5.519), signed(-0.25)
    ('+5.52', '−0.25')
    """
    sign = "−" if value < 0 else "+"
    return sign + number(float(f"{abs(value):.3g}"))


def decimal(value: float) -> str:
    """A p-value or an effect: two or three digits, never a 0 that is none, NaN as not known.

    Examples
    --------
    >>> decimal(0.06149), decimal(0.4051), decimal(0.0), decimal(0.00004), decimal(math.nan)
    ('0.061', '0.405', '0', '< 0.0001', '–')
    """
    if math.isnan(value):
        return "–"
    if 0 < value < LEAST:
        return f"< {LEAST:.4f}"
    return f"{value:.2g}" if abs(value) < 0.1 else f"{value:.3g}"


def amount(value: float) -> str:
    """The same of what words stand before: "up to 0.00003", as "up to < 0.0001" is no English.

    Examples
    --------
    >>> amount(0.06149), amount(0.000031), amount(0.0)
    ('0.061', '0.00003', '0')
    """
    if not 0 < value < LEAST:
        return decimal(value)
    return f"{value:.{-math.floor(math.log10(float(f'{value:.1g}')))}f}"


def at_least(share: float) -> str:
    """A share of which more may be true: as `percent`, with all its zeros.

    Examples
    --------
    >>> at_least(0.5), at_least(0.00027), at_least(0.9996)
    ('50 %', '0.027 %', '99.9 %')
    """
    return f"{amount(100 * share)} %" if 0 < share < 0.001 else percent(min(share, 0.999))


def pvalue_words(value: float) -> str:
    """A p-value with its sign of relation.

    Examples
    --------
    >>> pvalue_words(0.04), pvalue_words(1e-9)
    ('p = 0.04', 'p < 0.0001')
    """
    said = decimal(value)
    return f"p {said}" if said.startswith("<") else f"p = {said}"


def percent(share: float) -> str:
    """A share as people say it, never a rounded 0 % for something that occurs.

    Examples
    --------
    >>> percent(0.5), percent(0.061), percent(0.0001), percent(1.0)
    ('50 %', '6.1 %', '< 0.1 %', '100 %')
    """
    if 0 < share < 0.001:
        return "< 0.1 %"
    if 0.999 < share < 1:
        return "> 99.9 %"
    return f"{100 * share:.{1 if share < 0.1 or share > 0.9 else 0}f} %".replace(".0 %", " %")


def points(difference: float) -> str:
    """A difference of two shares in points, with its sign.

    Examples
    --------
    >>> points(0.16), points(-0.0123)
    ('+16', '−1.2')
    """
    shown = f"{100 * difference:+.2g}" if abs(difference) < 0.1 else f"{100 * difference:+.0f}"
    return shown.replace("-", "−")


def confidence(level: float) -> str:
    """How sure one is at a level.

    Examples
    --------
    >>> confidence(0.05)
    '95 %'
    """
    return f"{100 * (1 - level):.4g} %"


def two_digits(count: float) -> int:
    """A number of rows, rounded up to digits that somebody knows.

    Examples
    --------
    >>> two_digits(12_345.6), two_digits(7.2)
    (13000, 8)
    """
    scale = int(10 ** max(math.floor(math.log10(count)) - 1, 0))
    return math.ceil(count / scale) * scale


def moment(seconds: float) -> str:
    """A time as ISO writes it, without an idle midnight.

    Examples
    --------
    >>> moment(0.0), moment(3600.0)
    ('1970-01-01', '1970-01-01 01:00')
    """
    try:
        text = datetime.fromtimestamp(seconds, UTC).isoformat(sep=" ", timespec="minutes")
    except (OverflowError, ValueError, OSError):
        return f"{seconds:.6g} s"
    return text[:16].removesuffix(" 00:00")


def clock(hour: float) -> str:
    """An hour of the day as a clock shows it.

    Examples
    --------
    >>> clock(13.7), clock(23.999)
    ('13:42', '00:00')
    """
    minutes = round(60 * hour) % 1440
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def hours_apart(hours: float) -> str:
    """A difference of times of day, in hours and minutes.

    Examples
    --------
    >>> hours_apart(1.52), hours_apart(-0.07)
    ('1:31', '0:04')
    """
    minutes = round(60 * abs(hours))
    return f"{minutes // 60}:{minutes % 60:02d}"


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names as a sentence lists them.

    Examples
    --------
    >>> listed(["x", "y", "z"]), listed(list("abcdef"))
    ('x, y and z', 'a, b, c, d and 2 more')
    """
    if len(names) <= most and len(names) > 1:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return in_a_row(names, most)


def in_a_row(names: Sequence[str], most: int = 8) -> str:
    """Names as a table lists them, the rest as a number.

    Examples
    --------
    >>> in_a_row(["x", "y", "z"]), in_a_row(["x", "y", "z"], 1)
    ('x, y, z', 'x and 2 more')
    """
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def quoted(word: str, longest: int = 40) -> str:
    """A category as a sentence names it."""
    return repr(word if len(word) <= longest else word[: longest - 1] + "…")


def shorten(text: str, longest: int = LONGEST_LABEL) -> str:
    r"""One printable line of at most ``longest`` characters.

    Names are cut in the middle, as those of one table often start alike; sentences at the end.

    Examples
    --------
    >>> shorten("Königsberg in Bayern"), shorten("two\nlines")
    ('Königsber…n Bayern', 'two\\nlines')
    """
    written = legible(text.strip())  # as wherever a name has room
    line = "".join(sign if sign.isprintable() else " " for sign in written)
    line = " ".join(line.split()) or "(blank)"
    if len(line) <= longest:
        return line
    kept = (longest - 1) // 2 if longest <= LONGEST_NAME else 0
    end = line[len(line) - kept :].lstrip() if kept else ""
    return line[: longest - 1 - kept].rstrip() + "…" + end


_TABLE = re.compile(r"\A[a-z]+://.*[?&]table=")  # what stands before the name of one
_QUERY = re.compile(r"\A[a-z]+://.*[?&]query=")


def source_names(sources: tuple[str, str]) -> tuple[str, str]:
    """File names without their folders, unless they are the same; A and B for objects.

    Of tables in a database their names; queries have none.

    Examples
    --------
    >>> source_names(("old/may.csv", "new/june.csv")), source_names(("the array a", "x.csv"))
    (('may.csv', 'june.csv'), ('A', 'B'))
    """
    nameless = any(source.startswith("the ") or _QUERY.match(source) for source in sources)
    if nameless or sources[0] == sources[1]:
        return "A", "B"
    first, second = (PurePath(_TABLE.sub("", source)).name or source for source in sources)
    return (first, second) if first != second else sources


def file_names(paths: Sequence[str]) -> list[str]:
    """Names of files without their folders, unless two are then the same.

    Examples
    --------
    >>> file_names(["a/real.npy", "b/new.npy"]), file_names(["a/x.npy", "b/x.npy"])
    (['real.npy', 'new.npy'], ['a/x.npy', 'b/x.npy'])
    """
    if len(set(paths)) < len(paths):
        raise ValueError(f"{', '.join(paths)}: the same path twice; give each once.")
    short = [PurePath(path).name or path for path in paths]
    return short if len(set(short)) == len(short) else list(paths)
