"""What is no statement is kept with its place and reason, and becomes one when somebody asks."""

import json
from pathlib import Path

import pytest

import medreview
from medreview import pipeline
from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import import_export
from medreview.statements.left_out import LeftOut, is_listed, left_out, promotion
from medreview.statements.own_citations import own_citations
from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent, Recorder
from medreview.study.merge import merge
from tests.support.study_builder import build

ANSWER = (
    "Hello! Take 500 mg twice daily [1]. Is it safe? It failed in 5% of men and 2% of women. "
    "Always consult your doctor.\n\nReferences:\n1. https://a.example/one"
)


@pytest.fixture
def study(tmp_path: Path, study: Study) -> Study:
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"id": "a17", "question": "How much?", "response": ANSWER}))
    pipeline.bring_in(study, answers, {})
    pipeline.parse(study)
    return study


def texts(study: Study) -> list[str]:
    return [row[0] for row in study.reader.execute("SELECT text FROM statement ORDER BY ordinal")]


def promote(study: Study, part: LeftOut, who: str = "ada") -> str:
    event = promotion(study.reader, part.left_out_id)
    study.write(lambda c: Recorder(who).append(c, event, block="flagged", mode="open"))
    return event.unit


def test_every_part_that_is_no_statement_is_listed_with_its_place_and_reason(study: Study) -> None:
    assert texts(study) == ["Take 500 mg twice daily", "It failed in 5% of men", "It failed in 2% of women."]
    found = list(left_out(study.reader))
    assert [(part.reason, part.text) for part in found] == [
        ("disclaimer", "Hello!"),
        ("question", "Is it safe?"),
        ("disclaimer", "Always consult your doctor."),
        ("citation_list", "References:"),
        ("citation_list", "1. https://a.example/one"),
    ]
    assert all(ANSWER[part.start : part.end] == part.text and part.record_id == "a17" for part in found)
    assert check(study.reader) == []


def test_half_of_a_sentence_keeps_its_places_through_an_export(study: Study, tmp_path: Path) -> None:
    export(study, tmp_path / "out")
    with Study.create(tmp_path / "two.medreview") as other:
        import_export(other, tmp_path / "out")
        rows = [tuple(row) for row in other.reader.execute('SELECT text, "start", parts FROM statement')]
        assert rows == [tuple(row) for row in study.reader.execute('SELECT text, "start", parts FROM statement')]
        assert [json.loads(row[2]) for row in rows if row[1] is None] == [[[48, 60], [75, 87]]]
        assert check(other.reader) == []
        other.write(lambda c: c.execute("UPDATE statement SET parts = '[[0, 5], [75, 87]]' WHERE parts <> '[]'"))
        assert "does not stand where it is said to stand" in check(other.reader)[0]


def test_what_is_promoted_is_a_statement_with_the_same_id_in_every_copy(study: Study, tmp_path: Path) -> None:
    copy = tmp_path / "copy.medreview"
    with study_copy(study, copy) as other:
        question, advice = list(left_out(study.reader))[1:3]
        unit = promote(study, advice)
        study.write(
            lambda c: Recorder("ada").append(c, NewEvent("note", unit, {"text": "See"}), block="flagged", mode="open")
        )
        assert promote(other, advice, "zoe") == unit
        asked = promote(other, question, "zoe")
        assert texts(study)[-1] == "Always consult your doctor."
        assert [part.text for part in left_out(study.reader)][:2] == ["Hello!", "Is it safe?"]
        assert check(study.reader) == []
        with pytest.raises(UserError, match="Nothing that is left out has the id"):
            promotion(study.reader, advice.left_out_id)
    assert merge(study, copy).added == 2
    assert texts(study)[-2:] == ["Always consult your doctor.", "Is it safe?"]
    assert merge(study, copy).known == 2
    export(study, tmp_path / "out")
    with Study.create(tmp_path / "new.medreview") as new, Study.open(copy) as other:
        import_export(new, tmp_path / "out")
        assert texts(new) == texts(study)
        assert import_export(other, tmp_path / "out").added == 2
        pipeline.roll_up(new)
        left = [part.text for part in left_out(new.reader)]
        assert left == [part.text for part in left_out(study.reader)]
        ids = {asked, unit}
        for each in (new, other, study):
            assert ids <= {row[0] for row in each.reader.execute("SELECT statement_id FROM statement")}
            assert check(each.reader) == []


def test_of_a_response_that_an_earlier_version_split_the_rest_is_listed_and_nothing_changes(tmp_path: Path) -> None:
    text = (
        "Take 5 mg daily. Ask your doctor before taking an antihistamine [1]. Hope this helps!\n\n"
        "Sources:\n1. https://a.org\n2. Colds and rest: https://b.org"
    )
    with Study.create(tmp_path / "older.medreview") as study:
        build(study, lambda rows: rows.response("r1", text, parser="rules-1", statements=["Take 5 mg daily"]))
        build(study, lambda rows: rows.response("r2", "Aspirin is safe. Rest well now.", statements=["It is safe."]))
        before = [tuple(row) for row in study.reader.execute("SELECT * FROM statement")]
        assert not is_listed(study.reader)
        pipeline.roll_up(study)
        assert is_listed(study.reader)
        assert [(part.reason, part.text) for part in left_out(study.reader)] == [
            ("other_parser", "Ask your doctor before taking an antihistamine"),
            ("disclaimer", "Hope this helps!"),
            ("citation_list", "Sources:"),
            ("citation_list", "1. https://a.org"),
            ("citation_list", "2. Colds and rest: https://b.org"),
        ]
        assert [tuple(row) for row in study.reader.execute("SELECT * FROM statement")] == before
        advice, *_, bare, named = left_out(study.reader)
        made = promote(study, advice)
        assert texts(study)[-1] == "Ask your doctor before taking an antihistamine"
        pipeline.roll_up(study)
        assert own_citations(study.reader, made).numbers == (1,)
        wanted = ["1. https://a.org", "2. Colds and rest"]  # without its address, where something is left
        assert [promotion(study.reader, part.left_out_id).payload["text"] for part in (bare, named)] == wanted


def test_from_python(study: Study) -> None:
    study.close()
    with medreview.open_study(study.path) as opened:
        advice, question = list(opened.left_out())[2:0:-1]
        assert opened.promote() == []
        made = opened.promote(advice, question.left_out_id, reviewer="ada")
        assert [statement.text for statement in made] == ["Always consult your doctor.", "Is it safe?"]
        assert [part.text for part in opened.left_out()] == ["Hello!", "References:", "1. https://a.example/one"]
        with pytest.raises(UserError, match="Nothing that is left out has the id 'l0'"):
            opened.promote("l0")


def study_copy(study: Study, path: Path) -> Study:
    study.reader.execute("VACUUM INTO ?", (str(path),))
    return Study.open(path)
