"""Grids to run, records of past runs, and comparisons with other checkers.

Grid files are data (TOML), never code. Nothing imports this package: it is the outermost room of
the house.
"""
