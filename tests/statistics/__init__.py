"""Tests of the statistics, against their definitions."""
