"""``generate passages`` and ``generate qa`` as they are given."""

import json
from pathlib import Path

import pytest

from medreview.review.repeat_annotation import RepeatShare, drawn
from medreview.study import Study
from medreview.text import counted
from tests.support.commands import own_settings
from tests.support.embeddings_endpoint import Embeddings
from tests.support.judge_endpoint import JudgeEndpoint
from tests.support.misbehaving import Misbehaving
from tests.support.qa_samples import SAMPLE, good_item
from tests.support.study_builder import rows_of

CHAPTER = SAMPLE / "chapter.md"


def shared(path: Path, rate: float) -> str:
    """How many of the first three items are in a share, in words."""
    with Study.open(path, read_only=True) as study:
        units = drawn(study.reader, study.meta("study_id"), RepeatShare("qa", rate, 0))
        first = {row["unit_id"] for row in rows_of(study, "SELECT unit_id FROM unit ORDER BY ordinal LIMIT 3")}
    return counted(len(first.intersection(units)), "QA item")


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "s.medreview") as made:
        return made.path


def test_passages_are_chosen_with_a_table_of_what_each_rule_leaves_out(medreview, empty):
    dry = medreview("generate", "passages", empty, CHAPTER, "--dry-run").stdout
    assert "29 paragraphs in 1 text: 11 kept, nothing was stored" in dry
    with Study.open(empty, read_only=True) as study:
        assert rows_of(study, "SELECT * FROM passage_feature") == []
    lines = medreview("generate", "passages", empty, CHAPTER).stdout.splitlines()
    assert lines[0] == "29 paragraphs in 1 text: 11 kept, 11 of them new"
    assert lines[1:4] == [
        "entities by medreview term lists; sentences by TF-IDF, alike above a cosine of 0.1",
        "kept are those with a density of at least 0.05, a variance of at most 0.05, an entropy of at most 1",
        "The thresholds are ours: those of the paper are not in the text of it that we have.",
    ]
    assert "      1       1  incoherent: consecutive sentences unevenly alike" in lines
    assert medreview("generate", "passages", empty, CHAPTER).stdout.startswith("29 paragraphs in 1 text: 11 kept, 0 of")


def test_texts_make_a_study_where_there_is_none(medreview, tmp_path):
    own_settings(tmp_path, '[models.m]\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\n')
    for task, more in (("passages", ()), ("questions", ("--model", "m", "--dry-run"))):
        path = tmp_path / f"{task}.medreview"
        medreview("generate", task, path, CHAPTER, *more)
        with Study.open(path, read_only=True) as study:
            assert rows_of(study, "SELECT * FROM response") == [], "texts are no answers"
            assert rows_of(study, "SELECT * FROM passage")
    told = medreview("generate", "questions", "none.medreview", "none.txt", "--model", "m", "--dry-run", check=2).stderr
    assert "There is no study at none.medreview" in told
    assert not (tmp_path / "none.medreview").exists()


def test_thresholds_and_shares_are_options_and_the_result_is_json(medreview, empty):
    told = json.loads(medreview("generate", "passages", empty, CHAPTER, "--density", "0.2", "--json").stdout)
    assert (told["density"], told["variance"], told["kept"] < 11) == (0.2, 0.05, True)
    assert told["rules"]["few_tokens"] == {"fail": 11, "first": 11}
    share = json.loads(medreview("generate", "passages", empty, CHAPTER, "--keep", "100%", "--json").stdout)
    assert (share["kept"], share["keep"]) == (14, 1.0)
    own = json.loads(medreview("generate", "passages", empty, "--passages", "--dry-run", "--json").stdout)
    assert (own["texts"], own["kept"], own["dry_run"]) == (14, 11, True)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "Name a text to read: files, --snapshots"),
        (["nowhere.md"], "nowhere.md cannot be read (No such file"),
        ([CHAPTER, "--keep", "most"], "--keep takes a share such as 60%, not 'most'"),
        ([CHAPTER, "--keep", "60%", "--density", "0.1"], "--keep finds the thresholds itself"),
        ([CHAPTER, "--embeddings", "none"], "There is no model 'none'"),
        ([CHAPTER, "--tagger", "no-such-tagger"], "The tagger 'no-such-tagger' cannot be started"),
    ],
)
def test_what_cannot_be_used_is_named(medreview, empty, words, why):
    assert why in medreview("generate", "passages", empty, *words, check=2).stderr


