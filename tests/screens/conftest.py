"""A small study made by hand: three responses, with a long page, a table, hostile text, a dead link, two judges."""

import json
import os
import sqlite3
import sys
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from textual.events import Key, Paste
from textual.pilot import Pilot

from medreview.config import Config
from medreview.judges.verdicts import refresh
from medreview.review.queue import open_queue
from medreview.screens.app import Workbench
from medreview.screens.environment import Look
from medreview.screens.review import ReviewScreen
from medreview.screens.widgets.lines import LinesView, LiveLines
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import sha256

NOW = "2026-10-09T08:00:00+00:00"

SEPSIS = (
    "Sepsis care in adults\n\nRecognise it early\n\n"
    + "Fast breathing, confusion and low blood pressure in a person with an infection are warning signs. "
    "Measure lactate and take cultures before antibiotics if that causes no delay.\n\n"
    + "Initial resuscitation\n\nWhen sepsis has led to shock or to poor perfusion in an adult, begin with fluid: give "
    "30 mL/kg or more of a crystalloid by vein, most of it within the first 3 hours.\n\nLook again often: pulse "
    "pressure, capillary refill, lactate. More fluid only while it helps.\n\n"
    "| Weight | First bolus | Within 3 hours |\n"
    "| 50 kg | 500 mL | 1500 mL |\n| 70 kg | 700 mL | 2100 mL |\n\nVasoactive agents\n\nNorepinephrine comes first. "
    "Aim for a mean arterial pressure of 65 mm Hg. Vasopressin is added when the dose rises; it does not replace "
    "norepinephrine.\n\n"
    + "\n\n".join(f"Section {n}. Further reading on fluid, monitoring and the days that follow." for n in range(60))
)
HOSTILE = (
    "Dosing notes\n\n\x1b]52;c;c3RvbGVu\x07 and \x1b]0;owned\x07 and \x9b31m and \u202egnisod\u202c in [red]bold[/red] "
    "and [/red] and zero\u200bwidth.\n\nMetformin: do not start below an eGFR of 30 mL/min/1.73 m2. Stop it before "
    "contrast when the eGFR is under 30.\n"
)
FEVER = "Fever in children\n\nParacetamol 15 mg/kg every 6 hours, at most 4 doses a day. Do not use aspirin under 16.\n"

RESPONSES: list[dict[str, Any]] = [
    {
        "model": "atlas-2",
        "origin": "forum",
        "question": "Is it safe to give a lot of fluid to my father with sepsis? He also has heart failure.",
        "parts": [
            "Sepsis is a medical emergency.",
            "Patients with septic shock should receive 50 mL/kg of crystalloid in the first 3 hours.",
            "In heart failure the dose is the same.",
            "Norepinephrine is the first choice if blood pressure stays low.",
        ],
        "cites": ["sepsis", "dead"],
    },
    {
        "model": "boreal",
        "origin": "clinic",
        "question": "Can I go on with metformin, eGFR 28? \x1b[31m[red]",
        "parts": [
            "Metformin should not be started below an eGFR of 30 \x1b]0;x\x07 [/red].",
            "It may be continued at any eGFR.",
        ],
        "cites": ["metformin", "scan"],
    },
    {
        "model": "cirrus",
        "origin": "forum",
        "question": "What may my child take for fever?",
        "parts": ["Paracetamol 15 mg/kg every 6 hours is a usual dose.", "Aspirin is best avoided."],
        "cites": [],
    },
]
PAGES: dict[str, tuple[str, str, str, str]] = {
    "sepsis": ("https://who.example/sepsis-care", "Sepsis care", "ok", SEPSIS),
    "dead": ("https://gone.example/heart-failure-fluids", "", "http_error", ""),
    "metformin": ("https://drug.example/metformin\x1b[2J", "Metformin \u202e", "ok", HOSTILE),
    "scan": ("https://old.example/leaflet.pdf", "Leaflet", "pdf_scan", ""),
}
Judged = tuple[int, int, str, str, str | None, float | None, str, str, str]
JUDGED: list[Judged] = [
    # response, statement, page, judge, verdict, confidence, quote status, quote, reason
    (0, 0, "sepsis", "gpt-4o/p3", "partial", 0.55, "none", "", "It says early signs, not that it is an emergency."),
    (0, 1, "sepsis", "gpt-4o/p3", "supported", 0.91, "altered", "give 50 mL/kg or more of a crystalloid by vein", ""),
    (0, 1, "sepsis", "llama/p3", "contradicted", 0.77, "exact", "give 30 mL/kg or more of a crystalloid by vein", "30"),
    (0, 1, "sepsis", "gpt-5/p3", "supported", 0.80, "none", "", "Dose and time are given."),
    (0, 2, "sepsis", "gpt-4o/p3", "not_addressed", 0.70, "none", "", "Heart failure is not mentioned."),
    (0, 3, "sepsis", "gpt-4o/p3", "supported", 0.95, "exact", "Norepinephrine comes first.", ""),
    (1, 0, "metformin", "gpt-4o/p3", "supported", 0.90, "near", "do not start below an eGFR of 30", "\x1b[31mred"),
    (1, 1, "metformin", "gpt-4o/p3", "supported", 0.60, "absent", "may be continued \u202e safely", ""),
]


