"""What people see: the terminal answer, the report, the command line."""
