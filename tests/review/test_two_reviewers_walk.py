"""A walk through what two reviewers may do with a study and its copy, and what holds after every step.

What is blind, and as what a label counts, is told here from the record itself and from what was on the screen, not by
the views that the program asks.
"""

import json
import random
import shutil
import sqlite3
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.label_rows import LABELS, label_rows
from medreview.judges.verdicts import refresh
from medreview.labels import EVIDENCE
from medreview.pipeline import merge
from medreview.review.audit import begin, complete, draw, release, reserved
from medreview.review.blind_block import blind_block_open
from medreview.review.decision import FollowUp
from medreview.review.live_agreement import GroupView, LiveFigures
from medreview.review.looks import note_look
from medreview.review.overview import overview
from medreview.review.queue import open_queue
from medreview.review.queue_kinds import KINDS
from medreview.review.session import ReviewSession
from medreview.stats.reports.audit_report import audit_report
from medreview.stats.reports.reviewer_labels import SCALES, reviewer_labels
from medreview.study import Study
from medreview.study.audit_frame import permanent_number
from medreview.study.check import check
from medreview.study.counts import load_counts
from tests.support.study_builder import StudyBuilder, build

WHO = ("anna", "kb")
VERDICTS = ("supported", "contradicted", "not_addressed", "partial")
ACTS = ("decide",) * 15 + ("defer", "undo", "redo") * 2 + ("again", "list", "next", "previous", "note", "filter")
STEPS = ("sit",) * 12 + ("switch", "merge", "draw", "release", "grow", "look")
COLUMNS = [column.name for column in LABELS.columns]
_EVENTS = "SELECT * FROM event WHERE unit = ? AND reviewer = ? ORDER BY event_id"


class Act(NamedTuple):
    """An event on a statement; ``live``: it stands."""

    event_id: str
    kind: str
    mode: str
    said: dict[str, Any]
    live: bool

    @property
    def labels(self) -> bool:
        return self.live and self.kind in ("decide", "revise") and self.said["axis"] == "evidence"


def grow(study: Study, responses: int) -> None:
    """Answers of six statements, the last of which nobody judges."""

    def add(rows: StudyBuilder) -> None:
        there = rows.connection.execute("SELECT count(*) FROM response").fetchone()[0]
        for number in range(there + 1, there + responses + 1):
            now = datetime.now(UTC).isoformat(timespec="microseconds")
            name, page = f"r{number}", rows.page(f"u{number}", "words of the page")
            rows.response(name, statements=["text"] * 6, cites=[f"u{number}"], model=f"m{number % 2}", imported_at=now)
            for place in range(1, 6):
                rows.judgement("one", f"{name}.{place}", page, VERDICTS[(number + place) % 4], "words")
            rows.judgement("two", f"{name}.2", page, "supported", "words")

    build(study, add)
    refresh(study)
    study.write(complete)


def acts(reader: sqlite3.Connection, who: str, unit: str) -> list[Act]:
    rows = reader.execute(_EVENTS, (unit, who)).fetchall()

    def live(event: str) -> bool:
        return not any(row["undoes_event"] == event and live(row["event_id"]) for row in rows)

    return [
        Act(row["event_id"], row["kind"], row["mode"], json.loads(row["payload"]), live(row["event_id"]))
        for row in rows
    ]


def kept_blind(reader: sqlite3.Connection, who: str, unit: str) -> bool:
    """Reserved for the audit, or decided or put off blind; and its judges not shown, nor known from an export then."""
    done = acts(reader, who, unit)
    if any(act.kind == "reveal" or (act.mode == "open" and act.kind != "retract") for act in done):
        return False
    if any(act.said["exposure"]["judge_verdict"] != "no" for act in done if act.kind in ("decide", "revise")):
        return False
    newest = {
        kind: reader.execute(
            "SELECT coalesce(max(event_id), '') FROM event WHERE kind = ? AND reviewer IN (?, ?)", (kind, *of)
        ).fetchone()[0]
        for kind, of in (("audit_rate", WHO), ("audit_release", (who, who)))
    }
    member = reader.execute("SELECT 1 FROM audit_frame WHERE statement_id = ? AND number < rate", (unit,)).fetchone()
    if member and newest["audit_release"] <= newest["audit_rate"] and not any(act.labels for act in done):
        return True
    return any(act.mode == "blind" and (act.kind == "defer" or act.said.get("axis") == "evidence") for act in done)


def figures_of(held: LiveFigures) -> list[GroupView]:
    judges = (None, *held.judges)
    return [held.view(group, scale, judge) for group in held.groups for scale in SCALES for judge in judges]


