"""Support of whole studies, what was said of questions, and what is named beside figures."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import medreview
from medreview.cli.reports.stats import stats_parts
from medreview.cli.reports.terminal import printed
from medreview.import_files import import_file
from medreview.progress import SILENT
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.intervals import wilson
from medreview.stats.reports.comparison import Pairing
from medreview.stats.reports.generated_items import QuestionReport, question_report
from medreview.stats.reports.provenance import Provenance
from medreview.stats.reports.reviewer_labels import BINARY, ScaleLabel
from medreview.stats.reports.study_reader import Alike
from medreview.stats.study_figures import study_figures
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.stats.reports.small_figures import FAST, against, figures_of, groups_of
from tests.stats.small_study import SmallStudy


def shares(figures):
    return {figure.name: (figure.value, figure.n) for figure in figures}


def test_nobody_decided_and_nobody_judged(small):
    small.response("a", 2)
    found = figures_of(small)

    assert found.reviewers == ()
    whole = found.support.strata[0]
    assert [figure.value for figure in whole.clustered] == [1.0, None, None, None, None]
    assert all(figure.reason for figure in whole.clustered[1:])


def test_a_judge_alone_is_the_judges_together_and_is_shown_once(small, tmp_path):
    small.response("a", 2)
    small.response("b", 2)
    small.judge("a.1 a.2 b.1 b.2", one="SSNN")
    small.say("a.1 a.2 b.1 b.2", anna="SPSN", mode="blind")
    alone = printed(stats_parts(figures_of(small), tmp_path))
    assert "anna and one, supported or not: as with the judges together\n" in alone

    small.judge("a.1 a.2 b.1 b.2", two="NSNN")
    assert "as with the judges together" not in printed(stats_parts(figures_of(small), tmp_path))


def test_support_and_url_validity_by_hand(small):
    small.response("a", 2, sources=("ok", "http_error"), model="atlas")
    small.response("b", 1, sources=("soft_404", None), model="borealis")
    small.response("c", 1, sources=("http_error",), model="borealis")
    small.response("d", 0, sources=(), model="borealis")
    small.judge("a.1 a.2 b.1", one="SSN")
    small.say("a.1 a.2", anna="SS")
    small.say("b.1", anna="P", mode="blind")
    found = figures_of(small)
    strata = {(s.split, s.stratum): s for s in found.support.strata}

    # a, b, c: valid 1 of 2, 1 of 1 (one not fetched), 0 of 1. c.1 has nothing to stand on: not supported.
    assert shares(strata["", ""].clustered) == {
        "source URL validity": (2 / 4, 4),
        "statement-level support, own citations": (None, 0),
        "statement-level support": (2 / 4, 4),
        "response-level support": (1 / 3, 3),
        "unused sources": (3 / 4, 4),
    }
    assert strata["", ""].clustered[0].dropped == 1
    assert strata["", ""].without_statements == 1
    assert "1 soft 404" in found.support.cautions[0]
    assert shares(strata["model", "borealis"].wilson)["statement-level support"] == (0.0, 2)
    assert not [key for key in strata if key[0] == "origin"]
    mine = {report.by: report for report in found.reviewers[0].support}
    assert shares(mine["anna, assisted"].strata[0].clustered) == {
        "statement-level support": (1.0, 2),
        "response-level support": (1.0, 1),
    }
    assert shares(mine["anna, blind"].strata[0].clustered)["statement-level support"] == (0.0, 1)
    assert "2 of 3 responses" in mine["anna, blind"].cautions[0]


def test_an_invalid_response_counts_as_one_that_is_not_supported(small):
    small.response("a", 1)
    small.response("b", 1, model="borealis")
    small.invalid("c", "empty", model="borealis")
    small.judged("one", "supported", "a.1", "b.1")
    small.said("supported", "a.1")
    whole, borealis, atlas = (found := figures_of(small)).support.strata
    assert [shares(one.clustered)["response-level support"] for one in (whole, atlas, borealis)] == [
        (2 / 3, 3), (1, 1), (1 / 2, 2),
    ]  # fmt: skip
    assert [(one.responses, one.without_statements, one.invalid) for one in (whole, borealis)] == [(2, 0, 1), (1, 0, 1)]
    assert shares(whole.clustered)["statement-level support"] == (1, 2)

    # Among the one response that anna has decided so far it would weigh too much; among all of them it stands.
    (some,) = found.reviewers[0].support
    assert shares(some.strata[0].clustered)["response-level support"] == (1, 1)
    assert "1 invalid response not counted here" in some.cautions[-1]
    small.said("supported", "b.1")
    (every,) = figures_of(small).reviewers[0].support
    assert shares(every.strata[0].clustered)["response-level support"] == (2 / 3, 3)
    assert every.cautions == ()


def test_responses_without_a_source_and_invalid_ones_are_told_apart_by_model(small):
    small.response("a", 1)
    small.invalid("b", "")
    small.invalid("c", "incomplete")
    small.response("d", 1, model="borealis")
    small.invalid("e", "empty", model="borealis")
    found = figures_of(small).kinds
    told = {"all": found.all, **found.by_model}
    assert {name: (one.responses, one.sourceless, one.empty, one.incomplete) for name, one in told.items()} == {
        "all": (5, 1, 1, 1), "atlas": (3, 1, 0, 1), "borealis": (2, 0, 1, 0),
    }  # fmt: skip
    share = found.by_model["atlas"].without_source
    assert (share.value, share.n, share.method) == (1 / 3, 3, "Wilson")
    assert found.by_model["borealis"].invalid.value == 1 / 2


def test_support_by_a_source_the_statement_cites_and_by_any(small):
    """Two sources; of what the second supports, one statement cites the first, one both, and one neither."""
    small.response("a", 5, sources=("ok", "ok"))
    small.judged("one", "not_addressed", "a.1", "a.2", "a.3", "a.4", source=1)
    small.judged("one", "supported", "a.1", "a.2", "a.3", source=2)
    small.cites("a.1", 1)
    small.cites("a.2", 1, 2)
    small.cites("a.4", 1)
    small.cites("a.5", 2)
    report = figures_of(small).support
    found = shares(report.strata[0].clustered)

    assert found["statement-level support, own citations"] == (1 / 3, 3)
    assert found["statement-level support"] == (3 / 4, 4)
    bounds = {each.name: each for each in report.strata[0].bounds}["statement-level support, own citations"]
    assert (bounds.not_supported, bounds.supported, bounds.n, bounds.missing) == (1 / 4, 2 / 4, 4, 1)
    assert "1 statement cites no source itself" in report.cautions[-1]


def test_what_a_statement_cites_supports_it_by_the_rules_of_the_roll_up(small):
    """An unreadable page supports nothing, one not fetched may yet; offline words count where no judge was asked."""
    small.response("a", 4, sources=("http_error", None, "ok", "ok"))
    small.cites("a.1", 1)
    small.cites("a.2", 2)
    small.judged("offline", "supported", "a.3", "a.4", source=3)
    small.judged("one", "partial", "a.3", source=4)
    small.cites("a.3", 3)
    small.cites("a.4", 3)
    own = figures_of(small).support.strata[0].estimate("statement-level support, own citations")

    # a.1 no; a.2 and a.3 open: nobody whose word counts has read what they cite; a.4 yes.
    assert (own.value, own.n, own.dropped) == (1 / 2, 2, 2)


def test_a_response_with_an_open_statement_has_no_support_by_the_reviewer(small):
    small.response("a", 2)
    small.said("supported", "a.1")

    assert figures_of(small).reviewers[0].support == ()


def test_the_offline_judge_is_named_where_it_is_alone(small):
    small.response("a", 2)
    small.judged("offline", "supported", "a.1", "a.2")
    small.said("supported", "a.1")
    alone = figures_of(small)

    assert alone.support.by == "the offline judge (triage by rules, not a verdict)"
    assert "On every statement only the offline judge" in " ".join(
        against(groups_of(alone)["assisted", False]).cautions
    )

    small.judged("one", "supported", "a.2")
    mixed = figures_of(small)

    assert mixed.support.by == "the judges' verdict"
    assert "On 1 of 2 judged statements only the offline judge spoke" in mixed.support.cautions[0]


def test_support_of_the_whole_study_is_the_same_without_its_models_and_origins(small):
    small.response("a", 2, model="atlas")
    small.response("b", 2, model="borealis", origin="leaflet")
    small.judged("judge", "Supported", "a.1", "b.1", "b.2")
    small.judged("judge", "Not supported", "a.2")
    small.said("supported", "a.1", "a.2", "b.1", "b.2")
    small.roll_up()
    every, whole = (study_figures(small.study.reader, full=full, resampling=FAST) for full in (True, False))

    assert [(one.split, one.stratum) for one in every.support.strata[1:]] == [
        ("model", "atlas"), ("model", "borealis"), ("origin", "forum"), ("origin", "leaflet"),
    ]  # fmt: skip
    assert whole.support.strata == every.support.strata[:1]
    assert whole.reviewers[0].support[0].strata == every.reviewers[0].support[0].strata[:1]


SAID = [("r1", "ab"), ("r1", "a-"), ("r2", "ab"), ("r2", "-b"), ("r3", "??"), ("r3", "bb"), ("r3", "-b")]
WORDS = {"a": ScaleLabel("supported"), "b": ScaleLabel("not_supported"), "-": ScaleLabel(None, "no word")}


def test_kinds_come_in_order_and_are_asked_once():
    column, asked = Alike(), []
    for response_id, kind in SAID:
        column.add(response_id, kind)
    assert column.kinds == ["ab", "a-", "-b", "??", "bb"]
    assert column.counts == [2, 1, 2, 1, 1]

    def loudly(kind):
        asked.append(kind)
        return None if kind == "??" else kind.upper()

    told = column.told(loudly)
    assert told == [(response_id, kind.upper()) for response_id, kind in SAID if kind != "??"]
    assert asked == column.kinds


def test_a_pairing_takes_many_as_it_takes_one_after_another():
    column, singly, at_once = Alike(), Pairing("one", "two", BINARY), Pairing("one", "two", BINARY)
    for response_id, kind in SAID:
        column.add(response_id, kind)
        if kind != "??":
            singly.add(response_id, *(WORDS[letter] for letter in kind))
    at_once.add_alike(column, lambda kind: None if kind == "??" else (WORDS[kind[0]], WORDS[kind[1]]))
    assert at_once == singly
    assert at_once.dropped == {"no word": 3}
    assert at_once.clusters == ["r1", "r2", "r3"]


def of(small: SmallStudy, seed: int = 5) -> Provenance:
    small.roll_up()
    return study_figures(small.study.reader, resampling=Resampling(replicates=99, seed=seed)).provenance


def test_figures_name_the_state_of_the_study_and_the_rules(small: SmallStudy) -> None:
    small.response("a", 3)
    small.judge("a.1 a.2", one="SS", two="PP")
    small.say("a.1", anna="S", block="audit", mode="blind")
    small.say("a.2", ben="P")
    last = small.event(NewEvent("shown", "a.3"), who="ben")
    found = of(small)

    assert found.study_id == small.study.meta("study_id")
    assert (found.events, found.event_head) == (3, newest(small, last.event_id))
    assert (found.version, found.label_set_version) == (medreview.__version__, "1")
    assert (found.seed, found.replicates, found.tie_rule) == (5, 99, "undecided")
    assert abs(datetime.now(UTC) - datetime.fromisoformat(found.made_at)).total_seconds() < 3600
    assert found.labels == {"anna": {"blind, random audit": 1}, "ben": {"assisted, other queues": 1}}
    # Each with two judges and, but where these are tied, with both together, on two scales; the judges with each other.
    assert found.comparisons == 10


def test_a_decision_more_is_another_state_and_the_same_state_is_the_same(small: SmallStudy) -> None:
    small.response("a", 1)
    empty = of(small)
    again = of(small)
    small.said("supported", "a.1")

    assert (empty.events, empty.event_head, empty.comparisons) == (0, "", 0)
    assert again == empty
    assert of(small).event_head not in ("", empty.event_head)


def newest(small: SmallStudy, event_id: str) -> str:
    row = small.study.reader.execute("SELECT hash FROM event WHERE event_id = ?", (event_id,)).fetchone()
    return str(row[0])


SAMPLE = Path(__file__).parents[3] / "sample_data" / "question_checks.jsonl"


@pytest.fixture
def study(study: Study) -> Study:
    import_file(study, SAMPLE, {}, SILENT)
    return study


def said(study: Study, reviewer: str, *levels: str) -> None:
    """A reviewer's labels of the first questions."""
    recorder = Recorder(reviewer)
    units = study.reader.execute("SELECT unit_id FROM unit WHERE kind = 'question' ORDER BY ordinal").fetchall()
    for unit, level in zip(units, levels, strict=False):
        event = NewEvent(
            "decide", unit["unit_id"], {"axis": "answerability", "label": level, "exposure": {"judge_verdict": "no"}}
        )
        study.write(lambda connection, event=event: recorder.append(connection, event, block="questions", mode="blind"))  # type: ignore[misc]


