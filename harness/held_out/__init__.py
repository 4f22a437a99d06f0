"""Held-out tasks of a world: what readers' attempts at them are used for, and a record of it."""
