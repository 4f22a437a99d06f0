"""Recorded first lookups: recording, exchange, and what is measured on them."""
