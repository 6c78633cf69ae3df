"""The version installed; a module, because the lookup takes longer than `import samelaw`."""

import re
from importlib.metadata import PackageNotFoundError, requires, version

__version__ = version("samelaw")


_REQUIREMENT = re.compile(r"""(?P<name>[\w.-]+)[^;]*(?:;.*\bextra == ['"](?P<part>[\w-]+)['"])?""")


def version_of(package: str) -> str | None:
    """The version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def requirements_of(package: str) -> dict[str, tuple[str, ...]]:
    """The packages that an installed one needs, by extra; "base" is what it always needs."""
    try:
        lines = requires(package) or []
    except PackageNotFoundError:
        return {}
    needed: dict[str, tuple[str, ...]] = {}
    for found in filter(None, map(_REQUIREMENT.match, lines)):
        part = found["part"] or "base"
        needed[part] = (*needed.get(part, ()), found["name"])
    return needed


def own_version() -> str:
    """Ours; samelaw may also be imported from a folder that was never installed."""
    return version_of("samelaw") or "(not installed)"
