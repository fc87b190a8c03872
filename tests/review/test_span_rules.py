"""What a span event must hold, the order of spans, and the pairs of a context-conflict."""

from dataclasses import dataclass

import pytest

from medreview.review.span_rules import in_order, span_payload, still_missing, together, waiting_for_partner
from medreview.text import Span, sha256

ANSWER = "Ibuprofen is safe in the third trimester. Do not take it after week 28."


@dataclass(frozen=True)
class Mine:
    event_id: str
    span: Span
    label: str = "fact"
    target: str = "response"
    partner: str = ""


def test_a_span_holds_its_words_its_type_and_the_hash_of_the_text_it_is_in():
    payload = span_payload(ANSWER, Span(0, 17), label="fact", target="response", reason=" Not after week 28. ")
    assert payload == {
        "axis": "hallucination",
        "label": "fact",
        "target": "response",
        "start": 0,
        "end": 17,
        "exact": "Ibuprofen is safe",
        "sha256": sha256(ANSWER),
        "reason": "Not after week 28.",
    }
    taken = span_payload(ANSWER, Span(0, 9), label="context", target="response", partner="e1", finding=("h1", 2))
    assert (taken["with"], taken["from_finding"], taken["from_span"]) == ("e1", "h1", 2)


@pytest.mark.parametrize(
    ("span", "label", "partner", "why"),
    [
        (Span(3, 3), "fact", "", "3-3 is no range in a text of 71"),
        (Span(60, 80), "fact", "", "60-80 is no range in a text of 71"),
        (Span(0, 9), "none", "", "'none' is no type that a span can have"),
        (Span(0, 9), "wrong", "", "'wrong' is no type that a span can have"),
        (Span(0, 9), "fact", "e1", "a span of the type 'fact' has no partner"),
    ],
)
def test_a_span_that_would_say_nothing_is_refused(span, label, partner, why):
    with pytest.raises(ValueError, match=why):
        span_payload(ANSWER, span, label=label, target="response", partner=partner)


def test_spans_stand_by_document_then_by_place_and_those_of_an_absent_document_last():
    late, early, page, gone = (
        Mine("1", Span(40, 50)), Mine("2", Span(0, 5)), Mine("3", Span(0, 2), target="source:u1"),
        Mine("4", Span(0, 1), target="source:u9"),
    )  # fmt: skip
    assert in_order([gone, page, late, early], ["response", "source:u1"]) == (early, late, page, gone)


def test_the_two_places_of_a_context_conflict_are_one_group_until_one_is_deleted():
    first, second = Mine("1", Span(0, 17), "context"), Mine("3", Span(42, 71), "context", partner="1")
    other = Mine("2", Span(5, 9))
    assert together([first, other, second]) == [(first, second), (other,)]
    assert waiting_for_partner([first, other, second]) is None
    assert waiting_for_partner([first, other]) is first
    assert together([second]) == [(second,)]


def test_what_a_label_still_wants_is_said_and_none_wants_nothing():
    one = Mine("1", Span(0, 17), "context")
    assert still_missing("none", []) == still_missing(None, []) == ""
    assert still_missing("fact", []) == "no place is marked"
    assert still_missing("context", [one]) == "a context-conflict has one place only"
    assert still_missing("context", [one, Mine("2", Span(42, 71), "context", partner="1")]) == ""
