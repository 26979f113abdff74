"""The site builder: puts `dist/` together, serves it, checks and measures the project. Not shipped to the browser."""
