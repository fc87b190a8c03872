"""``medreview stats`` and ``medreview evidence`` as a person and a script meet them."""

import csv
import json
import re
import subprocess
import sys
from functools import partial

import pytest

from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent, Recorder
from tests.bench.make_study import make
from tests.support.unit_samples import SAMPLES


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = tmp_path_factory.mktemp("stats") / "some.medreview"
    make(path, responses=30, pairs=200, decided=60, sources=12, page_sentences=6)
    return path


def test_the_generated_study_is_whole_and_as_large_as_asked(study):
    with Study.open(study, read_only=True) as opened:
        counts = [
            opened.reader.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("response", "statement", "verdict", "judge_run")
        ]
        labels = opened.reader.execute("SELECT count(*) FROM decision_first").fetchone()[0]
        assert (counts[0], counts[1] == counts[2], counts[3], labels) == (30, True, 3, 60)
        assert counts[1] == pytest.approx(100, abs=5)
        assert check(opened.reader) == []


def test_one_screen_has_a_line_for_each_judge_and_each_share(medreview, study):
    lines = medreview("stats", study, "--replicates", 199).stdout.splitlines()

    assert len(lines) < 24
    assert max(len(line) for line in lines if not line.startswith("  medreview ")) <= 80
    assert lines[0] == "101 statements in 30 responses; anna: 60 decided, 0 deferred, 41 open"
    # How good are the answers: her own labels lead, then the audit, with its interval drawn, then the judges by name.
    assert re.fullmatch(r"How good are the answers\? +value  95% interval +0 +\.5 +1 +n  resp", lines[1])
    names = [re.split(r"  +", line.strip())[0] for line in lines[2:10]]
    assert re.fullmatch(r"anna: \d+ of \d+ drawn at random", names[0])
    assert names[1:3] == ["any source supports it", "whole responses supported"]
    assert {"supported, audit+verdicts", "supported, audit alone"} == set(names[3:5])
    assert names[5:] == ["judges: judge 1, judge 2", "judges alone, uncorrected", "cited URLs valid"]
    assert re.search(
        r"supported, audit alone +\d+\.\d% +\d+\.\d% to \d+\.\d% +\.*\[?=*\|=*\]?\.* +60 +\d+", "\n".join(lines)
    )
    # How good are the judges: together, then each of them, with the interval of kappa over responses.
    start = next(place for place, line in enumerate(lines) if line.startswith("How good are the judges?"))
    told = lines[start + 1 : start + 5]
    assert told[0].startswith("anna, blind, drawn")
    (first,) = [line for line in told if line.startswith("  judge 1 ")]
    assert re.fullmatch(
        r"  judge 1 +\d+\.\d% +0\.\d\d +-?\d\.\d\d to \d\.\d\d +[<.=|\[\]]{9} +\d\.\d\d +\d+ +\d+", first
    )
    text = " ".join("\n".join(lines).split())
    # How sure, and what next. Which statements are drawn, and whether more would help, differs from study to study.
    assert re.search(r"How sure\? audit of anna: 101 in the study, \d+ not drawn, \d+ drawn; of these ", text)
    place = next(place for place, line in enumerate(lines) if line.startswith("What next? "))
    if lines[place] == "What next? 41 statements still open.":
        step = f"medreview review {study}"
    else:
        assert re.match(r"What next\? ± 5 points: \d+ more labels? with the verdicts", lines[place])
        step = f"medreview {'review' if 'not yet looked at' in text else 'plan audit'} {study} --"
    assert lines[place + 1].strip().startswith(step)
    assert "seed 1, 199 resamples, ties undecided, " in text
    assert lines[-1] == f"  medreview stats {study} --full"


