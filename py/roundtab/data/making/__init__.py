"""Manifests made of files: what they are, told from their content, and what was assumed."""
