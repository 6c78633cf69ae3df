"""The private floor: arrays and linear algebra, checks, errors, threads, saving."""
