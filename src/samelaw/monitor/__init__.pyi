from .drift_reading import DriftReading as DriftReading
from .monitor import DriftMonitor as DriftMonitor
from .promises import Ever as Ever
from .promises import RunLength as RunLength
