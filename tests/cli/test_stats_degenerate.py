"""``medreview stats`` of studies in which something that figures need is missing: sentences, and no false figure."""

import csv
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from medreview.stats.reports.subgroups import DIVISIONS
from medreview.study import Study
from tests.stats.degenerate import DEGENERATE
from tests.stats.random_study import fill
from tests.stats.small_study import SmallStudy
from tests.support.awkward_study import make_awkward_study
from tests.tools.stats_schema import made

FEW = ("--replicates", 99)


@pytest.fixture(scope="module")
def schema() -> jsonschema.protocols.Validator:
    """The schema of the figures, itself looked through once."""
    made_now = made()
    kind = jsonschema.validators.validator_for(made_now)
    kind.check_schema(made_now)
    return kind(made_now)


def filled(path: Path, name: str) -> Path:
    with Study.create(path) as study:
        small = SmallStudy(study)
        DEGENERATE[name](small)
        small.roll_up()
    return path


def estimates(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if {"value", "low", "method", "reason"} <= value.keys():
            yield value
        for held in value.values():
            yield from estimates(held)
    elif isinstance(value, list):
        for held in value:
            yield from estimates(held)


def is_sound(document: dict[str, Any]) -> None:
    """Whatever is undefined has a sentence, and no interval claims certainty."""
    for one in estimates(document):
        number = one["value"]
        assert (number is None or one["low"] is None) <= bool(one["reason"]), one
        assert number is None or math.isfinite(number), one
        if one["low"] is not None:
            assert one["low"] < one["high"], one
        if one["n"] == 0:
            assert number is None, one
    pairs = [*document["between_reviewers"], *document["between_judges"]["pairs"]]
    for reviewer in document["reviewers"]:
        pairs += [each for group in reviewer["agreement"] for each in group["comparisons"]]
    for pair in pairs:
        kappa = next(one for one in pair["agreement"] if one["name"] == "Cohen's kappa")
        if kappa["value"] == 1.0:
            assert sum(1 for place, row in enumerate(pair["table"]) if row[place]) > 1, pair


def is_readable(text: str) -> None:
    assert not re.search(r"\b(nan|inf|None|Traceback)\b", text), text
    # A command is never broken, so that it can be copied.
    assert max(len(line) for line in text.splitlines() if not line.lstrip().startswith("medreview ")) <= 80


@pytest.mark.parametrize("name", DEGENERATE)
def test_every_form_of_the_report_says_what_is_missing(medreview, tmp_path, schema, name):
    path = filled(tmp_path / "a.medreview", name)
    screen = medreview("stats", path, *FEW).stdout
    full = medreview("stats", path, *FEW, "--full").stdout
    document = json.loads(medreview("stats", path, *FEW, "--json").stdout, parse_constant=pytest.fail)
    rows = list(csv.DictReader(medreview("stats", path, *FEW, "--csv", "-").stdout.splitlines()))

    for text in (screen, full):
        is_readable(text)
    assert screen.count("\n") < 24
    schema.validate(document)
    is_sound(document)
    assert len([row for row in rows if row["method"] != "count"]) == len(list(estimates(document)))
    for row in rows:
        assert row["value"] or row["reason"], row
        assert row["value"] not in ("nan", "inf")


@pytest.mark.parametrize("name", DEGENERATE)
def test_a_study_can_be_divided_and_cut_down_whatever_is_missing(medreview, tmp_path, schema, name):
    path = filled(tmp_path / "a.medreview", name)
    for by in DIVISIONS:
        told = medreview("stats", path, *FEW, "--by", by).stdout
        is_readable(told)
        assert "  0 differences tested" not in told
    document = json.loads(medreview("stats", path, *FEW, "--by", "page", "--json").stdout, parse_constant=pytest.fail)
    schema.validate(document)
    is_sound(document)
    assert document["by"]["by"] == "page"
    with Study.open(path, read_only=True) as study:
        responses = study.reader.execute("SELECT count(*) FROM response").fetchone()[0]
    cut = medreview("stats", path, *FEW, "--where", "origin=forum", check=0 if responses else 2)
    is_readable(cut.stdout or cut.stderr)


@pytest.mark.parametrize("seed", range(20, 24))
def test_whatever_a_study_holds_its_json_follows_the_schema(medreview, tmp_path, schema, seed):
    path = tmp_path / "a.medreview"
    with Study.create(path) as study:
        fill(SmallStudy(study), seed)
    document = json.loads(medreview("stats", path, *FEW, "--json").stdout, parse_constant=pytest.fail)

    schema.validate(document)
    is_sound(document)
    is_readable(medreview("stats", path, *FEW).stdout)
    is_readable(medreview("stats", path, *FEW, "--full").stdout)


def test_the_sample_and_an_awkward_study_follow_the_schema_too(medreview, demo, tmp_path, schema):
    make_awkward_study(tmp_path / "awkward.medreview")
    for path in (demo, tmp_path / "awkward.medreview"):
        document = json.loads(medreview("stats", path, *FEW, "--json").stdout, parse_constant=pytest.fail)
        schema.validate(document)
        is_sound(document)
        assert next(iter(document)) == "schema"
