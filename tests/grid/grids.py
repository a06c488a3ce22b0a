"""A small grid."""

GRID = """
solver = "cadical"

[[check]]
protocol = "counter.py"
properties = "below-three"
depth = [2, 3, 4, 5]
parameters = { top = [2, 4] }

[[check]]
protocol = "counter.py"
properties = "not-negative"
kinds = "induction"

[[check]]
protocol = "two-phase-commit"
properties = "consistency"
timeout_seconds = 0.001
"""
