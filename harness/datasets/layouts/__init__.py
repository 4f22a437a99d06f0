"""How published datasets lay out their questions: one module per layout."""
