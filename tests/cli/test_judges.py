"""The command ``judges``, as a user runs it, with a real server on this machine."""

import json

import pytest

from medreview.study import Study
from medreview.study.check import check
from tests.stats.reports.panel_study import panel
from tests.stats.small_study import SmallStudy
from tests.support.commands import own_settings
from tests.support.judge_endpoint import JudgeEndpoint, refuses, says

CONTENT = {"good": '{"colour": "green"}', "bad": "Green, I should think."}


def paint(exchange):
    """A model that takes no seed, and answers by its name."""
    body = json.loads(exchange.body)
    if "seed" in body:
        refuses(400, "Unsupported parameter: 'seed'", param="seed")(exchange)
    else:
        says(CONTENT[body["model"]], usage=(31, 6))(exchange)


@pytest.fixture
def configured(tmp_path):
    with JudgeEndpoint(paint) as endpoint:
        own_settings(
            tmp_path,
            endpoint.table("home", "good")
            + "params = {seed = 1}\n"
            + endpoint.table("chatty", "bad", price_input=1, price_output=4)
            + '[judges.cloud]\nmodel = "gpt"\nbase_url = "https://api.example.org/v1"\napi_key_env = "NO_SUCH_KEY"\n',
        )
        yield


def test_without_any_the_first_step_is_shown(medreview):
    assert "[judges.NAME]" in medreview("judges").stdout
    assert json.loads(medreview("judges", "--json").stdout)["judges"] == []
    pinged = medreview("judges", "--ping", check=1)
    assert "[judges.NAME]" in pinged.stdout
    assert "Nobody was asked: no judge and no model is configured." in pinged.stderr


@pytest.mark.usefixtures("configured")
def test_they_are_listed_with_where_they_are_and_what_they_cost(medreview):
    told = medreview("judges").stdout

    assert "home: good at 127.0.0.1" in told
    assert "on this machine" in told
    assert "cloud: gpt at api.example.org, OUTSIDE this machine" in told
    assert "NO_SUCH_KEY, which is NOT SET" in told
    assert "1,000 pairs cost about 4.00" in told
    judges = {judge["name"]: judge for judge in json.loads(medreview("judges", "--json").stdout)["judges"]}
    assert judges["chatty"]["cost_of_1000_pairs"] == 4.0
    assert (judges["cloud"]["local"], judges["cloud"]["key_set"]) == (False, False)


@pytest.mark.usefixtures("configured")
def test_a_ping_says_what_came_back_and_fails_when_one_does(medreview):
    good = medreview("judges", "home", "--ping", "--local-only")

    assert "home: ok in" in good.stdout
    assert "31 + 6 tokens" in good.stdout
    assert "seed was not taken and is left out." in good.stdout
    assert "The test question goes to:\n  home: good at 127.0.0.1:" in good.stderr

    told = medreview("judges", "--ping", "--json", check=1)
    assert {ping["judge"]: ping["status"] for ping in json.loads(told.stdout)["ping"]} == {
        "home": "ok",
        "chatty": "unparsable",
        "cloud": "error",
    }
    assert "api.example.org" in told.stderr


@pytest.mark.usefixtures("configured")
def test_local_only_refuses_the_others_before_anything_is_sent(medreview):
    told = medreview("judges", "--ping", "--local-only", check=2)

    assert "cloud (api.example.org)" in told.stderr
    assert told.stdout == ""


@pytest.mark.usefixtures("configured")
def test_what_they_did_in_a_study(medreview, demo):
    from medreview.study import Study

    assert "No model was asked" in medreview("judges", "--study", demo).stdout
    row = (
        "INSERT INTO llm_call VALUES ('k', 'home', 'good', 'localhost', 'source_verification', 'h', '2026', 'ok', "
        "'plain', 2, 3, 1000, 50, 1500, 0.5, '', '{}', '')"
    )
    with Study.open(demo) as study:
        study.write(lambda db: db.execute(row))

    told = medreview("judges", "--study", demo).stdout
    assert "home: good at localhost, source verification" in told
    assert told.endswith(
        "  1 question: 1 ok\n  2 requests sent; 3 answers taken from the study instead\n"
        "  1,000 tokens in, 50 out; cost 0.5000\n  median 1.5 s, 95% within 1.5 s\n"
    )


@pytest.mark.usefixtures("configured")
def test_every_kind_of_failure_is_counted_in_eighty_columns(medreview, demo):
    from medreview.llm.call import STATUSES
    from medreview.study import Study

    judge, model = "a judge with a long name", "organisation/model-with-a-very-long-name-70b-instruct"
    with Study.open(demo) as study:
        for number, status in enumerate(STATUSES):
            row = (
                f"k{number}",
                judge,
                model,
                "models.hospital.example:8443",
                "hallucination_assisted",
                "h",
                "2026",
                status,
                "plain",
                12_345,
                0,
                123_456_789,
                12_345_678,
                98_765,
                None if number else 0.5,
                "",
                "",
            )
            study.write(lambda db, row=row: db.execute(f"INSERT INTO llm_call VALUES ({', '.join('?' * 17)}, '')", row))

    told = medreview("judges", "--study", demo).stdout.split("\n\n")[-1]
    assert max(map(len, told.splitlines())) <= 80
    assert all(f"1 {status}" in " ".join(told.split()) for status in STATUSES)


def test_an_unknown_name_is_one_sentence(medreview):
    assert "There is no judge 'x'" in medreview("judges", "x", check=2).stderr


@pytest.fixture
def panel_file(tmp_path):
    path = tmp_path / "panel.medreview"
    with Study.create(path) as study:
        panel(SmallStudy(study), questions=12, models=2)
    return path


def test_prompts_are_compared_on_half_of_the_questions_and_a_look_at_the_other_half_is_counted(medreview, panel_file):
    tuning = medreview("judges", "--study", panel_file, "--split").stdout
    assert "Prompts on the tuning half" in tuning
    assert "Prompts on the test half" not in tuning
    assert "Nobody had looked at the test half before." in tuning

    (first,) = json.loads(medreview("judges", "--study", panel_file, "--split", "--json").stdout)["prompts"]
    looks = []
    for _ in range(3):
        told = json.loads(medreview("judges", "--study", panel_file, "--split", "--test", "--json").stdout)["prompts"]
        assert [half["half"] for half in told] == ["tuning", "test"]
        assert told[0]["judges"] == first["judges"]
        assert sum(half["labels"] for half in told) == 48
        looks.append(told[1]["looks"])
    assert looks == [0, 1, 2]
    again = medreview("judges", "--study", panel_file, "--split", "--test").stdout
    assert "The test half was looked at 3 times before: a prompt" in again
    with Study.open(panel_file, read_only=True) as study:
        assert not check(study.reader)


def test_the_test_half_is_not_shown_where_the_look_cannot_be_counted(medreview, panel_file):
    with Study.open(panel_file):
        refused = medreview("judges", "--study", panel_file, "--split", "--test", check=2)

    assert "Prompts on the test half" not in refused.stdout
    assert "only where the study can count the look, and it cannot: it is open for writing elsewhere" in refused.stderr


def test_the_halves_need_a_study(medreview, panel_file):
    assert "add --study" in medreview("judges", "--split", check=2).stderr
    assert "give both" in medreview("judges", "--study", panel_file, "--test", check=2).stderr