class Walk:
    """A study and its copy, and from when on each reviewer had seen the judges of a statement in each of them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.files = [folder / "ours.medreview", folder / "theirs.medreview"]
        self.here = 0
        self.latest = ""
        self.seen: list[dict[tuple[str, str], str]] = [{}, {}]
        self.members: list[set[str]] = [set(), set()]
        self.figures: dict[tuple[int, str], LiveFigures] = {}
        with Study.create(self.files[0]) as study:
            study.write(lambda c: c.execute("UPDATE study SET value = 'study_7' WHERE key = 'study_id'"))
            grow(study, 9)
        shutil.copy(*self.files)

    def step(self, name: str) -> None:
        if name == "switch":
            self.here = 1 - self.here
        who = self.chance.choice(WHO)
        with Study.open(self.files[self.here]) as study:
            begin(study, who)
            match name:
                case "sit":
                    self.sit(study, who)
                case "merge":
                    self.merge(study)
                case "draw":
                    draw(
                        study, who, rate=self.chance.choice([0.2, 0.4, 0.6]), by=self.chance.choice(["all", "flagged"])
                    )
                case "release":
                    release(study, who)
                    assert reserved(study.reader, who) == set()
                case "grow":
                    grow(study, 1)
                case "look":
                    note_look(study, who, "export", "verdicts")
                    for (unit,) in study.reader.execute("SELECT statement_id FROM statement").fetchall():
                        self.saw(study.reader, who, unit)
            self.note_latest(study.reader)
            for each in WHO:
                self.figures_hold(study, each)
        with Study.open(self.files[self.here], read_only=True) as study:
            self.everything_holds(study)

    def merge(self, study: Study) -> None:
        with Study.open(self.files[1 - self.here], read_only=True) as theirs:
            counts = [each.reader.execute("SELECT count(*) FROM response").fetchone()[0] for each in (theirs, study)]
        grow(study, max(0, counts[0] - counts[1]))  # the same answers are imported in both
        merge(study, self.files[1 - self.here])
        for key, event in self.seen[1 - self.here].items():
            self.seen[self.here][key] = min(event, self.seen[self.here].get(key, event))

    def sit(self, study: Study, who: str) -> None:
        kind = self.chance.choice([*KINDS, *KINDS[:2] * 3])
        blind = None if kind.tells or self.chance.random() < 0.5 else True
        narrow = self.chance.choice(["", "", "response=R01", "mine=open"])
        queue = open_queue(study, kind.name, who, blind=blind, filter=narrow)
        session = ReviewSession(study, who, queue, reveal=self.chance.choice(["block", "block", "each"]))
        if not queue.units:
            return
        self.watch(session)
        for _ in range(self.chance.choice([3, 8, 22])):
            before, receipt = study.reader.execute("SELECT max(seq) FROM event").fetchone()[0], session.receipt
            with suppress(UserError):
                self.act(session, self.chance.choice(ACTS))
            rows = study.reader.execute(
                "SELECT seq FROM event WHERE seq > ? AND kind NOT IN ('shown', 'listed')", (before or 0,)
            ).fetchall()
            assert bool(rows) == (session.receipt != receipt)
            assert not rows or int(session.receipt.split("saved #")[1].split()[0]) in [row[0] for row in rows]
            self.watch(session)
            if not self.chance.randrange(4):
                self.figures_hold(study, who)
        assert session.counts == load_counts(study.reader, who)
        session.leave()
        again = ReviewSession(study, who, session.queue)
        assert [session.hides(unit) for unit in queue.units] == [again.hides(unit) for unit in queue.units]
        self.watch(again)
        self.act(again, "list")
        again.leave()

    def act(self, session: ReviewSession, name: str) -> None:
        step = FollowUp.ADVANCE
        match name:
            case "decide":
                step = session.decide(self.chance.choice(EVIDENCE).level)
            case "defer":
                step = session.defer()
            case "again":
                step = session.look_again()
            case "note":
                session.note("a note")
            case "filter":
                session.set_filter(self.chance.choice(["", "mine=open", "response=R02"]))
            case "list":
                for place, unit in enumerate(session.queue.units):
                    assert session.hides(unit) == (
                        session.queue.mode == "blind" or kept_blind(session.study.reader, session.reviewer, unit)
                    )
                    if not session.hides(unit) and session.state_of(unit) == "open":
                        self.saw(session.study.reader, session.reviewer, unit)
                    session.listed(place)
            case _:
                getattr(session, name)()
        self.watch(session)
        if step is FollowUp.BLOCK_END and session.block is not None and self.chance.random() < 0.7:
            for unit in session.block.hidden:
                self.saw(session.study.reader, session.reviewer, unit)
            step = session.show_judges()
        if step is FollowUp.KEEP_OR_CHANGE:
            session.keep_or_change(self.chance.choice(["partial", None]))
        if name in ("decide", "defer"):
            session.next_open()

    def note_latest(self, reader: sqlite3.Connection) -> str:
        newest = reader.execute("SELECT coalesce(max(event_id), '') FROM event").fetchone()[0]
        self.latest = max(self.latest, newest)
        return self.latest

    def saw(self, reader: sqlite3.Connection, who: str, unit: str) -> None:
        self.seen[self.here].setdefault((who, unit), self.note_latest(reader))

    def watch(self, session: ReviewSession) -> None:
        """The screen shows the judges where the record says that they may be seen, and nowhere else."""
        if session.item is None:
            return
        unit, reader = session.item.statement_id, session.study.reader
        revealed = any(act.kind == "reveal" for act in acts(reader, session.reviewer, unit))
        if session.queue.mode == "blind":
            assert revealed or not session.shows_judges
        else:
            assert session.shows_judges != kept_blind(session.study.reader, session.reviewer, unit)
        if session.shows_judges:
            self.saw(reader, session.reviewer, unit)

    def everything_holds(self, study: Study) -> None:
        reader, study_id = study.reader, study.meta("study_id")
        assert check(reader) == []
        frame = reader.execute("SELECT * FROM audit_frame").fetchall()
        assert all(row["number"] == permanent_number(study_id, row["statement_id"]) for row in frame)
        drawn = {row["statement_id"]: row["rate"] for row in frame if row["number"] < row["rate"]}
        assert drawn.keys() >= self.members[self.here]
        self.members[self.here] = set(drawn)
        undone = reader.execute(
            """SELECT count(*) FROM event AS r JOIN event AS e ON e.event_id = r.undoes_event WHERE e.unit = ?""",
            (study_id,),
        )
        assert undone.fetchone()[0] == 0
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in label_rows(reader)]
        assert all(row["inclusion_prob"] == drawn.get(row["unit_id"]) for row in rows)
        for who in WHO:
            self.labels_hold(reader, who, {row["unit_id"]: row for row in rows if row["reviewer_id"] == who})
            home_holds(study, who, drawn=bool(drawn))
        size = reader.execute("SELECT count(*) FROM statement").fetchone()[0]
        for figures in audit_report(reader, {who: reviewer_labels(reader, who) for who in WHO}).figures:
            for flow in (figures.supported.flow, figures.judges_right.flow):
                assert flow.in_study == size == flow.not_drawn + flow.drawn
                assert flow.drawn == len(drawn) == (
                    flow.not_looked_at + flow.seen_before + flow.labelled_out_of_turn + flow.deferred
                    + flow.cannot_judge + flow.no_judgement + flow.tied + flow.stale + flow.used
                )  # fmt: skip
                assert flow.assisted <= flow.used

    def figures_hold(self, study: Study, who: str) -> None:
        """Figures that were told of each act are those that are read again, over every file that was opened since."""
        fresh = LiveFigures(study.reader, who)
        held = self.figures.setdefault((self.here, who), fresh)
        held.go_on_with(study.reader)
        held.take_in()
        assert figures_of(held) == figures_of(fresh)

    def labels_hold(self, reader: sqlite3.Connection, who: str, exported: dict[str, dict[str, Any]]) -> None:
        """The screen, ``stats`` and labels.csv call the same labels blind: those given before the judges were seen."""
        labels = reviewer_labels(reader, who)
        for (unit,) in reader.execute("SELECT statement_id FROM statement").fetchall():
            given = [act for act in acts(reader, who, unit) if act.labels]
            if not given:
                assert unit not in labels
                continue
            row, seen = exported[unit], self.seen[self.here].get((who, unit), "~")
            first = [act.said["label"] for act in given if act.event_id <= seen]
            assert labels[unit].group.mode == row["mode"] == ("blind" if first else "assisted")
            assert labels[unit].current == row["verdict_final"] == given[-1].said["label"]
            if first:
                assert labels[unit].label == row["verdict_first"] == first[-1]
                assert row["exposure_judge_verdict"] in ("no", "after")


def home_holds(study: Study, who: str, *, drawn: bool) -> None:
    """What the first screen counts is what is in the queues; it tells no totals while a blind block is open."""
    found = overview(study, who)
    assert found.reserved == len(reserved(study.reader, who))
    for line in found.queues:
        if drawn or line.kind.name != "audit":
            queue = open_queue(study, line.kind.name, who)
            assert (line.size, line.reserved) == (len(queue.units), queue.reserved)
            assert not (line.kind.tells and any(kept_blind(study.reader, who, unit) for unit in queue.units))
        assert line.hidden == (line.kind.tells and blind_block_open(study.reader, who))
        assert not (line.hidden and line.remark)


@pytest.mark.parametrize("seed", [1, 5])
def test_whatever_two_reviewers_do_blind_is_blind_and_every_count_adds_up(tmp_path: Path, seed: int) -> None:
    walk = Walk(tmp_path, seed)
    for name in (*walk.chance.sample(STEPS, len(STEPS)), "switch", "merge"):
        walk.step(name)
