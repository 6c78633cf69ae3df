"""The routes there are: chosen by the user, written into a state and read again."""

from collections.abc import Mapping
from typing import Any

from samelaw.monitor.routes import Always, Route
from samelaw.monitor.suspicion import OnSuspicion
from samelaw.monitor.whole_reference import WholeReference

ROUTES: dict[str, type[Route]] = {
    one.__name__: one for one in (Always, OnSuspicion, WholeReference)
}


def route_from(plain: Mapping[str, Any]) -> Route:
    """The route that `Route.to_dict` wrote down."""
    name, *values = plain.values()
    if name not in ROUTES:
        raise ValueError(f"route {name!r} is not known; expected one of {', '.join(ROUTES)}.")
    return ROUTES[name](*values)


def as_route(route: object) -> Route:
    """Check the route that the user wants."""
    if isinstance(route, Route):
        return route
    raise TypeError(f"route is {route!r}; expected {'(), '.join(ROUTES)}().")
