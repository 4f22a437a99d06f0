"""Datasets: their register, fetching and verifying them, reading them, and their splits."""
