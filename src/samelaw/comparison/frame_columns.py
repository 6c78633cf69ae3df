"""The columns of two Dask dataframes: those of both are compared, those of one told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from samelaw.columns.column import Kind
from samelaw.columns.names import check_distinct, check_names
from samelaw.comparison.question import Question
from samelaw.references.engines import SOURCE
from samelaw.references.reference_tables import some_columns
from samelaw.show.words import in_a_row
from samelaw.tables.table import Table

_SHOWN = 5
Names = Sequence[str]


@dataclass(frozen=True)
class FrameColumns:
    """Names of columns that both dataframes have, and those of one of them only."""

    shared: tuple[str, ...]
    alone: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @classmethod
    def of(cls, a: Any, b: Any, question: Question) -> "FrameColumns":
        """What is asked, of dataframes that have it; columns that are named must be in both."""
        first, second = (check_distinct(frame.columns, SOURCE) for frame in (a, b))
        either = tuple(dict.fromkeys((*first, *second)))
        check_names((*question.ignore, *(question.kinds or ())), either, "either dataframe")
        for own in (first, second):
            check_names(question.columns or (), own, SOURCE)
        wanted = first if question.columns is None else dict.fromkeys(question.columns)
        shared = tuple(n for n in wanted if n in second and n not in question.ignore)
        if not shared:
            raise ValueError(_nothing_shared(first, second))
        if question.columns is not None:
            return cls(shared)
        left = {*shared, *question.ignore}
        gone, new = (tuple(n for n in own if n not in left) for own in (first, second))
        return cls(shared, (gone, new))

    def frames(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Both dataframes in the columns they share."""
        return some_columns(a, self.shared, ()), some_columns(b, self.shared, ())

    def kinds(self, asked: Mapping[str, Kind | str] | None) -> dict[str, Kind | str]:
        """Kinds that were asked for, of columns that are compared."""
        return {name: kind for name, kind in (asked or {}).items() if name in self.shared}

    def tables(self, a: Table, b: Table) -> tuple[Table, Table]:
        """The rows drawn of each, which know of the columns that were left behind."""
        return replace(a, unread=self.alone[0]), replace(b, unread=self.alone[1])


def _nothing_shared(first: Names, second: Names) -> str:
    named = [in_a_row([repr(name) for name in names], _SHOWN) for names in (first, second)]
    return (
        f"the two Dask dataframes share no column to compare: the first has {named[0]}, the second "
        f"{named[1]}; rename them to match."
    )
