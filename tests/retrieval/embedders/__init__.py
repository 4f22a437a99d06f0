"""Tests of the embedders and their cache; a package, so that they share `conftest`."""
