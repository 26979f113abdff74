"""Checkpoints: the weights after a round as a file, and where they are kept."""
