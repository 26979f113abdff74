"""How the updates of a round become the next weights: one algorithm per file."""
