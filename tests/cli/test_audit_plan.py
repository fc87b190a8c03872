"""A plan of an audit: set before or after labels, changed, reached, merged, and what intervals say meanwhile."""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from medreview.review.audit import draw
from medreview.stats.reports.audit_headline import leading_estimate
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder, event_hash
from medreview.study.incoming import event_fault
from medreview.study.study_acts import stopping_plans
from tests.support.commands import Program


def label(path: Path, count: int, who: str = "kb") -> None:
    """Blind labels on the first members of the audit that have none, in its order: every fourth is not supported."""
    with Study.open(path) as study:
        if not study.counted("SELECT count(*) FROM audit_frame")[0][0]:
            draw(study, who, rate=1)
        rows = study.reader.execute(
            """SELECT statement_id FROM audit_item WHERE statement_id NOT IN
               (SELECT unit FROM event WHERE kind = 'decide' AND reviewer = ?) ORDER BY number / inclusion_prob""",
            (who,),
        ).fetchall()
        recorder = Recorder(who)

        def decide(connection: sqlite3.Connection) -> None:
            for place, (unit,) in enumerate(rows[:count]):
                said = {"axis": "evidence", "label": "supported" if place % 4 else "not_addressed"}
                event = NewEvent("decide", unit, said | {"exposure": {"judge_verdict": "no"}})
                recorder.append(connection, event, block="audit", mode="blind")

        study.write(decide)


