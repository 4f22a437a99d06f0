"""A registration: a plan with everything it depends on pinned, as one JSON file.

The file holds no time and no commit: that it was there before a grade was read is shown by git.
`docs/formats/registration.md` describes every key.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError
from harness.storage.atomic import write_text
from harness.storage.hashing import sha256_of_text

from .cohort import RegisteredCohort
from .plan import Plan

SCHEMA = "harness.registration/1"


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A file or folder that the plan names: its path, relative to the directory the command ran
    in, and the SHA-256 of its bytes (of a folder: the content hash of its manifest)."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class RulePower:
    """What a primary rule can show with `n` test questions.

    All numbers are fractions. `discordance` and `difference` are what the power was computed at,
    and `source` says where they come from: `dev grades` or `assumed`; None: not known. `level` is
    the decimal text of the level that was used. `power` is the probability that the rule is met;
    `mde` the smallest true difference at which it is met with probability `target`, None where no
    difference reaches it or nothing is known. `decides`: False when the test cannot decide the
    question, None when that is not known. `statement` says all of it in words.
    """

    rule: str
    n: int
    level: str
    source: str | None
    discordance: float | None
    difference: float | None
    power: float | None
    mde: float | None
    target: str
    decides: bool | None
    statement: str


@dataclass(frozen=True, slots=True)
class Registration:
    """`plan` and what was pinned with it. `pinned`: the files that the plan names, the plan's own
    file aside. `sha256` is of the registration's own file."""

    plan: Plan
    plan_file: PinnedFile
    pinned: tuple[PinnedFile, ...]
    cohort: RegisteredCohort
    power: tuple[RulePower, ...]

    @classmethod
    def read(cls, path: Path) -> Registration:
        """Read a registration; raises `InputError` for one that is damaged or was edited."""
        from .registration_json import from_json

        try:
            text = path.read_bytes().decode("utf-8")
        except FileNotFoundError as error:
            raise InputError(
                f"{path} does not exist", f"Write it with: harness register PLAN.toml --out {path}"
            ) from error
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not UTF-8 at its byte {error.start:,}") from error
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path} is not JSON: {error}", RESTORE) from error
        registration = from_json(value, path)
        if registration.text() != text:
            raise InputError(
                f"{path} is not as `harness register` writes it: it was edited", RESTORE
            )
        return registration

    @property
    def sha256(self) -> str:
        """The hex SHA-256 of the registration's file."""
        return sha256_of_text(self.text())

    def text(self) -> str:
        """The file, byte for byte."""
        from .registration_json import to_json

        return json.dumps(to_json(self), indent=1, ensure_ascii=False) + "\n"

    def write(self, path: Path) -> None:
        """Write the file atomically."""
        write_text(path, self.text())


RESTORE = "Restore the committed file: git checkout -- FILE"
