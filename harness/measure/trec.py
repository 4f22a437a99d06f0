"""Rankings as the files of TREC's tools: a run, and the judgments (qrels) that it is scored by.

Queries are case ids and documents session ids. White space and `%`, which would break a line's
fields, are percent-encoded in both. The score of a document is how many documents are left from it
on, so that scores fall strictly and every tool keeps the order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.errors import InputError

from .sessions import Rankings

_BREAKING = re.compile(r"[\s%\x00-\x1f\x7f]")


def run_text(rankings: Rankings, tag: str) -> str:
    """Return a run: `query Q0 document rank score tag` per line, ranks from 1.

    Raises `InputError` for an empty id, which a line cannot hold.
    """
    return "".join(_run_lines(rankings, _field(tag)))


def qrels_text(labelled: Rankings) -> str:
    """Return judgments: `query 0 document 1` for each labelled session; all others count as not
    relevant."""
    return "".join(
        f"{_field(case_id)} 0 {_field(session)} 1\n"
        for case_id, sessions in labelled.items()
        for session in sessions
    )


def _run_lines(rankings: Rankings, tag: str) -> Iterator[str]:
    for case_id, sessions in rankings.items():
        for place, session in enumerate(sessions):
            document, score = _field(session), len(sessions) - place
            yield f"{_field(case_id)} Q0 {document} {place + 1} {score} {tag}\n"


def _field(text: str) -> str:
    if not text:
        raise InputError(
            "an id is empty, which a line of TREC's formats cannot hold",
            "Give every case and every session an id.",
        )
    return _BREAKING.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), text)
