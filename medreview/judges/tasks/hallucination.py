"""Hallucination detection in whole responses (MedHalu section 3.1), alone or with an expert's remarks (section 5)."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from medreview.errors import UserError
from medreview.judges.prompts import Prompt
from medreview.judges.tasks.task import Rows, Task, TaskUnit, Unit, error_of, raw_of, said
from medreview.labels import level_named
from medreview.llm.call import ModelAnswer
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.study_acts import groups_of

ALONE: Final = "hallucination_detection"
ASSISTED: Final = "hallucination_assisted"

_REMARKS: Final = """
SELECT e.event_id, e.kind, e.reviewer, e.unit, e.label, json_extract(e.payload, '$.text') AS note,
       coalesce(json_extract(e.payload, '$.group'), '') AS "group",
       (SELECT json_extract(l.payload, '$.exact') FROM span_live AS l WHERE l.event_id = e.event_id) AS exact,
       json_extract(e.payload, '$.reason') AS why, u.statement, u.response_id
FROM event_live AS e JOIN (
    SELECT statement_id AS unit, text AS statement, response_id FROM statement_standing
    UNION ALL SELECT 'answer:' || response_id, NULL, response_id FROM response) AS u ON u.unit = e.unit
WHERE ((e.kind = 'note' AND trim(note) <> '')
    OR (e.event_id IN (SELECT event_id FROM span_live) AND e.axis = 'hallucination'
        AND json_extract(e.payload, '$.target') = 'response')
    OR e.event_id IN (SELECT event_id FROM decision_current WHERE axis = 'hallucination'))"""
_CHOSEN: Final = f"""
SELECT * FROM ({_REMARKS})
WHERE iif(:chosen = '[]', "group" <> 'layperson' AND reviewer NOT IN (SELECT value FROM json_each(:laypeople)),
          reviewer IN (SELECT value FROM json_each(:chosen)))
  AND (NOT :reasons_only OR kind = 'note' OR (kind = 'span_add' AND trim(coalesce(why, '')) <> ''))"""
_KEY: Final = "remarks"
_REVIEWERS: Final = "SELECT DISTINCT reviewer FROM event WHERE kind IN ('decide', 'note', 'span_add') ORDER BY reviewer"
EXPERTS: Final = "experts"
"""The word for everybody whom neither their background nor the file of their labels calls a layperson."""


class Remarks(NamedTuple):
    """What of the reviewers' words judges are shown as an expert's, in a study.

    ``reviewers``: whose; empty for :data:`EXPERTS`. ``reasons_only``: their notes and the reasons of their spans,
    without labels and marked words, which are the answer.
    """

    reviewers: tuple[str, ...] = ()
    reasons_only: bool = False

    @property
    def words(self) -> str:
        """A sentence for whoever starts the run."""
        whose = ", ".join(self.reviewers) if self.reviewers else "all reviewers who are not laypeople"
        what = "reasons and notes, without labels," if self.reasons_only else "labels, reasons and notes"
        return f"The judge is shown as an expert's remarks the {what} of {whose}."


def remarks_of(reader: sqlite3.Connection) -> Remarks:
    """The study's choice; that of :class:`Remarks` until another is made."""
    row = reader.execute("SELECT value FROM study WHERE key = ?", (_KEY,)).fetchone()
    said = json.loads(row[0]) if row else {}
    return Remarks(tuple(said.get("reviewers", ())), bool(said.get("reasons_only")))


def set_remarks(study: Study, reviewers: Sequence[str] = (), reasons_only: bool | None = None) -> None:
    """Choose whose remarks judges are shown, and which; what is not given stays as it was chosen before.

    Raises :class:`UserError` for a name that has said nothing in the study, once somebody has.
    """
    known = [row[0] for row in study.reader.execute(_REVIEWERS)]
    for name in reviewers:
        if known and name not in (*known, EXPERTS):
            raise UserError(f"There is no reviewer {name!r} in this study; there are {', '.join(known)}.")
    before = remarks_of(study.reader)
    chosen = Remarks(
        tuple(sorted({*reviewers} - {EXPERTS})) if reviewers else before.reviewers,
        before.reasons_only if reasons_only is None else reasons_only,
    )
    if chosen != before:
        value = json.dumps(chosen._asdict(), sort_keys=True)
        study.write(lambda connection: connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?)", (_KEY, value)))


