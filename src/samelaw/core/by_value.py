"""Objects that are equal if they say the same: ``Gaussian(1.0) == Gaussian(1.0)``."""

from collections.abc import Hashable
from dataclasses import fields, is_dataclass

import numpy as np

from samelaw.core.arrays import is_array, is_traced, to_numpy


class ByValue:
    """Frozen dataclasses of one class are equal if their fields are, arrays entry by entry.

    The equality that dataclasses write by themselves cannot compare arrays, which a bandwidth may
    be: derive with ``eq=False``. What is no dataclass, such as a network, equals itself alone.
    """

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or not is_dataclass(self):
            return NotImplemented
        names = [one.name for one in fields(self)]
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        if not is_dataclass(self):
            return object.__hash__(self)
        return hash((type(self), *(_key(getattr(self, one.name)) for one in fields(self))))


def _same(mine: object, other: object) -> bool:
    if isinstance(mine, list | tuple) and isinstance(other, list | tuple):
        return len(mine) == len(other) and all(map(_same, mine, other))
    if not (_holds_many(mine) or _holds_many(other)):
        return bool(mine == other)
    if mine is other or type(mine) is not type(other) or is_traced(mine) or is_traced(other):
        return mine is other
    return np.array_equal(to_numpy(mine), to_numpy(other))


def _holds_many(value: object) -> bool:
    """Arrays and series, whose == gives one; numpy's own numbers are numbers."""
    return not isinstance(value, np.generic) and (is_array(value) or hasattr(value, "__array__"))


def _key(value: object) -> Hashable:
    """What equal values share; nothing of arrays, which may be learnt."""
    if isinstance(value, list | tuple):
        return tuple(map(_key, value))
    if _holds_many(value):
        return None
    try:
        hash(value)
    except TypeError:  # a group of components that holds a list
        return None
    return value
