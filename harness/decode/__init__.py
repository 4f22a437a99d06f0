"""Texts of others into declared values: one declaration a format, one decoder.

A format is a set of frozen dataclasses. Nothing else says what its keys are, which may be absent
(those with a default), or what each may hold:

    @dataclass(frozen=True, slots=True)
    class Span:
        record_id: Text                      # a string that is not empty
        start: Count                         # a whole number from 0, of at most 32 bits
        end: Count

        def __post_init__(self) -> None:     # what several fields must fulfil together
            if self.end <= self.start:
                raise FieldError("end", f"is {self.end}, expected more than {self.start}")

    @dataclass(frozen=True, slots=True)
    class Labels:
        answer: str | int
        evidence: tuple[Span, ...] = ()

    LABELS = Format("harness.labels/1", Labels, hint="docs/labels.md describes the file.")

    labels = decode_file(LABELS, path)       # raises one `InputError` with every fault
    labels = decode(LABELS, text, faults=faults, place="line 3")     # None where faults were added
    plan = decode_toml(PLAN, text, place=str(path))
    for number, labels in decode_lines(LABELS, "labels.jsonl"): ...

Every fault is a sentence that begins with its path and names what stands there and what is wanted:
``evidence[0].start is the string 'x', expected a whole number``. Types are strict: true is not a
number, '1' is not 1, 1.0 is not a whole number. JSON that says a key twice, NaN, an infinity, a
lone surrogate, a number or a nesting beyond any use is refused by its path too. A format whose name
ends in a version, such as ``harness.labels/1``, is an object that says so under `schema`; the type
does not repeat that key. Keys that are not declared are refused, or with `KEEP` left alone.

A format that is `of_others` reads 1001.0 as the whole number that it is, and 1, 0, 1.0 and 0.0 as
truth values, as pandas writes them; 1001.5 and 2 stay faults.

What a field may hold beyond its type is said in `Annotated`, by the kinds of `kinds`: `Text`,
`Count`, `Whole`, `IsoDate`, `Sha256`, `Json`, or by `Check` (a condition), `Parsed` (a text that a
function reads) and `Example` (what a message advises to write). Keys that are not the names of
their fields are declared by `keys`.

pydantic does the checking, and is imported when the first text is decoded.
"""

from .format import (
    KEEP,
    REFUSE,
    Format,
    Unknown,
    decode,
    decode_file,
    decode_toml,
    typed,
)
from .kinds import (
    LARGEST_WHOLE_NUMBER,
    AsGiven,
    Check,
    Count,
    Example,
    Finite,
    IsoDate,
    Json,
    JsonObject,
    NotNegative,
    NotNull,
    NullIs,
    Parsed,
    Positive,
    Sha256,
    Text,
    Via,
    Whole,
    at_least,
    keys,
    matching,
)
from .lines import STANDARD_INPUT, SourceLines, decode_lines
from .tree import json_of_file, json_tree, read_json, read_json_file, read_text, repeats_a_key
from .words import FieldError, PathFault, is_unicode, named, quoted, spelled

__all__ = [
    "KEEP",
    "LARGEST_WHOLE_NUMBER",
    "REFUSE",
    "STANDARD_INPUT",
    "AsGiven",
    "Check",
    "Count",
    "Example",
    "FieldError",
    "Finite",
    "Format",
    "IsoDate",
    "Json",
    "JsonObject",
    "NotNegative",
    "NotNull",
    "NullIs",
    "Parsed",
    "PathFault",
    "Positive",
    "Sha256",
    "SourceLines",
    "Text",
    "Unknown",
    "Via",
    "Whole",
    "at_least",
    "decode",
    "decode_file",
    "decode_lines",
    "decode_toml",
    "is_unicode",
    "json_of_file",
    "json_tree",
    "keys",
    "matching",
    "named",
    "quoted",
    "read_json",
    "read_json_file",
    "read_text",
    "repeats_a_key",
    "spelled",
    "typed",
]
