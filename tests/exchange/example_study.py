"""A small study of every kind of row that is exported and imported."""

import json
from typing import Any

from medreview.judges.verdict_fingerprint import confirm
from medreview.study import Study
from medreview.study.events import NewEvent, Receipt, Recorder
from medreview.study.ids import content_id
from medreview.text import sha256
from tests.support.study_builder import StudyBuilder, build

PAGE = "Dosing 💊 of metformin.\nStop metformin when the eGFR is below 30 mL/min.\nReview the dose below 45 mL/min."
QUOTE = "Stop metformin when the eGFR is below 30 mL/min."
TEXTS = (
    "Stop metformin when the eGFR falls below 30. Lactic acidosis is rare. See https://a.example/one.",
    "Warfarin is not safe in pregnancy. Heparin can be used.",
)


class ExampleStudy:
    """A study of two responses (three and two statements), one page, two judges; events are added by tests."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.units: list[str] = []
        self.snapshot = ""

    def fill(self) -> None:
        """Responses, statements, citation and listed citations."""
        build(self.study, self._material)

    def machine(self) -> None:
        """What ``fetch`` and ``judge`` add: the page, two judgements and a roll-up."""
        build(self.study, self._machine)
        confirm(self.study)

    def do(self, kind: str, unit: int = 0, payload: dict[str, Any] | None = None, **more: Any) -> Receipt:
        """Append one event by the reviewer (``who``), in ``mode`` and ``block``."""
        who, pass_no = more.pop("who", "ada"), more.pop("pass_no", 1)
        mode, block = more.pop("mode", "blind"), more.pop("block", "flagged")
        event = NewEvent(kind, self.units[unit], payload or {}, more.pop("snapshot", self.snapshot or None), **more)
        return self.study.write(lambda c: Recorder(who, pass_no=pass_no).append(c, event, block=block, mode=mode))

    def decide(self, label: str, unit: int = 0, *, axis: str = "evidence", seen: str = "no", **more: Any) -> Receipt:
        """A decision as the workbench writes it."""
        exposure = dict.fromkeys(
            ("judge_verdict", "judge_quote", "judge_highlight", "jury", "model_name", "queue_reason", "own_previous"),
            seen,
        )
        payload = {
            "axis": axis,
            "label": label,
            "exposure": exposure,
            "active_ms": 1234,
            "keys": 2,
            "snapshot_sha256": sha256(PAGE),
            "statement_sha256": more.pop("statement_sha256", self._hash(unit)),
            "via": "digit",
        }
        return self.do(more.pop("kind", "decide"), unit, payload, **more)

    def _hash(self, unit: int) -> str:
        query = "SELECT text_sha256 FROM statement WHERE statement_id = ?"
        return str(self.study.reader.execute(query, (self.units[unit],)).fetchone()[0])

    def _material(self, rows: StudyBuilder) -> None:
        rows.source("u1", "https://a.example/one")
        for number, text in enumerate(TEXTS, 1):
            response_id = content_id("r", text)
            rows.response(
                response_id, text, record_id=f"q{number}", model="ember", imported_at="2026-01-01T00:00:00+00:00",
                imported_from="answers.jsonl", parser="rules 1", question=f"Question {number}?",
                listed=json.dumps(["https://a.example/one", "Smith J, BMJ 2020"]),
            )  # fmt: skip
            end = {"end": len(text) - 1} if number == 1 else {}
            rows.citation(response_id, "u1", **end)
            for part in text.split(". "):
                start = text.find(part)
                self.units.append(rows.statement(response_id, part, content_id("s", response_id, start, part)))

    def _machine(self, rows: StudyBuilder) -> None:
        self.snapshot = self.page(rows, "p1", PAGE)
        said: dict[str, Any] = {"confidence": 0.75, "reason": "=1+1 as it says"}
        for number, (judge, label, verdict) in enumerate(
            [("one", "found", "supported"), ("two", "refuted", "contradicted")], 1
        ):
            run = {"judge_run_id": f"j{number}", "ordinal": number, "judge": judge, "kind": "recorded"}
            run |= {"model": f"m{number}", "prompt_id": "verify", "prompt_sha256": "", "params": "{}", "seed": None}
            rows.add("judge_run", **run, started_at="2026-01-02")
            said |= {"run": f"j{number}", "judgement_id": f"g{number}", "raw_label": label}
            rows.judgement(judge, self.units[0], "p1", verdict, QUOTE, **said)
        rolled = {"verdict": None, "supported": None, "conflict": 0, "votes_for": 1, "votes_other": 1, "tied": 1}
        rolled |= {"judgement_id": "g1", "snapshot_id": "p1", "priority": 5, "badges": "jury split"}
        rows.add("verdict", statement_id=self.units[0], **rolled)

    @staticmethod
    def page(rows: StudyBuilder, snapshot_id: str, text: str) -> str:
        """The next snapshot of the source ``u1``."""
        more = {"fetched_at": "2026-01-02T00:00:00+00:00", "title": "Metformin", "extractor": "plain 1"}
        return rows.snapshot("u1", text, snapshot_id, **more)
