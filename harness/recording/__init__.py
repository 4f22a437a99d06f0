"""Recordings: frozen, hashed folders of cases, and how they are made."""
