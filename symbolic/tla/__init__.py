"""TLA+ modules and configurations: their syntax, their scopes and their meaning on values."""
