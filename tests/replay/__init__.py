"""Tests of replays and of the runs they write."""
