"""The commands, as a user and as a script call them."""

import csv
import json
import os
import stat

import pytest

from medreview.cli.app import every_command
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.support.saved_pages import save_pages


def decide(study, count, reviewer="kb"):
    with Study.open(study) as opened:
        units = [row[0] for row in opened.reader.execute("SELECT statement_id FROM statement LIMIT ?", (count,))]
        recorder = Recorder(reviewer)
        for unit in units:
            event = NewEvent("decide", unit, {"axis": "evidence", "label": "supported"})
            opened.write(lambda c, event=event: recorder.append(c, event, block="flagged", mode="open"))
    return units


def test_the_sample_study_has_every_state_to_see(demo):
    with Study.open(demo, read_only=True) as study:
        badges = " ".join(row[0] for row in study.reader.execute("SELECT badges FROM verdict"))
        states = {row[0] for row in study.reader.execute("SELECT page_state FROM snapshot")}
        responses = study.reader.execute("SELECT count(*) FROM response").fetchone()[0]
        statements = study.reader.execute("SELECT count(*) FROM statement").fetchone()[0]

    wanted = ("quote absent", "quote altered", "numbers differ", "units differ", "contradicted", "sources conflict")
    assert [badge for badge in wanted if badge not in badges] == []
    assert {"ok", "soft_404", "paywall", "pdf_scan", "http_error"} <= states
    assert responses >= 14
    assert statements >= 70


def test_demo_a_second_time_keeps_what_was_decided(medreview, demo):
    decide(demo, 3)
    done = medreview("demo", "--no-open", "--study", demo)

    assert "kept" in done.stderr
    with Study.open(demo, read_only=True) as study:
        assert study.reader.execute("SELECT count(*) FROM decision_current").fetchone()[0] == 3


def test_a_study_in_steps_is_the_same_as_in_one(medreview, tmp_path):
    page = "<p>" + "Adults take 500 mg twice daily with food. " * 20 + "</p>"
    save_pages(tmp_path / "pages", {"https://a.example/x": page})
    answer = {
        "question": "How much?",
        "response": "Adults take 250 mg twice daily. See https://a.example/x",
        "id": "a1",
    }
    (tmp_path / "answers.jsonl").write_text(json.dumps(answer) + "\n")

    medreview("run", "one.medreview", "answers.jsonl", "--pages", "pages")
    medreview("import", "steps.medreview", "answers.jsonl")
    medreview("fetch", "steps.medreview", "--pages", "pages")
    medreview("parse", "steps.medreview")
    medreview("judge", "steps.medreview")

    def content(name):
        with Study.open(tmp_path / name, read_only=True) as study:
            tables = ("response", "citation", "source", "snapshot", "statement", "judgement", "verdict", "evidence")
            own = {"imported_at", "fetched_at"}
            return {
                table: [
                    {key: row[key] for key in row.keys() if key not in own}  # noqa: SIM118
                    for row in study.reader.execute(f"SELECT * FROM {table}")
                ]
                for table in tables
            }

    assert content("one.medreview") == content("steps.medreview")
    assert content("one.medreview")["statement"][0]["text"] == "Adults take 250 mg twice daily."


def test_importing_twice_adds_nothing_and_a_bad_record_is_named(medreview, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"response": "Take 5 mg."}\n{"respo\n{"question": "no answer"}\n')
    first = medreview("import", "a.medreview", "a.jsonl", "--json")
    again = medreview("import", "a.medreview", "a.jsonl", "--json")

    assert json.loads(first.stdout)["files"][0]["added"] == 1
    assert json.loads(again.stdout)["files"][0]["added"] == 0
    assert "line 2" in first.stderr
    assert "line 3" in first.stderr


def test_other_column_names(medreview, tmp_path):
    (tmp_path / "a.csv").write_text('reply,asked\n"Take 5 mg, not 50.",How much?\n')
    medreview("import", "a.medreview", "a.csv", "--map", "reply=response", "--map", "asked=question")

    with Study.open(tmp_path / "a.medreview", read_only=True) as study:
        row = study.reader.execute("SELECT question, text FROM response").fetchone()
        assert tuple(row) == ("How much?", "Take 5 mg, not 50.")


def test_export_is_private_and_opens_in_pandas(medreview, demo, tmp_path):
    import pandas

    units = decide(demo, 10)
    medreview("export", demo, "labels")
    frame = pandas.read_csv(tmp_path / "labels" / "labels.csv")

    assert set(frame["unit_id"]) == set(units)
    assert set(frame["verdict_final"]) == {"supported"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "labels").iterdir()} == {0o600}


def test_export_import_export_gives_the_same_labels(medreview, demo, tmp_path):
    decide(demo, 10)
    medreview("export", demo, "first")
    medreview("import", "new.medreview", "first")
    medreview("export", "new.medreview", "second")

    def labels(folder):
        with (tmp_path / folder / "labels.csv").open(newline="") as lines:
            wanted = ("unit_id", "statement_text", "reviewer_id", "verdict_first", "verdict_final", "mode", "note")
            return [{key: row[key] for key in wanted} for row in csv.DictReader(lines)]

    assert len(labels("first")) == 10
    assert labels("first") == labels("second")
    assert "whole" in medreview("check", "new.medreview").stdout


