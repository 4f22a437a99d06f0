"""The order of ids: numbers, then UUIDs, then whatever else."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"0|[1-9][0-9]{0,19}", re.ASCII)
_LARGEST_NUMBER = 2**64 - 1
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)

IdOrder = tuple[int, int, bytes]


def id_order(identifier: str) -> IdOrder:
    """Return the key by which ids are sorted; equal keys are one id.

    A number in unsigned 64 bits, without leading zero, comes first, by value; then a UUID, by its
    bytes; then, by our choice, any other id, by its bytes of UTF-8.
    """
    if _NUMBER.fullmatch(identifier) and int(identifier) <= _LARGEST_NUMBER:
        return 0, int(identifier), b""
    if _UUID.fullmatch(identifier):
        return 1, 0, bytes.fromhex(identifier.replace("-", ""))
    return 2, 0, identifier.encode("utf-8", "surrogatepass")
