"""Versions of what is installed."""

from importlib.metadata import PackageNotFoundError, version


def version_of(package: str) -> str | None:
    """The version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def own_version() -> str:
    """Ours; samelaw may also be imported from a folder that was never installed."""
    return version_of("samelaw") or "(not installed)"
