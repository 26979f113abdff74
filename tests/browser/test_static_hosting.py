"""The built site on any static host, at first paint, at every width, by keyboard."""
