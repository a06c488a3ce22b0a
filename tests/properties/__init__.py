"""Tests of the properties' shared modules."""
