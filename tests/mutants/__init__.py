"""Protocols with a mistake put in: the checker must find each."""
