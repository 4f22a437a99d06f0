"""Tests of exact comparison."""
