"""Files to read and a small study to write, both real."""

import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from medreview.study import Study
from medreview.study.events import NewEvent, Receipt, Recorder
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import sha256

PAGE = "Dosing 💊 of metformin.\nStop metformin when the eGFR is below 30 mL/min.\nReview the dose below 45 mL/min."
QUOTE = "Stop metformin when the eGFR is below 30 mL/min."
TEXTS = (
    "Stop metformin when the eGFR falls below 30. Lactic acidosis is rare. See https://a.example/one.",
    "Warfarin is not safe in pregnancy. Heparin can be used.",
)


class Shop:
    """A study of two responses (three and two statements), one page, two judges; events are added by tests."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.units: list[str] = []
        self.snapshot = ""

    def fill(self) -> None:
        """Responses, statements, citation and listed citations."""
        self.study.write(self._material)

    def machine(self) -> None:
        """What ``fetch`` and ``judge`` add: the page, two judgements and a roll-up."""
        self.study.write(self._machine)

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

    def _material(self, connection: Any) -> None:
        source = {
            "source_id": "u1",
            "key": "url:https://a.example/one",
            "kind": "url",
            "value": "https://a.example/one",
        }
        insert(connection, "source", [{**source, "url": "https://a.example/one", "domain": "a.example"}])
        for number, text in enumerate(TEXTS, 1):
            response_id = content_id("r", text)
            row = {
                "response_id": response_id,
                "ordinal": number,
                "record_id": f"q{number}",
                "model": "ember",
                "origin": "forum",
                "imported_at": "2026-01-01T00:00:00+00:00",
                "imported_from": "answers.jsonl",
                "cited": 1,
                "parser": "rules 1",
                "dropped": 0,
                "listed": json.dumps(["https://a.example/one", "Smith J, BMJ 2020"]),
                "text_sha256": sha256(text),
                "question": f"Question {number}?",
                "text": text,
            }
            insert(connection, "response", [row])
            place = {
                "start": text.find("https") if number == 1 else None,
                "end": len(text) - 1 if number == 1 else None,
            }
            cited = {"response_id": response_id, "ordinal": 1, "source_id": "u1", "kind": "url"}
            insert(connection, "citation", [{**cited, "value": "https://a.example/one", **place}])
            for ordinal, part in enumerate(text.split(". "), 1):
                start = text.find(part)
                statement = {
                    "statement_id": content_id("s", response_id, start, part),
                    "response_id": response_id,
                    "ordinal": ordinal,
                    "start": start,
                    "end": start + len(part),
                    "text_sha256": sha256(part),
                    "text": part,
                }
                self.units.append(statement["statement_id"])
                insert(connection, "statement", [statement])

    def _machine(self, connection: Any) -> None:
        self.snapshot = "p1"
        self.page(connection, "p1", 1, PAGE)
        for number, (judge, label, verdict) in enumerate(
            [("one", "found", "supported"), ("two", "refuted", "contradicted")], 1
        ):
            run = {
                "judge_run_id": f"j{number}",
                "ordinal": number,
                "judge": judge,
                "kind": "recorded",
                "model": f"m{number}",
            }
            run |= {
                "prompt_id": "verify",
                "prompt_sha256": "",
                "params": "{}",
                "seed": None,
                "started_at": "2026-01-02",
            }
            insert(connection, "judge_run", [run])
            start = PAGE.find(QUOTE)
            judgement = {
                "judgement_id": f"g{number}",
                "judge_run_id": f"j{number}",
                "statement_id": self.units[0],
                "snapshot_id": "p1",
                "raw_label": label,
                "verdict": verdict,
                "supported": int(number == 1),
                "confidence": 0.75,
                "quote_status": "exact",
                "quote_start": start,
                "quote_end": start + len(QUOTE),
                "differences": "[]",
                "quote": QUOTE,
                "reason": "=1+1 as it says",
                "raw_output": "",
                "error": "",
            }
            insert(connection, "judgement", [judgement])
        verdict_row = {"statement_id": self.units[0], "verdict": None, "supported": None, "conflict": 0, "votes_for": 1}
        verdict_row |= {
            "votes_other": 1,
            "tied": 1,
            "judgement_id": "g1",
            "snapshot_id": "p1",
            "priority": 5,
            "badges": "jury split",
        }
        insert(connection, "verdict", [verdict_row])

    @staticmethod
    def page(connection: Any, snapshot_id: str, version: int, text: str) -> None:
        """A snapshot of the source ``u1``."""
        row = {
            "snapshot_id": snapshot_id,
            "source_id": "u1",
            "version": version,
            "fetched_at": "2026-01-02T00:00:00+00:00",
            "page_state": "ok",
            "state_evidence": "",
            "status": 200,
            "content_type": "text/html",
            "final_url": "https://a.example/one",
            "chain": "[]",
            "title": "Metformin",
            "extractor": "plain 1",
            "raw_size": len(text.encode()),
            "raw_sha256": sha256(text.encode()),
            "text_sha256": sha256(text),
            "text": text,
            "full_text": "",
            "body": zlib.compress(text.encode()),
        }
        insert(connection, "snapshot", [row])
        connection.execute("UPDATE source SET current_snapshot = ? WHERE source_id = 'u1'", (snapshot_id,))


@pytest.fixture
def new_shop(tmp_path: Path) -> Iterator[Callable[[str], Shop]]:
    """Makes empty studies by name."""
    made: list[Study] = []

    def make(name: str) -> Shop:
        made.append(Study.create(tmp_path / f"{name}.medreview"))
        return Shop(made[-1])

    yield make
    for study in made:
        study.close()


@pytest.fixture
def shop(new_shop: Callable[[str], Shop]) -> Shop:
    """The study with its material, page and judgements."""
    shop = new_shop("study")
    shop.fill()
    shop.machine()
    return shop


@pytest.fixture
def study(new_shop: Callable[[str], Shop]) -> Study:
    """An empty study."""
    return new_shop("empty").study


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Writes a file and says where."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
