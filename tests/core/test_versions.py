from importlib.metadata import version

from samelaw.core.version import own_version, requirements_of, version_of


def test_versions_are_those_that_are_installed():
    assert version_of("numpy") == version("numpy")
    assert version_of("no-such-package") is None
    assert own_version() == version("samelaw")


def test_a_folder_that_was_never_installed_has_a_word(monkeypatch):
    monkeypatch.setattr("samelaw.core.version.version_of", lambda package: None)
    assert own_version() == "(not installed)"


def test_requirements_are_those_of_the_package(monkeypatch):
    lines = ["numpy>=2", "dask[distributed]>=2024.8; extra == 'dask'", 'rich; extra == "cli"']
    lines.append("tomli; python_version < '3.11' and extra == 'cli'")
    monkeypatch.setattr("samelaw.core.version.requires", lambda package: lines)
    assert requirements_of("samelaw") == {
        "base": ("numpy",),
        "dask": ("dask",),
        "cli": ("rich", "tomli"),
    }


def test_a_package_that_is_not_there_needs_nothing():
    assert requirements_of("no-such-package") == {}
