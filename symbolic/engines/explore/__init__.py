"""Exhaustive search and random runs."""
