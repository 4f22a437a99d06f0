"""Tests of the eight-signal selector and its arm."""
