"""The meaning of a TLA+ module on Python values, as TLC's: an interpreter that writes Python."""
