"""How the values of a column are written, as all tables together show it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Writing:
    """What one value leaves open and all of them may decide.

    Parameters
    ----------
    comma : bool, optional
        Whether numbers have decimal commas; None where nothing looks like it.
    orders : set of bool
        The orders that some date demands: True for the day first, False for the month first. A
        date such as 03/04/2025 demands neither.
    date : str
        A date whose order is open by itself, if there is one.
    """

    comma: bool | None = None
    orders: frozenset[bool] = frozenset()
    date: str = ""

    @property
    def day_first(self) -> bool | None:
        """The order of all dates; None if no date demands one, or they contradict each other."""
        return next(iter(self.orders)) if len(self.orders) == 1 else None


OPEN = Writing()
"""Nothing is decided."""
