import pickle
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.evidence.normalise import blank_markup, normalise, reference_markers
from medreview.text import Span

TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from("abcßéﬁﬂ½²⁹٣ \u00ad\u200b\u00a0-–−\n.,%<>≤=[]()&;01289 AİΣ"), st.characters(codec="utf-8")
    ),
    max_size=80,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("eﬀects of the ﬁrst dose", "effects of the first dose"),
        ("med-\nical students", "medical students"),
        ("fig\u00adures\u200b and  tables", "figures and tables"),
        ("‘in-hospital’ mortality", '"in−hospital" mortality'),
        ("range 12–15 mg", "range 12-15 mg"),
        ("p = 0·05", "p=0.05"),
        ("m² of skin, CO₂", "m2 of skin, CO2"),
        ("shown before [12, 14].", "shown before."),
        ("of death (source 2)", "of **death**"),
        ("CO&#8322; &lt; 5 kPa", "CO2 < 5 kPa"),
        ("STRASSE", "straße"),
    ],
)
def test_typography_folds_away(one: str, other: str) -> None:
    assert normalise(one).text == normalise(other).text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 mg", "0.5 mg"),
        ("1, 5", "15"),
        ("1 5", "15"),
        ("12-15 mg", "1215 mg"),
        ("10⁹/L", "109/L"),
        ("2½ tablets", "21/2 tablets"),
        ("< 5 mg", "> 5 mg"),
        ("≤ 5 mg", "< 5 mg"),
        ("5%", "5"),
        ("-5 °C", "5 °C"),
        ("CI [12, 34]", "CI [15, 34]"),
        ("$5", "€5"),
    ],
)
def test_what_a_number_says_stays(one: str, other: str) -> None:
    assert normalise(one).text != normalise(other).text


@given(TEXTS)
def test_offsets_point_at_the_characters_they_came_from(text: str) -> None:
    normalised = normalise(text)
    assert len(normalised.offsets) == len(normalised.text)
    assert list(normalised.offsets) == sorted(normalised.offsets)
    for at in range(len(normalised.text)):
        span = normalised.original(at, at + 1)
        assert 0 <= span.start < span.end <= len(text)
        assert normalised.within(*span).overlap(Span(at, at + 1))


@given(TEXTS, st.data())
def test_a_folded_range_goes_back_to_the_text_and_returns(text: str, data: st.DataObject) -> None:
    normalised = normalise(text)
    start = data.draw(st.integers(0, len(normalised.text)))
    end = data.draw(st.integers(start, len(normalised.text)))
    there = normalised.original(start, end)
    back = normalised.within(*there)
    if start == end:
        assert there.start == there.end <= len(text)
        return
    assert back.start <= start < end <= back.end
    # more comes back only where one character became several
    assert normalised.original(*back) == there


@given(st.text(alphabet="aéßﬁﬂ \u00ad\u200b-\nİΣ", max_size=60), st.data())
def test_the_text_of_a_folded_range_folds_to_it(text: str, data: st.DataObject) -> None:
    normalised = normalise(text)
    start = data.draw(st.integers(0, len(normalised.text)))
    end = data.draw(st.integers(start, len(normalised.text)))
    there = normalised.original(start, end)
    if start < end:
        back = normalised.within(*there)
        assert normalise(text[there.start : there.end]).text == normalised.text[back.start : back.end]


@given(TEXTS)
def test_a_folded_text_can_be_sent_to_another_process(text: str) -> None:
    normalised, sent = normalise(text), pickle.loads(pickle.dumps(normalise(text)))
    assert (sent.text, sent.offsets, sent.markers) == (normalised.text, normalised.offsets, normalised.markers)


@given(TEXTS)
def test_letters_and_digits_survive_in_order(text: str) -> None:
    kept = [at for at, char in enumerate(blank_markup(text)) if char.isascii() and char.isalnum() and "&" not in text]
    offsets = set(normalise(text).offsets)
    assert all(at in offsets for at in kept)


@given(st.text(alphabet="abc def 12.,%\n", max_size=60))
def test_folding_twice_changes_letters_and_digits_no_more(text: str) -> None:
    once = normalise(text).text
    again = normalise(once).text
    assert [c for c in again if c.isalnum()] == [c for c in once if c.isalnum()]


def test_markers_are_told_from_values() -> None:
    text = "in adults [12]. CI [12, 34] and 30% [3-5], mean [4]; in 2019 [7]"
    assert [text[start:end] for start, end in reference_markers(text)] == ["[12]", "[3-5]", "[7]"]


def test_combining_marks_stay_with_their_letter() -> None:
    assert normalise(unicodedata.normalize("NFD", "café")).text == normalise("café").text != normalise("cafe").text
