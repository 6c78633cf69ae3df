"""Our own exceptions.

ValueError, TypeError      what came in cannot be used (the message names the argument and the fix)
└─ TooFewRows              a ValueError: no test of so few rows can find anything
ArithmeticError
└─ NumericalError          the input was fine, the arithmetic was not
"""


class TooFewRows(ValueError):
    """No test of so few rows can find anything; more of them can."""


class NumericalError(ArithmeticError):
    """A computation on valid input lost its meaning (overflow, a matrix that is not positive)."""
