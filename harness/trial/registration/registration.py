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
from harness.trial.choosing.choice import Choice

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
class DevGrades:
    """The dev grades of a point: the folder, its content hash, and how many of the graded questions
    were answered right."""

    point: str
    path: str
    sha256: str
    graded: int
    correct: int


@dataclass(frozen=True, slots=True)
class Development:
    """What was done before: the dev questions of the split, the grades of points on them, and the
    choice of the point, where `harness choose` made it."""

    questions: int
    grades: tuple[DevGrades, ...] = ()
    choice: Choice | None = None


@dataclass(frozen=True, slots=True)
class DevPairs:
    """The point against a control on `n` dev questions: only the point right, only the control."""

    n: int
    wins: int
    losses: int


@dataclass(frozen=True, slots=True)
class RulePower:
    """What a primary rule can show with `n` test questions (`exact` False: with at most so many).

    Numbers are fractions. `dev` is what the dev grades say of the rule's pair of points.
    `discordance` and `difference` are what the power was computed at, and `source` says where they
    come from: `dev grades` or `assumed`. `level` is the decimal text of the level that was used.
    `power` is the probability that the rule is met; `mde` the smallest true difference at which it
    is met with probability `target`. Each is None where it is not known, `mde` also where no
    difference reaches the target. `decides`: False when the test cannot decide the question, None
    when that is not known. `statement` says all of it in words.
    """

    rule: str
    n: int
    exact: bool
    level: str
    target: str
    dev: DevPairs | None
    source: str | None
    discordance: float | None
    difference: float | None
    power: float | None
    mde: float | None
    decides: bool | None
    statement: str


@dataclass(frozen=True, slots=True)
class Registration:
    """`plan` and what was pinned with it.

    `pinned`: every file and folder that the plan or the command named, the plan's own file aside.
    `sha256` is of the registration's own file.
    """

    plan: Plan
    plan_file: PinnedFile
    pinned: tuple[PinnedFile, ...]
    cohort: RegisteredCohort
    development: Development
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
