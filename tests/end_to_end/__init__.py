"""Tests from a dataset to a run, on real data."""
