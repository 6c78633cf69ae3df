"""How right `samelaw.compare` is: level, power, names and rows on tables with a known answer."""
