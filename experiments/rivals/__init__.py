"""Other people's two-sample tests, run in an environment of their own."""
