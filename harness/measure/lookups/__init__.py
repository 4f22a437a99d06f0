"""Lookups measured: cost, citable passages, the effect of each part."""
