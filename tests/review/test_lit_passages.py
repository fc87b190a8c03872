"""What of a source is lit: by what a passage means for the statement, and never almost all of a page."""

from pathlib import Path
from typing import Any

import pytest

from medreview.judges.verdicts import refresh
from medreview.review.above_page import OWN
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.units.registry import unit_name
from tests.support.study_builder import StudyBuilder, build

SAYS = "Give 30 mL/kg of crystalloid within the first 3 hours."
OTHER = "Look again often, as fluid overload is common."
REST = " ".join(f"Further reading on the days that follow, part {n}." for n in range(30))
PAGE = f"{SAYS} {OTHER} {REST}"
STATEMENT = "Give 30 mL/kg of fluid."


@pytest.fixture
def sit(tmp_path: Path) -> Any:
    """Sit down before one statement with two sources, of which ``make`` says more."""
    opened: list[Study] = []

    def make_session(make: Any, page: str = PAGE, *, blind: bool = False) -> ReviewSession:
        study = Study.create(tmp_path / f"s{len(opened)}.medreview", "s")
        opened.append(study)

        def fill(rows: StudyBuilder) -> None:
            rows.page("p", page, title="The page")
            rows.page("q", "Fluid is given every three years.", title="Another page")
            rows.response("r", STATEMENT, cites=["p", "q"])
            rows.statement("r", STATEMENT, "s")
            make(rows)

        build(study, fill)
        refresh(study)
        session = ReviewSession(study, "kb", open_queue(study, "responses", "kb", blind=blind))
        session.show_text("p")
        return session

    yield make_session
    for study in opened:
        study.close()


def evidence(rows: StudyBuilder, *passages: str, page: str = PAGE) -> None:
    spans = [[page.index(words), page.index(words) + len(words)] for words in passages]
    rows.evidence("s", "p@1", spans, [[0, 4]], [])


def lit(session: ReviewSession) -> dict[str, str]:
    text, found = session.source_text(), session.source_highlights()
    return {text[start:end]: kind for start, end, kind in found.marks}


@pytest.mark.parametrize(
    ("label", "status", "doubt", "kind"),
    [
        ("supported", "", "none", "says"),
        ("contradicted", "", "none", "against"),
        ("partial", "", "none", "partly"),
        ("not_addressed", "", "none", "quote"),
        ("supported", "altered", None, "doubted"),
        ("supported", "", "off_topic", "doubted"),
    ],
)
def test_a_quote_is_lit_by_what_it_means(sit: Any, label: str, status: str, doubt: str | None, kind: str) -> None:
    place: dict[str, Any] = {"quote_start": 0, "quote_end": len(SAYS)}

    def judged(rows: StudyBuilder) -> None:
        rows.judgement("one", "s", "p@1", label, SAYS, status or "exact", quote_doubt=doubt, **place)

    session = sit(judged)
    assert lit(session) == {SAYS: kind}
    assert session.source_highlights().stops == ((0, len(SAYS)),)
    told = "".join(session.source_highlights().told.values())
    assert told == ("one's quote: off topic" if doubt == "off_topic" else "")


def test_the_rules_light_what_they_are_sure_of_by_its_meaning_else_the_nearest_passage(sit: Any) -> None:
    def by_rules(label: str) -> ReviewSession:
        def judged(rows: StudyBuilder) -> None:
            rows.judgement("offline", "s", "p@1", label, SAYS, "exact")
            evidence(rows, SAYS)

        session: ReviewSession = sit(judged)
        return session

    assert lit(by_rules("supported")) == {SAYS: "says"}
    assert lit(by_rules("contradicted")) == {SAYS: "against"}
    unsure = by_rules("unsure")
    assert lit(unsure) == {SAYS: "evidence"}
    assert unsure.source_highlights().told == {len(SAYS) - 1: "nearest passage; the rules are not sure"}
    nothing = by_rules("not_addressed").source_highlights()
    assert (nothing.marks, nothing.opening, nothing.nothing) == ((), None, True)


def test_the_nearest_passage_is_not_lit_where_a_judges_true_quote_says_what_the_page_means(sit: Any) -> None:
    def judged(label: str) -> ReviewSession:
        def fill(rows: StudyBuilder) -> None:
            rows.judgement("one", "s", "p@1", label, SAYS)
            evidence(rows, OTHER)

        session: ReviewSession = sit(fill)
        return session

    assert lit(judged("supported")) == {SAYS: "says"}
    assert lit(judged("not_addressed")) == {SAYS: "quote", OTHER: "evidence"}


