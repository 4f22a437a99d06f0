"""Policies of first lookups: the printed table, and what is expanded after it under a budget."""

from .expansion import LookupCancelledError, expand
from .settings import ExpansionSettings

__all__ = ["ExpansionSettings", "LookupCancelledError", "expand"]
