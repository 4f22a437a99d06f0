"""A report of a run: gather, render, write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.datasets.split import Split, read_split
from harness.decode import read_json_file
from harness.errors import Faults, InputError, UsageError
from harness.measure.answers import GradedPoints, read_answers
from harness.measure.subject import absences_of, every_question
from harness.recording.absent import Absence
from harness.replay.run import Run
from harness.storage.generated_folder import ReportSubject, Written, write_folder
from harness.storage.hashing import sha256_of_file
from harness.trial.grades import Grades
from harness.trial.registration import Registration
from harness.trial.verdict import FIRST_SCHEMA as FIRST_VERDICT
from harness.trial.verdict import SCHEMA as VERDICT
from harness.trial.verdict import read_verdict

from .arm_page import arm_page
from .beside import SideBySide, set_beside
from .causes import Causes, read_causes
from .contribution_drawing import contribution_pages
from .drawing import accuracy_panel, draw, panels_of
from .evidence_tables import metric_title
from .figures import Figures, gather, spending
from .grade_tables import SEALED
from .growth import growth_of
from .index_page import ReportInputs, arm_folder, index_page
from .instrument_pages import InstrumentInputs, instrument_pages
from .lookups import PAGE as LOOKUPS_PAGE
from .lookups import lookups_page
from .pages import rendered
from .provenance import Provenance, provenance_of
from .published import Published, read_published
from .published_page import published_page
from .registration_page import registration_page
from .verdict_page import verdict_page

CURVE = "cost-evidence.svg"


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """What is asked for beside the run: a point to compare with, and files, None where not given.

    `causes` and `split` serve the page of published figures and need `published`. `registration`
    and `verdict` get a page each; a verdict needs the registration that it is of. `grades`, the
    the run's `recording` (None: where the run says)
    serve the pages of the instruments.
    """

    against: str | None = None
    published: Path | None = None
    causes: Path | None = None
    split: Path | None = None
    registration: Path | None = None
    verdict: Path | None = None
    grades: tuple[Path, ...] = ()
    recording: Path | None = None
    note: str | None = None


def write_report(
    run: Run, out: Path, request: ReportRequest, *, force: bool = False, quiet: bool = True
) -> Written:
    """Write the report of `run` to the folder `out`; see `harness.storage.generated_folder`."""
    pages = report_pages(run, request, quiet=quiet)
    work = run.manifest.work
    subject = ReportSubject(
        recording=work["recording"],
        part=work["part"],
        split_sha256=work["split_sha256"],
        points=tuple(str(point) for point in run.points),
        run_sha256=run.manifest.content_sha256,
    )
    return write_folder(out, subject, pages, force=force)


def report_pages(run: Run, request: ReportRequest, *, quiet: bool = True) -> Mapping[str, str]:
    """Return every file of the report but its index, by relative path."""
    _check(request)
    figures = gather(run, request.against)
    provenance = provenance_of(run)
    growth = growth_of(run, figures.arms)
    graded = read_answers(request.grades, every_question(run))
    absent = absences_of(run, figures.points, request.recording)
    curve = _curve(figures, provenance, graded, absent)
    pages = {} if curve is None else {CURVE: curve}
    index = index_page(
        run,
        figures,
        provenance,
        growth,
        graded,
        has_curve=curve is not None,
        inputs=_inputs(request, graded),
        absent=absent,
    )
    further = judgment_pages(request.registration, request.verdict)
    pages |= further
    stamp = None if request.verdict is None else read_verdict(request.verdict).stamp
    published = None if request.published is None else read_published(request.published)
    instruments = instrument_pages(
        run, figures, provenance, _instrument_inputs(request, published, graded), quiet=quiet
    )
    pages |= instruments.pages
    lookups = lookups_page(run)
    if lookups is not None:
        pages[LOOKUPS_PAGE] = rendered("lookups.md.j2", page=lookups)
    pages["README.md"] = rendered(
        "index.md.j2",
        page=index,
        published=request.published is not None,
        judged=sorted(further),
        stamp=stamp,
        instruments=instruments,
        lookups=lookups is not None,
        folder=arm_folder,
    )
    if published is not None:
        pages["published.md"] = _published(run, provenance, request, published)
    spent = spending(run)
    dev = None if request.split is None else frozenset(read_split(request.split).dev_ids)
    for name, grown in zip(figures.arms, growth, strict=True):
        page = arm_page(run, name, figures, provenance, grown, spent, graded, dev, absent)
        pages[f"{arm_folder(name)}/README.md"] = rendered("arm.md.j2", page=page)
        pages |= contribution_pages(arm_folder(name), page.candidates)
    return pages


def _check(request: ReportRequest) -> None:
    for option, path in (("--causes", request.causes), ("--split", request.split)):
        if path is not None and request.published is None:
            raise UsageError(
                f"{option} serves the page of published figures", "Give --published FILE with it."
            )
    if request.verdict is not None and request.registration is None:
        raise UsageError("--verdict needs its registration", "Give --registration FILE with it.")


def _curve(
    figures: Figures, provenance: Provenance, graded: GradedPoints, absent: Sequence[Absence]
) -> str | None:
    panels = panels_of(figures, _encoding(provenance)) if figures.tokens_counted else ()
    if not panels:
        return None
    of_answers = accuracy_panel(figures, graded)
    names = ", ".join(metric_title(panel.metric) for panel in panels)
    arms = ", ".join(figures.arms)
    description = (
        f"{len(panels)} panels ({names}) over the mean context tokens of each point. "
        f"Lines, from left to right by cost: {arms}. "
    )
    if of_answers is not None:
        panels += (of_answers,)
        description += f"A further panel has the accuracy over the {of_answers.cost}. "
    return rendered(
        "cost-evidence.svg.j2",
        drawing=draw(panels, absent),
        title="Evidence over cost, one line an arm",
        description=f"{description}The table in README.md has the numbers.",
    )


def _encoding(provenance: Provenance) -> str:
    """Return `cl100k_base`: the first word of what the context was counted with."""
    return dict(provenance.tokens)["context_tokens: tokenizer"].split()[0]


def _instrument_inputs(
    request: ReportRequest, published: Published | None, graded: GradedPoints
) -> InstrumentInputs:
    return InstrumentInputs(
        graded=graded,
        published=published,
        published_file=request.published,
        grades=request.grades,
        recording=request.recording,
    )


def _published(
    run: Run, provenance: Provenance, request: ReportRequest, published: Published
) -> str:
    split: Split | None = None if request.split is None else read_split(request.split)
    causes = Causes() if request.causes is None else read_causes(request.causes)
    beside: SideBySide = set_beside(run, published, split)
    causes.check_used({(str(row.point), row.figure.metric.name) for row in beside.rows})
    page = published_page(beside, provenance, causes)
    return rendered("published.md.j2", page=page)


def _inputs(request: ReportRequest, graded: GradedPoints) -> ReportInputs:
    # with few questions, outcomes could be found that have the hash of sealed grades
    shown = {answers.sha256 for answers in graded.answers}
    hashes = {folder: Grades.open(folder).sha256 for folder in request.grades}
    return ReportInputs(
        _named(request.published),
        _named(request.causes),
        _named(request.split),
        _named(request.registration),
        None if request.verdict is None else _shown(request.verdict),
        tuple(
            (_shown(folder), digest if digest in shown else SEALED)
            for folder, digest in hashes.items()
        ),
        None if request.recording is None else _shown(request.recording),
        request.note,
    )


def _named(path: Path | None) -> tuple[str, str] | None:
    return None if path is None else (_shown(path), sha256_of_file(path))


def _shown(path: Path) -> str:
    """Spell a path below the current folder as it is, any other by its name alone."""
    below = not path.is_absolute() and ".." not in path.parts
    return path.as_posix() if below else path.name


def judgment_pages(registration: Path | None, verdict: Path | None) -> dict[str, str]:
    """Return `registration.md` and `verdict.md`, for the files that are named.

    Raises `InputError` for a verdict of another registration.
    """
    if registration is None:
        return {}
    registered = Registration.read(registration)
    pages = {"registration.md": registration_page(registered)}
    if verdict is not None:
        reached = read_verdict(verdict)
        if reached.registration_sha256 != registered.sha256:
            raise InputError(
                f"{verdict} is the verdict of another registration "
                f"({reached.registration_sha256}) than {registration} ({registered.sha256})",
                "Name the registration that was judged.",
            )
        pages["verdict.md"] = verdict_page(reached)
    return pages


def page_of_file(path: Path) -> str:
    """Return the page of a registration or of a verdict, as the file's schema says."""
    faults = Faults()
    value = read_json_file(path, faults)
    schema = value.get("schema") if isinstance(value, dict) else None
    if not isinstance(schema, str):
        if not faults:
            faults.add("it has no schema")
        reason = "; ".join(faults)
        raise InputError(
            f"{path} is neither a registration nor a verdict ({reason})",
            "Name a run's folder, or the JSON file of a registration or a verdict.",
        )
    if schema in (VERDICT, FIRST_VERDICT):
        return verdict_page(read_verdict(path))
    return registration_page(Registration.read(path))