def test_what_judges_read_both_ways_is_in_doubt_and_a_true_quote_goes_before_an_altered_one(sit: Any) -> None:
    def both(rows: StudyBuilder) -> None:
        rows.judgement("one", "s", "p@1", "supported", SAYS)
        rows.judgement("two", "s", "p@1", "contradicted", SAYS)

    session = sit(both)
    kinds = {mark.kind for mark in session.source_highlights().marks}
    assert kinds == {"says", "against", "doubted"}
    assert session.source_highlights().told == {len(SAYS) - 1: "the judges read this passage both ways"}

    def altered(rows: StudyBuilder) -> None:
        rows.judgement("one", "s", "p@1", "supported", "50", "altered", quote_start=0, quote_end=20)
        rows.judgement("two", "s", "p@1", "contradicted", SAYS)

    assert lit(sit(altered)) == {SAYS: "against"}


def test_a_page_is_never_lit_almost_whole(sit: Any) -> None:
    page = f"{OTHER} {SAYS} Norepinephrine comes first when the pressure stays low."

    def judged(rows: StudyBuilder) -> None:
        rows.judgement("one", "s", "p@1", "supported", page)
        start = page.index("Give")
        rows.evidence("s", "p@1", [[0, len(page)]], [[start, start + 4]], [])

    session = sit(judged, page)
    assert lit(session) == {SAYS: "says"}, "the sentence with the statement's words"
    assert session.source_highlights().opening == (page.index(SAYS), page.index(SAYS) + len(SAYS))

    def several(rows: StudyBuilder) -> None:
        rows.judgement("one", "s", "p@1", "supported", SAYS)
        rows.judgement("two", "s", "p@1", "supported", OTHER)

    assert sum(map(len, lit(sit(several, page)))) <= max(len(SAYS), len(page) // 3)
    assert len(lit(sit(several))) == 2, "on a long page both are lit"


def test_a_quote_that_is_not_on_the_page_is_said_above_it_with_its_telling_words(sit: Any) -> None:
    quote = "A proton pump inhibitor such as omeprazole is advised, or 30 mL/kg of crystalloid."

    def judged(rows: StudyBuilder) -> None:
        rows.judgement("one", "s", "p@1", "supported", quote, "absent")
        rows.judgement("two", "s", "q@1", "supported", "elsewhere", "absent")
        evidence(rows, SAYS)
        rows.add("claimed_quote", statement_id="s", snapshot_id="p@1", quote="The answer says so.", status="absent")

    session = sit(judged)
    first, own = session.above_page.absent
    assert (first.whose, first.quote) == ("one's quote", quote)
    assert dict(first.hits) == {"omeprazole": 0, "30 mL/kg": 1}
    assert (own.whose, own.quote) == (OWN, "The answer says so.")
    assert session.above_page.nearest
    session.turn_source(1)
    assert [one.whose for one in session.above_page.absent] == ["two's quote"]
    assert not session.above_page.nearest
    blind = ReviewSession(session.study, "kb", open_queue(session.study, "responses", "kb", blind=True))
    blind.show_text("p")
    assert not blind.above_page.absent


def test_sources_in_conflict_stand_above_the_page_by_the_word_of_one_judge(sit: Any) -> None:
    def judged(rows: StudyBuilder) -> None:
        rows.judgement("one", "s", "p@1", "supported", SAYS)
        rows.judgement("one", "s", "q@1", "contradicted", "every three years")
        rows.judgement("two", "s", "q@1", "not_addressed")

    session = sit(judged)
    sides = session.above_page.conflict
    assert [(side.source.source_id, side.verdict, side.passage) for side in sides] == [
        ("p", "supported", SAYS),
        ("q", "contradicted", "every three years"),
    ]
    session.turn_source(1)
    assert session.above_page.conflict == sides, "whichever of them is on the screen"

    def two_judges(rows: StudyBuilder) -> None:
        rows.judgement("one", "s", "p@1", "supported", SAYS)
        rows.judgement("two", "s", "q@1", "contradicted", "every three years")

    assert not sit(two_judges).above_page.conflict


def test_a_passage_of_support_is_in_doubt_where_it_has_another_unit(demo_file: Path) -> None:
    with Study.open(demo_file, read_only=True) as study:
        session = ReviewSession(study, "kb", open_queue(study, "flagged", "kb"))
        session.go([unit_name(study.reader, unit) for unit in session.queue.units].index("R15 S7"))
        kinds = lit(session)
        assert kinds["around 1.6 micrograms"] == "clash"
        assert {kind for words, kind in kinds.items() if words.startswith("A full replacement dose")} == {"doubted"}
