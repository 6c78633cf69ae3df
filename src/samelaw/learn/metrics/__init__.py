"""Metrics that see batches."""

from samelaw.core.optional import require

require("samelaw.learn", "torchmetrics")
