"""How much a file may unpack to: what is free, and never more than `LARGEST`."""

import os
from contextlib import suppress
from pathlib import Path

LARGEST = 16 * 2**30
"""Bytes of one file once unpacked: a small file may claim to hold a large one."""

LEAST = 2**28
"""Bytes that are always tried: what a machine says is free is no promise either way."""

SHARE = 0.5
"""Of the free memory: there are two tables, and the comparison needs some."""

_GROUPS = Path("/sys/fs/cgroup")


def room() -> int:
    """Bytes that one file may take in memory."""
    return int(min(LARGEST, max(LEAST, SHARE * free_memory())))


def too_large(source: str, *, by_column: bool = False) -> ValueError:
    fewer = "fewer columns (--columns, columns= in Python) or " if by_column else ""
    return ValueError(
        f"{source} unpacks to more than {size_in_words(room())}, all that it may take here; "
        f"compare {fewer}a sample of its rows."
    )


def size_in_words(count: float) -> str:
    """So many bytes, as people say it."""
    return f"{count / 2**30:.1f} GiB" if count >= 2**29 else f"{count / 2**20:.1f} MiB"


def free_memory() -> float:
    """Bytes that this process may still take; infinite where no one says."""
    return min(_free_of_machine(), _free_of_group())


def machine_memory() -> float:
    """Bytes that this process could ever take; infinite where no one says."""
    return min(_size_of_machine(), _size_of_group(), _limit_of_process())


def _size_of_machine() -> float:
    with suppress(AttributeError, OSError, ValueError):
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return float("inf")


def _size_of_group() -> float:
    with suppress(OSError, ValueError, StopIteration):
        return float((_group() / "memory.max").read_text())  # not a number where there is none
    return float("inf")


def _limit_of_process() -> float:
    """What ``ulimit`` allows."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        kinds = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
        limits = [resource.getrlimit(kind)[0] for kind in kinds]
        return min(
            (float(one) for one in limits if one != resource.RLIM_INFINITY), default=float("inf")
        )
    return float("inf")


def _free_of_machine() -> float:
    with suppress(OSError, ValueError, KeyError):
        return 1024.0 * _table(Path("/proc/meminfo"))["MemAvailable:"]
    return _size_of_machine()


def _free_of_group() -> float:
    """What a container or service may still take; what is kept of files can be given up."""
    with suppress(OSError, ValueError, StopIteration):
        group = _group()
        limit = int((group / "memory.max").read_text())  # not a number where there is none
        kept = _table(group / "memory.stat")
        used = int((group / "memory.current").read_text())
        return float(limit - used + kept.get("active_file", 0) + kept.get("inactive_file", 0))
    return float("inf")


def _group() -> Path:
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    name = next(line[3:] for line in lines if line.startswith("0::"))
    return _GROUPS / name.strip("/")


def _table(path: Path) -> dict[str, int]:
    """Names and numbers of a file of the kernel."""
    return {words[0]: int(words[1]) for words in map(str.split, path.read_text().splitlines())}
