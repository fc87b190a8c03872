"""Replays of studies: the runner, the sample, and what they reproduce."""

import csv
import json
import re
import shlex
from pathlib import Path

import pytest

from medreview.cli.app import every_command
from medreview.cli.command_tree import command_of
from medreview.replays.registry import REPLAYS, SAMPLES
from medreview.replays.reproduced import Printed, Reproduced, read_votes, reproduced
from medreview.review.unit_queues import ALL
from medreview.stats.formulas.estimate import Estimate
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.units.qa_key import CLOSED
from tests.support import asked_items
from tests.support.commands import Program, own_settings
from tests.support.judge_endpoint import JudgeEndpoint, by_prompt
from tests.support.one_screen import assert_one_screen, screens

QUESTION = "May metformin be started at an eGFR of 25?"
ANSWERS = [
    {"question": QUESTION, "correct_answer": "No, not below 30.", "answer": "No. It is not started below 30.",
     "model": "m/halu", "dataset": "LiveQA", "hallucination_type": "none"},
    {"question": QUESTION, "correct_answer": "No, not below 30.", "answer": "Yes, at the full dose.",
     "model": "m/halu", "dataset": "LiveQA", "hallucination_type": "fact",
     "hallucinated_spans": ["Yes, at the full dose"]},
]  # fmt: skip


def found(prompt: str) -> object:
    wrong = "Yes, at the full dose." in prompt
    spans = ["Yes, at the full dose"] if wrong else []
    return {"spans": spans, "reason": "r", "found": "yes" if wrong else "no", "type": "fact" if wrong else "none"}


def answers(folder: Path) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(answer) + "\n" for answer in ANSWERS))
    return path


def decide(path: Path, *labels: str) -> None:
    with Study.open(path) as study:
        rows = study.reader.execute("SELECT response_id FROM response ORDER BY ordinal").fetchall()
        for row, label in zip(rows, labels, strict=True):
            event = NewEvent("decide", f"answer:{row[0]}", {"axis": "hallucination", "label": label})
            study.write(lambda c, event=event: Recorder("kb").append(c, event, block="answers", mode="open"))


def test_a_replay_says_what_waits_for_the_reviewer_goes_on_and_completes_its_figures_later(
    medreview: Program, tmp_path: Path
) -> None:
    path = answers(tmp_path)
    with JudgeEndpoint(by_prompt(found)) as server:
        own_settings(tmp_path, server.table("one", price_input=1.0, price_output=2.0))
        dry = medreview("papers", "replay", "medhalu", "s.medreview", path, "--judge", "one", "--dry-run").stdout
        assert "detection: one (m at" in dry
        assert not (tmp_path / "s.medreview").exists()
        first = medreview("papers", "replay", "medhalu", "s.medreview", path, "--judge", "one")
        asked = len(server.asked)
        decide(tmp_path / "s.medreview", "none", "fact")
        second = medreview("papers", "replay", "medhalu", "s.medreview", path, "--judge", "one")
        third = json.loads(
            medreview("papers", "replay", "medhalu", "s.medreview", path, "--judge", "one", "--json").stdout
        )
        assert (asked, len(server.asked)) == (2, 4)  # the last two: again, with what kb remarked

    assert "detection would ask one (m at" in first.stderr
    assert "medreview review s.medreview --queue answers" in first.stdout
    assert "assisted: waits: no person has remarked on an answer yet" in first.stdout
    assert "2 right labels are shown once their answers are decided" in " ".join(first.stdout.split())
    assert "answers decided (by kb 2)" in second.stdout
    assert "1.000" in second.stdout
    states = {step["step"]: step["state"] for step in third["steps"]}
    assert states.pop("hallucinations") == "left"  # no model is named
    assert set(states.values()) == {"done"}
    figures = {(row["figure"], row["of"]): row for row in third["figures"]}
    f1 = figures["macro-F1 of detection", "one"]
    assert (f1["value"], f1["n"], f1["missing"] != "") == (1.0, 2, True)
    assert "the paper's prompt against the correct answer" in f1["why_they_differ"]
    assert figures["accuracy of detection", "one with an expert's remarks (labels and reasons)"]["value"] == 1.0


