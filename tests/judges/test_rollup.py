"""From judgements to one verdict, and from there to flags."""

import pytest

from medreview.judges.rollup import roll_up
from medreview.judges.triage import CitedPages, flags, priority
from medreview.judges.votes import Judge, Vote


def vote(verdict, *, run=1, snapshot="p1", confidence=0.9, quote="exact", offline=False, supported=None):
    said = supported if supported is not None else None if verdict is None else verdict == "supported"
    judge = Judge(f"judge {run}", offline)
    return Vote(f"g-{run}-{snapshot}", judge, snapshot, f"u-{snapshot}", verdict, said, confidence, quote)


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

    assert absent[0].badge == "quote absent"
    assert priority(absent) > priority(altered) > priority(contradicted) > 0


def test_each_doubt_has_its_badge():
    assert badges([vote("supported")], ["number"]) == ["numbers differ"]
    assert badges([vote("supported", run=1), vote("partial", run=2)]) == ["jury 1-1"]
    assert badges([vote("supported", confidence=0.5)]) == ["low confidence"]
    assert badges([vote("not_addressed")], pages=CitedPages(1, ("paywall",))) == ["not addressed", "page: paywall"]
    assert badges([vote(None, supported=False)]) == ["not supported"]
    assert badges([], pages=CitedPages(0, ())) == ["no source cited"]
    assert badges([], pages=CitedPages(1, ("timeout",))) == ["no readable source", "page: timeout"]
    assert badges([], pages=CitedPages(2, ("timeout", "ok"), readable=True)) == ["not judged yet", "page: timeout"]


def test_a_judge_that_cannot_tell_is_a_flag_only_where_the_words_are_far_from_the_source():
    unsure = roll_up([vote(None)])
    near, far = (flags(unsure, [], CitedPages(1, ("ok",)), doubt) for doubt in (0.2, 0.8))

    assert near == []
    assert [flag.badge for flag in far] == ["judge unsure"]
    assert priority(far, 0.9) > priority(far, 0.6)
