from hypothesis import given
from hypothesis import strategies as st

from medreview.evidence.alignment import TokenIndex, tokens

PROSE = st.lists(
    st.sampled_from(["dose of", "5", "0.5 mg", "inter-\nval", "don't", "< 30", "7 %", "a\u00adb", "é", "漢字", "\n",
                     "[12]", "<b>x</b>", "…"]),
    max_size=400,
).map(" ".join)  # fmt: skip


@given(st.one_of(PROSE, st.text(max_size=300)))
def test_an_index_has_the_tokens_of_its_text(text: str) -> None:
    found = tokens(text)
    index = TokenIndex(text)
    assert [index.token(at) for at in range(len(index.keys))] == found
    assert sorted(at for postings in index.postings.values() for at in postings) == list(range(len(found)))


def test_a_long_text_is_read_in_stretches_that_cut_no_token() -> None:
    text = "patients received inter-\nvals of 0.5 mg < 30 % " * 300
    index = TokenIndex(text)
    # from the end: no stretch is read because one before it was
    assert [index.token(at) for at in reversed(range(len(index.keys)))][::-1] == tokens(text)
