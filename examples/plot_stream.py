"""
When did the stream change, and in what?
========================================

A shop's orders arrive day by day. After a month the basket and the time spent on the site no longer
go together, though each column alone looks as it did. The monitor looks at every row and promises
that a false alarm ever has a probability of at most .05.
"""

import matplotlib.pyplot as plt
import numpy as np

from samelaw import DriftMonitor, Ever

rng = np.random.default_rng(0)
DAYS, ORDERS, CHANGE = 60, 60, 30


def orders(rows: int, together: float) -> dict[str, np.ndarray]:
    """Amounts, minutes that go together with them, and a device."""
    basket, other = rng.normal(size=(2, rows))
    minutes = together * basket + np.sqrt(1 - together**2) * other
    return {
        "amount": np.exp(3 + 0.5 * basket),
        "minutes": np.exp(2 + 0.4 * minutes),
        "device": rng.choice(["phone", "laptop", "app"], rows, p=[0.5, 0.3, 0.2]),
    }


# %%
# Half of the reference is for pairing: each order meets a row of it that nobody has looked at.

monitor = DriftMonitor(orders(9_000, together=0.7), promise=Ever(0.05), rng=0)
for day in range(DAYS):
    reading = monitor.update(orders(ORDERS, together=0.7 if day < CHANGE else 0.2))
print(reading)

# %%
# The change is dated to a day; its p-value rests on orders after the alarm alone. Evidence is on a
# logarithmic scale, with the line of the alarm. Below, the effect with two standard errors: the
# bits by which an order is told from one of the reference.

figure, (top, bottom) = plt.subplots(2, sharex=True, figsize=(7, 5), layout="constrained")
reading.plot(top)
rows, effect, error = reading.effects.T
bottom.fill_between(rows, effect - 2 * error, effect + 2 * error, alpha=0.25, lw=0)
bottom.plot(rows, effect)
bottom.axhline(0, color="0.6", lw=0.8, ls=":")
bottom.set(xlabel="orders", ylabel="effect (bits)")
top.set_xlabel("")
assert reading.alarm
assert abs(reading.since - CHANGE * ORDERS) <= ORDERS
assert set(reading.changes[0].columns) == {"amount", "minutes"}
