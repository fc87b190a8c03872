"""``generate answers --to qa``: a benchmark asked zero-shot of models that answer by a rule, and what is recovered."""

import csv
import itertools
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.unit_table import content_unit_id
from medreview.units.qa_key import CLOSED
from tests.support.asked_items import Answering, Rule, fill, item
from tests.support.commands import Program, own_settings
from tests.support.judge_endpoint import JudgeEndpoint, says
from tests.support.study_builder import rows_of

ITEMS = 84
RULES = {
    "atlas-70b": Rule(right=0.9, refuses=0.05, invents=0.1),
    "pebble-1b": Rule(right=0.5, refuses=0.1, unclear=0.2, invents=0.5),
}


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "s.medreview") as study:
        fill(study, ITEMS)
        return study.path


@contextmanager
def serving(folder: Path) -> Iterator[JudgeEndpoint]:
    """The models, and settings in the folder that name them."""
    with JudgeEndpoint(Answering(RULES)) as endpoint:
        tables = (
            endpoint.table(name, name, price_input=1.0, price_output=10.0).replace("judges.", "models.")
            for name in RULES
        )
        own_settings(folder, "\n".join(('reviewer = "kb"', *tables)))
        yield endpoint


@pytest.fixture
def server(tmp_path: Path) -> Iterator[JudgeEndpoint]:
    with serving(tmp_path) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The benchmark once both models have answered it."""
    folder = tmp_path_factory.mktemp("asked")
    with Study.create(folder / "s.medreview") as study:
        fill(study, ITEMS)
    with serving(folder):
        for model in RULES:
            Program(folder)("generate", "answers", study.path, "--to", "qa", "--model", model)
    return study.path


@pytest.fixture
def answered(asked: Path, server: JudgeEndpoint, tmp_path: Path) -> Path:
    """A copy of it, where the settings name the models."""
    return Path(shutil.copy(asked, tmp_path))


def expected(model: str, *kinds: str) -> Counter[str]:
    """What becomes of the closed items of some types, by the rule."""
    return Counter(RULES[model].closed(model, number) for number in range(ITEMS) if item(number).type in kinds)


def test_answers_are_stored_once_with_model_and_prompt_and_scored_as_the_rule_has_it(medreview, benchmark, server):
    ask = ("generate", "answers", benchmark, "--to", "qa", "--model")
    assert f"{ITEMS} inputs, {ITEMS} calls to pay" in medreview(*ask, "atlas-70b", "--dry-run").stdout
    assert server.asked == []
    medreview(*ask, "pebble-1b", "--limit", "10")
    told = json.loads(medreview(*ask, "pebble-1b", "--json").stdout)
    medreview(*ask, "atlas-70b")
    assert len(server.asked) == 2 * ITEMS, "a run goes on where it was"
    assert told["answered"]["models"][0]["asked"] == ITEMS

    figures = json.loads(medreview("stats", benchmark, "--unit", "qa", "--json").stdout)["unit"]["family"]["answered"]
    by_model = {one["model"]: one for one in figures["models"]}
    assert by_model["atlas-70b"]["cost"] == pytest.approx((100 + 20 * 10) / 1_000_000)
    assert by_model["atlas-70b"]["seconds"] >= 0
    assert by_model["atlas-70b"]["prompts"] == ["qa_reply_closed/1", "qa_reply_inverse/1", "qa_reply_open/1"]
    scored = {(one["model"], one["type"]): one for one in figures["closed"]}
    for model in RULES:
        for kind in ("", *CLOSED):
            rule, one = expected(model, *((kind,) if kind else CLOSED)), scored[model, kind]
            assert one["how"] == {
                "read": rule["right"] + rule["wrong"], "unread": rule["unread"], "refused": rule["refused"], "empty": 0,
            }  # fmt: skip
            assert (one["right"], one["accuracy"]["n"]) == (rule["right"], rule.total())
            assert one["accuracy"]["value"] == pytest.approx(rule["right"] / rule.total())
            assert one["accuracy"]["low"] < one["accuracy"]["value"] < one["accuracy"]["high"]
    assert scored["atlas-70b", "list"]["overlap"]["value"] >= scored["atlas-70b", "list"]["accuracy"]["value"]
    shown = medreview("stats", benchmark, "--unit", "qa", "--full").stdout
    assert "QA items that models answered" in shown
    whole = json.loads(medreview("stats", benchmark, "--json").stdout)["units"]
    assert [one["family"]["answered"] for one in whole if one["kind"] == "qa"] == [figures], "without any label"
    medreview("report", benchmark, "report.html")
    assert "QA items that models answered" in (benchmark.parent / "report.html").read_text(encoding="utf-8")


def test_the_export_has_every_answer_and_one_for_who_is_blind_has_none(medreview, benchmark, server, tmp_path):
    medreview("generate", "answers", benchmark, "--to", "qa", "--model", "pebble-1b")
    medreview("export", benchmark, tmp_path / "all")
    with (tmp_path / "all" / "qa_answers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert Counter(row["read_as"] for row in rows if row["read_as"]) == Counter(
        {"refused": expected("pebble-1b", *CLOSED)["refused"], "unread": expected("pebble-1b", *CLOSED)["unread"],
         "read": sum(expected("pebble-1b", *CLOSED)[one] for one in ("right", "wrong"))}
    )  # fmt: skip
    assert sum(row["right"] == "1" for row in rows) == expected("pebble-1b", *CLOSED)["right"]
    assert {(row["model"], row["prompt"]) for row in rows} == {("pebble-1b", f"qa_reply_{one}/1") for one in
                                                               ("closed", "open", "inverse")}  # fmt: skip
    medreview("export", benchmark, tmp_path / "blind", "--blind")
    assert (tmp_path / "blind" / "qa_answers.csv").read_text().count("\n") == 1


def test_an_inverse_item_is_asked_with_its_wrong_answer_and_none_with_its_key_or_passage(benchmark, medreview, server):
    medreview("generate", "answers", benchmark, "--to", "qa", "--model", "atlas-70b")
    prompts = "\n".join(server.prompts)
    assert "The answer that was given: Any dose." in prompts
    assert "1. Doses never matter." in prompts
    assert not any(words in prompts for words in ("Doses matter.", "by weight. Nothing else", "The dose follows"))
    assert "several options are right>>>" in prompts


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--web",), "--to qa asks the QA items of the study"),
        (("questions.jsonl",), "takes no FILE, --web or --drawn"),
    ],
)
def test_what_does_not_go_with_it_is_said(medreview, benchmark, server, more, why):
    words = ("generate", "answers", benchmark, *more, "--to", "qa", "--model", "atlas-70b")
    assert why in " ".join(medreview(*words, check=2).stderr.split())


def test_a_study_without_items_and_one_that_was_not_asked_say_so(medreview, server, tmp_path):
    with Study.create(tmp_path / "none.medreview") as study:
        path = study.path
    assert (
        "The study has no QA item"
        in medreview("generate", "answers", path, "--to", "qa", "--model", "atlas-70b").stdout
    )
    assert json.loads(medreview("stats", path, "--unit", "qa", "--json").stdout)["unit"]["family"] is None


def test_what_a_model_leaves_empty_is_asked_once_more_and_counted(medreview, benchmark, server):
    server.play(says(json.dumps({"answer": " "})))
    told = json.loads(
        medreview(
            "generate", "answers", benchmark, "--to", "qa", "--model", "atlas-70b", "--limit", "7", "--json"
        ).stdout
    )
    assert told["counts"]["nothing"] == {"empty": 7}
    assert len(server.asked) == 14
    assert sum(one["how"]["empty"] for one in told["answered"]["closed"] if not one["type"]) == 3


@pytest.mark.parametrize("narrowed", ["type=short", "put off"])
def test_neither_a_filter_nor_putting_off_shows_who_wrote_what_early(medreview, answered, narrowed):
    medreview("generate", "rankings", answered)
    with Study.open(answered) as study:
        words = "" if narrowed == "put off" else narrowed
        session = ReviewSession(study, "kb", open_queue(study, "rankings", "kb", filter=words))
        for place in range(len(session.queue.units)):
            session.go(place)
            if place and narrowed == "put off":
                session.defer()
            else:
                session.decide_order(">".join(map(str, session.view.numbers)), [])
        with pytest.raises(UserError, match="hidden until the block ends"):
            session.show_judges()
        session.go(0)
        assert not session.shows_judges


def made_rankings(path: Path) -> list[dict]:
    with Study.open(path, read_only=True) as study:
        rows = rows_of(study, "SELECT unit_id, record_id, content FROM unit WHERE kind = 'ranking' ORDER BY ordinal")
        return [dict(row) | json.loads(row["content"]) for row in rows]


def test_rankings_are_drawn_by_a_seed_extended_and_recorded(medreview, answered):
    make = ("generate", "rankings", answered, "--seed", "7", "--reviewer", "kb")
    assert "48 items with an answer of each of 2 models" in medreview(*make, "--share", "25%", "--dry-run").stdout
    assert made_rankings(answered) == []
    first = json.loads(medreview(*make, "--share", "25%", "--json").stdout)
    assert (first["eligible"], first["drawn"], first["new"]) == (48, 12, 12)
    few = made_rankings(answered)
    more = json.loads(medreview(*make, "--items", "30", "--json").stdout)
    every = made_rankings(answered)
    assert (more["drawn"], more["new"]) == (30, 18)
    assert [one["unit_id"] for one in every[:12]] == [one["unit_id"] for one in few]
    assert medreview(*make, "--items", "30").stdout.count("0 of them new") == 1
    other = medreview("generate", "rankings", answered, "--seed", "8", "--items", "30", "--json").stdout
    assert json.loads(other)["new"] < 30, "an item that is there already keeps its ranking, whatever draws it"

    with Study.open(answered, read_only=True) as study:
        events = rows_of(study, "SELECT reviewer, payload FROM event WHERE kind = 'ranking_draw' ORDER BY seq")
    said = [json.loads(event["payload"]) for event in events]
    assert events[0]["reviewer"] == "kb"
    assert [(one["seed"], one["share"], one["items"], one["new"]) for one in said[:2]] == [(7, 0.25, None, 12),
                                                                                        (7, None, 30, 18)]  # fmt: skip
    assert not any(model in event["payload"] for event in events for model in RULES)
    medreview("check", answered)


def test_a_ranking_shows_what_was_asked_with_its_reference_and_its_outputs_in_no_models_order(medreview, answered):
    medreview("generate", "rankings", answered)
    made = made_rankings(answered)
    assert {one["type"] for one in made} == {"short", "short_inverse", "multi_hop", "multi_hop_inverse"}
    inverse = next(one for one in made if one["type"] == "multi_hop_inverse")
    assert "The answer that was given: Any dose." in inverse["question"]
    assert inverse["reference"].startswith("Doses matter.")
    for one in made:
        number = int(one["record_id"][1:])
        assert {output["model"]: output["text"] for output in one["outputs"]} == {
            model: rule.answer(model, number) for model, rule in RULES.items()
        }
    firsts = Counter(one["outputs"][0]["model"] for one in made)
    assert min(firsts.values()) > 10


def test_nothing_tells_who_wrote_an_output_before_the_queue_is_done(medreview, answered, tmp_path):
    """Not the screen, not an id, an export for who is blind or a copy, nor what an earlier ranking would reveal."""
    medreview("generate", "rankings", answered, "--items", "24")
    with Study.open(answered) as study:
        session = ReviewSession(study, "kb", open_queue(study, "rankings", "kb"))
        for place in range(23):
            assert session.hidden_until == f"until the block ends, {24 - place} of 24 to go"
            order = ">".join(map(str, session.view.numbers))
            session.decide_order(order, [(f"quality/{number}", "good") for number in session.view.numbers])
            with pytest.raises(UserError, match="hidden until the block ends"):
                session.show_judges()
            assert not session.shows_judges
            session.go(place + 1)
            assert not any(model in repr(session.view) for model in RULES)
    medreview("export", answered, tmp_path / "blind", "--blind")
    medreview("team", "package", answered, tmp_path / "copy.medreview", "--for", "anna")
    exported = "\n".join(path.read_text() for path in (tmp_path / "blind").glob("*.csv"))
    with Study.open(tmp_path / "copy.medreview", read_only=True) as copy:
        told = "\n".join(copy.reader.iterdump())
    for where, text in (("export", exported), ("copy", told)):
        assert [model for model in RULES if model in text] == [], where
    for one in made_rankings(answered):
        names = [output["model"] for output in one["outputs"]]
        for guess in itertools.permutations(names):
            content = {name: one[name] for name in ("question", "type", "reference")}
            outputs = [{"model": model, "text": out["text"]} for model, out in zip(guess, one["outputs"], strict=True)]
            assert content_unit_id("ranking", "", {**content, "outputs": outputs}) != one["unit_id"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--model", "atlas-70b"), "A ranking compares 2 to 9 models"),
        (("--model", "atlas-70b", "--model", "huge"), "huge did not answer QA items; there are atlas-70b, pebble-1b"),
        (("--type", "list"), "list is not an open type; there are short,"),
        (("--items", "3", "--share", "10%"), "Give --items or --share, not both"),
        (("--share", "most"), "--share takes a share such as 45%"),
    ],
)
def test_what_cannot_be_ranked_is_said(medreview, answered, words, why):
    assert why in " ".join(medreview("generate", "rankings", answered, *words, check=2).stderr.split())


def test_items_that_one_model_left_empty_are_left_out_and_counted(medreview, benchmark, server):
    medreview("generate", "answers", benchmark, "--to", "qa", "--model", "atlas-70b")
    told = medreview("generate", "rankings", benchmark, check=2).stderr
    assert "1 answered QA items or are named" in told
    medreview("generate", "answers", benchmark, "--to", "qa", "--model", "pebble-1b", "--limit", "14")
    assert (
        "8 items with an answer of each of 2 models (40 others lack one)"
        in medreview("generate", "rankings", benchmark).stdout
    )
