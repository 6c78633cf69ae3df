from importlib.metadata import version

from samelaw.present.versions import own_version, version_of


def test_versions_are_those_that_are_installed():
    assert version_of("numpy") == version("numpy")
    assert version_of("no-such-package") is None
    assert own_version() == version("samelaw")


def test_a_folder_that_was_never_installed_has_a_word(monkeypatch):
    monkeypatch.setattr("samelaw.present.versions.version_of", lambda package: None)
    assert own_version() == "(not installed)"
