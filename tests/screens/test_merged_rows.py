"""What all sources together say stands beside the judges, at every size, and never before a blind decision."""

import pytest

from medreview.cli.plain import review_plain
from medreview.judges.verdicts import refresh
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build
from tests.support.unit_samples import two_responses
from tests.support.workbench import blind_workbench, press, screen_text, workbench

WORDS = "all together: supported (gamma)"
SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@pytest.fixture
def study(empty_study: Study) -> Study:
    def together(rows: StudyBuilder) -> None:
        rows.add(
            "merged_judgement", merged_judgement_id="m1", judge_run_id=rows.judge_run("gamma"), statement_id="r2.1",
            snapshots='["pu1", "pu2"]', raw_label="supported", verdict="supported", supported=1, confidence=0.8,
            quotes='[{"quote": "65 mm Hg", "status": "exact", "snapshot": "pu1", "spans": [[100, 108]]}]',
            reason="One page has the drug, the other the target.", raw_output="", error="",
        )  # fmt: skip

    two_responses(empty_study)
    build(empty_study, together)
    refresh(empty_study)
    return empty_study


@SIZES
async def test_it_stands_beside_the_judges_with_its_flag(study: Study, size: tuple[int, int]) -> None:
    app = workbench(study, "flagged", filter="merged=yes")
    async with app.run_test(size=size):
        shown = screen_text(app)
    assert WORDS in shown
    assert "only together: supported" in shown or size[0] > 80
    assert "One page has the drug" in shown


@SIZES
async def test_it_is_hidden_before_a_blind_decision(study: Study, size: tuple[int, int]) -> None:
    app = blind_workbench(study, "responses")
    seen = ""
    async with app.run_test(size=size) as pilot:
        for _ in range(4):
            seen += screen_text(app)
            await press(pilot, "j")
    assert "answer 2" in seen
    assert "2 of 4" in seen
    assert "together" not in seen


def test_line_mode_says_it_with_its_reason(
    study: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", lambda _prompt: "q")
    review_plain(open_session(study, "kb", open_queue(study, "flagged", "kb", filter="merged=yes")))
    said = " ".join(capsys.readouterr().out.split())
    assert f"{WORDS}. One page has the drug, the other the target." in said
