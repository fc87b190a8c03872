"""Which judgements are votes, where few studies ever get to."""

from collections.abc import Sequence

import pytest

from medreview.judges.verdicts import refresh
from medreview.judges.votes import VotingJudge, judges_of_support
from medreview.study import Study
from medreview.units.statement_view import Judgement, load_statement_view
from tests.support.study_builder import StudyBuilder, build, new_version

STATEMENT = "Give 500 mg."


@pytest.fixture
def study(empty_study: Study) -> Study:
    def rows(rows: StudyBuilder) -> None:
        rows.page("u", "Give 500 mg twice a day.")
        rows.response("r", STATEMENT, statements=[STATEMENT], cites=["u"])

    build(empty_study, rows)
    return empty_study


def votes(study: Study) -> Sequence[Judgement]:
    return load_statement_view(study.reader, "r.1").judgements


def test_of_two_words_of_one_run_on_the_same_text_the_one_on_the_newer_snapshot_counts(study: Study) -> None:
    build(study, lambda rows: rows.judgement("gpt", "r.1", "u@1", "supported"))
    new_version(study, "u", "Give 500 mg twice a day.", page_state="thin")
    (before,) = votes(study)
    build(study, lambda rows: rows.judgement("gpt", "r.1", "u@2", "partial"))
    (after,) = votes(study)

    assert (before.verdict, before.snapshot_id) == ("supported", "u@2")
    assert (after.verdict, after.snapshot_id) == ("partial", "u@2")


def test_a_page_that_came_back_gives_its_judgements_their_vote_back(study: Study) -> None:
    build(study, lambda rows: rows.judgement("gpt", "r.1", "u@1", "supported"))
    new_version(study, "u", "Give 850 mg twice a day.")
    assert votes(study) == ()
    new_version(study, "u", "Give 500 mg twice a day.")

    assert [vote.verdict for vote in votes(study)] == ["supported"]


def test_a_source_that_never_could_be_read_has_one_word_of_a_judge(study: Study) -> None:
    def rows(rows: StudyBuilder) -> None:
        rows.page("lost", "Error 1", page_state="http_error")
        rows.response("q", "Call for help.", statements=["Call for help."], cites=["lost"])
        rows.judgement("gpt", "q.1", "lost@1", "supported")
        rows.snapshot("lost", "Error 2", page_state="http_error")
        rows.judgement("gpt", "q.1", "lost@2", "not_addressed")

    build(study, rows)

    assert [vote.verdict for vote in load_statement_view(study.reader, "q.1").judgements] == ["not_addressed"]


def test_a_judge_that_calls_itself_offline_is_another_one(study: Study) -> None:
    def rows(rows: StudyBuilder) -> None:
        rows.judgement("offline", "r.1", "u@1", "contradicted")
        model = rows.judge_run("offline", "recorded")
        rows.judgement("other", "r.1", "u@1", "supported", run=model)

    build(study, rows)
    refresh(study)

    assert {(vote.judge, vote.offline) for vote in votes(study)} == {("offline", False), ("offline", True)}
    assert judges_of_support(study.reader) == [VotingJudge("offline", offline=True), VotingJudge("offline")]
    assert load_statement_view(study.reader, "r.1").verdict.verdict == "supported"


def test_the_offline_judge_is_asked_anew_as_any_other(study: Study) -> None:
    def rows(rows: StudyBuilder) -> None:
        for model, label in (("rules 1", "supported"), ("rules 2", "contradicted")):
            run = rows.judge_run("offline", model=model)
            rows.judgement(model, "r.1", "u@1", label, run=run)

    build(study, rows)

    assert [vote.verdict for vote in votes(study)] == ["contradicted"]


def test_an_imported_judgement_votes_as_it_was_given_and_its_false_quote_is_a_flag(study: Study) -> None:
    build(study, lambda rows: rows.judgement("gpt", "r.1", "u@1", "supported", "Give 850 mg", "altered"))
    refresh(study)
    said = load_statement_view(study.reader, "r.1").verdict

    assert said is not None
    assert (said.verdict, said.votes_for, said.abstained) == ("supported", 1, 0)
    assert said.badges == "quote altered"
