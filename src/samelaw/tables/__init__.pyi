from .columns.column import Kind as Kind
from .reading.read import read_table as read_table
from .table import Table as Table
