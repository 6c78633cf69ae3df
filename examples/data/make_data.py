"""Write the two pairs of tables in this folder; see `samelaw.cli.demo` for what they hold."""

from pathlib import Path

from samelaw.cli.demo import write_pair

if __name__ == "__main__":
    for pair in ("same", "changed"):
        write_pair(Path(__file__).parent, pair)
