"""``--dask ADDRESS``: files read and summed by the workers of a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_WAIT = "20s"


@contextmanager
def on_cluster(address: str | None, sources: list[str]) -> Iterator[list[Any]]:
    """The sources as they are, or as dataframes of a cluster; references stay files."""
    if address is None:
        yield list(sources)
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError("--dask needs Dask; run: pip install 'samelaw[dask]'") from error
    from samelaw.comparison.references.as_table import is_reference
    from samelaw.extras.dask.profile import dask_frame

    try:
        client = Client(address, timeout=_WAIT)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"--dask: no scheduler answers at {address} ({error}); start one (dask scheduler) or "
            "check the address, as in tcp://10.0.0.1:8786."
        ) from error
    with client:
        yield [one if is_reference(one) else dask_frame(one) for one in sources]
