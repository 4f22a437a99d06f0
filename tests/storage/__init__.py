"""Tests of atomic writes, manifests and output folders."""