def test_merge_and_backup(medreview, demo, tmp_path):
    medreview("backup", demo, "anna.medreview")
    decide(tmp_path / "anna.medreview", 5, reviewer="anna")
    decide(demo, 5)

    done = medreview("team", "merge", demo, "anna.medreview", "--json")

    assert json.loads(done.stdout)["added"] == 5
    assert "whole, 10 events" in medreview("check", demo).stdout


def test_where_names_the_places(medreview, demo):
    places = json.loads(medreview("config", "where", demo, "--json").stdout)

    assert places["study"] == os.fspath(demo)
    assert places["copies"].endswith("demo.medreview.backups")
    assert places["state"].endswith("/medreview")


def test_every_command_has_help_with_an_example(medreview):
    for command in every_command():
        shown = medreview(*command.split(), "--help").stdout

        assert f"medreview {command}" in shown.replace("Usage:", ""), command
        assert f"Example: medreview {command}" in shown, command


def test_output_that_nobody_reads_is_no_error(demo):
    import subprocess
    import sys

    command = f"{sys.executable} -m medreview judges prompts source_verification | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)

    assert "Traceback" not in done.stderr


@pytest.fixture
def run_table(medreview, tmp_path):
    """What ``run`` says of a SourceCheckup table of three rows, of which one names a page that is not to be had."""
    page = "<main>" + "<p>Aspirin lowers the risk of a second heart attack in adults.</p>" * 9 + "</main>"
    save_pages(tmp_path / "pages", {"https://a.example/x": page})
    (tmp_path / "table.csv").write_text(
        "Question,Response,Statement,Citation URL,Decision,Judge\n"
        "Q?,Aspirin helps.,Aspirin helps.,https://b.example,Supported,one\n"
        "Q?,Aspirin helps.,Aspirin helps.,https://a.example/x,Perhaps,one\n"
        "Q?,Aspirin helps.,Aspirin helps.,https://a.example/x,Not Supported,one\n"
    )
    return json.loads(medreview("run", "a.medreview", "table.csv", "--pages", "pages", "--json").stdout)


def judges(study):
    with Study.open(study, read_only=True) as opened:
        said = opened.reader.execute(
            "SELECT judge, raw_label FROM judgement JOIN judge_run USING (judge_run_id) WHERE kind = 'recorded'"
        ).fetchall()
        verdict = opened.reader.execute("SELECT verdict FROM verdict").fetchone()[0]
    return [tuple(row) for row in said], verdict


def test_a_sourcecheckup_table_needs_one_run(run_table, tmp_path):
    assert [left["line"] for left in run_table["imported"][0]["bad"]] == [2, 3]
    assert run_table["imported"][0]["added"] == 1
    assert judges(tmp_path / "a.medreview")[0] == [("one", "Not Supported")]


def test_decisions_of_a_table_count_as_soon_as_they_are_imported(medreview, run_table, tmp_path):
    table = (tmp_path / "table.csv").read_text()
    (tmp_path / "more.csv").write_text(table.replace("Not Supported,one", "Supported,two"))

    assert judges(tmp_path / "a.medreview")[1] != "supported"
    medreview("import", "a.medreview", "more.csv")

    said, verdict = judges(tmp_path / "a.medreview")
    assert ("two", "Supported") in said
    assert verdict == "supported"


def test_a_judge_has_one_say_on_a_pair(medreview, demo, tmp_path):
    from importlib.resources import files

    lines = files("medreview.sample_data").joinpath("judgements.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    again = [first | {"label": "Supported"}, first | {"label": "contradicted"}]
    (tmp_path / "j.jsonl").write_text("\n".join(map(json.dumps, again)))

    done = json.loads(medreview("import", demo, "j.jsonl", "--json").stdout)["files"][0]

    assert (done["added"], done["known"]) == (0, 1)
    assert [left["line"] for left in done["bad"]] == [2]
    assert "the label 'supported' already" in done["bad"][0]["reason"]


def test_demo_tells_scripts_what_it_made(medreview, demo):
    told = json.loads(medreview("demo", "--no-open", "--study", demo, "--json").stdout)

    assert told["study"] == str(demo)
    assert told["statements"] > told["flagged"] > 0


def test_each_line_of_saved_pages_that_is_left_out_is_a_line_of_its_own(medreview, tmp_path):
    (tmp_path / "answers.jsonl").write_text('{"response": "Take 5 mg. https://a.example/x"}\n')
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text("<p>Take 5 mg.</p>")
    good = '{"url": "https://a.example/x", "file": "a.html"}'
    bad = (good.replace("a.html", "b.html"), "no JSON", good.replace("a.html", "../c\\nd.html"))
    (tmp_path / "pages" / "manifest.jsonl").write_text("\n".join((good, *bad)))

    medreview("import", "b.medreview", "answers.jsonl")

    for words in (("run", "a.medreview", "answers.jsonl"), ("fetch", "b.medreview")):
        said = medreview(*words, "--pages", "pages").stderr
        told = [line for line in said.splitlines() if line.endswith("; left out.")]
        assert [line.split(" of ")[0] for line in told] == ["Line 2", "Line 3", "Line 4"]
        assert "../c\u240ad.html" in told[-1]
