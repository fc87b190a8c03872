"""What twenty flagged statements of the sample study cost in keys, with reasons, types and exact spans."""

import json
import re
import shutil
from pathlib import Path

from medreview import pipeline
from medreview.review.actions import KeyRepeat
from medreview.screens.page import ChoicePage
from medreview.study import Study
from tests.support.workbench import events, pane_text, press_at, review_screen, statements, workbench

AT_MOST = 34
OWN = {
    # What the reviewer says where the judges are even: the digit, then a reason, or a type with the words it is about.
    "R11 S5": "3h1",
    "R09 S5": "2q",
    "R02 S1": "3h1",
    "R12 S2": "3h1",
    "R10 S6": "2s",
    "R03 S5": "2p",
    "R07 S3": "2q",
    "R01 S6": "2s",
}
SPANS = ("The vaccine also halves the risk of gestational diabetes", "50 mL/kg", "500 mg")


async def test_twenty_flagged_statements_take_at_most_34_keys(demo_file: Path, tmp_path: Path) -> None:
    keys, now = 0, 0.0
    with Study.open(Path(shutil.copy(demo_file, tmp_path / "demo.medreview"))) as study:
        app = workbench(study, "flagged")
        app.held = KeyRepeat(lambda: now)
        async with app.run_test(size=(80, 24)) as pilot:
            session = statements(app)
            for place in range(20):
                assert session.position == place
                for key in OWN.get(session.full_name, "a"):
                    keys, now = keys + 1, now + 2.0
                    await press_at(pilot, key, now)
                if "Span" in pane_text(app, "foot"):
                    keys, now = keys + 1, now + 2.0
                    await press_at(pilot, "enter", now)
            assert session.position == 20
        assert keys <= AT_MOST
        told = [json.loads(row["payload"]) for row in events(study, "decide")]
        assert [row["via"] for row in told if row["axis"] == "evidence"].count("accept") == 12
        assert len(events(study, "reason")) == 5
        assert [row["label"] for row in told if row["axis"] == "hallucination"] == ["fact"] * 3
        spans = [json.loads(row["payload"])["exact"] for row in events(study, "span_add")]
        assert sorted(spans) == sorted(SPANS)


DRUGS = ("apixaban", "metformin", "amoxicillin", "lisinopril", "prednisolone", "methotrexate")
GROUPS = ("adults", "children", "older people", "pregnant women", "dialysis patients")
READING_S = 4.0
"""Seconds for a statement and its source; keys that answer at once come after one."""


def truth(place: int) -> str:
    """What the cited page says: every twelfth dose is another there, every fifteenth statement is not in it."""
    return "contradicted" if place % 12 == 5 else "not_addressed" if place % 15 == 7 else "supported"


def judged(place: int) -> str:
    """What the recorded judge says: it takes every fourth error for supported, and is wrong on a few others."""
    return "supported" if place % 4 == 1 else "partial" if place % 20 == 4 else truth(place)


def sixty(folder: Path) -> Study:
    """Twelve answers of five statements, each with a marker of its own for one of two pages, by the real stages."""
    (folder / "pages").mkdir()
    says: dict[int, list[str]] = {1: [], 2: []}
    answers, judgements = [], []
    for response in range(12):
        lines = []
        for ordinal, group in enumerate(GROUPS):
            place = response * 5 + ordinal
            cited, dose = 1 + place % 2, 10 * (place + 1)
            about = f"{group.capitalize()} with condition {place + 1} take {DRUGS[response % 6]}"
            statement = f"{about} at {dose} mg each day"
            lines.append(f"{statement} [{cited}].")
            if truth(place) != "not_addressed":
                said = dose if truth(place) == "supported" else dose + 5
                says[cited].append(f"{about} at {said} mg each day.")
            judgements.append(
                {"judge": "recorded", "response": f"a{response}", "statement": statement, "label": judged(place)}
                | {"source": f"https://page{cited}.example/doses", "quote": says[cited][-1]}
            )
        listed = "\n".join(f"[{number}] https://page{number}.example/doses" for number in (1, 2))
        text = "- " + "\n- ".join(lines) + f"\n\nSources:\n{listed}\n"
        answers.append({"id": f"a{response}", "question": "Which dose?", "response": text, "model": "atlas-2"})
    pages = []
    for number, sentences in says.items():
        body = "".join(f"<p>{sentence}</p>" for sentence in sentences)
        (folder / f"pages/{number}.html").write_text(f"<html><body><h1>Doses</h1>{body}</body></html>")
        pages.append({"url": f"https://page{number}.example/doses", "file": f"{number}.html"})
    for name, rows in (("pages/manifest", pages), ("answers", answers), ("judgements", judgements)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    study = Study.create(folder / "sixty.medreview")
    inputs = [folder / "answers.jsonl", folder / "judgements.jsonl"]
    pipeline.run(study, inputs, {}, pipeline.PageProvider(folder / "pages"))
    return study


async def test_sixty_statements_take_about_six_keys_for_five(tmp_path: Path) -> None:
    keys, receipts, now = 0, set[str](), 0.0
    with sixty(tmp_path) as study:
        app = workbench(study)
        app.held = KeyRepeat(lambda: now)
        async with app.run_test(size=(80, 24)) as pilot:

            async def press(key: str, after: float) -> None:
                nonlocal keys, now
                keys, now = keys + 1, now + after
                await press_at(pilot, key, now)

            session = statements(app)
            assert len(session.queue.units) == 60
            for place in range(60):
                assert session.position == place
                cited = f"page{1 + place % 2}.example"
                while session.source is None or session.source.domain != cited:
                    await press("]", 1.0)
                view = review_screen(app).source
                shown = " ".join(view.render_line(y).text.strip(" ▌") for y in range(view.size.height))
                assert (f"condition {place + 1} take" in shown) == (truth(place) != "not_addressed")
                await press({"supported": "1", "contradicted": "3", "not_addressed": "4"}[truth(place)], READING_S)
                foot = pane_text(app, "page-foot" if isinstance(app.screen, ChoicePage) else "foot")
                receipts |= set(re.findall(r"saved #\d+", foot))
                if "Why not" in foot:
                    await press("q" if truth(place) == "contradicted" else "enter", 1.0)
        first = study.reader.execute(
            """SELECT label FROM decision_first AS d JOIN statement AS s ON s.statement_id = d.unit
               JOIN response AS r USING (response_id) ORDER BY r.ordinal, s.ordinal"""
        )
        assert [row["label"] for row in first] == [truth(place) for place in range(60)]
        assert len(events(study, "decide")) == len(receipts) == 60
        differing = sum(judged(place) != truth(place) for place in range(60))
        assert keys == 60 + differing  # the page that opens is the cited one: no key is needed to find it
        assert 8 <= differing <= 12
        assert keys / 60 <= 1.2
