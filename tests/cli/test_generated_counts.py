"""What models generated stands in `stats`, however it is printed; own work is named before it is judged."""

import json

from medreview.study import Study
from medreview.study.rows import insert
from tests.support.commands import own_settings
from tests.support.generated_rows import ITEM, RUN, add_generation, add_passages
from tests.support.judge_endpoint import NOT_ADDRESSED, JudgeEndpoint, says


def test_every_count_is_in_stats(medreview, demo):
    with Study.open(demo) as study:
        study.write(add_generation)

    short = medreview("stats", demo, "--replicates", 99).stdout
    assert "generated: 1 run, 1 of 2 inputs with a product; 1 of 2 attempts invalid" in short
    full = " ".join(medreview("stats", demo, "--full", "--replicates", 99).stdout.split())
    assert "What models generated" in full
    assert "questions, writer (atlas-2) 2 1 2 1 1 1" in full
    assert "without a product: invalid 1; attempts not valid: invalid 1; by code: deixis 1, too long 1" in full
    assert "left out by rule: duplicate 1" in full
    (run,) = json.loads(medreview("stats", demo, "--json", "--replicates", 99).stdout)["generated"]
    assert (run["items"], run["made"], run["nothing"]) == (2, 1, {"invalid": 1})
    assert (run["statuses"], run["codes"]) == ({"invalid": 1, "ok": 1}, {"deixis": 1, "too_long": 1})
    assert (run["retried"], run["dropped"]) == (1, {"duplicate": 1})


def test_so_is_how_passages_were_chosen(medreview, demo):
    with Study.open(demo) as study:
        study.write(add_passages)
    full = " ".join(medreview("stats", demo, "--full", "--replicates", 99).stdout.split())
    assert "Passages chosen from texts" in full
    assert (
        "1 of 2 paragraphs in 1 text, entities by tagger --fast, sentences by e at h; left out: few sentences 1" in full
    )
    (chosen,) = json.loads(medreview("stats", demo, "--json", "--replicates", 99).stdout)["passages"]
    assert (chosen["paragraphs"], chosen["kept"]) == (2, 1)
    assert chosen["rules"]["too_long"] == {"fail": 1, "first": 0}


def test_judge_says_first_that_its_model_wrote_what_it_is_to_judge(medreview, demo, tmp_path):
    with JudgeEndpoint(says(json.dumps(NOT_ADDRESSED), usage=None)) as endpoint, Study.open(demo) as study:
        own_settings(tmp_path, endpoint.table("near"))
        run = {**RUN, "model": "m", "host": endpoint.name}
        response = study.reader.execute("SELECT response_id FROM response WHERE ordinal = 1").fetchone()[0]

        def add(connection):
            insert(connection, "generation_run", [run])
            insert(connection, "generation_product", [{**ITEM, "kind": "response", "made": response}])

        study.write(add)
        study.close()
        told = medreview("judge", demo, "--judge", "near", "--limit", 4)
        line = f"near judges what its own model wrote (m at {endpoint.name}): 1 response."
        assert line in told.stderr
        assert line in medreview("stats", demo, "--replicates", 99).stdout
        assert [
            own["judge"]
            for own in json.loads(medreview("stats", demo, "--json", "--replicates", 99).stdout)["own_work"]
        ] == ["near"]
