"""Objects that print as one would type them: `Fuse()`, without a page of defaults."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from enum import Enum
from typing import Any, TypeVar

_Kind = TypeVar("_Kind", bound=type)


def as_typed(cls: _Kind) -> _Kind:
    """Make a dataclass print only what is not as by default, in names that Python reads back.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @as_typed
    ... @dataclass
    ... class Plan:
    ...     kind: type = int
    ...     count: int = 3
    >>> Plan(), Plan(float), Plan(count=4)
    (Plan(), Plan(kind=float), Plan(count=4))
    """
    cls.__repr__ = _changed  # type: ignore[method-assign, assignment]
    return cls


def _changed(self: Any) -> str:
    given = {one.name: (_typed(getattr(self, one.name)), one) for one in fields(self) if one.repr}
    told = [f"{name}={text}" for name, (text, one) in given.items() if text != _default(one)]
    return f"{type(self).__name__}({', '.join(told)})"


def _default(one: Field[Any]) -> str | None:
    """The default of a field as it would be typed; None if it has none."""
    if one.default_factory is not MISSING:
        return _typed(one.default_factory())
    return None if one.default is MISSING else _typed(one.default)


def _typed(value: object) -> str:
    match value:
        case type():
            return value.__name__
        case Enum():
            return f"{type(value).__name__}.{value.name}"
        case tuple():
            return f"({', '.join(map(_typed, value))}{',' * (len(value) == 1)})"
        case list():
            return f"[{', '.join(map(_typed, value))}]"
        case Mapping():
            return f"{{{', '.join(f'{k!r}: {_typed(one)}' for k, one in value.items())}}}"
    return repr(value)
