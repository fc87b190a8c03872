"""``generate cleanup`` and ``generate hallucinations`` as a user gives them: what is printed, as text and as JSON."""

import json

from medreview.study import Study
from tests.support import planted_answers, unsupported_study
from tests.support.commands import own_settings
from tests.support.judge_endpoint import NOT_ADDRESSED, JudgeEndpoint, says

GOOD, REMOVAL, SUPPORTS = (json.dumps(one) for one in (
    unsupported_study.GOOD, unsupported_study.REMOVAL, unsupported_study.SUPPORTS))  # fmt: skip


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def test_a_revision_is_verified_by_another_judge_and_the_shares_stand_beside_the_papers(medreview, tmp_path):
    path = tmp_path / "s.medreview"
    with Study.create(path, "sepsis") as study:
        unsupported_study.fill(study)
    with JudgeEndpoint(says(GOOD)) as writes, JudgeEndpoint(says(SUPPORTS, usage=None)) as checks:
        tables = (
            writes.table("same") + checks.table("checker", "c") + writes.table("writer").replace("judges", "models")
        )
        own_settings(tmp_path, tables)
        done = medreview("generate", "cleanup", path, "--model", "writer")
        assert (len(writes.asked), len(checks.asked)) == (1, 1)

    assert "Other than in the paper: a judge verifies each revision" in done.stderr
    assert "judges what its own model wrote" not in done.stderr
    told = in_one_line(done.stdout)
    assert "1 input done, 1 with a product: 1 revision" in told
    assert "removed 0.0% 0.0% to 79.3% 1 0 52/150 = 34.7%" in told
    assert "supported: checker 100.0% 20.7% to 100.0% 1 0 84/98 = 85.7%" in told
    assert "together: checker 100.0% 20.7% to 100.0% 1 0 136/150 = 90.7%" in told
    stats = in_one_line(medreview("stats", path, "--full", "--replicates", 99).stdout)
    assert "supported: checker 100.0%" in stats
    (figures,) = json.loads(medreview("stats", path, "--json", "--replicates", 99).stdout)["cleanup"]
    assert (figures["removed"]["value"], figures["raters"][0]["by"]) == (0.0, "checker")


def test_a_model_that_verifies_its_own_is_named_and_a_file_says_which_lines_are_left_out(medreview, tmp_path):
    path, names = tmp_path / "s.medreview", tmp_path / "names.txt"
    names.write_text("r1.2\nnobody\n")
    with Study.create(path, "sepsis") as study:
        unsupported_study.fill(study)
    with JudgeEndpoint(says(REMOVAL)) as writes:
        own_settings(tmp_path, writes.table("writer").replace("judges", "models"))
        done = medreview("generate", "cleanup", path, "--model", "writer", "--statements", names, "--json")

    assert "writer judges what its own model wrote" in done.stderr
    assert "line 2: names 'nobody', which is not a statement of this study; left out" in done.stderr
    told = json.loads(done.stdout)
    assert told["counts"]["products"] == {"revision": 1}
    assert (told["cleanup"][0]["removed"]["value"], told["cleanup"][0]["raters"]) == (1.0, [])


