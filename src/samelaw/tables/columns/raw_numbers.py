"""A raw column of numbers, or of moments as seconds, and the words they were written as."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from samelaw.core.digits import as_floats
from samelaw.core.types import Matrix
from samelaw.tables.columns.notation import Clocks, Dots, Units, Writing
from samelaw.tables.columns.raw_column import PLAIN, Codes, Floats, Form, Mask, RawColumn, is_whole
from samelaw.tables.columns.value_to_text import spell, spell_times


@dataclass(frozen=True, eq=False)
class RawNumbers(RawColumn):
    """Values of a numeric type; ``clock`` if they are seconds since 1970.

    ``spelled`` gives the words they were written as, should the column turn out to be words.
    """

    values: Matrix  # (n,) bool, integer, float, or int and Decimal whose digits no other type holds
    missing: Mask
    clock: bool = False
    notes: tuple[str, ...] = ()
    spelled: Callable[[], RawColumn] | None = None
    declared: str = ""
    comma: bool = False
    reading_notes: tuple[str, ...] = ()

    @cached_property
    def _forms(self) -> frozenset[Form]:
        if self.clock:
            return frozenset((Form.TIME, Form.WORDS))
        if self.values.dtype.kind == "b":
            return frozenset((Form.BOOLEAN, Form.WORDS))
        known = self.values[~self.missing] if bool(self.missing.any()) else self.values
        forms = {Form.NUMBER, Form.WORDS}
        if known.dtype == object:
            whole = all(isinstance(v, int) for v in known) and np.isfinite(as_floats(known)).all()
            return frozenset((*forms, Form.INTEGER) if whole else forms)
        if known.dtype.kind in "iu" or bool(np.all(is_whole(known))):
            forms.add(Form.INTEGER)
            if bool(np.all((known == 0) | (known == 1))):
                forms.add(Form.BOOLEAN)
        return frozenset(forms)

    def numbers(self, form: Form) -> Floats:
        values: Floats = as_floats(np.where(self.missing, np.nan, self.values))
        if form is Form.INTEGER and Form.INTEGER not in self.forms:
            values = np.where(is_whole(values), values, np.nan)
        if form is Form.BOOLEAN and Form.BOOLEAN not in self.forms:
            values = np.where((values == 0) | (values == 1), values, np.nan)
        return values

    def exact(self, form: Form) -> Matrix:
        if self._spelt is not None:
            return self._spelt.exact(form)
        return np.asarray(self.values[~np.isnan(self.numbers(form))])

    def count(self, form: Form) -> int:
        if form in self._forms:
            return self.known
        if self.clock or self.values.dtype.kind == "b" or form is Form.TIME:
            return 0
        return int(np.count_nonzero(~np.isnan(self.numbers(form))))

    def manners(self, form: Form) -> tuple[Codes, Sequence[str]]:
        if self.count(form) == self.known:
            return np.where(self.missing, -1, 0).astype(np.int64), [PLAIN]
        return self.words()

    @cached_property
    def _spelt(self) -> RawColumn | None:
        return None if self.spelled is None else self.spelled()

    def taken(self, rows: Codes) -> RawColumn:
        whole = self.spelled
        spelled = None if whole is None else lambda: whole().taken(rows)
        return replace(self, values=self.values[rows], missing=self.missing[rows], spelled=spelled)

    def as_read(self, row: int) -> str | None:
        if self.missing[row]:
            return None
        if self._spelt is not None:
            return self._spelt.as_read(row)
        if self.clock:
            return spell_times(self.values[row : row + 1])[0].removesuffix(".000000")
        return spell(self.values[row])

    def styled(self, writing: Writing) -> RawColumn:
        other = writing.decimal(self.comma) or self.comma in writing.dots
        if other and self._spelt is not None:
            return self._spelt.styled(writing)
        return replace(self, reading_notes=writing.notes) if writing.notes else self

    @property
    def units(self) -> Units:
        return Units(self.known, self.known)

    @property
    def clocks(self) -> Clocks:
        return Clocks() if self.spelled is None else Clocks(self.known)

    @property
    def dots(self) -> Dots:
        if self.spelled is None:
            return Dots()
        known = np.abs(self.values[~self.missing])
        thousandths = np.rint(known * 1000.0) / 1000.0 == known
        if not bool(thousandths.all()) or bool(np.any((known > 0) & (known < 1))):
            return Dots(other=True)
        return Dots() if self._spelt is None else self._spelt.dots

    @property
    def may_be_thousands(self) -> bool:
        return self.spelled is not None and not bool(np.all(is_whole(self.values[~self.missing])))

    def words(self) -> tuple[Codes, Sequence[str]]:
        if self._spelt is not None:
            return self._spelt.words()
        distinct, inverse = np.unique(self.values[~self.missing], return_inverse=True)
        codes = np.full(len(self.values), -1, dtype=np.int64)
        codes[~self.missing] = inverse
        return codes, spell_times(distinct) if self.clock else [spell(v) for v in distinct]
