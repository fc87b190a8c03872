"""What a cell of an export means is said by a column: why a verdict is empty, in which group a label counts."""

import csv
from collections import Counter
from pathlib import Path

from medreview.exchange.exports.export import export
from medreview.judges.rollup import set_tie_rule
from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers
from medreview.study import Study
from tests.stats.random_study import fill
from tests.stats.small_study import SmallStudy

VERDICTS = {
    "labels.csv": ("judge_verdict", "judge_supported"),
    "statements.csv": ("judge_verdict", "judge_supported"),
    "pairs.csv": ("verdict", "supported"),
    "judgements.csv": ("verdict", "supported"),
    "merged.csv": ("verdict", "supported"),
    "key_fact_votes.csv": ("answer",),
}


def rows(folder: Path, file: str) -> list[dict[str, str]]:
    with (folder / file).open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def test_an_empty_verdict_says_why_and_a_label_has_the_group_of_the_figures(
    tmp_path: Path,
) -> None:
    met: Counter[str] = Counter()
    for seed in range(12):
        with Study.create(tmp_path / f"{seed}.medreview") as study:
            fill(SmallStudy(study), seed)
            if seed % 3 == 0:
                set_tie_rule(study, "not_supported")
                SmallStudy(study).roll_up()
            export(study, tmp_path / f"{seed}")
            groups = {(unit, who): one.group for who in reviewers(study.reader)
                      for unit, one in reviewer_labels(study.reader, who).items()}  # fmt: skip
        given = {(row["unit_id"], row["reviewer_id"]): row for row in rows(tmp_path / f"{seed}", "labels.csv")}
        for of, group in groups.items():
            assert (given[of]["mode"], given[of]["from_audit"]) == (group.mode, str(int(bool(group.drawn))))
            met[group.title] += 1
        for file, names in VERDICTS.items():
            for row in rows(tmp_path / f"{seed}", file):
                for name in names:
                    assert (row[name] == "") == (row[f"{name}_missing"] != ""), (seed, file, name, row)
                    met[f"{file.partition('.')[0]} {name} {row[f'{name}_missing']}"] += 1
    assert {"blind, random audit", "assisted, other queues"} <= met.keys()
    of_jury = ("not_judged", "cannot_judge", "tied")
    assert {f"statements judge_verdict {why}" for why in (*of_jury, "two_way")} <= met.keys()
    assert {f"statements judge_supported {why}" for why in of_jury} <= met.keys()
    assert {f"pairs supported {why}" for why in of_jury} <= met.keys()
    assert {"judgements verdict two_way", "judgements verdict unsure"} <= met.keys()
