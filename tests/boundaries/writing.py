"""Every command that writes, on small inputs, for `kills`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.cli.main import run
from harness.replay.run import Run
from harness.storage.content import content_size_and_sha256
from harness.storage.hashing import sha256_of_file

from ..make.answered import make_answered, right
from ..make.project import CONTROL_RIGHT, DEV_IDS, POINT_RIGHT
from ..make.splits import write_list, write_split
from ..make.trial import ITEMS, ONE, TWO, make_trial

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "f76bb23"
WORLD = FIXTURES.parents[2] / "datasets" / "worlds" / "museum"
RUN = Path("runs/questions")
FETCHED = "inputs/omni/data.json"


def linked(folder: Path) -> None:
    """Prepare the folder of a command that needs what is in the fixtures."""
    for entry in FIXTURES.iterdir():
        (folder / entry.name).symlink_to(entry)


def copies(*names: str) -> Callable[[Path], None]:
    """Prepare the folder of a command that changes what is there: copies of files of fixtures."""

    def prepare(folder: Path) -> None:
        linked(folder)
        for name in names:
            source, place = FIXTURES / name, folder / name
            if place.is_symlink():
                place.unlink()
            elif place.parent.is_symlink():
                place.parent.unlink()
            place.parent.mkdir(exist_ok=True)
            copy = shutil.copytree if source.is_dir() else shutil.copyfile
            copy(source, place)

    return prepare


def before(*commands: str) -> Callable[[Path], None]:
    """Prepare the folder of a command that goes on from what other commands did."""

    def prepare(folder: Path) -> None:
        linked(folder)
        for command in commands:
            assert run([*command.split(), "-q"]) in (0, 1), command

    return prepare


def trial(*commands: str) -> Callable[[Path], None]:
    """Prepare a trial over contexts of ours, registered, with answers to import."""

    def prepare(folder: Path) -> None:
        made = make_trial(folder)
        made.register("made")
        for name, point, known in (("new", TWO, POINT_RIGHT), ("old", ONE, CONTROL_RIGHT)):
            lines = (json.dumps(row) + "\n" for row in made.rows(point, known))
            (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        made.grade("tried", ITEMS, registration=None)
        made.grade("again", ITEMS, CONTROL_RIGHT, registration=None)
        made.grade("new", TWO)
        made.grade("old", ONE, CONTROL_RIGHT)
        for command in commands:
            assert run(command.split()) == 0, command

    return prepare


def answered(folder: Path) -> None:
    """Prepare a store of answers."""
    made = make_answered(folder)
    for point in (ONE, TWO):
        made.store(point, "dev", right(DEV_IDS, DEV_IDS[0]))


def register_of_data(folder: Path) -> None:
    """Prepare a register with one entry that can be fetched."""
    linked(folder)
    data = FIXTURES / FETCHED
    (folder / "register.toml").write_text(
        f'[[dataset]]\nname = "made"\nurl = "http://127.0.0.1:1/data.json"\n'
        f'size = {data.stat().st_size}\nsha256 = "{sha256_of_file(data)}"\nlicence = "MIT"\n'
        'citation = "none"\nquestions = "inputs/questions.jsonl"\n',
        encoding="utf-8",
    )


def stand_in(folder: Path) -> None:
    """Prepare a register and a split of the questions that a run has answers to."""
    linked(folder)
    data = FIXTURES / "inputs/data.json.gz"
    questions = {row["case_id"]: row["category"] for row in Run.open(RUN).cases().to_pylist()}
    write_list(folder / "questions.jsonl", questions)
    write_split(folder / "split.json", questions, seed=1, dev=2, dataset_sha256="0" * 64)
    (folder / "register.toml").write_text(
        f'[[dataset]]\nname = "made"\npath = "{data}"\nsize = {data.stat().st_size}\n'
        f'sha256 = "{content_size_and_sha256(data)[1]}"\nlicence = "MIT"\ncitation = "none"\n'
        'questions = "questions.jsonl"\n',
        encoding="utf-8",
    )


def world(folder: Path) -> None:
    """Prepare a world of Markdown files."""
    (folder / "world").symlink_to(WORLD)


@dataclass(frozen=True)
class Writing:
    """A command that writes. `URL` in it is the address of a server of the fixtures."""

    command: str
    prepare: Callable[[Path], None] = linked


IMPORT_OMNI = (
    "import omnimemeval inputs/omni/results --dataset inputs/omni/data.json "
    "--records inputs/omni/data.json --point count-curve(k=1) --out out"
)
IMPORT_GRADES = (
    "grades import inputs/graded-k1-all.jsonl --format jsonl --split inputs/split.json --questions "
    "inputs/questions.jsonl --part all --exploratory --register inputs/register.toml"
)
IMPORT_TEST = (
    "--format jsonl --split split.json --part test --registration registrations/made.json --out"
)
REPLAY = "replay recordings/cases --point items --point evidence --point count-curve"
RECORD = "record longmemeval inputs/data.json.gz --cache cache.sqlite --out out"
REGISTER = (
    "register inputs/plan.toml --register inputs/register.toml --choice choice.json "
    "--dev-grades grades/chosen-dev --dev-grades grades/k1-dev --out out.json"
)
SWEEP = "--point evidence(budget=[800,1000]) --split inputs/split.json --out out --report page"
FREEZE = "world freeze world --out out"
JUDGE = "judge registrations/made.json --grades grades/new --grades grades/old"

WRITING = (
    Writing("select inputs/cases.jsonl --point items --out out.jsonl"),
    Writing("import cases inputs/cases-with-vectors.jsonl.gz --out out"),
    Writing(
        "import cases inputs/cases.jsonl --out out --force",
        before("import cases inputs/cases-with-vectors.jsonl.gz --out out"),
    ),
    Writing(RECORD),
    Writing(
        "record cpersona inputs/store.db --searches inputs/searches.jsonl --embedder words "
        "--cache cache.sqlite --out out"
    ),
    Writing("record lookups inputs/kiln --queries inputs/kiln-queries.jsonl --out out"),
    Writing("record lookups inputs/mill --traces inputs/attempts-before.jsonl --out out"),
    Writing(f"{REPLAY} --out out"),
    Writing(f"{REPLAY} --out out --jobs 2"),
    Writing(
        "replay recordings/cases --point whole --point evidence --out runs/cases",
        copies("runs/cases"),
    ),
    Writing(
        f"{REPLAY} --out out --force", before("replay recordings/questions --point sea --out out")
    ),
    Writing("replay recordings/lookups --point lookup-budgeted --out out"),
    Writing(f"sweep recordings/cases {SWEEP}"),
    Writing(f"sweep recordings/cases recordings/worst-first {SWEEP}"),
    Writing(
        "choose runs/cases --split inputs/split.json --rule closest-cost --to count-curve(k=2) "
        "--out out.json"
    ),
    Writing(f"{REGISTER} --accept-warning low-power"),
    Writing("report runs/cases --out out"),
    Writing("report runs/cases --out out --force", before("report runs/lookups --out out")),
    Writing("report runs/lookups --out out"),
    Writing(f"{IMPORT_GRADES} --point items --out out"),
    Writing(f"grades import new.jsonl --point {TWO} {IMPORT_TEST} out", trial()),
    Writing(
        "grades answer-in-context runs/questions --point items --split split.json --part all "
        "--register register.toml --data inputs/data.json.gz --exploratory --out out",
        stand_in,
    ),
    Writing("grades show grades/tried", trial()),
    Writing("grades agree grades/tried grades/again", trial()),
    Writing(
        "instrument curves runs/cases --split inputs/split.json --part all --curve count-curve "
        "--grades one --grades all",
        before(
            f"{IMPORT_GRADES} --point count-curve(k=1) --out one",
            f"{IMPORT_GRADES} --point items --out all",
        ),
    ),
    Writing(f"{JUDGE} --run run", trial()),
    Writing(f"{JUDGE} --run run --out verdict.json", trial(f"{JUDGE} --run run")),
    Writing(FREEZE, world),
    Writing(f"{FREEZE} --pack zst", world),
    Writing("score inputs/mill inputs/attempts-after.jsonl --out out.json"),
    Writing(
        "ledger --supersede scores/before.json --reason twice",
        copies("scores/before.json", "scores/after.json"),
    ),
    Writing("export cases recordings/cases --out out.jsonl"),
    Writing("export prompts runs/cases --point items --out out.jsonl"),
    Writing(
        "export omnimemeval runs/imported --point count-curve(k=1) --out out --dataset "
        "inputs/omni/data.json"
    ),
    Writing("export trec runs/cases --point items --out out"),
    Writing("grade answers --grader contains --part dev --recording recording --out out", answered),
    Writing("answers export answers --out out.jsonl", answered),
    Writing(IMPORT_OMNI),
    Writing("dataset split made --register inputs/register.toml --seed 1 --dev 4 --out out.json"),
    Writing(
        "dataset fetch made --register register.toml --url URL --out out.json", register_of_data
    ),
    Writing("cache clear --cache cache.sqlite --yes", before(RECORD)),
    Writing("cache clear --cache cache.sqlite --embedder f --yes", before(RECORD)),
)
