"""Tables whose rows are gone."""
