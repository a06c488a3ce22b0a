"""The closed grammars of grid files and of `leadline results --where`: parsed, and never run as code."""