def build(path: Path, **sepsis: Any) -> Study:
    """Make the study at a path and open it for writing; ``sepsis`` are further columns of that page's snapshot."""
    study = Study.create(path, "sepsis-study")
    study.write(partial(_fill, sepsis=sepsis))
    refresh(study)
    return study


def _fill(connection: Any, sepsis: dict[str, Any]) -> None:
    snapshots = {}
    sources, pages = [], []
    for key, (url, title, state, text) in PAGES.items():
        source_id = content_id("u", url)
        domain = url.split("/")[2]
        sources.append(
            {"source_id": source_id, "key": f"url:{url}", "kind": "url", "value": url, "url": url, "domain": domain}
        )
        snapshots[key] = content_id("p", url, text)
        found = {"dead": "status 404", "scan": "1 image"}.get(key, "")
        pages.append(
            {
                "snapshot_id": snapshots[key], "source_id": source_id, "version": 1, "fetched_at": NOW,
                "page_state": state, "state_evidence": found,
                "status": 404 if key == "dead" else 200, "content_type": "text/html", "final_url": url, "chain": "[]",
                "title": title, "extractor": "test 1", "raw_size": len(text.encode()), "raw_sha256": sha256(text),
                "text_sha256": sha256(text), "text": text, "full_text": "", "body": zlib.compress(text.encode()),
                "outline": "[]", "page_starts": "[]", **(sepsis if key == "sepsis" else {}),
            }
        )  # fmt: skip
    insert(connection, "source", sources)
    insert(connection, "snapshot", pages)
    connection.executemany(
        "UPDATE source SET current_snapshot = ? WHERE source_id = ?",
        [(page["snapshot_id"], page["source_id"]) for page in pages],
    )
    statements: dict[tuple[int, int], dict[str, Any]] = {}
    for number, told in enumerate(RESPONSES):
        text = " ".join(told["parts"])
        response_id = content_id("r", text)
        insert(
            connection,
            "response",
            [
                {
                    "response_id": response_id, "ordinal": number + 1, "record_id": f"q{number}",
                    "model": told["model"],
                    "origin": told["origin"], "imported_at": NOW, "imported_from": "test", "cited": 1,
                    "parser": "test 1",
                    "dropped": 0, "listed": None, "text_sha256": sha256(text), "question": told["question"],
                    "text": text,
                }
            ],
        )  # fmt: skip
        for ordinal, key in enumerate(told["cites"], 1):
            row = {"response_id": response_id, "ordinal": ordinal, "source_id": content_id("u", PAGES[key][0])}
            insert(connection, "citation", [{**row, "kind": "url", "value": PAGES[key][0], "start": None, "end": None}])
        for ordinal, part in enumerate(told["parts"]):
            start = text.index(part)
            statements[number, ordinal] = {
                "statement_id": content_id("s", response_id, ordinal), "response_id": response_id,
                "ordinal": ordinal + 1, "start": start, "end": start + len(part), "text_sha256": sha256(part),
                "text": part,
            }  # fmt: skip
    insert(connection, "statement", statements.values())
    _judge(connection, statements, snapshots)


def _judge(connection: Any, statements: dict[tuple[int, int], dict[str, Any]], snapshots: dict[str, str]) -> None:
    names = list(dict.fromkeys(row[3] for row in JUDGED))
    insert(
        connection,
        "judge_run",
        [
            {
                "judge_run_id": content_id("j", name), "ordinal": number, "judge": name, "kind": "recorded",
                "model": name.split("/")[0], "prompt_id": "p3", "prompt_sha256": "", "params": "{}", "seed": None,
                "started_at": NOW,
            }
            for number, name in enumerate(names, 1)
        ],
    )  # fmt: skip
    for response, ordinal, page, judge, verdict, confidence, status, quote, reason in JUDGED:
        text = PAGES[page][3]
        found = text.find(quote.replace("50 mL", "30 mL")) if quote and status in ("exact", "near", "altered") else -1
        located = found >= 0
        differences = []
        if status == "altered":
            at = quote.index("50")
            differences = [{"quote": [at, at + 2], "source": [found + at, found + at + 2]}]
        insert(
            connection,
            "judgement",
            [
                {
                    "judgement_id": content_id("g", response, ordinal, page, judge),
                    "judge_run_id": content_id("j", judge),
                    "statement_id": statements[response, ordinal]["statement_id"], "snapshot_id": snapshots[page],
                    "raw_label": verdict or "unsure", "verdict": verdict,
                    "supported": None if verdict is None else int(verdict == "supported"), "confidence": confidence,
                    "quote_status": status, "quote_start": found if located else None,
                    "quote_end": found + len(quote) if located else None, "quote_more": "[]",
                    "differences": json.dumps(differences),
                    "quote": quote, "reason": reason, "raw_output": "", "error": "",
                }
            ],
        )  # fmt: skip
    dose = statements[0, 1]["text"].index("50")
    place = SEPSIS.index("30 mL/kg")
    sentence = [SEPSIS.index("When sepsis"), SEPSIS.index("3 hours.") + 8]
    words = [
        [SEPSIS.index("crystalloid"), SEPSIS.index("crystalloid") + 11],
        [SEPSIS.index("first 3"), sentence[1] - 1],
    ]
    clash = {"kind": "number", "statement": [dose, dose + 2], "source": [place, place + 2]}
    for ordinal in range(4):
        insert(
            connection,
            "evidence",
            [
                {
                    "statement_id": statements[0, ordinal]["statement_id"], "snapshot_id": snapshots["sepsis"],
                    "engine": "test 1", "unsupported": 0.5, "highlights": json.dumps([sentence]),
                    "lexical": json.dumps(words), "clashes": json.dumps([clash] if ordinal == 1 else []),
                }
            ],
        )  # fmt: skip


