"""How true is the audit, whatever a day's work comes first? Made-up studies whose every statement's truth is known.

    python -m tests.bench.audit_simulation --studies 300

Each study is a file of 100 responses of 6 statements, 85% of them supported, statements of one response alike. A judge
flags what it does not find supported, and is wrong at times. A reviewer who is always right works through the queues in
one of these orders; then the file is asked for its figure. Printed for each order: the mean of value minus truth, how
many of the 95% intervals hold the truth, how wide they are, and in how many studies there was no figure.
"""

import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.review.audit import begin, complete, draw, release
from medreview.review.queue import open_queue
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.reports.audit_report import AuditFigures, audit_report
from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.study.merge import merge
from medreview.study.rows import insert
from medreview.text import sha256
from tests.bench.simulation import arguments

RESPONSES: Final = 100
STATEMENTS: Final = 6
SUPPORTED: Final = 0.85
ALIKE: Final = 0.2
"""Correlation of two statements of one response."""
NOW: Final = "2026-10-09T08:00:00Z"


@dataclass(frozen=True)
class MadeUp:
    """A study file and what is true of its statements."""

    study: Study
    truth: dict[str, bool]

    @property
    def share(self) -> float:
        """The share that an audit is to find."""
        return sum(self.truth.values()) / len(self.truth)


def grow(made: MadeUp, rng: random.Random, first: int, count: int, supported: float = SUPPORTED) -> None:
    """Add responses with their verdicts: of the supported statements a tenth is flagged, of the others nine tenths."""
    rows: dict[str, list[dict[str, object]]] = {"response": [], "statement": [], "verdict": []}
    spread = (1 - ALIKE) / ALIKE
    for number in range(first, first + count):
        response_id = f"r{number}"
        rows["response"].append(
            {
                "response_id": response_id, "ordinal": number, "record_id": "", "model": "atlas", "origin": "forum",
                "imported_at": NOW, "imported_from": "made up", "cited": 1, "parser": "made up",
                "text_sha256": sha256("text"), "question": "Q?", "text": "text",
            }
        )  # fmt: skip
        easy = rng.betavariate(supported * spread, (1 - supported) * spread)
        for ordinal in range(1, STATEMENTS + 1):
            unit, true = f"{response_id}.{ordinal}", rng.random() < easy
            flagged = rng.random() < (0.1 if true else 0.9)
            made.truth[unit] = true
            place = {"statement_id": unit, "response_id": response_id, "ordinal": ordinal}
            rows["statement"].append(place | {"text_sha256": sha256("text"), "text": "text"})
            said = {"verdict": "not_addressed" if flagged else "supported", "supported": int(not flagged)}
            votes = {"conflict": 0, "votes_for": 1, "votes_other": 0, "priority": int(flagged), "badges": ""}
            rows["verdict"].append({"statement_id": unit, **said, **votes})

    def add(connection: object) -> None:
        for table, held in rows.items():
            insert(connection, table, held)  # type: ignore[arg-type]
        complete(connection)  # type: ignore[arg-type]

    made.study.write(add)


def review(made: MadeUp, queue: str, reviewer: str = "kb", *, part: float = 1.0, last: bool = False) -> None:
    """Decide what is open of a queue, as it is shown, in its order: all of it, its first ``part`` or the rest."""
    opened = open_queue(made.study, queue, reviewer)
    recorder = Recorder(reviewer)
    units = list(opened.units)
    cut = round(len(units) * part)
    decided = {row[0] for row in made.study.reader.execute("SELECT unit FROM standing WHERE reviewer = ?", (reviewer,))}
    seen = {row[0] for row in made.study.reader.execute("SELECT unit FROM judges_seen WHERE reviewer = ?", (reviewer,))}

    def decide(connection: object) -> None:
        for unit in units[cut:] if last else units[:cut]:
            if unit in decided:
                continue
            known = opened.mode == "open" or unit in seen
            payload = {
                "axis": "evidence",
                "label": "supported" if made.truth[unit] else "not_addressed",
                "exposure": {"judge_verdict": "before" if known else "no"},
                "filter": opened.filter,
            }
            recorder.append(connection, NewEvent("decide", unit, payload), block=queue, mode=opened.mode)  # type: ignore[arg-type]
            if opened.mode == "blind":
                recorder.append(connection, NewEvent("reveal", unit), block=queue, mode=opened.mode)  # type: ignore[arg-type]

    made.study.write(decide)


def figures(study: Study) -> AuditFigures:
    """The audit of the one reviewer, or of all together."""
    names = reviewers(study.reader)
    return audit_report(study.reader, {name: reviewer_labels(study.reader, name) for name in names}).figures[-1]


