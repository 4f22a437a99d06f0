"""Tests of points and their spelling."""
