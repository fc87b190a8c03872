import pickle
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from medreview.evidence.grounding import QuoteIndex, cuts_word, ground
from medreview.evidence.normalise import blank_markup, reference_markers
from medreview.text import Span

SOURCE = (
    "Dosing in renal impairment\n"
    "The usual dose is 25 mg twice daily for adults with normal kidney function [12]. "
    "It should not be used in patients with an eGFR below 30 mL/min. "
    "Treatment signi-\nﬁcantly reduced the risk of stroke (RR 0.75, p < 0.01) compared with placebo. "
    "Monitor potassium within one to two weeks of each change. "
    "The incidence of cough was 5% in both groups. Monitor potassium after each change of dose.\n"
)


def quoted(quote: str) -> list[str]:
    return [SOURCE[start:end] for start, end in ground(quote, SOURCE).spans]


@pytest.mark.parametrize(
    ("quote", "status"),
    [
        ("It should not be used in patients with an eGFR below 30 mL/min.", "exact"),
        ("“it should not be used in patients   with an eGFR below 30 mL/min”", "normalised"),
        ("Treatment significantly reduced the risk of stroke", "normalised"),
        ("normal kidney function.", "normalised"),
        ("**The usual dose** is 25 mg twice daily (source 1)", "normalised"),
        ("The usual dose is 25 mg twice daily ... Monitor potassium within one to two weeks", "normalised"),
        ("The usual dose is 25 mg ... below 30 mL/min", "altered"),
        ("The usual dose is 25 mg once daily for adults with normal function", "altered"),
        ("The usual dose is 250 mg twice daily for adults", "altered"),
        ("The usual dose is 25 g twice daily for adults", "altered"),
        ("5 mg twice daily for adults with normal kidney function", "altered"),
        ("It should be used in patients with an eGFR below 30 mL/min.", "altered"),
        ("Treatment significantly increased the risk of stroke", "altered"),
        ("It should ... be used in patients with an eGFR below 30 mL/min.", "altered"),
        ("The incidence of cough was 50% in both groups.", "altered"),
        ("The usual dose was 25 mg twice daily to adult with normal kidney functions", "near"),
        ("The usual dose is 25 mg twice daily for most adults having normal kidney function", "altered"),
        ("Treatment significantly reduced the risk of stroke compared with placebo.", "near"),
        ("Vaccination protects children against measles and mumps.", "absent"),
        ("eGFR 30", "too_short"),
        ("", "too_short"),
        ("…", "too_short"),
    ],
)
def test_status(quote: str, status: str) -> None:
    assert ground(quote, SOURCE).status == status


def test_altered_says_which_words_differ() -> None:
    quote = "The usual dose is 250 mg twice daily for adults"
    (difference,) = ground(quote, SOURCE).differences
    assert difference.kind == "number"
    assert quote[slice(*difference.quote)] == "250"
    assert SOURCE[slice(*difference.source)] == "25"


def test_spans_are_the_passage() -> None:
    assert quoted("the usual dose is 25 mg twice daily") == ["The usual dose is 25 mg twice daily"]
    assert quoted("Dosing in renal impairment … Treatment significantly reduced the risk of stroke") == [
        "Dosing in renal impairment",
        "Treatment signi-\nﬁcantly reduced the risk of stroke",
    ]
    assert quoted("for adults with normal kidney function [12].") == ["for adults with normal kidney function [12]."]


def test_every_occurrence_of_a_repeated_quote_is_given() -> None:
    assert quoted("Monitor potassium") == ["Monitor potassium", "Monitor potassium"]
    assert quoted("monitor POTASSIUM") == ["Monitor potassium", "Monitor potassium"]


def test_a_marker_with_another_number_inside_the_quote_is_seen() -> None:
    assert ground("dose of 5 mg [3] for adults", "A dose of 5 mg [4] for adults is usual.").status == "altered"


def test_word_borders_that_hide_a_negation_are_seen() -> None:
    assert ground("The effect was notable in this trial", "The effect was not able in this trial").status == "altered"


def test_an_index_can_be_sent_to_another_process() -> None:
    index = pickle.loads(pickle.dumps(QuoteIndex(SOURCE)))
    assert ground("The usual dose is 25 mg twice daily", index).status == "exact"