def test_the_screen_has_as_many_judges_as_there_is_room_for(medreview, study, tmp_path):
    path = tmp_path / "many.medreview"
    path.write_bytes(study.read_bytes())
    with Study.open(path) as opened:
        for number in range(3, 15):
            opened.write(partial(one_more_judge, number=number))
    lines = medreview("stats", path, "--replicates", 99).stdout.splitlines()

    assert len(lines) == 23
    more = next(line for line in lines if re.fullmatch(r"and \d+ more comparisons", line))
    shown = sum("  judge " in line for line in lines)
    assert shown + int(more.split()[1]) == 15, "the models come first, and the rules are among the rest"
    assert not any("  offline " in line for line in lines)


def test_every_reviewer_has_a_line_before_the_single_judges(medreview, study, tmp_path):
    path = tmp_path / "several.medreview"
    path.write_bytes(study.read_bytes())
    with Study.open(path) as opened:
        for number in range(3, 15):
            opened.write(partial(one_more_judge, number=number))
        units = [row[0] for row in opened.reader.execute("SELECT statement_id FROM statement LIMIT 40")]
        payload = {"axis": "evidence", "label": "supported", "exposure": {"judge_verdict": "before"}}
        events = [NewEvent("decide", unit, payload) for unit in units]
        opened.write(partial(record_all, recorder=Recorder("ben"), events=events))
    lines = medreview("stats", path, "--replicates", 99).stdout.splitlines()

    assert len(lines) <= 23
    assert [sum(line.startswith(f"{name}, ") for line in lines) for name in ("anna", "ben")] == [1, 1]


def test_one_response_that_nothing_was_fetched_for_has_no_figure_and_says_why(medreview, tmp_path):
    answers, path = tmp_path / "one.jsonl", tmp_path / "one.medreview"
    answers.write_text('{"response": "Metformin lowers glucose [1].", "citations": ["https://page.example/a"]}')
    medreview("import", path, answers)
    # Without statements every source is unused, which is no row of the screen and asks for no note.
    assert "no interval" not in medreview("stats", path, "--replicates", 99).stdout
    medreview("parse", path)
    text = medreview("stats", path, "--replicates", 99).stdout

    missing = "whole responses, whatever is missing: 0.0% to 100.0% (1 of 1 lack a verdict)"
    assert f"How sure? {missing}" in " ".join(text.split())
    assert f"What next? Get the pages that are cited.\n  medreview fetch {path}\n" in text


def record_all(db, recorder, events):
    for event in events:
        recorder.append(db, event, block="responses", mode="open")


def one_more_judge(db, number):
    """The same judgements by another judge."""
    db.execute(
        """INSERT INTO judge_run SELECT judge_run_id || '-' || ?1, 100 + ?1, 'judge ' || ?1, kind, model, prompt_id,
           prompt_sha256, params, seed, started_at FROM judge_run WHERE judge = 'judge 1'""",
        (number,),
    )
    columns = [row[1] for row in db.execute("PRAGMA table_info(judgement)")][2:]
    db.execute(
        f"""INSERT INTO judgement SELECT judgement_id || '-' || ?1, judge_run_id || '-' || ?1, {", ".join(columns)}
            FROM judgement WHERE judge_run_id IN (SELECT judge_run_id FROM judge_run WHERE judge = 'judge 1')""",
        (number,),
    )


def test_provenance_on_the_screen_is_that_of_the_json(medreview, study):
    origin = json.loads(medreview("stats", study, "--replicates", 99, "--json").stdout)["provenance"]
    shown = medreview("stats", study, "--replicates", 99).stdout

    assert f"\n{origin['study_id']}, {origin['events']} events to {origin['event_head'][:10]}, " in shown
    # The screen counts what it compares: on supported or not.
    assert 2 * int(re.search(r", (\d+) comparisons\n", shown)[1]) <= origin["comparisons"]


