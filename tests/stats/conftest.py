"""A builder of small studies whose figures can be worked out by hand."""

import zlib

import pytest

from medreview.judges.runs import JudgeRun, add_run
from medreview.judges.verdicts import refresh
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.study.rows import insert
from medreview.text import sha256


class Small:
    """A study that grows by hand: responses with sources, judgements, decisions."""

    def __init__(self, study):
        self.study = study
        self._recorders = {}

    def response(self, name, statements, sources=("ok",), model="atlas", origin="forum"):
        """Statements ``name.1``, ``name.2``, ...; sources ``name/1``, ...: a page state, or None if not fetched."""
        self.study.write(lambda connection: self._response(connection, name, statements, sources, model, origin))

    def _response(self, connection, name, statements, sources, model, origin):
        ordinal = connection.execute("SELECT count(*) + 1 FROM response").fetchone()[0]
        row = {"response_id": name, "ordinal": ordinal, "record_id": "", "model": model, "origin": origin}
        row |= {"imported_at": "", "imported_from": "", "cited": 1, "parser": "x", "text_sha256": "", "question": "q"}
        insert(connection, "response", [row | {"text": "text"}])
        for number in range(1, statements + 1):
            row = {"statement_id": f"{name}.{number}", "response_id": name, "ordinal": number, "start": None}
            insert(connection, "statement", [row | {"end": None, "text_sha256": "", "text": "text"}])
        for number, state in enumerate(sources, 1):
            source = f"{name}/{number}"
            key = {"source_id": source, "kind": "url", "value": source}
            insert(connection, "source", [key | {"key": source, "url": source, "domain": "page.example"}])
            cited = {"response_id": name, "ordinal": number, "start": None, "end": None}
            insert(connection, "citation", [cited | key])
            if state:
                self._snapshot(connection, source, state)

    def _snapshot(self, connection, source, state):
        text = "words" if state != "http_error" else ""
        row = {"snapshot_id": f"p-{source}", "source_id": source, "version": 1, "fetched_at": "", "page_state": state}
        row |= {"state_evidence": "", "status": 200 if text else 404, "content_type": "", "final_url": "", "chain": ""}
        row |= {"title": "", "extractor": "x", "raw_size": 0, "raw_sha256": "", "text_sha256": sha256(text)}
        insert(connection, "snapshot", [row | {"text": text, "full_text": "", "body": zlib.compress(b"")}])
        connection.execute("UPDATE source SET current_snapshot = ? WHERE source_id = ?", (f"p-{source}", source))

    def judged(self, judge, label, *units, source=1):
        """A judgement on a statement against a source of its response. ``not found`` and ``unsure`` map to no level."""
        coarse = {"not found": (None, 0), "unsure": (None, None), "cannot_judge": ("cannot_judge", None)}
        verdict, supported = coarse.get(label, (label, int(label == "supported")))

        def change(connection):
            run = add_run(connection, JudgeRun(judge, "offline" if judge == "offline" else "recorded"))
            for unit in units:
                row = {"judgement_id": f"{judge}-{unit}-{source}", "judge_run_id": run, "statement_id": unit}
                row |= {"snapshot_id": f"p-{unit.split('.')[0]}/{source}", "raw_label": label, "verdict": verdict}
                row |= {"supported": supported, "confidence": 0.9, "quote_status": "none", "quote_start": None}
                row |= {"quote_end": None, "differences": "[]", "quote": "", "reason": "", "raw_output": ""}
                insert(connection, "judgement", [row | {"error": ""}])

        self.study.write(change)

    def said(self, label, *units, who="anna", mode="open", seen=None, block="responses", kind="decide", **more):
        """A decision on each statement; ``seen`` is the exposure to the judges' verdict."""
        seen = seen or ("no" if mode == "blind" else "before")
        payload = {"axis": "evidence", "label": label, "exposure": {"judge_verdict": seen}, "active_ms": 30_000}
        for unit in units:
            self.event(NewEvent(kind, unit, payload | more), who=who, mode=mode, block=block)

    def event(self, event, who="anna", mode="open", block="responses"):
        """Any event; its receipt."""
        recorder = self._recorders.setdefault(who, Recorder(who))
        return self.study.write(lambda connection: recorder.append(connection, event, block=block, mode=mode))

    def roll_up(self):
        """Fill the table of verdicts."""
        refresh(self.study)


@pytest.fixture
def small(tmp_path):
    with Study.create(tmp_path / "a.medreview") as study:
        yield Small(study)