PLAIN = Look("ansi-dark", True, False)
TYPED = {
    "space": " ", "slash": "/", "colon": ":", "comma": ",", "full_stop": ".", "question_mark": "?",
    "left_square_bracket": "[", "right_square_bracket": "]",
}  # fmt: skip


def change_page(study: Study, page: str, text: str) -> None:
    """A page reads differently from now on."""
    url = PAGES[page][0]
    query = "SELECT p.* FROM snapshot_current AS p JOIN source AS u USING (source_id) WHERE u.url = ?"
    old = dict(study.reader.execute(query, (url,)).fetchone())
    new = {"snapshot_id": content_id("p", url, text), "version": 2, "text": text, "text_sha256": sha256(text)}

    def change(connection: Any) -> None:
        insert(connection, "snapshot", [old | new])
        connection.execute("UPDATE source SET current_snapshot = ? WHERE url = ?", (new["snapshot_id"], url))

    study.write(change)


def bench(study: Study, queue: str = "responses", *, filter: str = "", **config: Any) -> Workbench:
    return Workbench(study, Config(reviewer="kb", **config), PLAIN, queue=open_queue(study, queue, "kb", filter=filter))


def blind(study: Study, queue: str) -> Workbench:
    """A queue that shows the judges, with them hidden."""
    return Workbench(study, Config(reviewer="kb"), PLAIN, queue=open_queue(study, queue, "kb", blind=True))


def screen_text(app: Workbench) -> str:
    """What is on the screen, row by row."""
    width, height = app.size
    rows = [[" "] * width for _ in range(height)]
    for widget in app.screen.children:
        region = widget.region
        if not region or not widget.display or widget not in app.screen._compositor.visible_widgets:
            continue
        for y in range(region.height):
            text = widget.render_line(y).text
            rows[region.y + y][region.x : region.x + len(text)] = text
    return "\n".join("".join(row).rstrip() for row in rows)


def part(app: Workbench, name: str) -> str:
    view = app.screen.query_one(f"#{name}")
    assert isinstance(view, LinesView | LiveLines)
    return "\n".join(view.render_line(y).text.rstrip() for y in range(view.size.height))


def review(app: Workbench) -> ReviewScreen:
    assert isinstance(app.screen, ReviewScreen)
    return app.screen


def events(study: Study, *kinds: str) -> list[sqlite3.Row]:
    """The record in its order, without what was only seen."""
    rows = study.reader.execute("SELECT * FROM event WHERE kind <> 'shown' ORDER BY seq").fetchall()
    return [row for row in rows if not kinds or row["kind"] in kinds]


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys as a quick typist does, and wait until everything is drawn."""
    for key in keys:
        pilot.app.screen.post_message(Key(key, key if len(key) == 1 else TYPED.get(key)))
    await pilot.pause()


async def typed(pilot: Pilot[None], text: str) -> None:
    """Type a text into the open line, quicker than key by key."""
    pilot.app.screen.post_message(Paste(text))
    await pilot.pause()


@pytest.fixture
def kit() -> ModuleType:
    """The helpers above; test files cannot import each other."""
    return sys.modules[bench.__module__]


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name in ("NO_COLOR", "COLORTERM", "EDITOR") or name.startswith("TEXTUAL"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def study_path(tmp_path: Path) -> Path:
    """A closed study file."""
    path = tmp_path / "sepsis.medreview"
    build(path).close()
    return path


@pytest.fixture
def study(study_path: Path) -> Iterator[Study]:
    """The same study, open for writing."""
    with Study.open(study_path) as opened:
        yield opened
