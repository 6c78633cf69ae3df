"""Pure maths over the Array API standard: no randomness, no input or output, no torch."""
