"""What installed packages offer by entry point: arms, recalls, embedders, layouts of datasets.

A package is found by its metadata, so that a private plug-in is installed, never patched in, and
listing names imports none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar, cast

from harness.errors import UsageError, listed, nearest

Entry = TypeVar("Entry")


class Registry(Generic[Entry]):
    """The entries of one entry-point group, each loaded once.

    `check` says what is wrong with a loaded object, "" if nothing is: "is dict, which lacks …".
    `wanted` says what an entry point must name. `reserved` are entries of the harness itself: they
    can be loaded but are not listed, and no package may take their names.
    """

    def __init__(
        self,
        group: str,
        check: Callable[[object], str],
        noun: str,
        *,
        wanted: str,
        reserved: Mapping[str, Entry] | None = None,
    ) -> None:
        self.group = group
        self.noun = noun
        self._check = check
        self._wanted = wanted
        self._reserved = dict(reserved or {})
        self._offers: dict[str, EntryPoint] | None = None
        self._loaded: dict[str, Entry] = {}

    def names(self) -> list[str]:
        """List the installed names, sorted; import nothing.

        Raises `UsageError` where two packages offer one name.
        """
        return sorted(self._entry_points())

    def __contains__(self, name: str) -> bool:
        return name in self._entry_points()

    def load(self, name: str) -> Entry:
        """Import the entry of that name.

        Raises `UsageError` for an unknown name, with the nearest one; for an entry point that
        cannot be imported; and for an object that is not what its entry point promises.
        """
        if name in self._reserved:
            return self._reserved[name]
        if name not in self._loaded:
            self._loaded[name] = self._import(name)
        return self._loaded[name]

    def source(self, name: str) -> str:
        """Return the `module:object` behind an installed name, for messages."""
        return self._entry_points()[name].value

    def forget(self) -> None:
        """Drop what was found and loaded, so that packages installed since are seen."""
        self._offers = None
        self._loaded.clear()

    def _entry_points(self) -> dict[str, EntryPoint]:
        if self._offers is None:
            self._offers = self._find()
        return self._offers

    def _find(self) -> dict[str, EntryPoint]:
        offers: dict[str, EntryPoint] = {}
        for offer in entry_points(group=self.group):
            if offer.name in self._reserved:
                raise UsageError(
                    f"the {self.noun} {offer.name!r} of {offer.value} has a name that the harness "
                    "keeps for itself",
                    f"Uninstall its package, or have it rename its {self.noun}.",
                )
            # an editable install next to a built one lists the same entry point twice
            earlier = offers.setdefault(offer.name, offer)
            if earlier.value != offer.value:
                raise UsageError(
                    f"two installed packages offer the {self.noun} {offer.name!r}: "
                    f"{earlier.value} and {offer.value}",
                    f"Uninstall one of them, or have it rename its {self.noun}.",
                )
        return offers

    def _import(self, name: str) -> Entry:
        offer = self._entry_points().get(name)
        if offer is None:
            raise UsageError(
                f"no {self.noun} {name!r}{nearest(name, self.names())}",
                f"Installed: {listed(self.names()) or 'none'}.",
            )
        try:
            loaded = offer.load()
        except (ImportError, AttributeError) as error:
            raise UsageError(
                f"the {self.noun} {name!r} cannot be imported from {offer.value} ({error})",
                "Reinstall the package that offers it, and what that needs.",
            ) from error
        fault = self._check(loaded)
        if fault:
            raise UsageError(
                f"the {self.noun} {name!r} of {offer.value} {fault}",
                f"Its entry point must name {self._wanted}.",
            )
        # an entry without a name of its own, such as a function, goes by that of its entry point
        own_name = getattr(loaded, "name", name)
        if isinstance(own_name, str) and own_name != name:
            raise UsageError(
                f"{offer.value} is named {own_name!r}, but its entry point says {name!r}",
                "Give both the same name.",
            )
        return cast(Entry, loaded)


def lacks(kind: type, *attributes: str) -> Callable[[object], str]:
    """Build the check of a registry whose entries satisfy the runtime-checkable protocol `kind`."""

    def fault(loaded: object) -> str:
        if isinstance(loaded, kind):
            return ""
        return (
            f"is {type(loaded).__name__}, which lacks {', '.join(attributes[:-1])} or "
            + (attributes[-1])
        )

    return fault