def test_a_dry_run_counts_what_the_study_waits_for_and_asks_nothing(medreview: Program, tmp_path: Path) -> None:
    path = answers(tmp_path)
    medreview("import", "s.medreview", path)
    with JudgeEndpoint() as server:
        own_settings(tmp_path, server.table("one"))
        dry = medreview("papers", "replay", "medhalu", "s.medreview", path, "--judge", "one", "--dry-run").stdout
        assert not server.asked
    assert "3/5 detection: one (m at" in dry
    assert "2 calls to pay" in dry
    assert "Of the files only what is in the study already is counted." in dry


def test_without_a_study_a_replay_tells_its_steps_and_how_it_departs_from_the_paper(medreview: Program) -> None:
    told = medreview("papers", "replay", "sourcecheckup").stdout
    for words in ("FILES: Texts to ask about", "how this departs from the paper", "not replayed"):
        assert words in told
    assert "did you mean 'medhalu'" in medreview("papers", "replay", "medhal", check=2).stderr


def test_recorded_answers_get_into_no_study_of_the_user(medreview: Program, tmp_path: Path) -> None:
    medreview("import", "s.medreview", answers(tmp_path))
    told = medreview("papers", "replay", "medhalu", "--sample", check=2)
    assert "Name a study" in told.stderr
    told = medreview("papers", "replay", "medhalu", "s.medreview", "--sample", check=2)
    assert "makes its own study" in told.stderr
    told = medreview("papers", "replay", "medhalu", "t.medreview", "--sample", "--judge", "one", check=2)
    assert "brings its own files and models" in told.stderr


def test_a_step_can_be_left_out_and_a_model_that_judges_what_it_writes_is_named(
    medreview: Program, tmp_path: Path
) -> None:
    path = answers(tmp_path)
    with JudgeEndpoint(by_prompt(found)) as server:
        own_settings(tmp_path, server.table("one"))
        run = ("papers", "replay", "medhalu", "s.medreview", path, "--model", "one", "--judge", "one")
        assert "there are files, hallucinations, detection" in medreview(*run, "--skip", "x", check=2).stderr
        told = medreview(*run, "--skip", "hallucinations", "--skip", "assisted")
        assert len(server.asked) == 2
    assert "hallucinations: left out: as you asked" in told.stdout
    assert "one judges what its own model wrote" in told.stderr


@pytest.mark.parametrize("paper", REPLAYS)
def test_the_queues_and_commands_that_a_replay_names_are_there(paper: str, medreview: Program) -> None:
    queues = {queue.name for queue in ALL}
    for step in REPLAYS[paper].steps:
        assert step.queue in {"", *queues}
    said = "\n".join((*REPLAYS[paper].deviations, *REPLAYS[paper].not_replayed))
    commands = every_command()
    for line in re.findall(r"`medreview ([^`]*)`", said):
        name, arguments = command_of(shlex.split(line), commands)
        commands[name].make_context(name, arguments)


