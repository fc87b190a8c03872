"""Walk through every kind of unit by keys at a real pty, kill it on the way, and bring the labels out and in again.

    python -m tests.bench.unit_walk                  # every kind
    python -m tests.bench.unit_walk ranking answer

A study of each kind is made from files by `medreview import`. Twenty units are decided at 80x24: with spans, orders,
edits, notes and reasons. After eight, three acts are taken back; after twelve, a further decision or note is begun and
the process gets SIGKILL; the block is shown at its end, and of statements some are decided beside their judges. Then
the study is exported, the export imported into a new study, and that exported again; and the whole of it is packaged,
and that exported. It fails when a decision whose receipt was seen is not in the study, when a label is not the one of
the keys, when `check` finds a fault, when the exports differ in a byte, or when figures would take other labels from a
copy. An export has no pages and brings no judgements of them: of units beside pages both are left out of the first
comparison.

The table: `keys` is the median of the keys of a decision; `ratings` and `export` are of the study, of what was
imported, of what was packaged.
"""

import argparse
import contextlib
import sqlite3
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Final, NamedTuple

from medreview.study import Study
from medreview.study.ids import kind_of
from medreview.units.kind import Rating, UnitKind, UnitView
from medreview.units.registry import KINDS, asks_of, unit_name
from tests.bench.kill_rounds import Watched
from tests.bench.walk_files import BROUGHT, write
from tests.support.commands import MEDREVIEW, Program

WHO: Final = "kb"
BLOCK, UNDO_AT, KILL_AT = 20, 8, 12
_TAKEN_BACK: Final = 3
_BESIDE: Final = 6
"""Statements that are decided beside their judges."""
BESIDE_PAGES: Final = frozenset({"statement", "pair", "response"})
OF_PAGES: Final = (
    "citations.csv", "judgements.csv", "labels.csv", "labels_from_pairs.csv", "manifest.json", "pairs.csv",
)  # fmt: skip
"""Files of an export that tell of pages and of judgements of them; labels.csv has those beside the labels."""
_ORDERS: Final = tuple(permutations("1234"))


class Given(NamedTuple):
    """Keys that decide one unit, the label they give; ``first``: keys that write a note or set a flag before."""

    keys: tuple[str, ...]
    label: str
    first: tuple[str, ...] = ()


@dataclass
class Walk:
    """What came of one kind."""

    kind: str
    decided: int = 0
    undone: int = 0
    lost: int = 0
    keys: list[int] = field(default_factory=list)
    seen: int = 0
    stored: int = 0
    ratings: list[int] = field(default_factory=list)
    equal: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def given(kind: UnitKind | None, view: UnitView | None, number: int) -> Given:
    """How a unit is decided; ``number`` varies it. ``None``: a statement."""
    first = ("n", *"Seen.", "\r") if number % 5 == 1 else ("d",) if number % 5 == 3 else ()
    if kind is None or view is None:
        level = ("supported", "partial", "contradicted", "not_addressed")[number % 4]
        marked = ("h", "1", "\r") if number % 4 == 2 else ()
        return Given((*marked, str(number % 4 + 1)), level, first)
    if kind.entry == "order":
        return _ranked(view, number, first)
    fitting = [label for label in kind.levels if not kind.fits(view, label.level)]
    label = fitting[number % len(fitting)]
    after: tuple[str, ...] = ()
    if kind.entry == "words" and label.level == "edited":
        after = (*" Said so.", "\r")
    elif kind.entry == "spans":
        after = {
            "none": (), "fact": ("\r",), "input": ("W", "n", *"So it is not asked.", "\r"),
            "context": ("\r", "G", "\r"), "other": ("w", "h", "2", "\r"),
        }[label.level]  # fmt: skip
    return Given((label.key, *after), label.level, first)


def _ranked(view: UnitView, number: int, first: tuple[str, ...]) -> Given:
    """An order, with a tie of the last two every second time, then a quality for each in the order on the screen."""
    places, tie = _ORDERS[number % len(_ORDERS)], number % 2 == 1
    tiers = [*places[:2], "".join(sorted(places[2:]))] if tie else [*places]
    order = ">".join("=".join(str(view.numbers[int(place) - 1]) for place in tier) for tier in tiers)
    qualities = ("g", "o", "b", "og"[number % 2])
    return Given((*places[:3], *("=" if tie else ""), places[3], *qualities), order, first)


