"""Thousands of independent queries: the query as a value, the plan, Spark, and the store of results. Floor 6.

A task always returns a row and never raises, since one failing partition would cost the whole job its
finished rows. Each row is stored durably at once, so a killed driver loses nothing and a second run of the
same command asks only the missing queries. A row is keyed by the model's fingerprint: a changed model reuses
no result.
"""
