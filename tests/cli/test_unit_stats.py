"""``stats --unit``: the figures of one kind of unit, as text, JSON and CSV."""

import csv
import json
from pathlib import Path

import pytest

from medreview.judges.rollup import set_tie_rule
from medreview.review.gold import set_gold
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.study import Study
from medreview.units.kind import Gold
from medreview.units.registry import KINDS
from tests.support.answer_study import RECORDS, answer_units, bring_answers
from tests.support.commands import own_settings
from tests.support.fact_study import FactStudy
from tests.support.one_screen import assert_one_screen
from tests.support.unit_samples import SAMPLES
from tests.support.unit_study import decide, fill, units_of

WICKED = "<script>\x1b]52;c;aGk=\x07 [red]x[/red] \u202egnp"
"""Markup, a terminal's escape, Rich's markup, a change of direction."""
FEW = ("--replicates", 99)


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """Four cases, two systems, three judges, a panel of three; hostile names and facts."""
    path = tmp_path / "ward.medreview"
    with Study.create(path) as made:
        facts = FactStudy(made)
        for number, case in enumerate("abcd"):
            facts.case(f"{case} {WICKED}", (f"A nodule of {number} mm. {WICKED}", "follow_up"), ("Second.", "other"))
            for system in ("atlas (brief)", f"boreal {WICKED}"):
                text = facts.text(system, f"{case} {WICKED}", f"Heart failure.\nA nodule of 9 mm. {WICKED}")
                for judge, said in (("one", "YN"), ("two", "NN"), (f"three {WICKED}", "YY" if number else "NY")):
                    facts.votes(judge, text, said, reason=f"Because {WICKED}", quote="A nodule of 9 mm.")
                facts.votes("one", text, "YN", "contradiction", quote="Heart failure.", reason=f"Size {WICKED}")
                for person in ("ann", "bob", f"cyd {WICKED}"):
                    facts.labels(person, text, "contradicted", "absent" if person == "ann" else "present")
        set_tie_rule(made, "not_supported")
    return path