class Reviewer:
    """Presses keys in a workbench, and knows what they must have given."""

    def __init__(self, study: Path, queue: str, walk: Walk) -> None:
        self.study, self.walk, self.queue = study, walk, queue
        self.kind = KINDS.get(walk.kind)
        with Study.open(study) as opened:
            units = _units(opened.reader, walk.kind)
            self._named = {unit_name(opened.reader, unit): unit for unit in units}
            self._views = {unit: self.kind.load(opened.reader, unit) for unit in units} if self.kind else {}
        self.labels: dict[str, str] = {}
        self.receipts: set[int] = set()
        self._pressed = ""
        self._number = 0

    @contextlib.contextmanager
    def sitting(self, *more: str) -> Iterator[Watched]:
        """The workbench in a terminal of 80x24."""
        self._pressed = ""
        with Watched(
            [*MEDREVIEW, "review", str(self.study), "--reviewer", WHO, *(more or ("--queue", self.queue))]
        ) as on:
            on.wait("undo")
            yield on

    def unit(self, on: Watched) -> str:
        """The unit on the screen, by its name in its second row, of a statement its number in the fourth; ``""`` where
        a page is shown instead."""
        row = on.screen.display[1].strip()
        if self.kind is None:
            row = f"{row.partition(' ')[0]} {on.screen.display[3].strip().partition('/')[0]}"
        return next((unit for name, unit in self._named.items() if f"{row} ".startswith(f"{name} ")), "")

    def press(self, on: Watched, *keys: str) -> None:
        """Keys one after another. One that has decided is held down until another is pressed: `G` only pages."""
        if keys[0] == self._pressed:
            on.type("G")
        for key in keys:
            on.type(key)
        self._pressed = keys[-1]

    def seen(self, on: Watched) -> None:
        """Know what receipts were on the screen."""
        self.receipts |= on.receipts

    def decide(self, on: Watched) -> None:
        """Decide the unit on the screen, and wait for what follows."""
        unit = self.unit(on)
        assert unit, f"no unit is on the screen\n{on.shown}"
        how = given(self.kind, self._views.get(unit), self._number)
        self._number += 1
        if how.first:
            before = on.receipt
            self.press(on, *how.first)
            on.wait_until(lambda: on.receipt > before, "the receipt of a note or flag")
        before = on.receipt
        self.press(on, *how.keys)
        on.wait_until(lambda: on.receipt > before and self.unit(on) != unit, f"what follows {how.keys} on {unit}")
        self.labels[unit] = how.label
        self.walk.keys.append(len(how.keys))

    def take_back(self, on: Watched, count: int) -> None:
        """Undo acts, one a press, and learn from the file what stands then."""
        for number in range(count):
            before = on.receipt
            self.press(on, "u")
            on.wait_until(lambda before=before: on.receipt > before, f"the receipt of undo {number + 1}")
        self.labels = {unit: label for unit, label in self.labels.items() if unit in self.stand()}
        if self.unit(on) in self.labels:
            unit = self.unit(on)
            self.press(on, "t")
            on.wait_until(lambda: self.unit(on) != unit, "the next open unit")

    def stand(self) -> dict[str, str]:
        """The labels of the file, on the main axis of each unit."""
        with contextlib.closing(sqlite3.connect(f"file:{self.study}?mode=ro", uri=True)) as reader:
            found = reader.execute(
                "SELECT unit, label, axis FROM decision_current WHERE reviewer = ?", (WHO,)
            ).fetchall()
        return {
            unit: label for unit, label, axis in found if unit in self._named.values() and axis == asks_of(unit).axis
        }

    def begin(self, on: Watched) -> None:
        """Begin something that is not saved yet."""
        before = on.receipt
        if self.walk.kind in ("ranking", "answer"):
            self.press(on, "2")
            on.wait("takes back" if self.walk.kind == "ranking" else "Span (end moves)")
        else:
            self.press(on, "n", *"half a note")
            on.wait("half a note")
        unit = self.unit(on)
        if on.receipt > before:  # the type of an answer is saved before its words are asked for
            self.labels[unit] = "fact"

    def to_the_end(self, on: Watched) -> None:
        """See the judges of the block, keep what differs, and read what it came to."""
        on.wait("End of the block")
        self.press(on, "r")
        asked = ("both kept", "another verdict", "The block, with its judges")
        for number in range(2 * BLOCK + 1):
            on.wait_until(lambda: any(words in on.shown for words in asked), "the judges")
            before = on.shown
            if "The block, with its judges" in before:
                break
            self.press(
                on, "t" if "another verdict" in before and number % 3 == 0 else "\r"
            )  # t: the reason "other topic"
            on.wait_until(lambda before=before: on.shown != before, "what follows when it is kept")
            on.read(0.05)
        on.wait("The block, with its judges")
        self.press(on, "\r")
        on.wait("undo")


