"""TLA+ modules read as models of the language."""
