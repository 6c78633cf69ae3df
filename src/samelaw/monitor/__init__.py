"""A stream against a reference: whether, since when and in what the law has changed."""