def told(medreview: Program, path: Path, *options: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(medreview("plan", "audit", path, "--json", *options).stdout)
    return found


def text(medreview: Program, command: str, path: Path, *options: object) -> str:
    return " ".join(medreview(command, path, *options).stdout.split())


def test_intervals_are_interim_until_the_planned_number_of_labels(medreview: Program, demo: Path) -> None:
    set_to = text(medreview, "audit", demo, "--plan-labels", 60, "--reviewer", "anna")
    assert "Plan: 60 labels, set by anna on 20" in set_to
    assert "before any label." in set_to
    label(demo, 40)

    (figures,) = told(medreview, demo)["figures"]
    supported = figures["supported"]
    assert figures["standing"]["state"] == "interim"
    assert (figures["standing"]["labels"], figures["standing"]["plan"]["labels"]) == (40, 60)
    interim = [supported["study"], supported["at_large"], figures["judges_right"]["study"]]
    interim += [each for each in figures["post_stratified"].values() if each["low"] is not None]
    interim += [one["supported"] for one in figures["with_verdicts"] if one["supported"]["low"] is not None]
    assert all("interim: the plan is not reached yet" in each["notes"] for each in interim)
    assert supported["every_look"]["notes"] == []
    assert supported["every_look"]["low"] < supported["study"]["low"]
    assert supported["every_look"]["high"] > supported["study"]["high"]
    shown = text(medreview, "audit", demo)
    assert "Interim: 40 labels of a plan for 60 labels." in shown
    assert "valid at every look" in shown
    screen = text(medreview, "stats", demo)
    assert "interim: 40 labels of a plan for 60 labels" in screen
    assert "What next? 20 more labels to the end of the plan." in screen
    with Study.open(demo, read_only=True) as study:
        home = leading_estimate(study.reader, "kb")
        assert home is not None
        assert ", interim (" in home.words

    label(demo, 20)
    (figures,) = told(medreview, demo)["figures"]
    assert (figures["standing"]["state"], figures["standing"]["reached"]) == ("final", 60)
    assert figures["supported"]["study"]["notes"] == []
    shown = text(medreview, "audit", demo)
    assert "Final: 60 labels, reached with 60 labels." in shown
    assert "valid at every look" not in shown
    assert max(map(len, medreview("plan", "audit", demo, "--full").stdout.splitlines())) <= 80


def test_a_planned_half_width_once_reached_is_final(medreview: Program, demo: Path) -> None:
    medreview("plan", "audit", demo, "--plan", 9)
    label(demo, 35)
    first = told(medreview, demo)
    assert first["figures"][0]["standing"]["state"] == "interim"
    assert first["figures"][0]["plan"]["points"] == 0.09  # asked for where nothing else is
    assert told(medreview, demo, "--points", 4)["figures"][0]["plan"]["points"] == 0.04
    for _ in range(6):
        label(demo, 10)
        now = told(medreview, demo)["figures"][0]
        study = now["supported"]["study"]
        narrow = (study["high"] - study["low"]) / 2 <= 0.09
        if narrow:
            break
    assert narrow
    assert now["standing"]["state"] == "final"
    assert 35 < now["standing"]["reached"] <= study["n"]
    label(demo, 3)
    assert told(medreview, demo)["figures"][0]["standing"]["reached"] == now["standing"]["reached"]
    assert "Final: ± 9 points, reached with" in text(medreview, "audit", demo)
    report = demo.with_name("report.html")
    medreview("report", demo, report)
    assert "The audit was to end at ± 9 points, set by" in " ".join(report.read_text().split())


def test_a_plan_that_came_after_labels_or_replaced_another_says_so(medreview: Program, demo: Path) -> None:
    label(demo, 33)
    without = text(medreview, "audit", demo, "--full")
    assert "No plan is set: each interval holds for one look." in without
    assert "--plan 5" in without
    assert "valid at every look" in without
    assert "no plan is set: an interval holds for one look" in text(medreview, "stats", demo)

    medreview("plan", "audit", demo, "--plan", 8, "--reviewer", "kb")
    medreview("plan", "audit", demo, "--plan", 8, "--reviewer", "kb")  # the same again is no other plan
    shown = text(medreview, "audit", demo, "--plan-labels", 100, "--reviewer", "anna", "--full")
    assert "Plan: 100 labels, set by anna on " in shown
    assert "after 33 labels had been given. Before that: ± 8 points, set by kb on" in shown
    plans = told(medreview, demo)["plans"]
    assert [(each["half_width"], each["labels"], each["after"]) for each in plans] == [
        (0.08, None, 33),
        (None, 100, 33),
    ]


def test_copies_that_merge_keep_all_plans_and_the_newest_is_in_force(medreview: Program, demo: Path) -> None:
    copy = demo.with_name("copy.medreview")
    shutil.copy(demo, copy)  # neither file knows this kind of event yet
    medreview("plan", "audit", copy, "--plan", 6, "--reviewer", "anna")
    medreview("plan", "audit", copy, "--plan", 5, "--reviewer", "kb")
    medreview("team", "merge", demo, copy)
    with Study.open(demo, read_only=True) as study:
        assert [(each.half_width, each.reviewer) for each in stopping_plans(study.reader)] == [
            (0.06, "anna"),
            (0.05, "kb"),
        ]
    assert "whole" in medreview("check", demo).stdout
    export = demo.with_name("export")
    medreview("export", demo, export)
    back = demo.with_name("back.medreview")
    medreview("import", back, export)
    with Study.open(back, read_only=True) as study:
        assert len(stopping_plans(study.reader)) == 2


@pytest.mark.parametrize("payload", ['{"half_width": 0.7, "labels": null, "after": 0}', '{"half_width": 0.1}'])
def test_a_copy_with_a_plan_that_is_none_is_refused(medreview: Program, demo: Path, payload: str) -> None:
    medreview("plan", "audit", demo, "--plan", 6)
    with Study.open(demo, read_only=True) as study:
        row = dict(study.reader.execute("SELECT * FROM event WHERE kind = 'audit_plan'").fetchone())
        kinds = {row[0] for row in study.reader.execute("SELECT kind FROM event_kind")}
    assert event_fault(row, kinds) == ""
    changed = row | {"payload": payload}
    assert "in its payload" in event_fault(changed | {"hash": event_hash(changed)}, kinds)


def test_assistance_is_set_before_labels_and_its_difference_is_told(medreview: Program, demo: Path) -> None:
    shown = text(medreview, "audit", demo, "--rate", 1, "--assist", "half", "--reviewer", "kb")
    assert "A coin shows each reviewer the judges on half of the audit" in shown
    label(demo, 118)  # blind, as if the queue had not followed the coin
    (figures,) = told(medreview, demo)["figures"]
    flow, bias = figures["supported"]["flow"], figures["assistance"]
    assert flow["by_coin"] + flow["used"] == 118
    assert bias["difference"]["scale"] == "share_difference"
    assert bias["difference"]["low"] < bias["difference"]["value"] < bias["difference"]["high"]
    assert bias["otherwise"] == bias["assisted"]["n"]
    for shown in (text(medreview, "audit", demo, "--full"), text(medreview, "stats", demo, "--full")):
        assert "assisted minus blind" in shown
        assert "an estimate of automation bias" in shown
        assert "labelled with the judges, by the coin" in shown
        assert "by the blind half, whose labels count twice" in shown
        assert "against the coin. They count as the coin fell" in shown
    assert max(map(len, medreview("plan", "audit", demo, "--full").stdout.splitlines())) <= 80
    report = demo.with_name("report.html")
    medreview("report", demo, report)
    assert "a coin had" in report.read_text()
    refused = medreview("plan", "audit", demo, "--assist", "none", check=2).stderr
    assert "118 statements of the audit have a label already" in refused
