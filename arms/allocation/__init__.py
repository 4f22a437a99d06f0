"""Which quotes of all records are taken within a budget: the orders, the cut and the excerpts."""
