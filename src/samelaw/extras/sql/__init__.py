"""Tables that stay in their database: only sums over random blocks of rows leave it.

`compare_in_database` runs in DuckDB and Postgres; `sql_statement` writes what BigQuery, Snowflake
and ClickHouse can run too, and `blocks_test` tests what they return.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