def two_copies(made: MadeUp, other_reviewer: str, *beside: str) -> None:
    """Half of the audit here, with ``beside``; triage and the other half on a copy made before; merged."""
    with copied(made) as other:
        review(made, "audit", part=0.5)
        for queue in beside:
            review(made, queue)
        review(other, "flagged", other_reviewer)
        review(other, "audit", other_reviewer, part=0.5, last=True)
        path = other.study.path
    merge(made.study, path)


class copied:
    """A copy of a study, opened."""

    def __init__(self, made: MadeUp) -> None:
        self._made = made

    def __enter__(self) -> MadeUp:
        """Write all of the file, copy it, open the copy."""
        path = self._made.study.path
        self._made.study.write(lambda connection: None)
        self._made.study.reader.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        other = path.with_name("copy.medreview")
        shutil.copy(path, other)
        self._opened = MadeUp(Study.open(other), self._made.truth)
        return self._opened

    def __exit__(self, *_: object) -> None:
        self._opened.study.close()


STEPS: Final[Mapping[str, Callable[[MadeUp, random.Random], object]]] = {
    "begin": lambda made, rng: begin(made.study, "kb"),
    "begin120": lambda made, rng: draw(made.study, "kb", size=120),
    "release": lambda made, rng: release(made.study, "kb"),
    "triage": lambda made, rng: review(made, "flagged"),
    "audit": lambda made, rng: review(made, "audit"),
    "half": lambda made, rng: review(made, "audit", part=0.5),
    "rest": lambda made, rng: review(made, "audit", part=0.5, last=True),
    "worse": lambda made, rng: grow(made, rng, RESPONSES + 1, RESPONSES // 2, supported=0.7),
    "two": lambda made, rng: two_copies(made, "anna", "flagged"),
    "one": lambda made, rng: two_copies(made, "kb"),
}
"""``worse``: half as many answers more, which are worse. ``two``, ``one``: two reviewers or one, on two copies."""
ORDERS: Final = {
    "triage first": "begin triage audit",
    "half of the audit first": "begin half triage rest",
    "audit first": "begin audit triage",
    "growth": "begin half triage worse triage audit",
    "merged, two reviewers": "begin two",
    "merged, one reviewer": "begin one",
    "released, triage first": "begin release triage audit",
    "released, with the triage": "begin release triage audit",
    "left half-way, released": "begin120 half release triage",
}
"""With the triage, the figure is the one that takes the labels of all that is flagged."""


@dataclass(frozen=True)
class Outcome:
    """The figure of one study, with what is true of it."""

    truth: float
    figure: Estimate


def simulate(order: str, studies: int, seed: int, folder: Path) -> Iterator[Outcome]:
    """Make the studies, work through them in an order, and ask for the figure."""
    for number in range(studies):
        rng = random.Random(f"{seed}/{number}")  # the same studies in every order
        place = folder / f"{number}"
        place.mkdir()
        with Study.create(place / "made.medreview") as study:
            name = f"study_{rng.getrandbits(48):012x}"
            study.write(lambda c, name=name: c.execute("UPDATE study SET value = ? WHERE key = 'study_id'", (name,)))  # type: ignore[misc]
            made = MadeUp(study, {})
            grow(made, rng, 1, RESPONSES)
            for step in ORDERS[order].split():
                STEPS[step](made, rng)
            found = figures(study)
            yield Outcome(made.share, found.with_triage if order.endswith("with the triage") else found.supported.study)
        shutil.rmtree(place)


def holds(outcome: Outcome) -> bool:
    """Whether the interval holds the truth."""
    low, high = outcome.figure.low, outcome.figure.high
    return low is not None and high is not None and low <= outcome.truth <= high


def main() -> None:
    """Read the arguments, simulate each order, print what was found."""
    parser = arguments(__doc__, studies=300)
    parser.add_argument("--order", choices=ORDERS, action="append")
    wanted = parser.parse_args()
    print(f"{'order':<28}{'bias':>8}{'cover':>8}{'width':>8}{'n':>6}{'none':>6}{'seconds':>9}")
    for order in wanted.order or ORDERS:
        began = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            found = list(simulate(order, wanted.studies, wanted.seed, Path(folder)))
        defined = [each for each in found if each.figure.value is not None]
        bias = sum((each.figure.value or 0) - each.truth for each in defined) / len(defined)
        cover = sum(map(holds, defined)) / len(defined)
        width = sum((each.figure.high or 0) - (each.figure.low or 0) for each in defined) / len(defined)
        n = sum(each.figure.n for each in defined) / len(defined)
        took = time.perf_counter() - began
        none = len(found) - len(defined)
        print(f"{order:<28}{bias:>+8.3f}{cover:>8.1%}{width:>8.3f}{n:>6.0f}{none:>6}{took:>9.1f}", flush=True)


if __name__ == "__main__":
    main()
