"""Tests of `harness.grades`."""
