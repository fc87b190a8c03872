"""Responses and statements as plain data."""

import dataclasses
import shutil

import pytest

import medreview


@pytest.fixture(scope="module")
def everything(demo_file, tmp_path_factory):
    """Every statement of the sample study, and the texts of its pages."""
    copy = shutil.copy(demo_file, tmp_path_factory.mktemp("all"))  # reading what judges say is noted in it
    with medreview.open_study(copy, read_only=True) as study:
        statements = list(study.statements())
        pages = {source.source_id: study.source_text(source) for s in statements for source in s.sources}
    return statements, pages


def test_every_place_holds_the_text_that_is_said_to_stand_there(everything):
    statements, pages = everything

    assert len(statements) == 118
    for statement in statements:
        assert statement.response[slice(*statement.span)] == statement.text
        for passage in statement.passages:
            page = pages[passage.source_id]
            assert page[passage.start : passage.end] == passage.text
    assert {passage.kind for s in statements for passage in s.passages} == {"quote", "evidence", "clash"}


def test_every_quote_that_was_found_is_a_passage(everything):
    statements, _ = everything
    for statement in statements:
        lit = {(p.source_id, p.start, p.end) for p in statement.passages if p.kind == "quote"}
        quoted = {
            (judgement.source_id, *span)
            for judgement in statement.judgements
            if not judgement.offline
            for span in judgement.quote_spans
        }
        assert lit == quoted


def test_a_clash_says_what_stands_on_the_other_side(everything):
    statements, _ = everything
    statement = next(s for s in statements if "50 mL/kg" in s.text)

    clash = next(p for p in statement.passages if p.kind == "clash")

    assert (clash.text, clash.remark) == ("30 mL/kg or more", "50 mL/kg in the statement · 50 in juror-one's quote")


def test_a_response_has_its_citations_in_place_and_its_sources(sample):
    responses = list(sample.responses())

    assert [response.name for response in responses] == [f"R{number:02d}" for number in range(1, 17)]
    for response in responses:
        assert response.citations
        for cited in response.citations:
            assert response.text[cited.start : cited.end]
        assert len(response.sources) == len({source.source_id for source in response.sources})
    assert sum(response.statements for response in responses) == 118
    assert repr(responses[0]) == "<StudyResponse R01: 8 statements, 2 sources>"


def test_a_queue_and_a_filter_are_those_of_the_workbench(sample):
    flagged = [statement.name for statement in sample.statements(queue="flagged", filter="model=boreal")]

    assert flagged[:3] == ["R07 S5", "R07 S6", "R02 S1"], "first what cites another work than it says"
    assert {s.model for s in sample.statements(queue="flagged", filter="model=boreal")} == {"boreal"}
    with pytest.raises(medreview.UserError, match="There is no queue 'urgent'"):
        sample.statements(queue="urgent")
    with pytest.raises(medreview.UserError, match="A filter cannot use 'colour'"):
        sample.statements(filter="colour=red")


def test_statements_are_read_when_their_turn_comes(demo):
    seen = []
    for statement in demo.statements(filter="id=A02-sepsis-fluid"):
        seen.append(len(statement.labels))
        for later in demo.statements(filter="id=A02-sepsis-fluid"):
            demo.decide(later, "partial", reviewer="anna")

    assert seen == [0, 1, 1, 1, 1, 1, 1]


def test_one_statement_by_its_id(sample):
    statement = next(sample.statements())

    assert sample.statement(statement.statement_id) == statement
    with pytest.raises(medreview.UserError, match="no statement 'nothing'"):
        sample.statement("nothing")


def test_what_is_read_cannot_be_changed(sample):
    statement = next(sample.statements())
    for value, field in ((statement, "text"), (statement.sources[0], "url"), (statement.verdict, "verdict")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field, "other")


def test_a_page_has_its_main_text_and_where_there_is_more_the_whole(sample):
    sources = [source for response in sample.responses() for source in response.sources]

    assert all(sample.source_text(source) for source in sources if source.state == "ok")
    assert any(len(sample.source_text(s, whole=True)) > len(sample.source_text(s)) for s in sources)
    assert sample.source_text(dataclasses.replace(sources[0], snapshot_id=None)) == ""
