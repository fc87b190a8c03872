import json
from typing import Any

import pytest

from medreview.study import Study

each_size = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@each_size
async def test_blind_hides_the_machine_until_the_decision(kit: Any, study: Study, size: tuple[int, int]) -> None:
    app = kit.bench(study, "audit", filter="response=R01")
    async with app.run_test(size=size) as pilot:
        for _ in range(4):
            shown = kit.screen_text(app)
            assert "BLIND" in shown
            for word in ("atlas", "gpt", "llama", "SUPPORTED", "altered", "quote", "forum", "jury", "^^"):
                assert word not in shown, word
            assert {mark.kind for mark in kit.review(app).session.source_highlights().marks} == {"lexical"}
            await kit.press(pilot, "j")
        await kit.press(pilot, "i")
        assert "hidden" in kit.part(app, "foot")
        await kit.press(pilot, "a")
        assert "hidden until you decide" in kit.part(app, "foot")
        assert not kit.events(study)


async def test_blind_decision_reveal_and_change(kit: Any, study: Study) -> None:
    app = kit.bench(study, "audit", filter="mL/kg")
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "j", "k")
        item = kit.review(app).session.item
        while item is None or "crystalloid" not in item.text:
            await kit.press(pilot, "j")
            item = kit.review(app).session.item
        await kit.press(pilot, "3")
        assert "judges: ✓ SUPPORTED" in kit.part(app, "foot")
        assert "you: ✗ contradicted" in kit.part(app, "foot")
        assert "SUPPORTED .91" in kit.part(app, "judges")
        decide, reveal = kit.events(study)
        assert (decide["kind"], decide["mode"], reveal["kind"]) == ("decide", "blind", "reveal")
        assert set(json.loads(decide["payload"])["exposure"].values()) == {"no"}
        await kit.press(pilot, "2")  # change: both labels stay
        assert "Why not" in kit.part(app, "foot")
        await kit.press(pilot, "9")
        assert [row["kind"] for row in kit.events(study)] == ["decide", "reveal", "revise", "reason"]
        assert json.loads(kit.events(study, "revise")[0]["payload"])["exposure"]["judge_verdict"] == "before"
        first = study.reader.execute("SELECT label FROM decision_first").fetchone()
        current = study.reader.execute("SELECT label FROM decision_current").fetchone()
        assert (first["label"], current["label"]) == ("contradicted", "partial")


async def test_blind_and_equal_goes_on_at_once(kit: Any, study: Study) -> None:
    app = kit.bench(study, "audit", filter="Norepinephrine")
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "1")
        assert "you and the judges" in kit.part(app, "foot")
        assert "end of the queue · nothing in it is open" in " ".join(kit.part(app, "foot").split())