def test_hallucinations_take_a_file_first_and_print_their_balance_beside_the_papers(medreview, tmp_path):
    path, questions = tmp_path / "s.medreview", tmp_path / "questions.jsonl"
    given = {"question": planted_answers.QUESTION, "reference_answer": planted_answers.CORRECT, "origin": "medicines"}
    questions.write_text(json.dumps(given) + "\n")
    Study.create(path, "answers").close()
    command = ("generate", "hallucinations", path, questions, "--model", "writer")
    own_settings(tmp_path, '[models.writer]\nmodel = "m"\nbase_url = "http://localhost:1/v1"\n')
    assert (
        "knows no correct answer" in medreview("generate", "hallucinations", path, "--model", "writer", check=2).stderr
    )
    with JudgeEndpoint(says(json.dumps(planted_answers.FACT))) as writes:
        own_settings(tmp_path, writes.table("writer").replace("judges", "models"))
        planned = medreview(*command, "--type", "fact", "--dry-run")
        assert writes.asked == []
        done = medreview(*command, "--type", "fact")
        as_json = medreview(*command, "--type", "none", "--json")
        assert len(writes.asked) == 1

    assert "1 input, 1 call to pay" in planned.stdout
    assert "questions.jsonl: 1 question added" in planned.stderr
    assert "Other than in the paper: each type has a definition and an example of its own" in done.stderr
    told = in_one_line(done.stdout)
    assert "1 input done, 1 with a product: 1 response" in told
    assert "medicines 0 1 0 0 1" in told
    assert "MedHalu 538 507 535 497 2,077" in told
    assert json.loads(as_json.stdout)["hallucinations"]["all"] == {"none": 1, "fact": 1, "input": 0, "context": 0}
    assert json.loads(as_json.stdout)["counts"]["options"] == {"type": "none"}
    assert "Planted hallucinations" in medreview("stats", path, "--full", "--replicates", 99).stdout


def test_a_judge_that_finds_nothing_leaves_the_revision_unsupported(medreview, tmp_path):
    path = tmp_path / "s.medreview"
    with Study.create(path, "sepsis") as study:
        unsupported_study.fill(study)
    with JudgeEndpoint(says(GOOD)) as writes, JudgeEndpoint(says(json.dumps(NOT_ADDRESSED), usage=None)) as checks:
        own_settings(tmp_path, checks.table("checker", "c") + writes.table("writer").replace("judges", "models"))
        done = medreview("generate", "cleanup", path, "--model", "writer", "--judge", "checker")
    assert "supported: checker 0.0% 0.0% to 79.3%" in in_one_line(done.stdout)


def test_without_any_input_it_is_said_what_the_study_lacks(medreview, tmp_path):
    path = tmp_path / "s.medreview"
    Study.create(path, "nothing").close()
    with JudgeEndpoint() as server:
        own_settings(tmp_path, server.table("writer").replace("judges", "models"))
        for name, words in {
            "cleanup": "No statement", "key-facts": "no case", "themes": "No system", "brief": "No case",
            "override-themes": "No reviewer",
        }.items():  # fmt: skip
            assert words in medreview("generate", name, path, "--model", "writer").stdout
        assert not server.received


def test_questions_for_an_engine_elsewhere_come_back_with_the_options_that_they_went_with(medreview, tmp_path):
    path, questions = tmp_path / "s.medreview", tmp_path / "questions.jsonl"
    given = {"question": planted_answers.QUESTION, "reference_answer": planted_answers.CORRECT}
    questions.write_text(json.dumps(given) + "\n")
    Study.create(path, "answers").close()
    own_settings(tmp_path, '[models.writer]\nmodel = "m"\nbase_url = "http://localhost:1/v1"\n')
    done = medreview(
        "generate", "hallucinations", path, questions, "--type", "fact", "--seed", 3, "--model", "writer",
        "--batch-out", tmp_path / "asked.jsonl",
    )  # fmt: skip
    assert "Results come back with the same command, with --batch-in" in in_one_line(done.stdout)


def test_requests_that_repaired_the_form_of_an_answer_are_said_beside_the_calls(medreview, tmp_path):
    path, questions = tmp_path / "s.medreview", tmp_path / "questions.jsonl"
    given = {"question": planted_answers.QUESTION, "reference_answer": planted_answers.CORRECT}
    questions.write_text(json.dumps(given) + "\n")
    Study.create(path, "answers").close()
    with JudgeEndpoint(says("no object at all")) as writes:
        own_settings(tmp_path, writes.table("writer").replace("judges", "models"))
        done = medreview("generate", "hallucinations", path, questions, "--type", "fact", "--model", "writer")
        assert f"writer: 3 calls in {len(writes.asked)} requests" in in_one_line(done.stdout)
        assert len(writes.asked) > 3
