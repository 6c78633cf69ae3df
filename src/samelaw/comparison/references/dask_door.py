"""What is known of Dask dataframes without Dask."""

SOURCE = "the Dask dataframe"


KEPT = 20_000
"""Rows of each dataframe that `compare` looks at one by one."""


def is_dask(source: object) -> bool:
    """Whether a source is a Dask dataframe; Dask itself is not imported for that."""
    return type(source).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(
        source, "to_delayed"
    )