class Hallucination(Task):
    """The task for one judge run: units are responses; ``assisted``: only those with remarks of an expert.

    The study chooses whose remarks are shown (:class:`Remarks`); another choice is another run. An assisted finding
    records which remarks the judge was shown. Since these may contain the answer, it never counts
    for or against a judge.
    """

    def __init__(self, study: Study, settings: JudgeSettings, prompt: Prompt) -> None:
        super().__init__(study, settings, prompt)
        self.assisted = prompt.task == ASSISTED
        remarks = remarks_of(study.reader)
        if self.assisted and remarks != Remarks():
            self.run = replace(self.run, params={**self.run.params, "remarks": remarks._asdict()})
        self._whose: dict[str, Any] = {
            "chosen": json.dumps(remarks.reviewers),
            "laypeople": json.dumps([name for name, group in groups_of(study.reader).items() if group == "layperson"]),
            "reasons_only": remarks.reasons_only,
        }

    def units_without(self, answer: str) -> list[Unit]:
        """(response id,) in order."""
        remarked = f"AND r.response_id IN (SELECT response_id FROM ({_CHOSEN}))" if self.assisted else ""
        rows = self.study.reader.execute(
            f"""SELECT r.response_id FROM response AS r WHERE r.invalid = '' {remarked} AND NOT EXISTS (
                    SELECT 1 FROM hallucination_finding AS j WHERE j.judge_run_id = :run
                    AND j.response_id = r.response_id AND {answer})
                ORDER BY r.ordinal""",
            {"run": self.run.judge_run_id, **self._whose},
        )
        return [tuple(row) for row in rows]

    def unit(self, ids: tuple[str, ...]) -> TaskUnit:
        """The unit, with one request."""
        response = self.responses.get(ids[0])
        texts = {"question": response.question, "response": response.text}
        events: list[int] = []
        if self.assisted:
            query = f"{_CHOSEN} AND response_id = :response ORDER BY event_id"
            rows = _latest(self.study.reader.execute(query, {"response": ids[0], **self._whose}))
            texts["expert"] = "\n".join(dict.fromkeys(_remark(row, self._whose["reasons_only"]) for row in rows))
            events = [row["event_id"] for row in rows]
        return TaskUnit(ids, (self.request(texts, response.name),), {"events": events})

    def rows(self, unit: TaskUnit, answers: Sequence[ModelAnswer]) -> Rows:
        """One row of ``hallucination_finding``; a self-contradictory answer is an abstention."""
        value, failed = said(answers)
        quotes = [str(quote) for quote in value.get("spans", ()) if str(quote).strip()]
        error = error_of(failed)
        found = {"yes": True, "no": False}.get(str(value.get("found")))
        kind = value.get("type")
        if failed is None and (found is None or found != (kind != "none") or (quotes and not found)):
            error = f"unparsable: found is {value.get('found')!r}, type {kind!r}, with {len(quotes)} spans"
        spans = [self.responses.quote_json(quote, unit.ids[0]) for quote in quotes]
        row = {
            "finding_id": content_id("h", self.run.judge_run_id, *unit.ids),
            "judge_run_id": self.run.judge_run_id,
            "response_id": unit.ids[0],
            "assisted": self.assisted,
            "assisted_by": json.dumps(unit.more["events"]),
            "found": None if error else found,
            "type": None if error else kind,
            "spans": json.dumps(spans, ensure_ascii=False),
            "reason": str(value.get("reason", "")),
            "raw_output": raw_of(answers),
            "error": error,
        }
        outcome = error.partition(":")[0] if error else str(kind)
        return Rows({"hallucination_finding": [row]}, outcome, abstained=bool(error))


def _latest(rows: Iterable[sqlite3.Row]) -> list[sqlite3.Row]:
    """The rows with only the last of a reviewer's notes on one statement, which replaces the earlier ones."""
    kept: dict[tuple[str, ...], sqlite3.Row] = {}
    for row in rows:
        key = (row["reviewer"], row["unit"]) if row["kind"] == "note" else (row["event_id"],)
        kept.pop(key, None)
        kept[key] = row
    return list(kept.values())


def _remark(row: sqlite3.Row, reasons_only: bool) -> str:
    about = "On the whole answer: " if row["statement"] is None else f'On "{row["statement"]}": '
    if row["kind"] == "note":
        return f"{about}{row['note']}"
    if reasons_only:
        return f"{about}{row['why']}"
    if row["kind"] == "span_add":
        why = f" ({row['why']})" if row["why"] else ""
        return f'{about}marked as a hallucination: "{row["exact"]}"{why}'
    level = level_named("hallucination", row["label"])
    return f"{about}{'no hallucination' if row['label'] == 'none' else f'hallucination, {level.name}'}"
