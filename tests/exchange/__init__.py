"""Tests of the exchange formats."""
