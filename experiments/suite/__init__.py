"""Power on a wide suite of problems, in a half for choosing and a half for reporting."""
