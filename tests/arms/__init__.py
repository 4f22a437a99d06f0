"""Tests of the selection policies."""
