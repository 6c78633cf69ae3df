"""Real tables of a package: halves of them at random, and halves with a planted defect."""
