import json

import pytest

from medreview.study import Study
from tests.support.workbench import events, pane_text, press, review_screen, screen_text, workbench

each_size = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@each_size
async def test_blind_hides_the_machine_until_the_decision(study: Study, size: tuple[int, int]) -> None:
    app = workbench(study, "audit", filter="response=R01")
    async with app.run_test(size=size) as pilot:
        for _ in range(4):
            shown = screen_text(app)
            assert "BLIND" in shown
            for word in ("atlas", "gpt", "llama", "SUPPORTED", "altered", "quote", "forum", "jury", "^^"):
                assert word not in shown, word
            assert {mark.kind for mark in review_screen(app).session.source_highlights().marks} == {"lexical"}
            await press(pilot, "j")
        await press(pilot, "i")
        assert "hidden" in pane_text(app, "foot")
        await press(pilot, "a")
        assert "hidden until you decide" in pane_text(app, "foot")
        assert not events(study)


async def test_blind_decision_reveal_and_change(study: Study) -> None:
    app = workbench(study, "audit", filter="mL/kg")
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "k")
        item = review_screen(app).session.item
        while item is None or "crystalloid" not in item.text:
            await press(pilot, "j")
            item = review_screen(app).session.item
        await press(pilot, "3")
        assert "judges: ✓ SUPPORTED" in pane_text(app, "foot")
        assert "you: ✗ contradicted" in pane_text(app, "foot")
        assert "SUPPORTED .91" in pane_text(app, "judges")
        decide, reveal = events(study)
        assert (decide["kind"], decide["mode"], reveal["kind"]) == ("decide", "blind", "reveal")
        assert set(json.loads(decide["payload"])["exposure"].values()) == {"no"}
        await press(pilot, "2")  # change: both labels stay
        assert "Why not" in pane_text(app, "foot")
        await press(pilot, "x")
        assert [row["kind"] for row in events(study)] == ["decide", "reveal", "revise", "reason"]
        assert json.loads(events(study, "revise")[0]["payload"])["exposure"]["judge_verdict"] == "before"
        first = study.reader.execute("SELECT label FROM decision_first").fetchone()
        current = study.reader.execute("SELECT label FROM decision_current").fetchone()
        assert (first["label"], current["label"]) == ("contradicted", "partial")


async def test_blind_and_equal_goes_on_at_once(study: Study) -> None:
    app = workbench(study, "audit", filter="Norepinephrine")
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "1")
        assert "you and the judges" in pane_text(app, "foot")
        assert "end of the queue · nothing in it is open" in " ".join(pane_text(app, "foot").split())
