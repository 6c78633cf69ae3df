"""Every entropy of an operator, and the class to derive one's own from.

`VonNeumann`, `PowerSeries`, `Renyi` and `LogDet` are at the top level too.
"""

from samelaw.core.entropies import Entropy, LogDet, PowerSeries, Renyi, Tsallis, VonNeumann

__all__ = ["Entropy", "LogDet", "PowerSeries", "Renyi", "Tsallis", "VonNeumann"]
