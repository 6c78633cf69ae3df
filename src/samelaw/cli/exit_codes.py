"""What the command leaves with: a crash must never look like a verdict."""

NO_DIFFERENCE = 0
"""No difference found; with --same-within: shown to be the same."""

DIFFERENT = 1
"""Different; with --same-within: not shown to be the same."""

ERROR = 2
"""Every error, wrong usage included."""

INTERRUPTED = 130
"""Ctrl-C."""
