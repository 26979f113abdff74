"""Data that a job trains on: manifests, files and their checks, tables, the queue of items."""
