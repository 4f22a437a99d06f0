"""Whether a dataset that was pinned again left corpus, tasks and rubric as they were.

Only equal hashes prove it. What moved in the records around them is listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from harness.storage.hashing import sha256_of_text
from harness.storage.manifest import MANIFEST_NAME

from .corpus import corpus_text
from .identity import CheckResult, identity_checks
from .model import Form
from .opening import DATASET_NAME, HASH_PREFIX, OpenedWorld


class Stay(Enum):
    """Whether a part stayed as it was."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    UNPROVEN = "not proven"


@dataclass(frozen=True, slots=True)
class PinnedPart:
    """Corpus, tasks or rubric against the older world; `detail`: the hash, both, or the reason."""

    name: str
    stay: Stay
    detail: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A value of the records that is another one now; None where it is not there."""

    what: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Repinning:
    """`faults`: what the older world differs in from its own records."""

    parts: tuple[PinnedPart, ...]
    moved: tuple[Moved, ...]
    faults: tuple[str, ...]

    @property
    def proven(self) -> bool:
        return not self.faults and all(part.stay is Stay.UNCHANGED for part in self.parts)


def against(after: OpenedWorld, before: OpenedWorld) -> Repinning:
    """Compare a world with the older one that it was pinned again from."""
    return Repinning(
        (
            _corpus(before, after),
            _part("tasks", before.tasks_sha256, after.tasks_sha256),
            _part("rubric", before.rubric_sha256, after.rubric_sha256),
        ),
        tuple(_moves(before, after)),
        tuple(
            f"{check.what}: {check.detail}"
            for check in identity_checks(before)
            if check.verdict is CheckResult.DIFFERENT
        ),
    )


def _corpus(before: OpenedWorld, after: OpenedWorld) -> PinnedPart:
    if _layout(before) is _layout(after):
        return _part("corpus", _corpus_hash(before), _corpus_hash(after))
    documents = [opened.world.documents for opened in (before, after)]
    if any(document is None for document in documents):
        reason = "the two are kept in different forms, and not both have bodies"
        return PinnedPart("corpus", Stay.UNPROVEN, reason)
    texts = [sha256_of_text(corpus_text((document or {}).values())) for document in documents]
    return _part("corpus", texts[0], texts[1])


def _layout(opened: OpenedWorld) -> Form:
    """Hash the documents: forms with one layout give one hash for the same documents."""
    form = opened.world.form
    return Form.FROZEN if form is Form.FOLDER else form


def _corpus_hash(opened: OpenedWorld) -> str | None:
    """Hash the content; without it, return the hash that the dataset pins."""
    if opened.corpus.sha256 is None and opened.dataset is not None:
        return opened.dataset.corpus_sha256.removeprefix(HASH_PREFIX)
    return opened.corpus.sha256


def _part(name: str, before: str | None, after: str | None) -> PinnedPart:
    if before is None and after is None:
        return PinnedPart(name, Stay.UNCHANGED, "neither has any")
    if before == after:
        return PinnedPart(name, Stay.UNCHANGED, f"{HASH_PREFIX}{after}")
    spelled = [f"{HASH_PREFIX}{digest}" if digest else "none" for digest in (before, after)]
    return PinnedPart(name, Stay.CHANGED, f"was {spelled[0]}, is {spelled[1]}")


def _moves(before: OpenedWorld, after: OpenedWorld) -> Iterator[Moved]:
    then, now = _records(before), _records(after)
    if then.keys() != now.keys():  # kept in other forms, whose records are not each other's
        then, now = _names(before), _names(after)
    for what, value in now.items():
        if then[what] != value:
            yield Moved(what, then[what], value)


def _names(opened: OpenedWorld) -> dict[str, Any]:
    world, file = opened.world, opened.corpus.file
    return {
        "form": world.form.value,
        "corpus file": file.name if file else None,
        "id": world.world_id,
        "source": world.source,
    }


def _records(opened: OpenedWorld) -> dict[str, Any]:
    if opened.dataset is not None and opened.archive is not None:
        return {
            **{f"{DATASET_NAME} {key}": value for key, value in asdict(opened.dataset).items()},
            **{f"{MANIFEST_NAME} {key}": value for key, value in asdict(opened.archive).items()},
        }
    if opened.manifest is not None:
        content = opened.manifest.content
        packing = {"corpus file": opened.corpus.file.name if opened.corpus.file else None}
        return packing | {f"{MANIFEST_NAME} {key}": value for key, value in content.items()}
    return _names(opened)
