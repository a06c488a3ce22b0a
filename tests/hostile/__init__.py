"""Hostile inputs, generated from seeds."""