def told(report: QuestionReport) -> dict[str, tuple[dict[str, int], float | None, int]]:
    first = ((rater, rater.strata[0]) for rater in report.raters)
    return {f"{rater.by} {rater.mode}".strip(): (dict(one.labels), one.answerable.value, one.answerable.dropped)
            for rater, one in first}  # fmt: skip


def test_the_share_that_is_answerable_by_each_rater_and_how_often_two_say_the_same(study):
    yes, no, unclear = "answerable", "not_answerable", "not_self_contained"
    said(study, "anna", yes, yes, no, unclear)
    said(study, "ben", yes, no, no)
    report = question_report(study.reader)

    assert report.questions == 7
    assert told(report) == {
        "anna blind": ({yes: 2, no: 1, unclear: 1}, 2 / 4, 3),
        "ben blind": ({yes: 1, no: 2, unclear: 0}, 1 / 3, 4),
        "juror-one": ({yes: 1, no: 0, unclear: 0}, 1.0, 6),
        "juror-two": ({yes: 1, no: 0, unclear: 0}, 1.0, 6),
    }
    share = report.raters[0].strata[0].answerable
    assert (share.low, share.high) == wilson(2, 4)
    (both,) = report.agreement
    assert (both.first, both.second, both.alike.value, both.alike.n) == ("anna", "ben", 2 / 3, 3)


def test_writers_and_origins_are_strata_where_there_are_several(study):
    assert question_report(study.reader).raters[0].judge
    said(study, "anna", *["answerable"] * 7)
    strata = question_report(study.reader).raters[0].strata
    found = {(one.split, one.stratum): (one.labels["answerable"], one.answerable.n) for one in strata}
    rows = study.reader.execute(
        """SELECT 'origin' AS split, origin AS name, count(*) AS n FROM unit GROUP BY origin
           UNION ALL SELECT 'model', model, count(*) FROM unit GROUP BY model"""
    ).fetchall()
    several = {row["split"] for row in rows if sum(one["split"] == row["split"] for one in rows) > 1}
    assert several
    assert found == {("", ""): (7, 7)} | {
        (row["split"], row["name"]): (row["n"], row["n"]) for row in rows if row["split"] in several
    }


def test_nobody_has_said_anything(tmp_path):
    with Study.create(tmp_path / "empty.medreview") as study:
        assert question_report(study.reader) == QuestionReport(0, (), ())
