"""Tests of recordings and of how they are made."""
