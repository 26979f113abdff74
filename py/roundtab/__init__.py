"""Roundtab trains one model together across browser tabs."""

__version__ = "0.1.0"
