"""Routes of a drift monitor from rows to evidence, for references that are small beside a stream.

`Always` is the default of `samelaw.DriftMonitor`; `OnSuspicion` spends pairing rows only while
something looks wrong, `WholeReference` holds every row to all held-out rows and uses none up.
"""

from samelaw.monitor.routes import Always, Route
from samelaw.monitor.suspicion import OnSuspicion
from samelaw.monitor.whole_reference import WholeReference

__all__ = ["Always", "OnSuspicion", "Route", "WholeReference"]