def test_nothing_is_cut_however_long_a_name_is(medreview, study, tmp_path):
    path = tmp_path / "long.medreview"
    path.write_bytes(study.read_bytes())
    with Study.open(path) as opened:
        opened.write(lambda db: db.execute("UPDATE judge_run SET judge = judge || ?", ("-and-so-on" * 9,)))
    for options in ((), ("--full",)):
        shown = medreview("stats", path, "--replicates", 99, *options).stdout

        assert "…" not in shown
        assert max(len(line) for line in shown.splitlines() if not line.startswith("  medreview ")) <= 80
        assert shown.count("-and-so-on") + shown.count("and-so-on-") >= 9


def test_the_full_report_fits_80_columns_and_says_what_a_figure_needs(medreview, study):
    shown = medreview("stats", study, "--replicates", 199, "--full")

    lines = shown.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    for words in (
        "Reviewer anna",
        "Agreement with the judges, blind, random audit: 60 labels in",
        "anna and the judges together, four labels",
        "anna and judge 1, supported or not",
        "Cohen's kappa",
        "Gwet's AC1",
        "McNemar",
        "Support and sources, by the judges' verdict",
        "URL validity",
        "unused sources",
    ):
        assert words in shown.stdout
    assert "over responses, 199 replicates, seed 1." in " ".join(shown.stdout.split())
    assert "…" not in shown.stdout


def test_json_holds_every_figure_with_its_interval(medreview, study):
    report = json.loads(medreview("stats", study, "--replicates", 199, "--seed", 4, "--json").stdout)
    comparison = report["reviewers"][0]["agreement"][0]["comparisons"][0]
    figures = comparison["agreement"] + report["support"]["strata"][0]["clustered"]

    assert report["resampling"] == {
        "level": 0.95,
        "replicates": 199,
        "seed": 4,
        "interval": "by_number",
        "cluster": "response",
    }
    assert comparison["n"] == sum(map(sum, comparison["table"]))
    for figure in figures:
        assert {"name", "value", "low", "high", "method", "n", "clusters", "dropped", "reason"} <= figure.keys()
        assert figure["value"] is None or figure["low"] is None or figure["low"] <= figure["value"] <= figure["high"]


def test_responses_that_are_none_are_named_by_model_wherever_responses_are_counted(medreview, tmp_path):
    answers = [
        {"question": "Q1?", "model": "atlas-2", "response": "Metformin lowers glucose. See https://a.example/x."},
        {"question": "Q1?", "model": "ember", "response": "Metformin lowers glucose."},
        {"question": "Q2?", "model": "ember", "response": ""},
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in answers))
    made = medreview("import", "s.medreview", "a.jsonl")
    assert "3 responses added; 1 empty response kept as invalid" in made.stdout
    medreview("parse", "s.medreview")

    screen = medreview("stats", "s.medreview", "--replicates", 99).stdout
    assert "no source: ember 1 of 2" in screen
    assert "invalid: ember 1 of 2" in screen
    full = medreview("stats", "s.medreview", "--full", "--replicates", 99).stdout
    assert re.search(r"ember +2 +1 +50.0% +9.5% to 90.5% +1 +0 +50.0%", full)
    assert "all responses: 2 responses with statements; 1 invalid, not supported" in full
    figures = json.loads(medreview("stats", "s.medreview", "--json", "--replicates", 99).stdout)
    assert figures["kinds"]["by_model"]["ember"]["invalid"]["value"] == 0.5
    cited = medreview("citations", "s.medreview").stdout
    assert "1 invalid response, without a citation in every figure" in cited
    assert "1 of 3 responses" in cited
    assert "1 of 3 responses" in medreview("citations", "a.jsonl").stdout


def test_no_decision_is_a_sentence(medreview, tmp_path):
    path = tmp_path / "new.medreview"
    Study.create(path).close()
    shown = medreview("stats", path, "--full", "--replicates", 99)

    assert medreview("stats", path, "--replicates", 99).stdout.startswith("no response yet; no decisions yet")
    assert "Nobody has decided anything yet" in shown.stdout
    assert "The study has no response yet" in shown.stdout


