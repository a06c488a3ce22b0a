"""What a query will cost: the size of a layer as a formula in the parameters, and seconds fitted to runs."""
