"""Why a unit is flagged, in the reviewer's words: every badge has some, with the values at hand."""

from itertools import chain

from medreview.judges.rollup import RollUp
from medreview.judges.triage import CitedPages, CitedReference, flags
from medreview.judges.votes import Vote, VotingJudge
from medreview.labels import CLASH_WORDS, HALLUCINATION, PAGE_STATES
from medreview.references.verdict import VERDICTS
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.why_flagged import badges_in, every_reason, reasons, reasons_of_unit, short
from medreview.study import Study
from medreview.units.kind import DocumentPassage, Machines, Opinion, UnitView
from medreview.units.registry import unit_name
from tests.review.sittings import sit

VIEW = UnitView("fact:1", "fact", "F1", "R01", "", "", ())


def vote(verdict, supported):
    return Vote("j", VotingJudge("one"), "p", "u", verdict, supported, 0.4, "none", None, False)


def rolled_up(verdict="supported", supported=True, false=(), others=0, offline=False, conflict=False):
    lead = vote(verdict, supported)
    lead = lead._replace(judge=VotingJudge("offline", True)) if offline else lead
    return RollUp(verdict, supported, conflict, 1, others, 0, False, lead, "p" if conflict else None, false, 0.4)


def every_flag():
    """All flags that triage can give."""
    none = CitedPages(1, (), readable=True)
    nobody = rolled_up(None, None)._replace(lead=None)
    faults = ("absent", "altered", "hidden text", "off topic")
    yield flags(rolled_up(false=faults, others=1), CLASH_WORDS, none, doubtful_kinds=())
    yield flags(rolled_up(), (), none, doubtful_kinds=CLASH_WORDS, false_claims=[("absent", "p"), ("altered", "p")])
    yield flags(rolled_up(), (), none, findings=[label.level for label in HALLUCINATION if label.level != "none"])
    yield flags(rolled_up("contradicted", False, conflict=True), (), none)
    yield flags(rolled_up(), (), none, rolled_up("contradicted", False))
    for verdict in ("partial", "not_addressed", None):
        yield flags(rolled_up(verdict, False), (), none, rolled_up())
    yield flags(nobody, (), none)
    yield flags(nobody, (), CitedPages(0, ()))
    yield flags(nobody, (), CitedPages(1, ()))
    yield flags(nobody, (), CitedPages(1, (), readable=True, own=1, alone=True))
    yield flags(rolled_up(None, None, offline=True), (), none._replace(nothing=True, changed="p", misled="p"))
    yield flags(nobody, (), CitedPages(1, (*PAGE_STATES, "instructions", "not fetched")))
    yield flags(rolled_up(), (), none, references=[CitedReference(verdict) for verdict in VERDICTS])
    yield flags(rolled_up(), (), none, references=[CitedReference("match", retracted=True)])


def test_every_flag_of_triage_has_words_of_its_own():
    badges = {flag.badge for flag in chain.from_iterable(every_flag())}
    assert len(badges) > 75

    assert [it.badge for badge in badges for it in reasons(badge) if it.badge == it.sentence] == []
    assert all(len(reason.short) <= 34 for badge in badges for reason in reasons(badge))


def test_the_badges_of_other_units_have_words_too():
    of_references = [f"reference: {verdict.replace('_', ' ')}" for verdict in VERDICTS if verdict != "match"]
    for badge in (*of_references, "jury tied", "jury split", "false quote", "RETRACTED", "WITHDRAWN"):
        (reason,) = reasons(badge)
        assert badge not in (reason.short, reason.sentence), badge


def test_no_two_flags_are_called_the_same():
    every = list(every_reason())
    assert len({reason.short for reason in every}) == len(every)
    assert len({reason.sentence for reason in every}) == len(every)


def test_a_badge_that_is_not_known_is_shown_as_it_is():
    assert short("a preprint; published as 10.5555/x") == "a preprint; published as 10.5555/x"
    assert short("") == ""


def test_a_statement_says_what_was_changed_and_how_its_judges_are_divided(study):
    session = sit(study)

    assert badges_in(session.badges) == ["quote altered", "numbers differ", "jury 1-1", "page: timeout"]
    assert [reason.sentence for reason in session.reasons] == [
        "the quote given as proof differs from the page",  # nobody stored what differs
        "number differs: 50 mL/kg, the page has 30",
        "judges tied 1-1: 1 supported, 1 contradicted",
        "source 3: the server did not send the page in time",
    ]
    assert session.reasons[1].brief == "number differs 50/30"
    assert short(session.badges) == "quote changed · number differs · judges tied 1-1 · page timed out"


def test_while_the_judges_are_hidden_there_is_no_reason(study):
    session = sit(study, "audit")
    session.go(session.queue.units.index("s1"))
    assert session.reasons == ()


def test_another_unit_says_whose_quote_is_not_true():
    passage = DocumentPassage("response", "words", "absent")
    said = Opinion("1", "juror", "", "", "present", "present", passages=(passage,))

    (reason,) = reasons_of_unit(Machines((said,), badges="false quote"), VIEW)
    assert reason.sentence == "juror's quote is not in the text"


def test_only_what_all_these_judges_say_of_a_source_is_said_of_them(demo_file):
    with Study.open(demo_file, read_only=True) as study:
        session = open_session(study, "kb", open_queue(study, "flagged", "kb"))
        session.go([unit_name(study.reader, unit) for unit in session.queue.units].index("R08 S6"))
        votes = {(said.judge, said.verdict, session.item.source_of(said.snapshot_id).name)
                 for said in session.item.judgements if not said.offline}  # fmt: skip
        assert ("juror-one", "partial", "1") in votes
        assert session.reasons[0].sentence == "2 judges say that source 2 contradicts it"
