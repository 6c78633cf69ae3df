"""What is asked for on the command line: from its words, and back into words."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `samelaw --help` loads this file and needs no numpy
    from samelaw.tables.table import Table
    from samelaw.testing.permuting.group_units import Groups

LEVEL = 0.05

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(r"(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>[KMGT]?)(?:i?B)?", re.IGNORECASE)


@dataclass(frozen=True)
class Written:
    """How files of text and sheets are written, as far as it was said; see `CsvFormat`."""

    sep: str | None = None
    header: bool | None = None
    encoding: str | None = None
    skip: int | None = None
    sheet: str | None = None

    def table(self, path: str) -> "Table":
        """The table of a file."""
        from samelaw.tables.reading.formats import CsvFormat
        from samelaw.tables.reading.read import read_table

        return read_table(path, text=CsvFormat(**asdict(self)))

    def again(self) -> list[str]:
        """What was said, in the words of the command line."""
        words: list[str] = []
        if self.sep is not None:
            words += ["--sep", self.sep.replace("\t", "\\t")]
        if self.header is not None:
            words.append("--header" if self.header else "--no-header")
        if self.encoding is not None:
            words += ["--encoding", self.encoding]
        if self.skip is not None:
            words += ["--skip", str(self.skip)]
        return words + (["--sheet", self.sheet] if self.sheet is not None else [])


@dataclass(frozen=True)
class Request:
    """A comparison that was asked for, apart from what is done with its answer.

    Parameters
    ----------
    a, b : files, folders or patterns.
    groups : the column whose rows belong together.
    swap, thin : what is done with groups; see `samelaw.Groups`.
    memory, allow_schema, sample, where : as `samelaw.compare` takes them.
    written : how files are written.
    """

    a: str
    b: str
    columns: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    groups: str | None = None
    swap: bool = False
    thin: bool = False
    unique: bool = False
    target: str | None = None
    level: float = LEVEL
    min_effect: float = 0.0
    same_within: float | None = None
    permutations: int | None = None
    memory: float | None = None
    allow_schema: bool = False
    sample: int | None = None
    where: str | None = None
    written: Written = Written()
    dask: str | None = None

    def __post_init__(self) -> None:
        if self.groups is None and (self.swap or self.thin):
            raise ValueError("--swap-sides and --thin-groups say what to do with --groups NAME.")

    @property
    def belonging(self) -> "Groups | None":
        """The groups of `samelaw.compare`."""
        from samelaw.testing.permuting.group_units import Groups

        if self.groups is None:
            return None
        return Groups(self.groups, swap=self.swap, thin=self.thin)

    def again(
        self, seed: int | None, with_rows: bool | None, outputs: Mapping[str, Path | None]
    ) -> tuple[str, ...]:
        """The command that gives the same answer again; defaults are left out."""
        words = ["samelaw", "compare", self.a, self.b]
        words += [w for name in self.columns for w in ("--columns", _quoted(name))]
        words += [w for name in self.ignore for w in ("--ignore", _quoted(name))]
        words += [w for name, kind in self.kinds.items() for w in ("--kind", f"{name}={kind}")]
        if self.level != LEVEL:
            words += ["--level", str(self.level)]
        if self.min_effect:
            words += ["--min-effect", str(self.min_effect)]
        if self.same_within is not None:
            words += ["--same-within", str(self.same_within)]
        if self.groups is not None:
            words += ["--groups", self.groups]
        words += ["--swap-sides"] * self.swap + ["--thin-groups"] * self.thin
        words += ["--unique"] * self.unique
        if self.target is not None:
            words += ["--target", self.target]
        words += ["--allow-schema"] * self.allow_schema
        if self.sample is not None:
            words += ["--sample", str(self.sample)]
        if self.where is not None:
            words += ["--where", self.where]
        words += self.written.again()
        if self.permutations is not None:
            words += ["--permutations", str(self.permutations)]
        if self.memory is not None:
            words += ["--memory", size_words(self.memory)]
        if self.dask is not None:
            words += ["--dask", self.dask]
        if seed is not None:
            words += ["--seed", str(seed)]
        if with_rows is not None:
            words.append("--with-rows" if with_rows else "--no-rows")
        words += [w for option, path in outputs.items() if path for w in (option, str(path))]
        return tuple(words)


def names_of(values: Sequence[str] | None) -> tuple[str, ...]:
    """Names from ``one,two`` or ``'"a, b",c'``, as in a line of CSV.

    Examples
    --------
    >>> names_of(["one,two", '"a, b"'])
    ('one', 'two', 'a, b')
    """
    return tuple(name for value in values or () for name in next(csv.reader([value]), []))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"') else name


def sign_of(value: str | None) -> str | None:
    """A separator as people type it: a tab is hard to."""
    return "\t" if value in ("\\t", "tab") else value


def size_of(value: str | None) -> float | None:
    """Bytes from ``500M`` or ``2G``; a plain number is bytes.

    Examples
    --------
    >>> size_of("2G") == 2 * 2**30, size_of("500 MB") == 500 * 2**20
    (True, True)
    """
    if value is None:
        return None
    found = _SIZE.fullmatch(value.strip())
    if found is None:
        raise ValueError(f"--memory is {value!r}; expected a size such as 500M or 2G.")
    return float(round(float(found["number"]) * _UNITS[found["unit"].upper()]))


def size_words(size: float) -> str:
    """The shortest way to write so many bytes that `size_of` reads back.

    Examples
    --------
    >>> size_words(2.0**30), size_words(1.5 * 2**30), size_words(2e8)
    ('1G', '1536M', '200000000')
    """
    unit = next(unit for unit in ("G", "M", "K", "") if size % _UNITS[unit] == 0)
    return f"{size / _UNITS[unit]:.0f}{unit}"


def kinds_of(values: Sequence[str] | None) -> dict[str, str]:
    """Kinds from ``name=kind``; a name may hold the sign too."""
    chosen = {}
    for value in values or ():
        name, sign, kind = value.rpartition("=")
        if not sign or not name:
            raise ValueError(f"--kind is {value!r}; expected NAME=KIND, as in zip=categorical.")
        chosen[name] = kind
    return chosen
