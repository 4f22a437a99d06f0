"""Offline evaluation and replay of evidence selection."""

__version__ = "0.1.0"
