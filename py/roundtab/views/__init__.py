"""Views: pure functions from state to HTML nodes. No numpy, no browser; `roundtab.browser` patches their text in."""
