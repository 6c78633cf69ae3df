"""``python -m samelaw`` is ``samelaw``."""

from samelaw.present.cli import main

main()
