import sys
import types

import pytest

from samelaw.core import lazy


@pytest.fixture
def package(monkeypatch):
    """A package of two names, one of which lives in a module that is not there."""
    made = types.ModuleType("made_up")
    homes = {"sqrt": "math", "lost": "made_up.nowhere"}
    made.__getattr__, made.__dir__ = lazy.attach("made_up", homes, ["decoder"])
    monkeypatch.setitem(sys.modules, "made_up", made)
    monkeypatch.setitem(sys.modules, "made_up.decoder", types.ModuleType("made_up.decoder"))
    return made


def test_a_name_is_loaded_from_its_home_and_kept(package):
    assert "sqrt" not in vars(package)
    assert package.sqrt(9.0) == 3.0
    assert "sqrt" in vars(package)


def test_a_module_is_reached_as_an_attribute(package):
    assert package.decoder.__name__ == "made_up.decoder"


def test_dir_lists_names_and_modules_before_they_are_loaded(package):
    assert dir(package) == ["decoder", "lost", "sqrt"]


def test_an_unknown_name_says_which(package):
    with pytest.raises(AttributeError, match="module 'made_up' has no attribute 'cube'"):
        _ = package.cube


def test_a_module_of_ours_that_is_missing_is_no_extra_to_install(package):
    with pytest.raises(ModuleNotFoundError, match="made_up"):
        _ = package.lost


def test_a_missing_library_says_what_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "torchmetrics", None)  # importing it fails
    load, _ = lazy.attach("samelaw.made_up", {"Metric": "torchmetrics"})
    expected = 'samelaw.made_up needs torchmetrics: pip install "samelaw[torch]"'
    with pytest.raises(ImportError) as caught:
        load("Metric")
    assert str(caught.value) == expected


def test_what_is_required_and_there_passes():
    assert lazy.require("samelaw.made_up", "math") is None
