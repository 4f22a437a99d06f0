"""The tests, as a package, so that they can share what they make cases of."""
