"""What Roundtab talks about: frozen records, and their form as JSON."""
