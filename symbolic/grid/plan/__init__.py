"""What a grid file asks: every query, and what is dropped and why, known in full before anything runs."""
