"""Readers' attempts on a world: scored, and two reports of them compared."""