def test_an_altered_quote_is_found_among_many_alike() -> None:
    row = "Adults received 5 mg of the drug twice daily for 7 days. "
    source = row * 1000 + "Adults received 5 mg of the drug twice daily for 9 days. " + row * 1000
    assert ground("Adults received 50 mg of the drug twice daily for 7 days.", source).status == "altered"


WORDS = st.sampled_from(
    ["dose", "of", "5", "mg", "0.5", "50", "not", "25", "%", "<", "ﬁve", "pa-\ntients", "[12]", "…", "no", "\u200b",
     "½", "²", "with", "1,000", "–", "(source 2)", "risk", ".", "é", "漢字"]
)  # fmt: skip
PROSE = st.lists(WORDS, max_size=30).map(" ".join)
ANY = st.one_of(PROSE, st.text(max_size=60))


def digits(text: str) -> list[str]:
    plain = blank_markup(text, reference_markers(text))
    return [str(unicodedata.digit(c)) for c in unicodedata.normalize("NFKC", plain) if c.isdigit()]


@given(ANY, ANY)
def test_spans_are_in_range_for_any_text_and_quote(quote: str, source: str) -> None:
    result = ground(quote, source)
    for start, end in result.spans:
        assert 0 <= start < end <= len(source)
        assert not cuts_word(source, Span(start, end))
    for difference in result.differences:
        assert 0 <= difference.quote.start <= difference.quote.end <= len(quote)
        assert 0 <= difference.source.start <= difference.source.end <= len(source)
    assert bool(result.spans) == (result.status in ("exact", "normalised", "near", "altered"))


@given(st.lists(WORDS, min_size=8, max_size=30).map(" ".join), st.data())
def test_a_verbatim_part_is_exact_unless_it_cuts_a_word_or_a_negation_off(source: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(source) - 1))
    quote = source[start : data.draw(st.integers(start + 1, len(source)))].strip()
    result = ground(quote, source)
    if result.status == "exact":
        assert all(source[slice(*span)] == quote for span in result.spans)
    elif result.status != "too_short" and not any(found.kind == "negation" for found in result.differences):
        assert cuts_word(source, Span(source.find(quote), source.find(quote) + len(quote)))


@given(PROSE, PROSE, PROSE, st.data())
def test_digits_of_exact_and_normalised_quotes_are_the_sources(
    before: str, middle: str, after: str, data: st.DataObject
) -> None:
    source = f"{before} {middle} {after}"
    letters = list(middle)
    place = st.integers(0, max(0, len(middle) - 1))
    for at, char in data.draw(st.lists(st.tuples(place, st.sampled_from("0519.%- ")), max_size=2)):
        if letters:
            letters[at] = char
    quote = "".join(letters)
    result = ground(quote, source)
    if result.status in ("exact", "normalised") and "…" not in quote:
        for span in result.spans:
            assert digits(source[slice(*span)]) == digits(quote)


@given(ANY, st.data())
def test_a_changed_digit_is_never_verbatim(source: str, data: st.DataObject) -> None:
    places = [at for at, char in enumerate(source) if char in "0123456789"]
    assume(places)
    at = data.draw(st.sampled_from(places))
    quote = source[:at] + data.draw(st.sampled_from("0123456789".replace(source[at], ""))) + source[at + 1 :]
    result = ground(quote, source)
    if digits(quote) != digits(source):
        assert result.status not in ("exact", "normalised") or all(
            digits(source[slice(*span)]) == digits(quote) for span in result.spans
        )


@given(st.lists(st.sampled_from(["5 mg of it", "0.5 mL daily", "25 % of all", "for 7 days", "in 2019"]), min_size=2,
                max_size=4), st.data())  # fmt: skip
def test_parts_joined_by_ellipses_keep_their_digits(parts: list[str], data: st.DataObject) -> None:
    source = "\n\nAnd then some other words.\n\n".join(parts)
    quote = list(" … ".join(parts))
    places = [at for at, char in enumerate(quote) if char.isdigit()]
    for at, char in data.draw(st.lists(st.tuples(st.sampled_from(places), st.sampled_from("0579")), max_size=2)):
        quote[at] = char
    result = ground("".join(quote), source)
    if digits("".join(quote)) == digits(source):
        assert result.status == "normalised"
    elif result.status in ("exact", "normalised"):
        assert digits("".join(source[slice(*span)] for span in result.spans)) == digits("".join(quote))
