"""Judgements as other evaluators export them, with --map, into a study with pages."""

import csv
import json

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.import_files import detect_format

PAGE = "Adults take 500 mg of it twice daily with food. Children under twelve do not take it. " * 8
URL = "https://page.example/0"


@pytest.fixture
def study(tmp_path, empty_study):
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "manifest.jsonl").write_text(json.dumps({"url": URL, "file": "a.html"}) + "\n")
    (pages / "a.html").write_text(f"<p>{PAGE}</p>")
    text = f"Adults take 500 mg twice daily. Children take half of that dose. It is taken with food. See {URL}"
    (tmp_path / "a.jsonl").write_text(json.dumps({"question": "How much?", "response": text, "id": "a1"}) + "\n")
    pipeline.run(empty_study, [tmp_path / "a.jsonl"], {}, pipeline.PageProvider(pages))
    return empty_study


def statements(study):
    return [row[0] for row in study.reader.execute("SELECT text FROM statement ORDER BY ordinal")]


def stored(study):
    rows = study.reader.execute(
        "SELECT r.judge, j.raw_label, j.verdict, j.supported, j.quote_status FROM judgement AS j "
        "JOIN judge_run AS r USING (judge_run_id) JOIN statement USING (statement_id) "
        "WHERE r.kind = 'recorded' ORDER BY statement.ordinal"
    )
    return [tuple(row) for row in rows]


def test_as_refchecker_writes_them(study, tmp_path):
    """Claims with Entailment, Neutral or Contradiction, and nobody's name: the judge is given for all."""
    labels = ("Entailment", "Contradiction", "Neutral")
    rows = [
        {"id": "a1", "claim": claim, "reference_url": URL, "label": label}
        for claim, label in zip(statements(study), labels, strict=True)
    ]
    path = tmp_path / "refchecker.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    told = {"id": "response", "claim": "statement", "reference_url": "source", "judge:": "RefChecker"}
    assert detect_format(path, told) == "judgements"
    done = pipeline.bring_in(study, path, told)

    assert (done.added, done.bad) == (3, [])
    assert stored(study) == [
        ("RefChecker", "Entailment", "supported", 1, "none"),
        ("RefChecker", "Contradiction", "contradicted", 0, "none"),
        ("RefChecker", "Neutral", "not_addressed", 0, "none"),
    ]
    assert (pipeline.bring_in(study, path, told).added, len(stored(study))) == (0, 3)


def test_as_ragas_writes_them(study, tmp_path):
    """A table of statement, reason and verdict 1 or 0; a quote is grounded on the way in."""
    path = tmp_path / "faithfulness.csv"
    quotes = ("Adults take 500 mg of it twice daily with food.", "Children take 250 mg.", "")
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["sample", "statement", "retrieved_from", "verdict", "reason", "evidence"])
        for statement, verdict, quote in zip(statements(study), ("1", "1", "0"), quotes, strict=True):
            table.writerow(["a1", statement, URL, verdict, "As the context says.", quote])
    told = {"sample": "response", "retrieved_from": "source", "verdict": "label", "evidence": "quote"}
    done = pipeline.bring_in(study, path, told | {"judge:": "RAGAS", "model:": "atlas-2"})

    assert (done.added, done.bad) == (3, [])
    assert [row[1:4] for row in stored(study)] == [("1", "supported", 1), ("1", "supported", 1), ("0", None, 0)]
    assert stored(study)[0][4] in ("exact", "normalised")
    assert stored(study)[1][4] in ("absent", "altered")
    badges = [row[0] for row in study.reader.execute("SELECT badges FROM verdict WHERE badges LIKE '%quote%'")]
    assert len(badges) == 1
    assert study.reader.execute("SELECT model FROM judge_run WHERE judge = 'RAGAS'").fetchone()[0] == "atlas-2"


def test_true_and_false_in_json(study, tmp_path):
    rows = [
        {"response": "a1", "statement": statement, "source": URL, "faithful": faithful, "judge": "x"}
        for statement, faithful in zip(statements(study), (True, False, None), strict=True)
    ]
    (tmp_path / "f.json").write_text(json.dumps(rows))
    done = pipeline.bring_in(study, tmp_path / "f.json", {"faithful": "label"})

    assert [row[1:4] for row in stored(study)] == [("true", "supported", 1), ("false", None, 0)]
    assert [bad.reason for bad in done.bad] == ["has no label"]


def test_a_given_field_must_be_one(study, tmp_path):
    (tmp_path / "f.csv").write_text("statement,source,label,response\nx,y,yes,a1\n")
    with pytest.raises(UserError, match="there is no field jugde"):
        detect_format(tmp_path / "f.csv", {"jugde:": "RAGAS"})
    assert detect_format(tmp_path / "f.csv", {"judge:": "RAGAS"}) == "judgements"


def test_a_source_that_an_earlier_version_named_otherwise_is_found(study, tmp_path):
    """Versions of an arXiv paper used to be sources of their own."""
    text = statements(study)[0]
    named = {"kind": "arxiv", "value": "2101.00001v2", "key": "arxiv:2101.00001v2"}
    study.write(lambda db: db.execute("UPDATE source SET kind = :kind, value = :value, key = :key", named))
    study.write(lambda db: db.execute("UPDATE citation SET kind = :kind, value = :value", named))
    row = {"judge": "ann", "response": "a1", "statement": text, "source": "arXiv:2101.00001", "label": "supported"}
    (tmp_path / "j.jsonl").write_text(json.dumps(row))

    assert pipeline.bring_in(study, tmp_path / "j.jsonl", {}).bad == []
