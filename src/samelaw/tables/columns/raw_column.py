"""A column as it came in, whatever it holds, and every way in which it can be read.

What a column means is decided later, on the values of both tables together. Until then nothing is
thrown away: numbers keep their type, words their spelling.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from samelaw.core.types import Matrix
from samelaw.tables.columns.notation import Clocks, Commas, Dots, Units, Writing

Codes: TypeAlias = NDArray[np.int64]
"""Numbers (n,) of words in a list, −1 where there is none."""

Floats: TypeAlias = NDArray[np.float64]
"""Values (n,), NaN where there is none."""

Mask: TypeAlias = NDArray[np.bool_]
"""True where a value (n,) is missing."""

PLAIN = "(plain)"
"""How most values of a column of numbers or dates are written."""


class Form(Enum):
    """A way to read the values of a column."""

    BOOLEAN = "true/false"
    INTEGER = "whole numbers"
    NUMBER = "numbers"
    TIME = "dates"
    WORDS = "words"


class RawColumn(ABC):
    """A column before anyone decided what it means.

    ``declared`` is the type its source gives it, in words, or empty where none is declared;
    ``comma`` whether the source may write its numbers with a decimal comma.
    """

    missing: Mask
    notes: tuple[str, ...]
    declared: str
    comma: bool

    @property
    def known(self) -> int:
        return len(self.missing) - int(np.count_nonzero(self.missing))

    @property
    def forms(self) -> frozenset[Form]:
        """The forms that fit every value; all of them when every value is missing."""
        return frozenset(Form) if bool(self.missing.all()) else self._forms

    @cached_property
    @abstractmethod
    def _forms(self) -> frozenset[Form]: ...

    @abstractmethod
    def numbers(self, form: Form) -> Floats:
        """The values (n,) as float64; NaN where missing or not of this form."""

    @abstractmethod
    def exact(self, form: Form) -> Matrix:
        """The numbers (k,) of this form with all their digits, without what is missing."""

    @abstractmethod
    def words(self) -> tuple[Codes, Sequence[str]]:
        """Codes (n,), −1 where missing, and the words they stand for."""

    @abstractmethod
    def count(self, form: Form) -> int:
        """How many values follow a form."""

    @abstractmethod
    def manners(self, form: Form) -> tuple[Codes, Sequence[str]]:
        """How each value is written if most are of a form.

        Codes (n,), −1 where missing, of PLAIN, of a sign beside the number ("$", "%"), or of the
        word that stands in its place.
        """

    @abstractmethod
    def taken(self, rows: Codes) -> "RawColumn":
        """Some of the rows."""

    @abstractmethod
    def as_read(self, row: int) -> str | None:
        """The value of a row as its source writes it; None if it is missing."""

    @abstractmethod
    def styled(self, writing: Writing) -> "RawColumn":
        """The same column, read as all tables show that it is written."""

    @property
    def commas(self) -> bool:
        """Whether some value may have a decimal comma."""
        return False

    @property
    def comma_counts(self) -> Commas:
        """How many values may have a decimal comma, and how many must."""
        return Commas(self.known)

    @property
    def clocks(self) -> Clocks:
        """How many values are written as times of day."""
        return Clocks()

    @property
    def units(self) -> Units:
        """How many values have letters behind a number, and which."""
        return Units(self.known)

    @property
    def spans(self) -> bool:
        """Whether some value is written as a duration."""
        return False

    @property
    def dots(self) -> Dots:
        """What stands after the dots of numbers, as far as they were written."""
        return Dots()

    @property
    def may_be_thousands(self) -> bool:
        """Whether a look at `dots` is worth its time."""
        return False

    @property
    def is_settled(self) -> bool:
        """Whether someone decided how it is written."""
        return False

    @property
    def open_dates(self) -> tuple[frozenset[bool], str]:
        """The orders that some dates demand (`Writing.orders`), and a date of open order."""
        return frozenset(), ""

    @property
    def codes_only(self) -> bool:
        """Whether some value has leading zeros, as codes have and numbers have not."""
        return False

    @property
    def grouped(self) -> str:
        """A number whose thousands are marked, or nothing."""
        return ""

    @property
    def reading_notes(self) -> tuple[str, ...]:
        """What a reader of the report should know if this column is read as numbers or dates."""
        return ()

    def remarks(self) -> tuple[str, ...]:
        """What a reader of the report should know if this column is read as words."""
        return ()

    @property
    def family(self) -> Form:
        """The form to name this side of a comparison by: 0 and 1 are numbers unless typed."""
        order = (Form.INTEGER, Form.NUMBER, Form.BOOLEAN, Form.TIME, Form.WORDS)
        return next(form for form in order if form in self.forms)


def is_whole(values: Matrix) -> Mask:
    """Where numbers (n,) are finite and have no fraction."""
    return np.asarray(np.isfinite(values) & (values == np.rint(values)))
