"""What a feature map consists of, as a short name: equal in every process, after every reload."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from numbers import Real

import numpy as np

from samelaw.core.arrays import detach, is_array, to_numpy
from samelaw.core.container import digest


def fingerprint(thing: object) -> str:
    """SHA-256 of the classes and numbers that define a feature map, a kernel or a network.

    Sums over rows may be added up only if they were taken through the same map, and maps of two
    processes are never the same object.

    Examples
    --------
    >>> from samelaw.kernels.features import FourierFeatures
    >>> one, other = FourierFeatures([[1.0]]), FourierFeatures([[1.0]])
    >>> fingerprint(one) == fingerprint(other) != fingerprint(FourierFeatures([[2.0]]))
    True
    """
    return digest(dict(_parts("", thing)))


def same_map(one: object, other: object) -> bool:
    """Whether two maps give the same features; what cannot be looked into is only equal itself."""
    return one is other or (_readable(one) and fingerprint(one) == fingerprint(other))


def _readable(thing: object) -> bool:
    return is_dataclass(thing) or hasattr(thing, "state_dict")


def _parts(name: str, thing: object) -> Iterator[tuple[str, object]]:
    if thing is None or isinstance(thing, str | bool | Enum):
        yield name, str(thing)
    elif isinstance(thing, Real):
        yield name, float(thing)
    elif is_array(thing):
        yield name, np.asarray(to_numpy(detach(thing)), dtype=np.float64)
    elif isinstance(thing, Mapping | tuple | list):
        pairs = thing.items() if isinstance(thing, Mapping) else enumerate(thing)
        yield f"{name}()", len(thing)
        for key, value in pairs:
            yield from _parts(f"{name}.{key}", value)
    else:
        yield f"{name}:", type(thing).__qualname__
        yield from _parts(f"{name}.", _content(thing))


def _content(thing: object) -> Mapping[str, object] | None:
    """What an object holds; a function is known by its name alone."""
    if hasattr(thing, "state_dict"):
        return dict(thing.state_dict())
    if is_dataclass(thing):
        return {field.name: getattr(thing, field.name) for field in fields(thing)}
    return {"name": getattr(thing, "__qualname__", "")}