def test_names_from_outside_cannot_act_on_the_terminal(medreview, study, tmp_path):
    path = tmp_path / "hostile.medreview"
    path.write_bytes(study.read_bytes())
    with Study.open(path) as opened:
        unit = opened.reader.execute("SELECT statement_id FROM statement").fetchone()[0]
        payload = {"axis": "evidence", "label": "supported"}
        recorder = Recorder("[red]eve\x1b]52;c;aGk=\x07\u202e[/red]")
        opened.write(lambda db: recorder.append(db, NewEvent("decide", unit, payload), block="flagged", mode="open"))
    shown = medreview("stats", path, "--replicates", 99)

    assert "[red]eve\u241b]52;c;aGk=\u2407\ufffd[/red]" in shown.stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(shown.stdout)


def test_an_unknown_reviewer_is_one_sentence(medreview, study):
    done = medreview("stats", study, "--reviewer", "ben", check=2)

    assert done.stdout == ""
    assert done.stderr == "medreview: There is no reviewer 'ben' in this study; there are anna.\n"


def test_evidence_answers_each_line_at_once(medreview):
    with medreview.start("evidence", "--jsonl", text=False) as filter_:
        for name in ("a", "b"):
            case = {"id": name, "quote": "30 mL/kg of fluid", "source_text": "Give 30 mL/kg of fluid."}
            filter_.stdin.write(json.dumps(case).encode() + b"\n")
            filter_.stdin.flush()
            answer = json.loads(filter_.stdout.readline())
            assert (answer["id"], answer["status"], answer["spans"]) == (name, "exact", [[5, 22]])
        filter_.stdin.write(b"\xff{\n")
        filter_.stdin.close()
        assert json.loads(filter_.stdout.readline())["line"] == 3


def test_evidence_is_quiet_when_its_reader_leaves():
    case = json.dumps({"statement": "Give fluid.", "source_text": "Give fluid. " * 50})
    command = f"yes '{case}' | head -2000 | {sys.executable} -m medreview evidence --jsonl | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)

    assert json.loads(done.stdout)["spans"]
    assert done.stderr == ""


def test_evidence_without_its_format_is_one_sentence(medreview):
    done = medreview("evidence", check=2)

    assert done.stderr.startswith("medreview: This command reads JSON lines only")


def test_a_part_of_the_study_is_named_wherever_its_figures_are(medreview, study):
    screen = medreview("stats", study, "--where", "model=atlas-2", "--replicates", 99).stdout
    full = medreview("stats", study, "--where", "model=atlas-2", "--replicates", 99, "--full").stdout
    report = json.loads(medreview("stats", study, "--where", "model=atlas-2", "--replicates", 99, "--json").stdout)

    part = report["part"]
    assert 0 < part["statements"] == report["statements"] == report["flow"]["statements"]["in_study"] < 101
    assert f"only model=atlas-2: {part['statements']} of 101 statements" in screen
    for text in (screen, full):
        assert "only model=atlas-2 version" in " ".join(text.split())
    assert "Left out, since it is of the whole study" in full
    assert "How sure? The audit is estimated for these statements alone" in " ".join(screen.split())
    decided = medreview("stats", study, "--where", "state=decided", "--replicates", 99).stdout
    assert "How sure? Left out: what the audit says." in " ".join(decided.split())
    assert report["provenance"]["where"] == "model=atlas-2"
    # The audit is estimated for the part: the draw among it, and the verdicts on it.
    [audit] = report["audit"]["figures"]
    assert audit["supported"]["flow"]["in_study"] == audit["with_verdicts"][0]["statements"] == part["statements"]
    wrong = medreview("stats", study, "--where", "colour=red", check=2)
    assert wrong.stderr.startswith("medreview: A filter cannot use 'colour'")


