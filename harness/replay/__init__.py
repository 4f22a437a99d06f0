"""Replay: every case of a recording through every point, into a run."""
