"""From judgements to one verdict, and from there to flags."""

import pytest

from medreview.judges.rollup import on_sources, roll_up
from medreview.judges.triage import CitedPages, Flag, cause, common_lacks, flags, priority, worth_flagging
from medreview.judges.votes import Vote, VotingJudge


def vote(verdict, *, run=1, snapshot="p1", confidence=0.9, quote="exact", offline=False, supported=None):
    said = supported if supported is not None else None if verdict is None else verdict == "supported"
    judge = VotingJudge(f"judge {run}", offline)
    return Vote(f"g-{run}-{snapshot}", judge, snapshot, f"u-{snapshot}", verdict, said, confidence, quote)


def doubted(doubt):
    return vote(None)._replace(unproven=True, quote_doubt=doubt)


@pytest.mark.parametrize(
    ("labels", "verdict"),
    [
        (["not_addressed", "supported"], "supported"),
        (["not_addressed", "contradicted"], "contradicted"),
        (["partial", "contradicted"], "contradicted"),
        (["partial", "not_addressed"], "partial"),
        (["supported", "contradicted"], "supported"),
        ([None, "not_addressed"], None),
        ([None, "supported"], "supported"),
        ([None], None),
    ],
)
def test_one_judge_over_sources(labels, verdict):
    result = roll_up(vote(label, snapshot=f"p{n}") for n, label in enumerate(labels))

    assert result.verdict == verdict


def test_support_here_and_contradiction_there_is_a_conflict():
    assert roll_up([vote("supported", snapshot="p1"), vote("contradicted", snapshot="p2")]).conflict


def test_two_judges_who_differ_on_one_source_are_a_split_jury_not_a_conflict():
    result = roll_up([vote("supported", run=1), vote("contradicted", run=2)])

    assert not result.conflict
    assert (result.verdict, result.supported) == (None, None)
    assert (result.votes_for, result.votes_other) == (1, 1)


def test_the_majority_decides_and_abstainers_have_no_vote():
    votes = [vote("supported", run=1), vote("supported", run=2), vote("partial", run=3), vote(None, run=4)]
    result = roll_up(votes)

    assert (result.verdict, result.votes_for, result.votes_other) == ("supported", 2, 1)


def test_the_offline_judge_is_heard_only_when_nobody_else_spoke():
    offline = vote("contradicted", run=1, offline=True)

    assert roll_up([offline]).verdict == "contradicted"
    assert roll_up([offline, vote("supported", run=2)]).verdict == "supported"


def test_a_judge_that_only_says_not_found_gives_no_finer_verdict():
    result = roll_up([vote(None, supported=False, quote="none")])

    assert (result.verdict, result.supported) == (None, False)


def test_the_judgement_with_the_false_quote_is_shown_first():
    votes = [vote("supported", run=1, snapshot="p1"), vote("supported", run=2, snapshot="p2", quote="altered")]
    result = roll_up(votes)

    assert result.lead.judgement_id == "g-2-p2"
    assert result.false_quotes == ("altered",)


def test_nobody_judged():
    result = roll_up([])

    assert (result.verdict, result.lead, result.votes_for) == (None, None, 0)


def badges(votes, clashes=(), pages=None):
    return [flag.badge for flag in flags(roll_up(votes), clashes, pages or CitedPages(1, ("ok",)))]


def test_nothing_is_flagged_when_all_is_well():
    found = flags(roll_up([vote("supported")]), [], CitedPages(2, ("ok", "timeout")))

    assert (found, priority(found)) == ([], 0)


def test_invented_quotes_come_first():
    absent = flags(roll_up([vote("supported", quote="absent")]), [], CitedPages(1, ("ok",)))
    altered = flags(roll_up([vote("supported", quote="altered")]), [], CitedPages(1, ("ok",)))
    contradicted = flags(roll_up([vote("contradicted")]), [], CitedPages(1, ("ok",)))

    hidden = flags(roll_up([doubted("hidden")]), [], CitedPages(1, ("ok",)))
    off_topic = flags(roll_up([doubted("off_topic")]), [], CitedPages(1, ("ok",)))

    assert absent[0].badge == "quote absent"
    assert (hidden[0].badge, off_topic[0].badge) == ("hidden text", "quote off topic")
    assert priority(absent) > priority(altered) > priority(hidden) > priority(contradicted) > priority(off_topic) > 0


