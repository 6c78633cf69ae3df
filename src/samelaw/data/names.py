"""Names of columns: each once, and each one that is asked for is there."""

from collections import Counter
from collections.abc import Iterable, Sequence


def check_distinct(names: Iterable[object], source: str) -> list[str]:
    """The names as text; raise if two columns share one."""
    texts = [str(name) for name in names]
    double = [name for name, count in Counter(texts).items() if count > 1]
    if double:
        shown = ", ".join(map(repr, double[:5]))
        raise ValueError(f"{source} has more than one column named {shown}; rename all but one.")
    return texts


def check_names(names: Iterable[str], known: Sequence[str], source: str) -> None:
    """Raise unless every name is a column of the source."""
    for name in names:
        if name not in known:
            shown = ", ".join(map(repr, known[:10])) + (", …" if len(known) > 10 else "")
            raise ValueError(f"column {name!r} is not in {source}; its columns are {shown}.")