def _units(reader: sqlite3.Connection, kind: str) -> list[str]:
    query = f"SELECT unit FROM ({KINDS[kind].rows})" if kind in KINDS else "SELECT statement_id FROM statement_standing"
    return [row[0] for row in reader.execute(query)]


def walk_kind(kind: str, folder: Path) -> Walk:
    """Everything, with one kind."""
    walk, program, study = Walk(kind), Program(folder), folder / "a.medreview"
    for command, records in BROUGHT[kind]:
        program(command, study, *([write(records, folder)] if records else []))
    reviewer = Reviewer(study, KINDS[kind].queue_name if kind in KINDS else "", walk)
    blind = () if kind in KINDS else ("--blind",)
    try:
        _review(reviewer, walk, blind)
    except AssertionError as error:
        walk.faults.append(str(error))
    _compare(reviewer, walk)
    _bring_again(program, study, walk)
    return walk


def _review(reviewer: Reviewer, walk: Walk, blind: tuple[str, ...]) -> None:
    with reviewer.sitting(*blind) as on:
        while len(reviewer.labels) < UNDO_AT:
            reviewer.decide(on)
        reviewer.take_back(on, _TAKEN_BACK)
        while len(reviewer.labels) < KILL_AT:
            reviewer.decide(on)
        reviewer.begin(on)
        reviewer.seen(on)
        on.process.kill()
        on.process.wait()
    stand = reviewer.stand()
    walk.lost = len([unit for unit, label in reviewer.labels.items() if stand.get(unit) != label])
    with reviewer.sitting(*blind) as on:
        if reviewer.unit(on) in reviewer.labels:
            reviewer.press(on, "t")
            on.wait_until(lambda: reviewer.unit(on) not in reviewer.labels, "the next open unit")
        while len(reviewer.labels) < BLOCK:
            reviewer.decide(on)
        reviewer.to_the_end(on)
        reviewer.press(on, "q")
        reviewer.seen(on)
    if blind:
        _beside_the_judges(reviewer)


def _beside_the_judges(reviewer: Reviewer) -> None:
    """Decide statements with their judges in sight, with a reason where one differs."""
    with reviewer.sitting("--queue", "responses", "--filter", "state=open") as on:
        for number in range(_BESIDE):
            unit, key = reviewer.unit(on), "13"[number % 2]
            before = on.receipt
            reviewer.press(on, key)
            on.wait_until(lambda before=before: on.receipt > before, "the receipt")
            on.read(0.1)
            keys = 1
            if "another verdict" in on.shown:
                before = on.receipt
                reviewer.press(on, "q")
                on.wait_until(lambda before=before: on.receipt > before, "the receipt of a reason")
                keys = 2
            reviewer.labels[unit] = ("supported", "contradicted")[number % 2]
            reviewer.walk.keys.append(keys)
            on.wait_until(lambda unit=unit: reviewer.unit(on) != unit, "the next statement")
        reviewer.seen(on)


