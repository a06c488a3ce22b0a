"""Grids to run, hard cases to measure (`leadline bench`), and comparisons with other checkers.

Grid files are data (TOML), never code, and so is the table of cases. Nothing imports this package: it is the
outermost room of the house. The command line finds the command through the entry-point group
`leadline.commands`.
"""
