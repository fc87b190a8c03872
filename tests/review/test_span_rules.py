"""The pairs of a context-conflict, and what a label still wants."""

from dataclasses import dataclass

from medreview.review.span_editing import partner_for, still_missing, together, waiting_for_partner


@dataclass(frozen=True)
class Mine:
    event_id: str
    label: str = "fact"
    with_span: str | None = None


FIRST, OTHER, SECOND = Mine("1", "context"), Mine("2"), Mine("3", "context", with_span="1")


def test_the_two_places_of_a_context_conflict_are_one_group_until_one_is_deleted() -> None:
    assert together([FIRST, OTHER, SECOND]) == [(FIRST, SECOND), (OTHER,)]
    assert waiting_for_partner([FIRST, OTHER, SECOND]) is None
    assert waiting_for_partner([FIRST, OTHER]) is FIRST
    assert together([SECOND]) == [(SECOND,)]


def test_the_next_place_of_a_context_conflict_names_the_one_that_waits_and_no_other_type_does() -> None:
    assert partner_for("context", []) is None
    assert partner_for("context", [FIRST, OTHER]) == "1"
    assert partner_for("context", [FIRST, SECOND]) is None
    assert partner_for("fact", [FIRST]) is None


def test_what_a_label_still_wants_is_said_and_none_wants_nothing() -> None:
    assert still_missing("none", []) == still_missing(None, []) == ""
    assert still_missing("fact", []) == "no place is marked"
    assert still_missing("context", [FIRST]) == "a context-conflict has one place only"
    assert still_missing("context", [FIRST, SECOND]) == ""
