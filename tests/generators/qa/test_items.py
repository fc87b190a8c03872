"""QA items made from passages, by the demo model's recorded answers and by a server's."""

import json
from collections import Counter
from functools import partial
from typing import Any

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.generators.passage_measures import PassageThresholds
from medreview.generators.passage_run import Measures, choose, paragraphs_of, store
from medreview.generators.qa_items import QAItems
from medreview.generators.source_texts import SourceText, text_of_file
from medreview.import_files import import_file
from medreview.llm.settings import JudgeSettings
from medreview.progress import SILENT
from medreview.study import Study
from medreview.study.check import check
from medreview.units.new_units import ImportRecord, store_records
from medreview.units.qa import QA, TYPES
from medreview.units.stored import NewPassage, load_unit
from tests.support.judge_endpoint import JudgeEndpoint, by_prompt, says
from tests.support.qa_samples import SAMPLE, chapter, recorded
from tests.support.study_builder import rows_of

DEMO = JudgeSettings("demo-writer", "demo-writer", "http://127.0.0.1:1/v1", recorded=SAMPLE / "recorded", role="model")


def choose_passages(study: Study) -> None:
    every = paragraphs_of([text_of_file(SAMPLE / "chapter.md")])
    store(study, *(choose(every, Measures())[0], Measures()), Measures().thresholds)


def bring(study: Study, *names: str) -> None:
    passages = tuple(NewPassage(chapter()[name]) for name in names)
    study.write(lambda connection: store_records(connection, [ImportRecord(passages=passages)], "test"))


def run(study: Study, settings: JudgeSettings = DEMO, again: bool = False, **options: Any):
    return pipeline.generate(study, pipeline.Generating(partial(QAItems, **options), settings, again=again))


def items(study: Study) -> dict[str, dict]:
    rows = rows_of(study, "SELECT content FROM unit WHERE json_extract(made_by, '$.run') IS NOT NULL")
    found = [json.loads(row["content"]) for row in rows]
    return {next(name for name, text in chapter().items() if NewPassage(text).passage_id == one["passage"]): one
            for one in found}  # fmt: skip


def test_the_demo_model_makes_items_of_all_seven_types_of_the_sample_chapter(study):
    import_file(study, SAMPLE / "qa_items.jsonl", {}, SILENT)
    choose_passages(study)
    done = run(study, distractors=True)
    assert (done.counts.items, done.counts.made, done.counts.nothing) == (11, 9, {"invalid": 1, "duplicate": 1})
    assert done.waiting == 0
    assert {code for code, number in done.counts.codes.items() if number} >= {
        "points_at_text", "answer_in_question", "quote_altered", "option_all_of_these", "number_not_in_passage",
        "steps_cite_one_sentence", "wrong_answer_fits", "distractor_too_far",
    }  # fmt: skip
    made = items(study)
    assert {one["type"] for one in made.values()} == {*TYPES} - {"list"}
    assert "P3" not in made, "the study has that question on that passage already"
    assert "P4" not in made, "three attempts were invalid"
    assert "Thirst" not in json.dumps(made["P9"]["options"])
    assert len(made["P9"]["options"]) == 4
    again = run(study, distractors=True)
    assert (again.tally.calls, again.counts.items) == (0, 11)
    assert check(study.sealed()) == []


def test_an_item_says_what_made_it_and_its_writers_quote_is_shown_only_afterwards(study):
    choose_passages(study)
    run(study, distractors=True)
    kind = QA()
    for row in rows_of(study, "SELECT unit_id FROM unit ORDER BY ordinal"):
        stored = load_unit(study.reader, row["unit_id"])
        view = kind.load(study.reader, row["unit_id"])
        shown = {part.label: part.text for part in view.parts}
        assert view.missing == ""
        assert [document.text for document in view.documents] == [
            text for text in chapter().values() if NewPassage(text).passage_id == stored.belongs_to
        ]
        assert ("shown wrong" in shown) is ("flaw" in shown) is stored.content["type"].endswith("_inverse")
        (quoted,) = kind.machines(study.reader, row["unit_id"]).opinions
        assert quoted.passages[0].status == "exact"
        prompts = stored.made_by["prompt"].split("+")
        assert prompts[0] == f"qa_{stored.content['type']}/1"
        assert (len(prompts) == 2) is (stored.content["type"] == "multiple_choice")
        assert (stored.model, stored.origin) == ("demo-writer", "generated")


def test_flaw_and_key_of_an_item_are_no_reference_answer_that_a_judge_could_be_given(study):
    choose_passages(study)
    run(study)
    assert rows_of(study, "SELECT * FROM reference_answer") == []
    assert rows_of(study, "SELECT * FROM response") == []