def test_a_replay_that_is_stopped_says_that_it_goes_on_and_asks_no_answer_twice(
    medreview: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = answers(tmp_path)
    with JudgeEndpoint(by_prompt(found)) as server:
        own_settings(tmp_path, server.table("one", concurrency=1))
        with monkeypatch.context() as patch:
            patch.setattr("medreview.replays.step_kinds.decided_by", _stopped)
            stopped = medreview("papers", "replay", "medhalu", "s.medreview", path, "--judge", "one", check=130)
        medreview("papers", "replay", "medhalu", "s.medreview", path, "--judge", "one")
        assert len(server.asked) == 2
    assert "the same command goes on from there" in stopped.stderr


def _stopped(*_: object) -> None:
    raise KeyboardInterrupt


REVIEWED_BY_YOU = {"statements beside notes"}
"""Steps that the sample leaves to whoever tries it."""


@pytest.mark.parametrize("paper", REPLAYS)
def test_a_sample_replay_runs_offline_and_a_second_time_does_and_asks_nothing(paper: str, medreview: Program) -> None:
    first = medreview("papers", "replay", paper, "s.medreview", "--sample").stdout
    assert "failed" not in first
    headings = re.findall(r"^\S.*\((.*)$", first.partition("Figures: ")[2], re.MULTILINE)
    assert headings
    told = " ".join(first.split())
    assert all(sentence in told for sentence in REPLAYS[paper].deviations)
    second = json.loads(medreview("papers", "replay", paper, "s.medreview", "--sample", "--json").stdout)
    states = {step["step"]: step["state"] for step in second["steps"]}
    assert {step for step, state in states.items() if state != "done"} <= REVIEWED_BY_YOU
    assert sum(step["asked"] for step in second["steps"]) == 0
    assert second["note"] == "recorded answers, written for the demo"
    for row in second["figures"]:
        assert row["value"] is not None or row["missing"], row["figure"]
        assert (row["low"] is None) == (row["high"] is None)
    for name, text in screens(medreview, medreview.folder / "s.medreview"):
        assert_one_screen(f"{paper} {name}", text)


def test_the_notebooks_figures_come_out_on_its_own_citations(medreview: Program) -> None:
    told = json.loads(medreview("papers", "replay", "cds", "s.medreview", "--sample", "--json").stdout)
    values = {row["figure"]: row["value"] for row in told["figures"]}
    assert values["responses with a citation"] == 0.8
    assert values["citations per response"] == 2.4
    assert values["allowed, mean of responses"] == pytest.approx(2 / 3)
    assert values["allowed URLs, mean of responses"] == 0.625


def test_every_replay_has_its_sample() -> None:
    assert SAMPLES.keys() == REPLAYS.keys()


CONSENSUS = [1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0]
JUDGES = {
    "one": [1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1],
    "two": [1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0],
    "three": [1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0],
    "\x1b[31mfour": [1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1],
}


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    """Kappa of the first judge is 1 - (1/12) / (8 x 3 + 4 x 9) x 144 = 0.8."""
    path = tmp_path / "votes.json"
    printed = {"one": 0.8, "two": 0.9, "Single Physician": 0.7}
    path.write_text(
        json.dumps({"consensus": CONSENSUS, "judges": JUDGES, "printed_kappa": printed, "printed_ci": {"one": [0, 1]}})
    )
    return path


def by_name(found: list[Reproduced]) -> dict[tuple[str, str], Reproduced]:
    return {(one.paper, one.what): one for one in found}


def test_what_the_papers_print_of_counts_is_what_the_formulas_give() -> None:
    found = by_name(list(reproduced()))
    outcomes = {name: one.outcome for name, one in found.items()}

    assert outcomes["ClinIQLink", "hallucination rate, Wilson"] == "equal"
    assert outcomes["ClinIQLink", "plausibility"] == "equal"
    assert outcomes["SourceCheckup", "whole responses supported, by an expert, Wald"] == "equal"
    assert outcomes["SourceCheckup", "whole responses supported, by an expert, Wilson"] == "value equal"
    assert outcomes["SourceCheckup", "SourceCleanup: removed"] == "equal"
    assert {outcomes["CDS notebook", what] for what in ("responses with a citation", "citations per response",
            "allowed, mean of responses", "allowed URLs, mean of responses")} == {"equal"}  # fmt: skip
    pooled = found["CDS notebook", "allowed, pooled"]
    assert (pooled.ours.value if pooled.ours else None, pooled.outcome) == (0.75, "not printed")
    confirmed = found["SourceCheckup", "found unsupported, confirmed by doctors"]
    assert (confirmed.outcome, confirmed.why[:25]) == ("differs", "105 of 110 are 95.5%: the")
    missing = [one for one in found.values() if one.outcome == "missing"]
    assert [(one.paper, one.what) for one in missing] == [
        ("MedFactEval", "kappa of ten judges' jury"), ("MedFactEval", "minus one person"),
    ]  # fmt: skip
    assert all("--votes FILE" in one.why for one in missing)


@pytest.mark.parametrize(
    ("paper", "what", "outcome", "value", "why"),
    [
        ("SourceCheckup", "SourceCleanup: removed or supported now", "equal", 136 / 150, "No interval is printed"),
        ("SourceCheckup", "statements contained in the answer, by the first doctor", "equal", 1, "Only the counts"),
        ("SourceCheckup", "answers with a statement that was not parsed, by the first doctor", "equal", 6 / 72, "Only"),
        ("SourceCheckup", "GPT-4o and the doctors' majority", "differs", 355 / 400, "354 are 88.5%, 355 are 88.8%"),
        ("SourceCheckup", "HealthSearchQA, whole responses supported", "differs", 115 / 300, "twice as wide as 300"),
        ("SourceCheckup", "invalid addresses once archived, Claude v2.1", "differs", 16 / 250, "Of 200 it is 13"),
        ("SourceCheckup", "invalid addresses once archived, Mixtral Open", "equal", 6 / 250, "Printed as 0.024"),
        ("ClinIQLink", "validity: two annotators differ", "differs", 69 / 1679, "69 of 1,679 are 4.1%"),
        ("ClinIQLink", "relevance: two annotators differ", "equal", 72 / 2501, ""),
        ("ClinIQLink", "validity, printed as weighted kappa", "differs", 1 - 2 * 69 / 1679, "Ours is PABAK"),
        ("ClinIQLink", "relevance, printed as weighted kappa", "equal", 1 - 2 * 72 / 2501, "Ours is PABAK"),
        ("MedFactEval", "key facts: diagnosis", "equal", 46 / 90, ""),
        ("MedFactEval", "facts said by GPT-4o, MedAgentBrief", "differs", 58 / 90, "58 are 64%, 59 are 66%"),
        # The printed interval has a half width of 0.13: z = 0.12 / (0.13 / 1.96) = 1.809.
        ("MedFactEval", "p of non-inferiority, DeepSeek-R1's texts", "differs", 0.0352, "physicians' votes"),
        ("MedFactEval", "p of non-inferiority, GPT-4o's texts", "equal", 0.00054, "physicians' votes"),
        ("MedFactEval", "jury minus one physician, GPT-4o's texts", "differs", 0.14, "from 0.13 to 0.15"),
    ],
)
def test_what_stands_beside_the_main_figures_is_checked_by_the_counts_that_there_are(
    paper: str, what: str, outcome: str, value: float, why: str
) -> None:
    one = by_name(list(reproduced()))[paper, what]
    assert one.ours is not None
    assert (one.outcome, one.ours.value) == (outcome, pytest.approx(value, rel=2e-2 if what.startswith("p ") else 1e-9))
    assert why in one.why
    assert one.ours.low is not None or one.ours.reason


def test_the_small_jury_of_the_paper_is_counted_where_the_votes_have_it(tmp_path: Path) -> None:
    judges = {"Claude 3.5 v2": "110100", "Llama 4 Scout": "110010", "Deepseek-R1": "101000", "Other": "000000"}
    path = tmp_path / "votes.json"
    path.write_text(
        json.dumps(
            {
                "consensus": [1, 1, 0, 1, 0, 0],
                "judges": {name: [int(vote) for vote in said] for name, said in judges.items()},
            }
        )
    )
    found = {one.what: one for one in reproduced(read_votes(path))}
    small = found["kappa of the small jury (Claude 3.5 v2, Llama 4 Scout, Deepseek-R1)"].ours
    # The majority says 1 1 0 0 0 0: five of six alike; by chance 3/6 * 2/6 + 3/6 * 4/6 = 1/2.
    assert small is not None
    assert (small.value, small.clusters) == (pytest.approx((5 / 6 - 1 / 2) / (1 / 2)), 2)


def test_votes_give_kappas_of_judges_and_of_the_jury_under_each_tie_rule(votes: Path) -> None:
    found = {one.what: one for one in reproduced(read_votes(votes)) if one.paper == "MedFactEval"}

    assert found["kappa of one"].ours.value == pytest.approx(0.8)
    assert (found["kappa of one"].outcome, found["kappa of two"].outcome) == ("value equal", "differs")
    assert found["kappa of three"].outcome == "not printed"
    jury = {what: one.ours for what, one in found.items() if what.startswith("kappa of the jury of 4")}
    present, cases, left_out, absent = jury.values()
    assert cases is not None
    # Even: facts 5 (1001), 8 (0011) and 12 (1001).
    assert (left_out.n, left_out.dropped, present.n) == (9, 3, 12)
    assert (cases.value, cases.clusters, cases.method) == (present.value, 4, "jackknife over cases")
    apart = found["kappa of the jury, minus that of one physician"].ours
    assert absent is not None
    assert present.value is not None
    assert apart.value == pytest.approx(present.value - 0.7)
    assert apart.low is None


@pytest.mark.parametrize(
    ("printed", "equal"),
    [
        (Printed("50.0"), True),
        (Printed("50"), True),
        (Printed("50.1"), False),
        (Printed("50.0", "40.5", "60.0"), True),
        (Printed("50.0", "40.4", "60.0"), False),
        (Printed("0.50", share=False), True),
    ],
)
def test_equal_is_the_same_digits_rounded_half_up(printed: Printed, equal: bool) -> None:
    assert printed.equals(Estimate("share", 0.5, 0.4045, 0.6, "Wilson", 9, scale="share")) is equal


def test_the_command_prints_and_writes_them(medreview: Program, votes: Path) -> None:
    shown = medreview("papers", "reproduce", "--votes", votes, "--csv", "out.csv").stdout
    assert "printed; ours" in shown.splitlines()[1]
    given = json.loads(medreview("papers", "reproduce", "--votes", votes, "--json").stdout)["figures"]
    with (medreview.folder / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))

    assert "105 of 110 are 95.5%" in " ".join(shown.split())
    assert "\x1b" not in shown
    assert [row["what"] for row in rows] == [one["what"] for one in given]
    assert {"paper", "printed", "outcome", "value", "low", "high", "method", "n", "why"} <= given[0].keys()
    assert float(rows[0]["value"]) == pytest.approx(1090 / 5543)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("[", "cannot be read"),
        ("[]", "is not a file of votes"),
        ('{"consensus": [1, 2], "judges": {"a": [1, 0]}}', "is not a file of votes"),
        ('{"consensus": [1, 0], "judges": {"a": [true, 0]}}', "is not a file of votes"),
        ('{"consensus": [1, 0], "judges": {"a": [1]}}', "not as many votes"),
    ],
)
def test_a_file_that_holds_no_votes_is_refused_in_a_sentence(medreview: Program, body: str, said: str) -> None:
    (medreview.folder / "bad.json").write_text(body)

    assert said in medreview("papers", "reproduce", "--votes", "bad.json", check=2).stderr


