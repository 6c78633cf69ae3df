"""What is asked of two tables, checked before any of them is read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from samelaw.comparison.plan import Plan, Stages, Streams
from samelaw.core.checks import as_count, as_progress, as_seed, as_share, shown
from samelaw.core.types import Progress, Seed
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.kinds import as_kinds
from samelaw.tables.columns.names import as_names
from samelaw.tables.pairing.pair import TablePair
from samelaw.tables.reading.formats import CsvFormat
from samelaw.tables.thinning import Sample
from samelaw.testing.permuting.group_units import Groups
from samelaw.testing.permuting.permutations import Sequential, as_permutations


@dataclass(frozen=True, eq=False)
class Question:
    """The options of `compare`, as they are meant.

    Parameters
    ----------
    level, min_effect, same_within, columns, unique, target, memory, allow_schema, where
        As `compare` takes them.
    ignore : tuple of names
    kinds : {name: kind}, optional
    groups : Groups, optional
        Whose labels are the name of a column.
    permutations : int
    sample : int, optional
    text : CsvFormat
        How CSV files and sheets are written.
    seed : int or None
        What was given or drawn; None of a generator.
    streams : Streams
    stages : Stages
    """

    level: float
    min_effect: float
    same_within: float | None
    columns: Sequence[str] | None
    ignore: tuple[str, ...]
    kinds: Mapping[str, Kind | str] | None
    groups: Groups | None
    unique: bool
    target: str | None
    permutations: int
    memory: float | None
    allow_schema: bool
    sample: int | None
    where: str | None
    text: CsvFormat
    seed: int | None
    streams: Streams
    stages: Stages

    @classmethod
    def of(
        cls,
        *,
        level: float,
        min_effect: float,
        same_within: float | None,
        columns: Sequence[str] | None,
        ignore: Iterable[str],
        kinds: Mapping[str, Kind | str] | None,
        groups: str | Groups | Mapping[str, Any] | None,
        unique: bool,
        target: str | None,
        permutations: int | None,
        rng: Seed,
        memory: float | None,
        progress: Progress | bool | None,
        allow_schema: bool,
        sample: int | None,
        where: str | None,
        text: CsvFormat,
    ) -> "Question":
        level = as_share("level", level)
        _check_effects(min_effect, same_within)
        groups = _as_groups(groups)
        _check_rows_asked(unique, groups)
        count = _as_count(permutations, level)
        stages = Stages(as_progress(progress))
        generator, seed = as_seed(rng)
        return cls(
            level=level,
            min_effect=float(min_effect),
            same_within=None if same_within is None else float(same_within),
            columns=None if columns is None else as_names("columns", columns),
            ignore=as_names("ignore", ignore),
            kinds=as_kinds(kinds),
            groups=groups,
            unique=unique,
            target=target,
            permutations=count,
            memory=memory,
            allow_schema=allow_schema,
            sample=None if sample is None else as_count("sample (--sample)", sample, 2),
            where=where,
            text=text,
            seed=seed,
            streams=Streams.spawned(generator),
            stages=stages,
        )

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns that are not compared: those to be ignored, and that of the groups."""
        return (*self.ignore, *self._group_column)

    @property
    def read(self) -> Sequence[str] | None:
        """Columns to be read, that of the groups among them; None for all."""
        if self.columns is None:
            return None
        return (*self.columns, *self._group_column)

    @property
    def _group_column(self) -> tuple[str, ...]:
        return () if self.groups is None else (self.groups.labels,)

    @property
    def drawn(self) -> Sample | None:
        """The rows to draw of each table, if a sample was asked for."""
        return None if self.sample is None else Sample(self.sample, self.streams.sample)

    def of_all_columns(self, level: float) -> "Question":
        """The same about tables whose columns and kinds are settled, with randomness of its own."""
        return replace(
            self,
            level=level,
            columns=None,
            ignore=(),
            kinds=None,
            streams=Streams.spawned(self.streams.units),
        )

    def plan(self, pair: TablePair, groups: Groups | None = None) -> Plan:
        """What is asked of two tables that were read; groups with a number for every row."""
        return Plan(
            pair,
            self.level,
            self.permutations,
            self.streams,
            groups,
            min_effect=self.min_effect,
            same_within=self.same_within,
            memory=self.memory,
            unique=self.unique,
            allow_schema=self.allow_schema,
            target=self.target,
        )

    def settings(self) -> dict[str, object]:
        """What was asked, in plain values: ``compare(a, b, **settings)`` asks it again."""
        return {
            "level": self.level,
            "min_effect": self.min_effect,
            "same_within": self.same_within,
            "columns": None if self.columns is None else list(self.columns),
            "ignore": list(self.ignore),
            "kinds": {name: str(kind) for name, kind in (self.kinds or {}).items()},
            "groups": _said_groups(self.groups),
            "unique": self.unique,
            "target": self.target,
            "permutations": self.permutations,
            "rng": self.seed,
            "memory": self.memory,
            "allow_schema": self.allow_schema,
            "sample": self.sample,
            "where": self.where,
            "sep": self.text.sep,
            "header": self.text.header,
            "encoding": self.text.encoding,
            "skip": self.text.skip,
            "sheet": self.text.sheet,
        }


def _check_effects(min_effect: float, same_within: float | None) -> None:
    if not (isinstance(min_effect, Real) and 0 <= min_effect < 1):
        raise ValueError(f"min_effect must be at least 0 and below 1, got {shown(min_effect)}.")
    if same_within is None:
        return
    if not (isinstance(same_within, Real) and 0 < same_within < 1):
        raise ValueError(f"same_within must be above 0 and below 1, got {shown(same_within)}.")
    if min_effect:
        raise ValueError(
            "min_effect (--min-effect) asks whether a difference is shown, same_within "
            "(--same-within) whether sameness is; give one of them."
        )


def _said_groups(groups: Groups | None) -> object:
    """The name of their column; with how they are permuted where that is not the usual way."""
    if groups is None or not (groups.swap or groups.thin):
        return None if groups is None else groups.labels
    return {"labels": groups.labels, "swap": groups.swap, "thin": groups.thin}


def _as_groups(groups: object) -> Groups | None:
    """Groups by the name of their column; labels of rows are for tests of arrays."""
    found = Groups(groups) if isinstance(groups, str) else groups
    if isinstance(found, Mapping) and found.keys() <= {"labels", "swap", "thin"}:
        found = Groups(**found)  # as the settings of a result have them
    if found is None or (isinstance(found, Groups) and isinstance(found.labels, str)):
        return found
    given = found.labels if isinstance(found, Groups) else found
    raise TypeError(
        "groups (--groups) must be the name of a column that both tables have, or Groups of one, "
        f"got {shown(given)}."
    )


def _check_rows_asked(unique: bool, groups: Groups | None) -> None:
    if unique and groups is not None:
        raise ValueError(
            "unique (--unique) drops repeated rows and groups (--groups) keeps the rows of a group "
            "together; give one of them."
        )


def _as_count(permutations: int | None, level: float) -> int:
    count = as_permutations(permutations, level)
    if isinstance(count, Sequential):
        raise TypeError(
            f"permutations must be a whole number for compare, got {count!r}: all columns and "
            "pairs are judged on the same permutations, so none of them may stop early. Leave it "
            f"out, or pass permutations={count.most}."
        )
    return count
