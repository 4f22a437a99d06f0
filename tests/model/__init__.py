"""Tests of the case model."""
