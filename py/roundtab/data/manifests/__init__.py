"""The manifest of a dataset: its form, what is odd about one, and what is not one at all."""
