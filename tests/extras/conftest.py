"""The command in this process, in an empty folder."""

from commandline import empty_folder, samelaw

__all__ = ["empty_folder", "samelaw"]