def test_each_doubt_has_its_badge():
    assert badges([vote("supported")], ["number"]) == ["numbers differ"]
    assert badges([vote("supported")], ["modality"]) == ["wording is stronger or weaker"]  # stored by earlier rules
    assert badges([vote("supported", run=1), vote("partial", run=2)]) == ["jury 1-1"]
    assert badges([vote("supported", confidence=0.5)]) == ["low confidence"]
    assert badges([vote("not_addressed")], pages=CitedPages(1, ("paywall",))) == ["not addressed", "page: paywall"]
    assert badges([vote(None, supported=False)]) == ["not supported"]
    assert badges([], pages=CitedPages(0, ())) == ["no source cited"]
    assert badges([], pages=CitedPages(1, ("timeout",))) == ["no readable source", "page: timeout"]
    unread = CitedPages(2, ("timeout",), own=1)  # that no page can be read is said once
    assert badges([], pages=unread) == ["no readable source", "page: timeout"]
    assert badges([vote(None, offline=True)], ["number"]) == ["numbers differ"]


def test_what_the_offline_rules_cannot_tell_or_say_on_another_page_is_no_flag():
    pages = CitedPages(2, ("ok", "ok"), readable=True, opens="p1")
    assert badges([vote(None, offline=True)], pages=pages) == []
    assert badges([vote("contradicted", snapshot="p2", offline=True)], pages=pages) == []
    assert badges([vote("contradicted", snapshot="p2")], pages=pages) == ["contradicted"]


def test_what_is_missing_is_a_flag_where_few_lack_it():
    def of(**lacking):
        return flags(roll_up([vote("not_addressed", offline=True)]), [], CitedPages(2, ("ok", "thin"), **lacking))

    lacking = {
        "nothing on the page": of(readable=True, nothing=True),
        "cites nothing itself": of(readable=True, alone=True),
        "cited page not readable": of(readable=True, own=1),
    }
    for badge, found in lacking.items():
        assert [flag.badge for flag in worth_flagging(found, ())] == [badge, "page: thin"]
        assert worth_flagging(found, [badge]) == []
    nothing, alone, _ = lacking.values()
    assert common_lacks([nothing] * 3 + [alone] * 4 + [[]] * 10) == {"cites nothing itself"}
    assert common_lacks([nothing] * 3 + [alone] * 4 + [[]] * 30) == frozenset()
    absent = flags(roll_up([vote("supported", quote="absent")]), [], CitedPages(1, ("ok",)))
    assert common_lacks([absent] * 9) == frozenset()  # a cause stays one however many have it


def test_the_cause_is_the_page_of_the_gravest_flag_that_is_about_one():
    assert cause([Flag(60, "jury 1-1"), Flag(58, "page changed", "p2"), Flag(45, "nothing on the page", "p3")]) == "p2"
    assert cause([Flag(60, "jury 1-1")]) is None


def test_what_a_judge_supports_lacks_nothing():
    assert badges([vote("supported")], pages=CitedPages(2, ("ok",), readable=True, own=1, alone=True)) == []


def test_support_by_what_a_statement_cites_stands_beside_support_by_any_source():
    votes = [vote("supported", snapshot="p1"), vote("not_addressed", snapshot="p2")]
    by_source = {votes[0].source_id: True, votes[1].source_id: False}
    assert len(by_source) == 2
    assert roll_up(votes).supported is True
    for source_id, supported in by_source.items():
        assert roll_up(on_sources(votes, [source_id])).supported is supported
    assert roll_up(on_sources(votes, ["u9"])).supported is None


def test_the_offline_judge_is_not_asked_about_a_source_that_a_model_was_not_asked_about():
    votes = [vote("supported", snapshot="p1", offline=True), vote("not_addressed", snapshot="p2")]
    assert on_sources(votes, [votes[0].source_id]) == []