def test_a_type_can_be_named_and_all_passages_be_taken(study):
    bring(study, "P1", "P2")
    with JudgeEndpoint(
        by_prompt(lambda prompt: recorded("qa_short")["P1" if "anaphylaxis" in prompt else "P2"])
    ) as model:
        done = run(study, model.settings(), kind="short")
        assert (done.counts.made, done.counts.options["type"], done.counts.options["passages"]) == (2, "short", "all")
        choose_passages(study)
        assert run(study, model.settings(), kind="short").waiting == 0
        assert len(QAItems(study, model.settings(), every=True).items()) == 11
        assert not any("several right answers" in prompt for prompt in model.prompts)
    with pytest.raises(UserError, match="There is no type of question 'essay'; there are auto, true_false"):
        QAItems(study, DEMO, kind="essay")


def test_only_passages_that_were_chosen_are_taken_where_some_were(study):
    bring(study, "P1")
    study.write(lambda db: store_records(db, [ImportRecord(passages=(NewPassage("Not chosen. Not at all."),))], "test"))
    assert len(QAItems(study, DEMO).items()) == 2
    choose_passages(study)
    assert [item.name for item in QAItems(study, DEMO).items()] == list(chapter())
    assert len(QAItems(study, DEMO, every=True).items()) == 12


def test_of_several_choices_the_newest_one_holds_for_the_paragraphs_that_it_saw(study):
    every = paragraphs_of([text_of_file(SAMPLE / "chapter.md")])
    loose, strict = Measures(), Measures(thresholds=PassageThresholds(density=0.2))
    kept = []
    for measures in (loose, loose, strict, loose):
        chosen, limits = choose(every, measures)
        store(study, chosen, measures, limits)
        kept.append(len(QAItems(study, DEMO).items()))
    other = [
        SourceText(
            "other", "Digoxin is cleared by the kidneys. The kidneys clear lithium as well as they clear digoxin."
        )
    ]
    store(study, choose(paragraphs_of(other), loose)[0], loose, loose.thresholds)
    assert kept[0] == kept[1] == kept[3] == 11 > kept[2]
    assert len(QAItems(study, DEMO).items()) == 12
    assert len(rows_of(study, "SELECT * FROM passage_run")) == 4
    nothing = PassageThresholds(density=1.0)
    store(study, choose([*every, *paragraphs_of(other)], Measures(thresholds=nothing))[0], Measures(), nothing)
    assert len(QAItems(study, DEMO).items()) == 0, "what was chosen is nothing, and nothing else is taken for it"


def test_options_come_in_an_order_that_the_seed_draws(study):
    bring(study, "P3")
    orders = Counter()
    with JudgeEndpoint(says(json.dumps(recorded("qa_list")["P3"]))) as model:
        for seed in range(3):
            with Study.create(study.path.parent / f"{seed}.medreview") as other:
                bring(other, "P3")
                run(other, model.settings(), kind="list", seed=seed)
                (item,) = items(other).values()
                orders[tuple(text for _, text in item["options"])] += 1
                assert [letter for letter, _ in item["options"]] == list("ABCDEF")
                assert item["answers"] == ["Factor II", "Factor VII", "Factor IX", "Factor X"]
    assert len(orders) == 3


def test_wrong_options_that_cannot_be_mended_cost_the_item_and_are_counted(study):
    bring(study, "P9")
    bad = {"reason": "They are all short.", "replacements": ["Cold", "Rain", "Snow", "Wind"]}

    def reply(prompt: str) -> object:
        return bad if "too easy to tell" in prompt else recorded("qa_multiple_choice")["P9"]

    with JudgeEndpoint(by_prompt(reply)) as model:
        done = run(study, model.settings(), kind="multiple_choice", distractors=True)
        assert (done.counts.nothing, done.counts.attempts) == ({"weak_options": 1}, 4)
        assert done.counts.codes["distractor_too_far"] == 3
        kept = run(study, model.settings(), kind="multiple_choice")
        assert kept.counts.made == 1, "without --distractors the options stay as they were written"


def test_a_passage_over_the_context_is_refused_and_counted_never_cut(study):
    bring(study, "P1")
    with JudgeEndpoint(says("{}")) as model:
        done = run(study, model.settings(context_tokens=300))
        assert (done.counts.nothing, model.asked) == ({"over_context": 1}, [])


def test_the_same_question_by_another_model_is_a_duplicate(study):
    bring(study, "P1")
    with JudgeEndpoint(says(json.dumps(recorded("qa_short")["P1"]))) as model:
        assert run(study, model.settings(), kind="short").counts.made == 1
        second = run(study, model.settings(model="other"), kind="short")
    assert second.counts.nothing == {"duplicate": 1}
    assert len(items(study)) == 1
