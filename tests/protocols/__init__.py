"""Small protocols of public collections, each in a file as a user would write it."""