def test_a_benchmark_is_asked_of_every_model_and_ranked_and_a_second_time_nothing_is_new(
    medreview: Program, tmp_path: Path
) -> None:
    rules = {"atlas": asked_items.Rule(0.9, invents=0.1), "pebble": asked_items.Rule(0.4, refuses=0.2, invents=0.6)}
    with Study.create(tmp_path / "s.medreview") as study:
        asked_items.fill(study, 21)
    with JudgeEndpoint(asked_items.Answering(rules)) as server:
        tables = (server.table(name, name).replace("judges.", "models.") for name in rules)
        own_settings(tmp_path, "\n".join(tables))
        run = ("papers", "replay", "cliniqlink", "s.medreview", "--skip", "items", "--model", "atlas")
        alone = json.loads(medreview(*run, "--json").stdout)
        both = json.loads(medreview(*run, "--model", "pebble", "--json").stdout)
        again = json.loads(medreview(*run, "--model", "pebble", "--json").stdout)
        assert len(server.asked) == 2 * 21
    words = [{step["step"]: (step["state"], step["words"]) for step in one["steps"]} for one in (alone, both, again)]
    assert words[0]["rankings"] == ("left", "1 model answered the items: --model NAME, again for each other")
    assert words[1]["rankings"] == ("did", "12 rankings of the answers of 2 models, 12 of them new")
    assert words[2]["rankings"] == ("done", "12 rankings of the answers of 2 models, 0 of them new")
    assert words[2]["answers"][0] == "done"
    figures = {(row["figure"], row["of"]): row["value"] for row in again["figures"]}
    for model, rule in rules.items():
        closed = [rule.closed(model, number) for number in range(21) if asked_items.item(number).type in CLOSED]
        value = figures["closed items answered as the key has it", model]
        assert value == pytest.approx(closed.count("right") / len(closed))
