"""Comparing two reports of readers' attempts, and checking an arm before it is paid for.

The rules are in `docs/comparing.md`.
"""
