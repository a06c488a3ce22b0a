"""Answering queries on Spark: what is asked next, what an answer makes moot, what becomes of each."""
