"""TLA+ text: expressions, types and names as a module of TLA+ writes them."""
