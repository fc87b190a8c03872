"""Which answers belong together: by the id of their question, by its text, or not at all."""

import pytest

from medreview.stats.clusters import Clusters, clusters_of, question_text, study_clusters
from medreview.stats.units.kind_labels import unit_clusters
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("How is it given?", "HOW  is it\ngiven"),
        ("How is it given?", "How is it given ?!"),
        ("ﬁrst-line therapy？", "first-line therapy"),
        ("Straße", "STRASSE."),
        ("1 000 mg", "1\u00a0000 mg"),
    ],
)
def test_what_makes_no_other_question_is_left_out(text: str, same: str) -> None:
    assert question_text(text) == question_text(same)


@pytest.mark.parametrize(
    ("answers", "name", "together"),
    [
        # No two share a question.
        ([("a", "", "one?"), ("b", "", "two?"), ("c", "7", "three?")], "response", []),
        # Nothing is known of the question: each is its own.
        ([("a", "", ""), ("b", "", " ? "), ("c", " ", "")], "response", []),
        ([("a", "", "One?"), ("b", "", "one"), ("c", "", "two")], "question", ["ab"]),
        # The id decides over the text, either way.
        ([("a", "7", "one?"), ("b", "7", "in other words?"), ("c", "8", "one?")], "question", ["ab"]),
        # A file without ids beside one with: the text finds the id.
        ([("a", "", "one?"), ("b", "7", "One"), ("c", "", "in other words"), ("d", "7", "in other words?")],
         "question", ["abcd"]),
    ],
)  # fmt: skip
def test_answers_are_put_together_by_id_then_by_text(
    answers: list[tuple[str, str, str]], name: str, together: list[str]
) -> None:
    found = clusters_of(answers)

    assert found.name == name
    alone = [each for each, *_ in answers if not any(each in group for group in together)]
    assert {frozenset(group) for group in (*together, *alone)} == {
        frozenset(each for each in found.of if found.of[each] == cluster) for cluster in found.of.values()
    }


def test_a_study_is_of_questions_where_two_prepared_answers_share_one(study: Study) -> None:
    # The three answers that the study began with share a question, and nothing was prepared of them.
    def add(rows: StudyBuilder) -> None:
        rows.response("r1", question="One?")
        rows.response("r2", question="two")

    build(study, add)
    before = study_clusters(study.reader)
    build(study, lambda rows: rows.response("r3", question="ONE"))
    after = study_clusters(study.reader)

    assert before.name == "response"
    assert (before.of["r1"], before.of["r2"]) == ("r1", "r2")
    assert after == Clusters("question", {**before.of, "r3": "r1"})


@pytest.mark.parametrize("kind", ["pair", "response", "answer", "reference"])
def test_what_comes_from_an_answer_comes_from_its_question(study: Study, kind: str) -> None:
    def add(rows: StudyBuilder) -> None:
        rows.source("u1", "https://page.example")
        for name, question in (("r1", "One?"), ("r2", "one"), ("r3", "two")):
            rows.response(name, statements=["text"], cites=["u1"], question=question)
            rows.add("reference", reference_id=f"f{name}", response_id=name, ordinal=1, text="text", reading="{}",
                     parser="test", standing="list", found_at="2026-01-01", bare_url=0, text_sha256="")  # fmt: skip

    build(study, add)
    units = {
        "pair": [f"pair:r{number}.1:u1" for number in (1, 2, 3)],
        "response": [f"response:r{number}" for number in (1, 2, 3)],
        "answer": [f"answer:r{number}" for number in (1, 2, 3)],
        "reference": [f"reference:fr{number}" for number in (1, 2, 3)],
    }[kind]

    assert unit_clusters(study.reader, kind, units) == ("question", dict(zip(units, ["r1", "r1", "r3"], strict=True)))
