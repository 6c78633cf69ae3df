from .api import compare_in_database as compare_in_database
from .api import sql_statement as sql_statement
from .blocks import BlockSums as BlockSums
from .blocks import blocks_test as blocks_test
from .blocks import sides_of as sides_of
