"""Tables that stay in their database: only sums over random blocks of rows leave it.

`compare_in_database` runs in DuckDB and Postgres; `sql_statement` writes what BigQuery, Snowflake
and ClickHouse can run too, and `blocks_test` tests what they return.
"""

from samelaw.sql.api import compare_in_database, sql_statement
from samelaw.sql.blocks import BlockSums, blocks_test, sides_of

__all__ = ["BlockSums", "blocks_test", "compare_in_database", "sides_of", "sql_statement"]
