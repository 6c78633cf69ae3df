"""``samelaw evaluate``: what goes wrong, before any work."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def real(empty_folder):
    np.save("real.npy", np.ones((9, 3)))


def test_what_goes_wrong_is_one_line(samelaw):
    code, out, err = samelaw("evaluate", "real.npy", "real.npy")
    assert (code, out) == (2, "")
    assert "the same path twice" in err
    code, _, err = samelaw("evaluate", "real.npy", "absent.npy")
    assert code == 2
    assert err == "samelaw: absent.npy does not exist; check the path.\n"
