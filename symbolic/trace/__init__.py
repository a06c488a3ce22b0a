"""Counterexamples: decoded, replayed, shortened, written as text, JSON, ITF or TLA+. Floor 3.

A trace is replayed step by step by the concrete meaning, which shares no code with the encoding,
before anyone sees it. A replay that fails is an internal error, told loudly, with the query that
reproduces it.
"""