def test_a_model_elsewhere_gets_no_paragraphs_where_that_is_refused_and_a_dry_run_says_what_it_would_get(
    medreview, empty
):
    address = "https://api.example/v1"
    own_settings(medreview.folder, f'[models.far]\nmodel = "e"\nbase_url = "{address}"\nprice_input = 1000.0\n')
    words = ("generate", "passages", empty, CHAPTER, "--embeddings", "far")
    assert "Not on this machine" in medreview(*words, "--local-only", check=2).stderr
    told = json.loads(medreview(*words, "--dry-run", "--json").stdout)["plan"]
    assert (told["requests"], told["vectors"]) == (14, "e at api.example")
    assert told["cost"] == pytest.approx(told["prompt_tokens"] / 1000)


def test_embeddings_of_a_server_choose_the_passages_and_what_goes_there_is_said_once(medreview, empty):
    with Embeddings() as server:
        table = f'[models.near]\nmodel = "e"\nbase_url = "{server.base}/v1"\n'
        own_settings(medreview.folder, table)
        words = ("generate", "passages", empty, CHAPTER, "--embeddings", "near")
        first, second = medreview(*words), medreview(*words)
        assert len(server.received) == 14, "those of sound form, each once"
    assert "Paragraphs go to:" in first.stderr
    assert second.stderr == ""
    assert f"sentences by e at {server.name}, alike above a cosine of 0.5" in first.stdout
    assert second.stdout.splitlines()[1:] == first.stdout.splitlines()[1:]


def test_items_are_made_of_the_chosen_passages_and_a_share_waits_for_a_second_annotation(medreview, empty):
    medreview("generate", "passages", empty, CHAPTER)
    with JudgeEndpoint(Misbehaving(good=good_item)) as server:
        own_settings(medreview.folder, server.table("writer").replace("judges.", "models."))
        words = ("generate", "qa", empty, "--model", "writer", "--distractors", "--limit", "3", "--reviewer", "kb")
        assert "3 inputs, 3 calls to pay" in medreview(*words, "--second", "45%", "--dry-run").stdout
        assert server.asked == []
        done = medreview(*words, "--second", "45%")
        lower = medreview(*words, "--second", "20%").stdout
        higher = json.loads(medreview(*words, "--second", "60%", "--seed", "0", "--json").stdout)["second"]
    lines = done.stdout.splitlines()
    assert "3 inputs done, 3 with a product: 3 QA items" in lines
    assert lines[-2:] == ["  short 2, list 1", "45% (seed 0) for a second, blinded annotation: " + shared(empty, 0.45)]
    assert "Passages go to:" in done.stderr
    assert "the 2,048 tokens of an answer" in done.stderr
    assert "45% (seed 0) for a second, blinded annotation:" in lower, "a share is only ever raised"
    assert (higher["rate"], higher["seed"]) == (0.6, 0)
    assert medreview("plan", "share", empty, "--kind", "qa", "--reviewer", "kb").stdout.startswith("qa: 60% (seed 0)")


def test_what_items_cannot_be_made_of_is_named(medreview, empty):
    own_settings(medreview.folder, '[models.writer]\nmodel = "m"\nbase_url = "http://localhost:1/v1"\n')
    words = ("generate", "qa", empty, "--model", "writer")
    none = medreview(*words, check=2).stderr
    assert "There is no passage to ask about" in none
    assert "medreview generate passages" in none
    medreview("generate", "passages", empty, CHAPTER)
    assert "There is no type of question 'essay'" in medreview(*words, "--type", "essay", check=2).stderr
    assert "--second takes a share such as 45%, not 'half'" in medreview(*words, "--second", "half", check=2).stderr