def looks(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as opened:
        rows = opened.reader.execute(
            "SELECT payload FROM event WHERE kind = 'look' GROUP BY payload ORDER BY min(seq)"
        ).fetchall()
    return [json.loads(row[0])["shown"] for row in rows]


def test_key_facts_have_scores_ties_and_the_panel_and_votes_only_when_all_is_asked_for(medreview, ward):
    screen = medreview("stats", ward, "--unit", "key_fact", *FEW).stdout
    assert looks(ward) == ["totals"]
    assert screen.count("\n") < 24
    assert "16 of 16 key facts labelled" in screen
    people_first = [screen.index(f"\n{rater} ") for rater in ("ann, all 16", "bob, all 16", "one", "two")]
    assert people_first == sorted(people_first)
    given = json.loads(medreview("stats", ward, "--unit", "fact", "--json", *FEW).stdout)
    assert looks(ward) == ["totals"]
    told = medreview("stats", ward, "--unit", "key_fact", "--full", *FEW).stdout
    words = " ".join(told.split())
    assert "4 cases with 8 key facts, 8 texts of 2 systems; 3 judges, a panel of 3 (blind labels)" in words
    assert "tie rule: not supported. Even votes, judges: 0 of 16 on presence, 0 of 16 on contradiction" in words
    assert "Beside the majority of the panel" in words
    assert "Omitted: other; said in part, or otherwise" in words
    assert "medreview generate themes" in words
    assert "ann and bob, first, blind labels, present or not" in words
    assert "\x1b" not in told
    assert "YY N 2-1" not in screen
    assert looks(ward) == ["totals", "verdicts"]

    given = json.loads(medreview("stats", ward, "--unit", "fact", "--json", "--seed", 7, "--full", *FEW).stdout)
    assert looks(ward) == ["totals", "verdicts"]
    figures = given["unit"]["family"]["figures"]
    assert (figures["tie"], given["provenance"]["seed"], figures["panel_mode"]) == ("not_supported", 7, "blind")
    (atlas, _) = figures["scores"]
    # The first fact is present in three of four texts (2-1), the second in none (1-2).
    assert atlas["by_jury"]["key_fact_presence"]["figure"]["value"] == 0.375
    assert atlas["by_panel"]["key_fact_contradiction"]["figure"]["value"] == 0.5
    assert given["facts"][0]["panel_presence"] == {
        "yes": 0, "no": 3, "abstained": 0, "answer": False, "tied": False,
    }  # fmt: skip
    assert {one["rater"] for one in figures["against_panel"]} > {"the jury", "one", "two"}
    assert "text" not in given["facts"][0]
    assert "YY N 2-1" in medreview("stats", ward, "--unit", "key_fact", "--full", *FEW).stdout


def test_key_facts_that_are_not_there_yet_are_said_with_the_command_that_brings_them(medreview, tmp_path):
    path = tmp_path / "empty.medreview"
    with Study.create(path):
        pass
    told = medreview("stats", path, "--unit", "key_fact", "--replicates", 99).stdout
    assert "FILE --as facts" in told
    assert "medreview generate key-facts" in told
    with Study.open(path) as made:
        facts = FactStudy(made)
        facts.case("one", ("A fact.", "other"))
        facts.text("atlas", "one")
    told = medreview("stats", path, "--unit", "key_fact", "--replicates", 99).stdout
    assert "medreview judge" in told
    assert "--queue facts" in told


def test_every_kind_has_its_figures_as_text_json_and_rows(medreview, tmp_path):
    for kind in ("pair", "revision", "suggestion"):
        path = tmp_path / f"{kind}.medreview"
        with Study.create(path) as study:
            SAMPLES[kind](study)
            (unit,) = study.reader.execute(f"SELECT unit FROM ({KINDS[kind].rows}) LIMIT 1").fetchone()
            for who in ("anna", "kb"):
                decide(study, who, unit, KINDS[kind].axis, KINDS[kind].levels[0].level)
        run = ("stats", path, "--unit", kind, *FEW)
        assert f"1 of {KINDS[kind].noun}" not in medreview(*run).stdout
        found = json.loads(medreview(*run, "--json").stdout)["unit"]
        assert (found["kind"], found["labelled"]) == (kind, 1)
        rows = list(csv.DictReader(medreview(*run, "--csv", "-").stdout.splitlines()))
        agree = next(row for row in rows if row["statistic"] == "percent agreement")
        assert (agree["value"], agree["n"]) == ("1.0", "1")
        one = json.loads(medreview(*run, "--json", "--reviewer", "kb").stdout)["unit"]
        assert [each["reviewer"] for each in one["axes"][0]["labels"]] == ["kb", "kb"]
    whole = json.loads(medreview("stats", path, *FEW, "--json").stdout)
    assert [each["kind"] for each in whole["units"]] == ["suggestion"]
    assert "Suggested key facts: 1 of" in medreview("stats", path, *FEW, "--full").stdout


def test_sums_over_a_few_labels_of_another_are_a_look_at_these(medreview, tmp_path):
    path = tmp_path / "few.medreview"
    with Study.create(path) as study:
        SAMPLES["qa"](study)
        (unit,) = study.reader.execute(f"SELECT unit FROM ({KINDS['qa'].rows}) LIMIT 1").fetchone()
        for who in ("anna", "kb"):
            decide(study, who, unit, KINDS["qa"].axis, KINDS["qa"].levels[0].level)
    own_settings(tmp_path, 'reviewer = "kb"\n')
    medreview("stats", path, "--unit", "qa", "--reviewer", "kb", *FEW)
    assert "labels" not in looks(path)
    medreview("stats", path, "--unit", "qa", *FEW)
    assert "labels" in looks(path)


def test_names_from_outside_steer_no_terminal_where_figures_are_undefined(medreview, tmp_path):
    record = {
        "unit": "ranking", "id": "k1", "type": f"short {WICKED}", "question": "Which?",
        "outputs": [{"model": f"{name} {WICKED}", "text": name} for name in ("one", "two", "three")],
        "labels": [{"annotator": f"a {WICKED}", "order": "1>2>3"}, {"annotator": "b", "order": "1=2=3"}],
    }  # fmt: skip
    (tmp_path / "k.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    path = tmp_path / "k.medreview"
    medreview("import", path, tmp_path / "k.jsonl")
    screen = medreview("stats", path, "--unit", "rankings", "--replicates", 99).stdout
    assert not [sign for sign in "\x1b\x07\u202e" if sign in screen]
    told = medreview("stats", path, "--unit", "rankings", "--full", "--replicates", 99).stdout
    assert "Nobody said how good the outputs of one" in " ".join(told.split())
    assert "every ranking" in " ".join(told.split()) or "ties everything" in " ".join(told.split())
    assert not [sign for sign in "\x1b\x07\u202e" if sign in told]


def test_what_cannot_be_asked_for_is_an_error_that_says_what_can(medreview, ward):
    assert "there are pair, response, reference, qa" in medreview("stats", ward, "--unit", "statements", check=2).stderr
    assert "there are ann, bob" in medreview("stats", ward, "--unit", "fact", "--reviewer", "eve", check=2).stderr
    told = medreview("stats", ward, "--unit", "fact", "--by", "origin", check=2).stderr
    assert "With --unit or --gold, --by takes model, case or type" in told
    assert "key facts are divided by model or case" in medreview("stats", ward, "--unit", "fact", "--by", "type",
                                                                 check=2).stderr  # fmt: skip
    assert "add --unit KIND" in medreview("stats", ward, "--jury", "one,two", check=2).stderr
    assert (
        "No judge 'six' was asked" in medreview("stats", ward, "--unit", "fact", "--jury", "one, six", check=2).stderr
    )
    assert "No key fact fits" in medreview("stats", ward, "--unit", "fact", "--where", "case=C77", check=2).stderr


def test_a_kind_is_divided_and_narrowed_and_single_cases_are_a_look_at_verdicts(medreview, ward):
    divided = ("stats", ward, "--unit", "key_fact", "--by", "model", "--jury", "one,two", *FEW)
    told = medreview(*divided).stdout
    words = " ".join(told.split())
    assert looks(ward) == ["totals"]
    assert "Key facts by the model that wrote the texts" in words
    assert "By the jury of one, two" in words
    # By one and two each first fact is even (yes and no), and counts as no; each second is not said.
    assert "atlas (brief) 0.0%" in words
    assert "of 8 key facts labelled" not in words
    assert not [sign for sign in "\x1b\x07\u202e" if sign in told]
    assert max(map(len, told.split("\n"))) <= 80
    given = json.loads(medreview(*divided, "--json").stdout)["unit"]
    assert [part["part"] for part in given["by"]["parts"]] == ["atlas (brief)", f"boreal {WICKED}"]
    rows = list(csv.DictReader(medreview(*divided, "--csv", "-").stdout.splitlines()))
    of_jury = [row for row in rows if "by_small_jury" in row["path"] and row["statistic"] == "presence"]
    assert [(row["value"], row["n"], row["clusters"]) for row in of_jury] == [("0.0", "8", "4")] * 2
    assert looks(ward) == ["totals"]

    screen = medreview("stats", ward, "--unit", "key_fact", "--where", "model='atlas (brief)' case=C02", *FEW).stdout
    assert "2 of 2 key facts labelled" in screen
    assert "only model='atlas (brief)' case=C02" in " ".join(screen.split())
    assert looks(ward) == ["totals", "verdicts", "labels"]  # of so few that they tell single ones
    told = medreview("stats", ward, "--unit", "key_fact", "--by", "case", *FEW).stdout
    assert "All items come from one case" in " ".join(told.split())


def test_models_are_scored_against_all_gold_before_anybody_decides_and_that_is_on_record(medreview, tmp_path):
    path = tmp_path / "m.medreview"
    records = [
        {**record, "id": f"{record['id']}.{number}",
         "annotations": [{"annotator": judge, "group": "model", "type": kind}
                         for judge, kind in (("one", "fact"), ("two", "none"), ("three", "none"))]}
        for number in range(8) for record in RECORDS
    ]  # fmt: skip
    with Study.create(path) as made:
        bring_answers(made, tmp_path, records)
        unit = answer_units(made)[0]
    before = " ".join(medreview("stats", path, "--unit", "answer", "--full", *FEW).stdout.split())
    assert "Evaluators beside 0 right labels" in before
    assert "shown later: 24 more right labels, once the answers are decided; stats --gold scores models" in before
    assert "right labels met" not in before

    own_settings(tmp_path, 'reviewer = "kb"\n')
    told = " ".join(medreview("stats", path, "--gold", *FEW).stdout.split())
    assert "Evaluators beside 24 right labels" in told
    assert "one 16 24 66.7%" in told  # something is hallucinated in 16 of them
    assert "with those of 24 units that nobody has decided yet: the study records that kb saw these figures" in told
    assert "there is nothing to compare" not in told
    assert looks(path) == ["totals", "gold"]
    with Study.open(path) as opened:
        session = open_session(opened, "kb", open_queue(opened, "answers", "kb"), at=unit)
        session.decide("none")
        (given,) = opened.reader.execute("SELECT payload FROM event WHERE kind = 'decide'").fetchall()
        assert json.loads(given[0])["exposure"]["judge_totals"] == "before"
    given = json.loads(medreview("stats", path, "--gold", "--json", *FEW).stdout)
    assert (given["unit"]["family"]["right_labels"], given["all_gold"]["undecided"]) == (24, 24)
    assert "no right labels of QA items" in medreview("stats", path, "--gold", "--unit", "qa", check=2).stderr
    copy = tmp_path / "for-bo.medreview"
    medreview("team", "package", path, copy, "--for", "bo", "--without", "none")
    assert "the owner of the study scores models" in medreview("stats", copy, "--gold", check=2).stderr


def test_who_labelled_other_units_only_is_told_with_them(medreview, tmp_path):
    path = tmp_path / "s.medreview"
    with Study.create(path) as made:
        fill(made)
        decide(made, "ann", units_of(made)["qa"], "relevance", "4")
        decide(made, "abe", units_of(made)["pair"], "support", "not_supported")
    text = medreview("stats", path, *FEW).stdout
    assert_one_screen("every kind", text)
    told = " ".join(text.split())
    assert "How good are the answers? Pairs, supported by the source: abe, all 1: 0% [0, 79]" in told
    assert "QA items, highly relevant: ann, 1 of 8: 0% [0, 79]" in told
    assert "abe: chosen" not in told
    assert "1 pair labelled" in medreview("stats", path, "--full", *FEW).stdout


@pytest.mark.parametrize("kind", sorted(SAMPLES))
def test_a_study_of_other_units_is_told_by_them_and_not_called_empty(medreview, tmp_path, kind):
    path = tmp_path / "units.medreview"
    with Study.create(path) as made:
        SAMPLES[kind](made)
        used = KINDS[kind].in_use(made.reader)
        statements = made.reader.execute("SELECT count(*) FROM statement").fetchone()[0]
    if not used or statements:
        pytest.skip("a kind that is made of statements")
    for options in ((), ("--full",), ("--unit", kind)):
        told = medreview("stats", path, *options, *FEW).stdout
        assert "0 statements" not in told
        assert "Bring in answers" not in told
    assert medreview("stats", path, "--unit", kind, *FEW).stdout.count("\n") < 24
    (kinds,) = [one for one in json.loads(medreview("stats", path, "--json", *FEW).stdout)["headlines"]
                if one["kind"] == kind]  # fmt: skip
    assert kinds["words"] == KINDS[kind].headline.words


def test_the_report_on_key_facts_says_what_was_judged_and_nothing_else(medreview, ward, tmp_path):
    medreview("report", ward, tmp_path / "r.html", "--markdown", tmp_path / "r.md", *FEW)
    told = (tmp_path / "r.md").read_text()
    methods = told[told.index("## Methods") : told.index("### Formulas")]
    assert "labelled all 16 key facts from 4 cases" in methods
    assert "cited source" not in methods
    assert "Does the response say the fact, or contradict it?" in methods
    assert "one (one-model)" in methods
    assert "ann 16 blind" in methods
    leading = told[told.index("## The leading figures") : told.index("## Limitations")]
    assert "Key facts: said by the text" in leading
    assert "unused" not in leading
    assert "0 statement" not in told[: told.index("## Methods")]


def test_reviewers_are_left_out_by_name_or_by_checks_of_attention_and_that_is_said(medreview, tmp_path):
    path = tmp_path / "s.medreview"
    with Study.create(path) as made:
        SAMPLES["qa"](made)
        units = [row[0] for row in made.reader.execute("SELECT unit_id FROM unit WHERE kind = 'qa' ORDER BY ordinal")]
        made.write(lambda c: c.execute("DELETE FROM gold"))
        set_gold(made, units[0], Gold("relevance", "5", attention=True), "kb")
        for who, label in (("anna", "5"), ("bo", "1")):
            for unit in units[:6]:
                decide(made, who, unit, "relevance", label, mode="open")
    told = " ".join(medreview("stats", path, "--unit", "qa", "--passed", "attention", *FEW).stdout.split())
    assert "Left out: bo (0 of 1 check right; the rule is every attention check), 6 labels." in told
    assert "bo " not in told.split("What next?")[0]
    given = json.loads(medreview("stats", path, "--unit", "qa", "--leave-out", "anna", "--json", *FEW).stdout)
    assert {one["reviewer"] for axis in given["unit"]["axes"] for one in axis["labels"]} == {
        "ann-1", "ann-2", "bo",
    }  # fmt: skip
    assert given["provenance"]["left_out"] == [
        {"reviewer": "anna", "rule": "", "right": 1, "checks": 1, "labels": 6}
    ]  # fmt: skip
    own = medreview("stats", path, "--unit", "qa", "--passed", "50%", "--reviewer", "bo", check=2).stderr
    assert "Left out: bo (0 of 1 check right" in own
    assert "name another reviewer" in own


def test_a_judge_without_a_word_on_the_leading_scale_is_named_and_was_asked(medreview, tmp_path):
    study = tmp_path / "q.medreview"
    medreview("papers", "replay", "cliniqlink", study, "--sample")
    screen = medreview("stats", study, "--unit", "ranking", *FEW).stdout
    assert "Without a word on this scale: juror-one." in screen
    assert "undefined" not in screen
    assert " passages" not in medreview("stats", study, "--unit", "qa", *FEW).stdout, "each item is of its own"
    medreview("report", study, "--markdown", "q.md", *FEW)
    page = (tmp_path / "q.md").read_text()
    assert "Their opinions came with a file: juror-one." in page
    assert "No judge was asked" not in page
    assert "- rankings: only 3 labelled; below 10 rankings intervals are uncertain." in page
    assert "- QA items: only 10 labelled." in page
