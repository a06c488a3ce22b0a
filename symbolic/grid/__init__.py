"""Thousands of independent queries: the query as a value, the plan, Spark, and the store of results. Floor 5.

A task always returns a row and never raises, since one failing partition would cost the whole job
its finished rows. Each row is stored durably the moment it exists, so a killed driver loses nothing
and a second run of the same command does only what is missing. A row is keyed by the model's own
fingerprint: a changed model reuses no result.
"""
