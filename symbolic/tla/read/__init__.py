"""TLA+ modules and configurations: syntax, modules, and the mistakes in them."""
