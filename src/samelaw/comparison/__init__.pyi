from .api import compare as compare
from .page.page import write_report as write_report
from .references.reference import Reference as Reference
from .result import Comparison as Comparison
