"""What installed packages offer by entry point: arms, recalls, embedders, layouts of datasets.

A package is found by its metadata, so that a private plug-in is installed, never patched in, and
listing names imports none of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar, cast

from harness.errors import PlugInWarning, UsageError, exception_line, listed, nearest

Entry = TypeVar("Entry")

OWN_PACKAGE = "evidence-harness"


@dataclass(frozen=True, slots=True)
class Offer:
    """An entry by name: the `place` it comes from ("": none was taken), and the `fault` that keeps
    it, or another of its name, from being used."""

    name: str
    place: str
    fault: UsageError | None


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
        self._clashes: dict[str, UsageError] = {}
        self._warned: set[str] = set()
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

    def load_usable(self, names: Iterable[str]) -> Iterator[Entry]:
        """Load those of the names that can be; warn once of each of the others."""
        for name in names:
            try:
                yield self.load(name)
            except UsageError as error:
                self._warn(name, error)

    def is_own(self, name: str) -> bool:
        """Tell whether the entry comes with the harness, not with another package."""
        offer = self._entry_points().get(name)
        return name in self._reserved or (offer is not None and _is_own(offer))

    def source(self, name: str) -> str:
        """Return the `module:object` behind an installed name, for messages."""
        return self._entry_points()[name].value

    def offers(self) -> Iterator[Offer]:
        """Import every entry that is offered, also one that cannot be used, by name."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PlugInWarning)
            known = self._entry_points()
            for name in sorted({*known, *self._clashes}):
                fault = self._clashes.get(name)
                try:
                    self.load(name)
                except UsageError as error:
                    fault = error
                yield Offer(name, _place(known[name]) if name in known else "", fault)

    def forget(self) -> None:
        """Drop what was found and loaded, so that packages installed since are seen."""
        self._offers = None
        self._loaded.clear()
        self._clashes.clear()
        self._warned.clear()

    def _entry_points(self) -> dict[str, EntryPoint]:
        if self._offers is None:
            self._offers = self._find()
        return self._offers

    def _find(self) -> dict[str, EntryPoint]:
        by_name: dict[str, list[EntryPoint]] = {}
        for offer in entry_points(group=self.group):
            # an editable install beside a built one lists the same entry point twice
            known = by_name.setdefault(offer.name, [])
            if all(other.value != offer.value for other in known):
                known.append(offer)
        offers: dict[str, EntryPoint] = {}
        for name, known in by_name.items():
            own = [offer for offer in known if _is_own(offer)]
            if len(own or known) == 1 and name not in self._reserved:
                (offers[name],) = own or known
            if name not in offers or len(known) > 1:
                self._clashes[name] = self._clash(name, known)
                kept = f"; {_place(offers[name])} is taken" if name in offers else ""
                self._warn(name, self._clashes[name], kept)
        return offers

    def _clash(self, name: str, offers: Sequence[EntryPoint]) -> UsageError:
        hint = f"Uninstall one of them, or have it rename its {self.noun}."
        places = listed([_place(offer) for offer in offers])
        if name in self._reserved:
            return UsageError(
                f"the {self.noun} {name!r} of {places} has a name that the harness keeps for "
                "itself",
                f"Uninstall its package, or have it rename its {self.noun}.",
            )
        return UsageError(f"several packages offer the {self.noun} {name!r}: {places}", hint)

    def _warn(self, name: str, error: UsageError, ending: str = "") -> None:
        if name not in self._warned:
            self._warned.add(name)
            message = f"{error.message}{ending or '; it is left out'}"
            warnings.warn(message, PlugInWarning, stacklevel=2)

    def _import(self, name: str) -> Entry:
        offer = self._entry_points().get(name)
        if offer is None and name in self._clashes:
            raise self._clashes[name]
        if offer is None:
            raise UsageError(
                f"no {self.noun} {name!r}{nearest(name, self.names())}",
                f"Installed: {listed(self.names()) or 'none'}.",
            )
        try:
            loaded = offer.load()
        except (Exception, SystemExit) as error:  # a package may raise anything when imported
            raise UsageError(
                f"the {self.noun} {name!r} cannot be imported from {_place(offer)} "
                f"({exception_line(error)})",
                "Reinstall the package that offers it, and what that needs.",
            ) from error
        try:
            fault = self._check(loaded)
        except Exception as error:  # noqa: BLE001 - nor is there a limit to what it may be made of
            fault = f"cannot be checked ({exception_line(error)})"
        if fault:
            raise UsageError(
                f"the {self.noun} {name!r} of {_place(offer)} {fault}",
                f"Its entry point must name {self._wanted}.",
            )
        # an entry without a name of its own, such as a function, goes by that of its entry point
        own_name = getattr(loaded, "name", name)
        if isinstance(own_name, str) and own_name != name:
            raise UsageError(
                f"{_place(offer)} is named {own_name!r}, but its entry point says {name!r}",
                "Give both the same name.",
            )
        return cast(Entry, loaded)


def _is_own(offer: EntryPoint) -> bool:
    return _package(offer).replace("_", "-").lower() == OWN_PACKAGE


def _package(offer: EntryPoint) -> str:
    return "" if offer.dist is None else str(offer.dist.name)


def _place(offer: EntryPoint) -> str:
    """Name `module:object`, and the package that offers it."""
    package = _package(offer)
    return f"{offer.value} of the package {package}" if package else offer.value


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