def _compare(reviewer: Reviewer, walk: Walk) -> None:
    """What is in the file beside what was keyed in."""
    stand = reviewer.stand()
    for unit, label in reviewer.labels.items():
        if stand.get(unit) != label:
            walk.faults.append(f"{unit}: {label} was keyed in, {stand.get(unit)} is stored")
    with Study.open(reviewer.study) as opened:
        kept = {row[0] for row in opened.reader.execute("SELECT seq FROM event")}
        walk.undone = opened.reader.execute("SELECT count(*) FROM event WHERE kind = 'retract'").fetchone()[0]
    walk.decided, walk.seen, walk.stored = len(stand), len(reviewer.receipts), len(reviewer.receipts & kept)
    if walk.seen != walk.stored:
        walk.faults.append(f"receipts {sorted(reviewer.receipts - kept)} were shown and are not in the study")
    if walk.lost or walk.decided < BLOCK or walk.undone != _TAKEN_BACK:
        walk.faults.append(f"{walk.decided} decided, {walk.undone} undone, {walk.lost} lost after the kill")


def _bring_again(program: Program, study: Path, walk: Walk) -> None:
    """Export, import into a new study, export that; package the whole, export that; compare files and ratings."""
    again, whole = study.with_name("again.medreview"), study.with_name("whole.medreview")
    ours = _exported(program, study)
    program("import", again, study.with_suffix(""), "--as-copy")
    program("package", study, whole, "--without", "none")
    here = ratings(study, walk.kind)
    walk.ratings.append(len(here))
    for copy, left in ((again, OF_PAGES if walk.kind in BESIDE_PAGES else ()), (whole, ())):
        theirs = _exported(program, copy)
        other = sorted(name for name in {*ours, *theirs} - {*left} if ours.get(name) != theirs.get(name))
        if other:
            walk.faults.append(f"the export of the {copy.stem} differs in {', '.join(other)}")
        there = ratings(copy, walk.kind)
        wanted = [rating for rating in here if not left or not rating.machine]
        if there != wanted:
            walk.faults.append(f"figures would take other labels from the {copy.stem}: {len(there)} for {len(wanted)}")
        walk.ratings.append(len(there))
        program("check", copy)
        walk.equal.append("DIFFERS" if other else "but pages" if left else "equal")


def _exported(program: Program, study: Path) -> dict[str, bytes]:
    program("export", study, study.with_suffix(""))
    return {file.name: file.read_bytes() for file in study.with_suffix("").iterdir()}


def ratings(study: Path, kind: str) -> list[Rating]:
    """The labels that figures take of a kind, of people and of machines."""
    with Study.open(study) as opened:
        people = opened.reader.execute("SELECT unit, axis, reviewer, mode, label FROM reviewer_label").fetchall()
        found = [Rating(unit, "", axis, who, False, mode, label) for unit, axis, who, mode, label in people]
        if kind in KINDS:
            found += KINDS[kind].machine_ratings(opened.reader)
        else:
            judged = "SELECT statement_id, judge, raw_label FROM judgement JOIN judge_run USING (judge_run_id)"
            found += [
                Rating(unit, "", "evidence", who, True, "", label) for unit, who, label in opened.reader.execute(judged)
            ]
    return sorted(rating for rating in found if kind_of(rating.unit) == kind)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "kinds", nargs="*", choices=[[], *BROUGHT], metavar="KIND", help="some kinds; default: every one"
    )
    wanted = parser.parse_args().kinds or list(BROUGHT)
    print(
        f"{'':12}{'decided':>9}{'undone':>8}{'lost':>6}{'keys':>6}{'receipts':>10}{'stored':>8}{'ratings':>16}  export"
    )
    failed = False
    with tempfile.TemporaryDirectory() as name:
        for kind in wanted:
            folder = Path(name) / kind
            folder.mkdir()
            walk = walk_kind(kind, folder)
            keys = statistics.median(walk.keys or [0])
            print(
                f"{kind:12}{walk.decided:9}{walk.undone:8}{walk.lost:6}{keys:6g}{walk.seen:10}{walk.stored:8}"
                f"{' / '.join(map(str, walk.ratings)):>16}  {' / '.join(walk.equal)}",
                flush=True,
            )
            for fault in walk.faults[:5]:
                print(f"    {fault}", flush=True)
            failed |= bool(walk.faults)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
