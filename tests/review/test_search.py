import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.review.search import TextSearch


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("Naïve nai\u0308ve NAI\u00adVE", "naive", ["Naïve", "nai\u0308ve", "NAI\u00adVE"]),
        ("naive", "NAÏVE", ["naive"]),
        ("first ﬁrst di\ufb03cult", "first", ["first", "ﬁrst"]),
        ("di\ufb03cult", "difficult", ["di\ufb03cult"]),
        ("Straße", "STRASSE", ["Straße"]),
        ("strasse", "Straße", ["strasse"]),
        ("30 mL/kg of\n   fluid", "of fluid", ["of\n   fluid"]),
        ("“x” – patient’s", '"x" - patient\'s', ["“x” – patient’s"]),
        ("5 µg or 5 μg", "5 µg", ["5 µg", "5 μg"]),
        ("p=0.02 [sic] a.c", "[sic]", ["[sic]"]),
        ("abc", ".", []),
        ("a b", "", []),
        ("a b", "  ", []),
        ("aaaa", "aa", ["aa", "aa"]),
        ("日本語", "本", ["本"]),
        ("Sß", "sß", ["Sß"]),
        ("Straße", "strasse", ["Straße"]),
    ],
)
def test_find(text: str, query: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in TextSearch(text).find(query).spans] == found


@given(st.text(), st.data())
def test_any_part_of_a_text_is_found_where_it_is(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    hits = TextSearch(text).find(text[start:end])
    if any(char.isalnum() and char.isascii() for char in text[start:end]):
        assert hits.next(-1) is not None
        assert any(span.start < end and start < span.end for span in hits.spans)


def test_going_through_the_hits() -> None:
    hits = TextSearch("x " * 17).find("X")
    assert len(hits) == 17
    assert hits.position(2) == "3/17"
    assert hits.next(0) == 1
    assert hits.next(32) is None
    assert hits.previous(2) == 0
    assert hits.previous(0) is None
