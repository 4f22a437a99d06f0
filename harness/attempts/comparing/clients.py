"""The client that was measured: its commit, and how far that is from a named one.

An arm measured with an old client says little of the one that is shipped. Reports name the commits
of their binaries in `implementation_commits`; the distances are counted in a git repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.errors import UsageError
from harness.storage.git import ask_git

from .report import Report

CLIENT = "mcp"
"""The component that a reader talks to."""


@dataclass(frozen=True, slots=True)
class MeasuredClient:
    """`behind`: commits of the named one that the client lacks; `ahead`: commits that it alone has.
    None where the report names no commit, or the repository does not have it."""

    commit: str | None
    behind: int | None = None
    ahead: int | None = None


@dataclass(frozen=True, slots=True)
class MeasuredClients:
    """The clients of both sides."""

    before: MeasuredClient
    after: MeasuredClient


@dataclass(frozen=True, slots=True)
class ClientRule:
    """How far behind `ref` of `repository` a client may be; None for any distance."""

    repository: Path
    ref: str = "HEAD"
    max_behind: int | None = None

    def measured(self, before: Report, after: Report) -> MeasuredClients:
        """Return the distances; raises `UsageError` without a repository that has `ref`."""
        if self._commit(self.ref) is None:
            raise UsageError(
                f"--client-repo {self.repository}: not a git repository that has {self.ref!r}",
                "Name the client's repository, and with --client-ref a branch, tag or commit.",
            )
        return MeasuredClients(*(self._measured(report) for report in (before, after)))

    def refusals(self, clients: MeasuredClients) -> Iterator[str]:
        """Yield why a client is too old, or cannot be shown not to be."""
        if self.max_behind is None:
            return
        for side, client in (("before", clients.before), ("after", clients.after)):
            if client.commit is None:
                yield f"{side}: implementation_commits.{CLIENT} is not recorded"
            elif client.behind is None:
                yield (
                    f"{side}: implementation_commits.{CLIENT} is {client.commit}, which "
                    f"{self.repository} does not have"
                )
            elif client.behind > self.max_behind:
                yield (
                    f"{side}: implementation_commits.{CLIENT} is {client.commit}, {client.behind} "
                    f"commits behind {self.ref}: more than {self.max_behind}"
                )

    def _measured(self, report: Report) -> MeasuredClient:
        named = report.commits.get(CLIENT)
        wanted = self._commit(self.ref)
        commit = None if named is None else self._commit(named)
        if commit is None or wanted is None:
            return MeasuredClient(named)
        return MeasuredClient(named, self._lacks(commit, wanted), self._lacks(wanted, commit))

    def _lacks(self, one: str, other: str) -> int | None:
        """Count the commits of `other` that `one` lacks."""
        found = ask_git(self.repository, "rev-list", "--count", f"{one}..{other}")
        return None if found is None else int(found)

    def _commit(self, name: str) -> str | None:
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        found = ask_git(self.repository, *asked)
        return found.split("\n")[-1] if found else None
