"""The run specification of a report: what was run, and how two of them differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from harness.decode.fields import ObjectReader, kind_of
from harness.errors import Faults

HASH = re.compile(r"sha256-[0-9a-f]{64}")
_TEXTS = (
    "suite",
    "model",
    "variant",
    "opencode_version",
    "timeout",
    "case",
    "origin",
    "reader_policy",
    "scoring_version",
    "dataset",
)
_COUNTS = ("steps", "repeats", "port", "expected_attempts", "documents", "versions")
_HASHES = ("reader_prompt_hash", "reader_config_hash", "dataset_hash", "reader_contract_hash")
_FIXTURES = ("corpus", "tasks", "rubric", "dataset", "archive_manifest")
_REQUIRED = ("suite", "repeats", "expected_attempts", "scoring_version", "fixture_hashes")
KEYS = (*_TEXTS, *_COUNTS, *_HASHES, "fixture_hashes")
DEFAULT_POLICY = "budget-body"
"""What an empty `reader_policy` means."""

OF_A_POLICY = (
    "reader_policy",
    "reader_prompt_hash",
    "reader_config_hash",
    "reader_contract_hash",
    "dataset",
    "dataset_hash",
    "fixture_hashes.dataset",
    "fixture_hashes.archive_manifest",
)
"""What follows from a reader's policy: a dataset names its policy, and its archive names the
dataset. Corpus, tasks and rubric do not follow from it."""


def check_specification(
    value: Any, where: str, faults: Faults, *, whole: bool = True
) -> Mapping[str, Any]:
    """The specification as it was given; everything that is wrong is noted in `faults`.

    `whole`: whether what every report says must be there.
    """
    required = _REQUIRED if whole else ()
    fields = ObjectReader(
        value, where, faults, required, [key for key in KEYS if key not in required]
    )
    for key in _TEXTS:
        fields.text_or_null(key)
    for key in _COUNTS:
        if fields.whole_number(key) < 0:
            fields.fault(key, "is below 0")
    for key in _HASHES:
        check_hash(fields, key)
    if fields.has("fixture_hashes"):
        hashes = fields.raw("fixture_hashes")
        needed = _FIXTURES[:3] if whole else ()
        fixtures = ObjectReader(
            hashes, fields.where("fixture_hashes"), faults, needed, _FIXTURES[len(needed) :]
        )
        for key in _FIXTURES:
            check_hash(fixtures, key)
        named = fixtures.raw("dataset")
        if named and fields.raw("dataset_hash") and named != fields.raw("dataset_hash"):
            fixtures.fault("dataset", f"is {named}, but dataset_hash {fields.raw('dataset_hash')}")
    return value if isinstance(value, Mapping) else {}


def check_hash(fields: ObjectReader, key: str) -> None:
    """Note a fault unless the value is missing, empty, or spelled `sha256-<hex>`."""
    value = fields.raw(key)
    if value in (None, "") or (isinstance(value, str) and HASH.fullmatch(value)):
        return
    fields.fault(key, f"is {kind_of(value)}, expected sha256-<64 hexadecimal digits>")


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The keys that differ, and how; missing is the same as empty or 0."""
    left, right = dict(_flat(before)), dict(_flat(after))
    for key in dict.fromkeys((*left, *right)):
        if left.get(key) != right.get(key):
            yield key, f"{_shown(left.get(key))} → {_shown(right.get(key))}"


def policy_of(specification: Mapping[str, Any]) -> str:
    return specification.get("reader_policy") or DEFAULT_POLICY


def _flat(specification: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key in KEYS:
        value = specification.get(key)
        if key == "fixture_hashes":
            for name in _FIXTURES:
                yield f"{key}.{name}", (value or {}).get(name) or None
        elif key == "reader_policy":
            yield key, policy_of(specification)
        else:
            yield key, value or None


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)
