"""Values as JSON has them."""

from typing import Any

Json = Any
"""Null, boolean, number, string, list or object."""
