"""``samelaw monitor``."""
