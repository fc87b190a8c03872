"""Labels that only say supported or not: compared on that scale, and nobody agrees by what is left out."""

import json
from pathlib import Path

from medreview import pipeline
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.units.unit_figures import unit_figures
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build
from tests.support.unit_study import decide

FEW = Resampling(replicates=199)


def experts(study: Study, tmp_path: Path) -> None:
    """Forty pairs of two experts' files, who differ on every fourth."""

    def material(rows: StudyBuilder) -> None:
        rows.page("a", "Warfarin is monitored by the INR.")
        for number in range(1, 41):
            rows.response(f"r{number}", "It is.", statements=("It is.",), cites=("a",), record_id=f"a{number}")
            rows.judgement("coarse", f"r{number}.1", "a@1", "not found" if number % 2 else "supported", "INR")

    build(study, material)
    records = [
        {"reviewer": who, "response": f"a{number}", "statement": "It is.", "source": "a",
         "label": "supported" if yes else "not supported"}
        for number in range(1, 41)
        for who, yes in (("expert-1", number % 4 > 0), ("expert-2", number % 4 > 1 or number == 40))
    ]  # fmt: skip
    path = tmp_path / "experts.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    pipeline.bring_in(study, path, {})


def test_two_way_labels_have_no_figure_of_four_labels(study: Study, tmp_path: Path) -> None:
    experts(study, tmp_path)
    evidence, support = unit_figures(study.reader, "pair", resampling=FEW).axes[:2]
    four, two = evidence.scales
    assert (four.between, four.together, four.machines, four.consensus) == ((), (), (), ())
    (pair,) = two.between
    # 30 and 21 supported; they say otherwise of 10 + 1.
    assert (pair.n, pair.table) == (40, ((20, 10), (1, 9)))
    assert {(one.first, one.second, one.n) for one in two.machines} == {
        ("expert-1", "coarse", 40), ("expert-2", "coarse", 40),
    }  # fmt: skip
    assert {each.reviewer: dict(each.labels) for each in support.labels if each.which == "final"} == {
        "expert-1": {"supported": 30, "not_supported": 10},
        "expert-2": {"supported": 21, "not_supported": 19},
    }
    assert (evidence.labels, evidence.adjudication.twice) == ((), 0)
    assert (support.adjudication.twice, support.adjudication.differ, support.adjudication.open) == (40, 11, 11)


def test_who_labels_by_four_labels_keeps_them_beside_an_expert_who_does_not(study: Study, tmp_path: Path) -> None:
    experts(study, tmp_path)
    for who in ("ada", "bo"):
        for number in range(1, 41):
            decide(study, who, f"pair:r{number}.1:a", "evidence", "partial" if number % 3 else "supported")
    evidence = unit_figures(study.reader, "pair", resampling=FEW).axes[0]
    four, two = evidence.scales
    assert {(one.first, one.second) for one in four.between} == {("ada", "bo")}
    assert {(one.first, one.second) for one in two.between} >= {("ada", "expert-1"), ("expert-1", "expert-2")}
