"""``python -m samelaw`` is ``samelaw``."""

from samelaw.cli.main import main

main()
