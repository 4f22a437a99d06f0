"""JSON Lines for exchange: cases in, selections out."""
