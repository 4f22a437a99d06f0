"""Dates in a text: the day, the month and the year, as far as they are written.

Read are `2023-05-30`, `2023/5/30`, `May 30, 2023`, `30th of May`, `May 2023`, `2023年5月30日`,
`5月30日`, `令和5年5月30日` and `5/30/2023`. In the last form either number may be the month: where
both can be, the date has two readings. Texts are in NFKC and case-folded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

MONTHS = {
    name: value
    for value, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_LEAP_YEAR = 2000


@dataclass(frozen=True, slots=True)
class Reading:
    """A date as far as it is written; None is not written."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def exists(self) -> bool:
        """Whether the calendar has it; without a year, whether any year's has."""
        try:
            date(self.year or _LEAP_YEAR, self.month or 1, self.day or 1)
        except ValueError:
            return False
        return True

    def says(self, wanted: Reading) -> bool:
        """Return whether this one says all that `wanted` does; a year may be left out where month
        and day are said."""
        if wanted.year is not None and self.year != wanted.year:
            full = None not in (self.month, self.day, wanted.month, wanted.day)
            if self.year is not None or not full:
                return False
        return all(
            part is None or part == own
            for part, own in ((wanted.month, self.month), (wanted.day, self.day))
        )


Readings = tuple[Reading, ...]

_MONTH = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b\.?"
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?(?![0-9]|[.,][0-9]|[^\W\d_])"
_YEAR = r"(?P<year>[12][0-9]{3})(?![0-9]|[.,][0-9])"
_ERA_YEAR = rf"(?:(?P<year>[12][0-9]{{3}})|(?P<era>{'|'.join(_ERAS)})(?P<of_era>[0-9]{{1,2}}|元))年"


def _named(match: re.Match[str]) -> Readings:
    parts = match.groupdict()
    year, day = parts.get("year"), parts.get("day")
    month = parts["month"]
    return (
        Reading(
            int(year) if year else None,
            MONTHS.get(month) or int(month),
            int(day) if day else None,
        ),
    )


def _numeric(match: re.Match[str]) -> Readings:
    first, second, year = int(match["first"]), int(match["second"]), match["year"]
    whole = int(year) if len(year) == 4 else int(year) + (2000 if int(year) < 70 else 1900)
    return tuple(dict.fromkeys((Reading(whole, first, second), Reading(whole, second, first))))


def _japanese(match: re.Match[str]) -> Readings:
    parts = match.groupdict()
    year = int(parts["year"]) if parts["year"] else None
    if parts["era"]:
        of_era = parts["of_era"]
        year = _ERAS[parts["era"]] + (1 if of_era == "元" else int(of_era))
    month, day = parts.get("month"), parts.get("day")
    return (Reading(year, int(month) if month else None, int(day) if day else None),)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Readings]], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (
            r"(?P<year>[12][0-9]{3})(?P<mark>[-/.])(?P<month>[0-9]{1,2})(?P=mark)"
            r"(?P<day>[0-9]{1,2})(?![0-9])",
            _named,
        ),
        (r"(?P<year>[12][0-9]{3})-(?P<month>[0-9]{2})(?![0-9-])", _named),
        (
            r"(?P<first>[0-9]{1,2})/(?P<second>[0-9]{1,2})/(?P<year>[12][0-9]{3}|[0-9]{2})"
            r"(?![0-9/])",
            _numeric,
        ),
        (rf"{_MONTH} (?:the )?{_DAY}(?: ?, ?| ){_YEAR}", _named),
        (rf"{_MONTH} (?:the )?{_DAY}", _named),
        (rf"{_DAY} (?:of )?{_MONTH}(?: ?, ?| ){_YEAR}", _named),
        (rf"{_DAY} (?:of )?{_MONTH}", _named),
        (rf"{_MONTH}(?: ?, ?| of | ){_YEAR}", _named),
        (
            rf"(?:{_ERA_YEAR} ?)?(?P<month>[0-9]{{1,2}})月(?!間)(?: ?(?P<day>[0-9]{{1,2}})日)?",
            _japanese,
        ),
        (rf"{_ERA_YEAR}(?![間前後])", _japanese),
    )
)


def date_at(text: str, place: int) -> tuple[Readings, int] | None:
    """Read the date that begins at `place`: what it can be, and where it ends."""
    for form, read in _FORMS:
        match = form.match(text, place)
        if match is not None:
            readings = tuple(reading for reading in read(match) if reading.exists)
            if readings:
                return readings, match.end()
    return None
