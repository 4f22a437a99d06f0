"""The plan of the documentation over a made-up dataset, in the current folder."""

from __future__ import annotations

from pathlib import Path

from harness.datasets.register import Register, read_register

from ..grades.made_study import SHA256, Study

PLAN = f"""
question = "At no more than 1,000 Context Tokens, does 2.6.5a1 answer better than four items?"
[dataset]
name = "made"
sha256 = "{SHA256}"
[split]
file = "split.json"
part = "test"
[cohort]
exclude = []
[recording]
sha256 = "{"b" * 64}"
[point]
spec = "2.6.5a1( budget = 2800 )"
[[control]]
spec = "count-curve(k=4)"
[[control]]
spec = "count-curve(k=full)"
[reader]
model = "a-reader"
[judge]
model = "a-judge"
[same_cost]
measure = "context_tokens"
within = 0.05
[[rule]]
name = "better at the same cost"
role = "primary"
against = "count-curve(k=4)"
interval = "exact"
level = 0.95
met_when = "lower > 0 points"
cost = "prompt_tokens_api <= 1000"
[[rule]]
name = "holds every item's accuracy"
role = "secondary"
against = "count-curve(k=full)"
interval = "exact"
level = 0.95
met_when = "lower >= -2.0 points"
[family]
correction = "none"
[power]
discordance = 0.12
[stop]
text = "One run."
"""


def changed(*replacements: tuple[str, str]) -> str:
    """The plan with texts replaced; each must be there."""
    text = PLAN
    for old, new in replacements:
        if old not in text:
            raise ValueError(f"the plan has no {old!r}")
        text = text.replace(old, new, 1)
    return text


def write_plan(study: Study, text: str = PLAN, name: str = "plan.toml") -> Path:
    """The plan's file, as a relative path."""
    study.write(name, text)
    return Path(name)


def register_of(study: Study) -> Register:
    return read_register(study.register)
