"""What twenty flagged statements of the sample study cost in keys, with reasons, types and exact spans."""

import json
import shutil
from pathlib import Path

from medreview.review.actions import KeyRepeat
from medreview.study import Study
from tests.support.workbench import events, pane_text, press_at, statements, workbench

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
