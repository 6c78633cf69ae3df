"""Tables without their rows: references that are saved, merged and made on a cluster."""
