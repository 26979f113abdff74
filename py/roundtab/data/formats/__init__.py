"""Data files of each format that can be trained on, read into arrays, with every fault in words."""
