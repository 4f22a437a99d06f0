"""Statistics as pure functions, each with its formula, source and convention."""
