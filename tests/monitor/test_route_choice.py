import json

import pytest

from samelaw.monitor.route_choice import ROUTES, as_route, route_from
from samelaw.routes import Always, OnSuspicion, WholeReference


@pytest.mark.parametrize("route", [Always(), OnSuspicion(), WholeReference(0.01)])
def test_a_route_is_written_down_and_read(route):
    assert route_from(json.loads(json.dumps(route.to_dict()))) == route
    assert type(route).__name__ in ROUTES


def test_other_routes_are_refused():
    with pytest.raises(ValueError, match="'Never' is not known; expected one of Always"):
        route_from({"name": "Never"})
    with pytest.raises(TypeError, match="expected Always"):
        as_route("always")
