"""How the harness keeps files: atomic writes, hashes, and folders with a manifest."""
