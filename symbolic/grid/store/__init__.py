"""What is known of queries: rows in Parquet, the documents beside them, and what they say together."""
