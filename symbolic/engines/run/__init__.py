"""Where queries run: processes, limits, races, and several engines at one question."""
