"""The rules of the Training API, over the wire of a real page."""
