"""The flow of items from responses to labels, in counts that add up; how far a reviewer is, and at what pace."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from medreview.labels import HALLUCINATION
from medreview.statements.place_in_response import said_nowhere
from medreview.stats.reports.reviewer_labels import BINARY, REVIEWER_UNSURE, STALE, ReviewerLabel, reviewers_label
from medreview.stats.reports.study_reader import EVERYTHING, Selection
from medreview.study.counts import DIFFERING, OF_KIND, Counts, count_statements, whose_states
from medreview.study.ids import STATEMENT, kind_of

_RESPONSES: Final = """
SELECT r.response_id, r.invalid, r.parser IS NOT NULL AS parsed,
       iif(r.left_out_by IS NULL, r.dropped,
           (SELECT count(*) FROM left_out AS l WHERE l.response_id = r.response_id)) AS left_out
FROM response AS r"""
_STATEMENTS: Final = """
SELECT s.statement_id, s.response_id, v.judgement_id IS NOT NULL AS judged, coalesce(v.by_rules, 0) AS by_rules
FROM statement_standing AS s LEFT JOIN verdict AS v USING (statement_id)"""
_READABLE: Final = """
SELECT DISTINCT c.response_id FROM citation AS c JOIN source AS u USING (source_id)
JOIN snapshot_content AS n ON n.snapshot_id = u.current_snapshot WHERE n.readable"""
_PUT_OFF: Final = "SELECT unit FROM put_off WHERE reviewer = ? AND pass = ?"


@dataclass(frozen=True)
class ResponseFlow:
    """Counts of responses: ``in_study`` = ``invalid`` + ``not_parsed`` + ``without_statements`` + ``with_statements``.

    ``parts_left_out``: parts of their texts that are no statements.
    """

    in_study: int
    invalid: int
    not_parsed: int
    without_statements: int
    with_statements: int
    parts_left_out: int


@dataclass(frozen=True)
class StatementFlow:
    """Counts of statements.

    ``made`` = ``edited`` + ``in_study``. ``edited`` statements left the study: a reviewer cut, joined or excluded them,
    or took back the edit that made them. Where a filter chose a part of a study they are unknown, and ``edited`` is 0.
    ``in_study`` = ``readable_source`` + ``no_readable_source`` (whether their response cites a page that can be
    read) = ``judged_by_models`` + ``judged_by_rules`` (by the offline judge alone) + ``not_judged``.
    ``not_in_answer``: no sentence of their response says them, not even in other words
    (:mod:`medreview.statements.place_in_response`).
    """

    made: int
    edited: int
    in_study: int
    readable_source: int
    no_readable_source: int
    judged_by_models: int
    judged_by_rules: int
    not_judged: int
    not_in_answer: int


@dataclass(frozen=True)
class LabelFlow:
    """Counts of statements as they stand for one reviewer in one pass.

    ``in_study`` = ``blind`` + ``assisted`` + ``deferred`` + ``open``: labels that count are blind where the first one
    was, ``deferred`` ones have none. ``blind`` + ``assisted`` = ``used`` + ``cannot_judge`` + ``stale`` (given on a
    page whose text has changed since). ``put_off_since``: labelled ones that were deferred afterwards; their labels
    count.
    """

    reviewer: str
    in_study: int
    blind: int
    assisted: int
    deferred: int
    open: int
    used: int
    cannot_judge: int
    stale: int
    put_off_since: int


@dataclass(frozen=True)
class ItemFlow:
    """What is in the study, or in the part of it that a filter chose, and what became of it up to the labels."""

    responses: ResponseFlow
    statements: StatementFlow
    labels: tuple[LabelFlow, ...]


def item_flow(
    reader: sqlite3.Connection,
    labels: Mapping[str, Mapping[str, ReviewerLabel]],
    pass_no: int = 1,
    only: Selection = EVERYTHING,
) -> ItemFlow:
    """The flow of a study, or of ``only`` a part of it; ``labels`` are those of each reviewer in it, by statement."""
    rows = [row for row in reader.execute(_STATEMENTS) if only.holds(row["statement_id"])]
    with_statements = {row["response_id"] for row in rows}
    return ItemFlow(
        responses=_responses(reader, with_statements, only),
        statements=_statements(reader, rows, only),
        labels=tuple(_labels(reader, name, held, pass_no, only, len(rows)) for name, held in labels.items()),
    )


def _responses(reader: sqlite3.Connection, with_statements: Collection[str], only: Selection) -> ResponseFlow:
    rows = reader.execute(_RESPONSES).fetchall()
    if only.statements is not None:
        rows = [row for row in rows if row["response_id"] in with_statements or row["response_id"] in only.responses]
    others = [row for row in rows if row["response_id"] not in with_statements]
    valid = [row for row in others if not row["invalid"]]
    parsed = sum(row["parsed"] for row in valid)
    return ResponseFlow(
        in_study=len(rows),
        invalid=len(others) - len(valid),
        not_parsed=len(valid) - parsed,
        without_statements=parsed,
        with_statements=len(with_statements),
        parts_left_out=sum(row["left_out"] for row in rows),
    )


def _statements(reader: sqlite3.Connection, rows: Sequence[sqlite3.Row], only: Selection) -> StatementFlow:
    readable = {row[0] for row in reader.execute(_READABLE)}
    with_text = sum(row["response_id"] in readable for row in rows)
    judged = sum(row["judged"] for row in rows)
    by_rules = sum(row["judged"] and row["by_rules"] for row in rows)
    edited = 0
    if only.statements is None:
        edited = int(reader.execute("SELECT count(*) FROM retired_statement").fetchone()[0])
    return StatementFlow(
        made=len(rows) + edited,
        edited=edited,
        in_study=len(rows),
        readable_source=with_text,
        no_readable_source=len(rows) - with_text,
        judged_by_models=judged - by_rules,
        judged_by_rules=by_rules,
        not_judged=len(rows) - judged,
        not_in_answer=len(said_nowhere(reader) & {row["statement_id"] for row in rows}),
    )


def _labels(
    reader: sqlite3.Connection,
    reviewer: str,
    held: Mapping[str, ReviewerLabel],
    pass_no: int,
    only: Selection,
    in_study: int,
) -> LabelFlow:
    units = (row[0] for row in reader.execute(_PUT_OFF, (reviewer, pass_no)))
    put_off = {unit for unit in units if kind_of(unit) == STATEMENT and only.holds(unit)}
    modes = Counter(label.group.mode for label in held.values())
    missing = Counter(reviewers_label(label.label, BINARY, stale=label.stale).missing for label in held.values())
    deferred = len(put_off - held.keys())
    return LabelFlow(
        reviewer=reviewer,
        in_study=in_study,
        blind=modes["blind"],
        assisted=modes["assisted"],
        deferred=deferred,
        open=in_study - len(held) - deferred,
        used=missing[""],
        cannot_judge=missing[REVIEWER_UNSURE],
        stale=missing[STALE],
        put_off_since=len(put_off & held.keys()),
    )


_STANDING: Final = f"""SELECT mine.unit, mine.state, {DIFFERING} AS differs
FROM standing AS mine LEFT JOIN verdict AS v ON v.statement_id = mine.unit
WHERE reviewer = ? AND pass = ? AND {OF_KIND}"""
_HALLUCINATIONS: Final = """SELECT unit, label FROM decision_current
WHERE reviewer = ? AND pass = ? AND axis = 'hallucination'
      AND unit NOT IN (SELECT statement_id FROM retired_statement)"""
_OTHER_UNITS: Final = """SELECT substr(unit, 1, instr(unit, ':') - 1) AS kind, count(DISTINCT unit)
FROM decision_current WHERE reviewer = ? AND pass = ? AND instr(unit, ':') GROUP BY kind"""
_TIMES: Final = """SELECT unit, json_extract(payload, '$.active_ms') AS ms FROM decision_first
WHERE reviewer = ? AND pass = ? AND axis = 'evidence' AND ms IS NOT NULL"""


@dataclass(frozen=True)
class Standing:
    """Counts of statements. ``total`` = ``decided`` + ``deferred`` + ``open``.

    ``disagreements`` are decisions that differ from the judges' verdict as they stand now; ``changed_after_reveal``
    blind labels that the reviewer changed on seeing the judges; ``after_totals`` blind labels given after figures
    of the judges had been read; ``hallucinations`` current types of that axis;
    ``other_units``: how many units of each other kind, in the whole study, the reviewer has labelled on any axis;
    ``minutes`` the median of the active time of ``timed`` first decisions.
    """

    total: int
    decided: int
    deferred: int
    open: int
    disagreements: int
    changed_after_reveal: int
    after_totals: int
    hallucinations: Mapping[str, int]
    other_units: Mapping[str, int]
    minutes: float | None
    timed: int


def standing(
    reader: sqlite3.Connection,
    reviewer: str,
    labels: Mapping[str, ReviewerLabel],
    pass_no: int = 1,
    only: Selection = EVERYTHING,
) -> Standing:
    """Count what stands for a reviewer in one pass; ``labels`` are those of the statements in ``only``."""
    who = (reviewer, pass_no)
    named = Counter(row["label"] for row in reader.execute(_HALLUCINATIONS, who) if only.holds(row["unit"]))
    times = [row["ms"] for row in reader.execute(_TIMES, who) if only.holds(row["unit"])]
    rows = [
        row for row in reader.execute(_STANDING, whose_states(reviewer, STATEMENT, pass_no)) if only.holds(row["unit"])
    ]
    total = count_statements(reader) if only.statements is None else len(only.statements)
    return Standing(
        **Counts.of(total, Counter(row["state"] for row in rows))._asdict(),
        disagreements=sum(bool(row["differs"]) for row in rows),
        changed_after_reveal=sum(label.changed_after_reveal for label in labels.values()),
        after_totals=sum(label.after_totals for label in labels.values()),
        hallucinations={label.level: named[label.level] for label in HALLUCINATION if label.level in named},
        other_units=dict(reader.execute(_OTHER_UNITS, who).fetchall()),
        minutes=median(times) / 60_000 if times else None,
        timed=len(times),
    )