def test_a_look_at_few_statements_is_a_look_at_what_judges_say_of_each(medreview, study, tmp_path):
    path = tmp_path / "copy.medreview"
    path.write_bytes(study.read_bytes())
    looks = "SELECT json_extract(payload, '$.shown') FROM event WHERE kind = 'look' ORDER BY seq"
    for where, shown in (("", "totals"), ("model=atlas-2", "totals"), ("response=R01", "verdicts")):
        medreview("stats", path, "--where", where, "--replicates", 99)
        with Study.open(path, read_only=True) as opened:
            # Of few labels sums tell each, so that it is a look at hers, too.
            assert [row[0] for row in opened.reader.execute(looks) if row[0] != "labels"][-1] == shown


def test_csv_has_a_row_for_every_figure_and_the_state_it_is_of(medreview, study, tmp_path):
    report = json.loads(medreview("stats", study, "--replicates", 99, "--json").stdout)
    told = medreview("stats", study, "--replicates", 99, "--csv", "figures.csv").stdout
    text = (tmp_path / "figures.csv").read_text("utf-8-sig")
    rows = {row["path"]: row for row in csv.DictReader(text.splitlines())}

    assert told == f"{len(rows):,} rows written to figures.csv\n"
    kappa = report["reviewers"][0]["agreement"][0]["comparisons"][0]["agreement"][2]
    row = rows["reviewers[0].agreement[0].comparisons[0].agreement[2]"]
    assert row["statistic"] == kappa["name"] == "Cohen's kappa"
    assert [float(row[name]) for name in ("value", "low", "high")] == [kappa[name] for name in ("value", "low", "high")]
    assert "reviewer=anna; mode=blind; drawn=yes" in row["context"]
    assert (row["replicates"], row["event_head"]) == ("99", report["provenance"]["event_head"])
    assert rows["flow.statements.in_study"]["value"] == "101"
    assert medreview("stats", study, "--replicates", 99, "--csv", "figures.csv").stdout == told
    (tmp_path / "other.csv").write_text("mine")
    assert "is not an earlier result" in medreview("stats", study, "--csv", "other.csv", check=2).stderr


def test_what_is_required_decides_the_exit_code_and_is_told_in_a_sentence(medreview, study):
    few = ("--replicates", 99)
    shown = medreview("stats", study, *few, "--require", "lower(agreement)>=1%", "--require", "support>.01").stdout
    assert [line.split(":")[0] for line in shown.splitlines() if "met:" in line] == ["met", "met"]
    assert "How good are" not in shown
    failed = medreview("stats", study, *few, "--require", "agreement>0", "--require", "support>=100%", check=1).stdout
    met, lacking = failed.splitlines()  # a sentence a line, however long, where no terminal is
    assert met.startswith("met: ")
    assert lacking.startswith("not met: any source supports it, by the labels of anna (")
    wrong = medreview("stats", study, *few, "--require", "cappa>0", check=2).stderr
    assert "there is no figure 'cappa'" in wrong
    found = json.loads(medreview("stats", study, *few, "--json", "--require", "support>=100%", check=1).stdout)[
        "require"
    ]
    assert [(one["expression"], one["met"], one["bound"]) for one in found] == [("support>=100%", False, 1.0)]
    assert "require" not in json.loads(medreview("stats", study, *few, "--json").stdout)


def test_models_are_held_to_what_is_required_against_right_labels(medreview, tmp_path):
    path = tmp_path / "gold.medreview"
    with Study.create(path) as made:
        SAMPLES["answer"](made)  # both judges have met the first answer, which is hallucinated: "two" finds nothing
    run = ("stats", path, "--gold", "--replicates", 99, "--require")
    assert "met: agreement of one with the right label" in medreview(*run, "agreement[gold=yes,judge=one]>=1").stdout
    told = medreview(*run, "agreement[gold=yes,judge=two]>=1", check=1).stdout
    assert "not met: agreement of two with the right label, answers, hallucinated or not: 0.0%" in " ".join(
        told.split()
    )
