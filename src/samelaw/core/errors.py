"""Our own exceptions.

ValueError, TypeError      what came in cannot be used (the message names the argument and the fix)
ArithmeticError
└─ NumericalError          the input was fine, the arithmetic was not
"""


class NumericalError(ArithmeticError):
    """A computation on valid input lost its meaning (overflow, a matrix that is not positive)."""
