"""Figures of references in ``stats``, ``urls`` and ``citations``; and who read them is on record."""

import csv
import json
import re
from pathlib import Path

import jsonschema
import pytest

from medreview.study import Study
from tests.stats.small_study import SmallStudy
from tests.support.reference_rows import ReferenceRows
from tests.tools.stats_schema import made

FEW = ("--replicates", 99)


def make(path: Path, *verdicts: str | None, responses: int = 12) -> Path:
    """Responses of two models with a DOI each, whose references have these verdicts; the first of each another one."""
    with Study.create(path) as study:
        small, references = SmallStudy(study), ReferenceRows(study)
        for number in range(responses):
            name = f"r{number}"
            small.response(name, 1, model="ember" if number % 2 else "atlas", origin="ward" if number % 3 else "forum")
            references.add(name, *verdicts, "other_work" if number % 4 == 0 else "match")  # type: ignore[arg-type]
            references.add(name, "not_found", kind="guideline", identified=False, failed="pubmed")
        small.judged("amber", "supported", *(f"r{number}.1" for number in range(responses)))
        small.roll_up()
    return path


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("references") / "a.medreview", "match", "mismatch", None)


def looks(path: Path) -> list[tuple[str, str]]:
    with Study.open(path, read_only=True) as opened:
        rows = opened.reader.execute("SELECT payload FROM event WHERE kind = 'look' ORDER BY seq").fetchall()
        told = (json.loads(row[0]) for row in rows)
        return [(one["what"], one["shown"]) for one in told]


def test_the_screen_has_one_sentence_and_stays_a_screen(medreview, study):
    screen = medreview("stats", study, *FEW).stdout
    words = " ".join(screen.split())

    # 12 + 9 of 48 checked ones match; 12 are described wrongly, 3 another work's, 12 were not found.
    assert re.search(
        r"references: 43\.8% \[\S+ to \S+\] match, 25\.0% described wrongly, 6\.3% \[\S+ to \S+\] another work's "
        r"identifier, 25\.0% not found \(of 48 checked, 12 not yet\)",
        words,
    )
    assert screen.count("\n") < 24
    assert max(map(len, screen.splitlines())) <= 80 or "medreview " in max(screen.splitlines(), key=len)


def test_everything_is_in_the_full_report_the_json_and_the_rows(medreview, study):
    full = medreview("stats", study, *FEW, "--full").stdout
    document = json.loads(medreview("stats", study, *FEW, "--json").stdout)
    rows = list(csv.DictReader(medreview("stats", study, *FEW, "--csv", "-").stdout.splitlines()))

    for told in ("60 references found in 12 responses: 48 checked, 12 not checked yet", "model atlas: 30 references",
                 "guidelines, books, reports, pages: 12 references", "PubMed citation 12 0 0 12",
                 "does not prove that there is no such work", "One model minus another"):  # fmt: skip
        assert re.sub(r"\s+", " ", told) in re.sub(r"\s+", " ", full), told
    assert "error rate" not in full
    jsonschema.validate(document, made())
    whole = document["references"]["strata"][0]["references"]
    assert whole["verdicts"]["match"] == 21
    assert [share["value"] for share in whole["shares"]] == [21 / 48, 12 / 48, 3 / 48, 12 / 48, 0, 0]
    shares = [row for row in rows if row["path"].startswith("references.strata[0].references.shares")]
    assert [(row["statistic"], float(row["value"]), row["n"], row["left_out"]) for row in shares][:2] == [
        ("match", 21 / 48, "48", "12"), ("mismatch", 12 / 48, "48", "12"),
    ]  # fmt: skip
    models = [row for row in rows if "split=model; stratum=atlas" in row["context"] and row["statistic"] == "match"]
    assert float(models[0]["value"]) == (6 + 3) / 24


def test_by_model_and_by_origin_show_their_own_parts(medreview, study):
    by_model = medreview("stats", study, *FEW, "--by", "model").stdout
    by_origin = medreview("stats", study, *FEW, "--by", "origin").stdout

    assert "model atlas: 30 references in 6 responses" in by_model
    assert "origin ward" not in by_model
    assert "origin ward: 40 references in 8 responses" in by_origin
    assert "model atlas" not in by_origin
    assert "References" not in medreview("stats", study, *FEW, "--by", "page").stdout


def test_of_a_part_of_the_study_only_its_references_are_counted(medreview, study):
    part = json.loads(medreview("stats", study, *FEW, "--json", "--where", "model=atlas").stdout)

    assert part["references"]["strata"][0]["references"]["found"] == 30


def test_urls_and_citations_tell_what_the_identifiers_turned_out_to_be(medreview, study):
    urls, citations = (medreview(*command.split(), study).stdout for command in ("sources addresses", "citations"))
    for told in (urls, citations):
        assert "What the cited identifiers turned out to be" in told
        assert "48 references found in 12 responses: 36 checked, 12 not checked yet" in " ".join(told.split())
    for command in ("sources addresses", "citations"):
        found = json.loads(medreview(*command.split(), study, "--json").stdout)["references"]
        verdicts = found["strata"][0]["references"]["verdicts"]
        assert verdicts == {
            "match": 21, "mismatch": 12, "other_work": 3, "not_found": 0, "ambiguous": 0, "not_checkable": 0,
        }  # fmt: skip


def test_a_file_and_a_study_without_checks_say_nothing_new(medreview, tmp_path):
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"id": "1", "response": "Dose: 5 mg. doi:10.5555/x"}\n')
    assert "turned out" not in medreview("citations", answers).stdout
    with Study.create(tmp_path / "b.medreview") as made_study:
        SmallStudy(made_study).response("r1", 1)
    for command in ("stats", "urls", "citations"):
        told = medreview(command, tmp_path / "b.medreview").stdout
        assert "references" not in told.casefold()
    assert looks(tmp_path / "b.medreview") == []


@pytest.mark.parametrize("verdicts", [(None,), ("match",), ("not_found",), ("not_checkable",)], ids=str)
def test_next_to_nothing_is_no_false_figure(medreview, tmp_path, verdicts):
    path = tmp_path / "a.medreview"
    with Study.create(path) as study:
        SmallStudy(study).response("r1", 1)
        ReferenceRows(study).add("r1", *verdicts)
    screen = " ".join(medreview("stats", path, *FEW).stdout.split())
    document = json.loads(medreview("stats", path, *FEW, "--json").stdout, parse_constant=pytest.fail)
    told = [
        medreview(*line).stdout
        for line in (("stats", path, "--full"), ("sources", "addresses", path), ("citations", path))
    ]

    jsonschema.validate(document, made())
    for share in document["references"]["strata"][0]["references"]["shares"]:
        assert share["low"] is None
        assert share["reason"]
    for text in (screen, *told):
        assert not re.search(r"\b(nan|inf|None|Traceback)\b", text)
    if verdicts == (None,):
        assert "references: 1 found, none checked yet" in screen
    else:
        share = "100.0%" if verdicts == ("match",) else "0.0%"
        more = ", 1 that could not be decided" if verdicts == ("not_checkable",) else ""
        assert f"references: {share} match, 0.0% described wrongly" in screen
        assert f"not found{more} (of 1 checked)" in screen


@pytest.mark.parametrize("command", ["stats", "urls", "citations"])
def test_that_totals_of_the_rules_were_read_is_on_record(medreview, tmp_path, command):
    path = tmp_path / "a.medreview"
    with Study.create(path) as study:
        SmallStudy(study).response("r1", 1)
        ReferenceRows(study).add("r1", "match")
    medreview(command, path)
    medreview(command, path)

    assert looks(path) == [(command, "totals")]
