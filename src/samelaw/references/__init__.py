"""Tables without their rows: references that are saved, merged, made on a cluster, kept private."""
