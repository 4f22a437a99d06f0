"""The seeded generator of the bundled sample dataset."""
