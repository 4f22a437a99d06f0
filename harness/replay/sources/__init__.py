"""Runs that were not replayed here, but imported."""
