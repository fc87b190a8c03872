from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.errors import UserError
from medreview.judges.prompt_texts import available_tokens, split_windows
from medreview.llm.costs import tokens_of
from medreview.llm.settings import JudgeSettings

TEXT = st.text(alphabet=st.sampled_from("ab é.\n 漢"), max_size=900)


@given(TEXT, st.integers(20, 120))
def test_parts_hold_the_whole_text_and_fit(text, tokens):
    found = split_windows(text, tokens)

    covered = {place for span in found for place in range(*span)}
    assert all(place in covered or text[place].isspace() for place in range(len(text)))
    assert all(tokens_of(text[span.start : span.end]) <= tokens for span in found)
    assert [span.start for span in found] == sorted({span.start for span in found})
    assert [span.end for span in found] == sorted({span.end for span in found})


def test_a_text_that_fits_stays_whole_and_a_part_is_filled_to_its_last_byte():
    assert split_windows("Short. Text.", 100) == [(0, 12)]
    two = len("Metformin is given twice daily. Metformin is given twice daily.")
    assert split_windows(" ".join(["Metformin is given twice daily."] * 6), two // 3)[0] == (0, two)


def test_parts_end_with_sentences_and_overlap():
    sentences = [f"Sentence number {n} says that dose {n} is given." for n in range(60)]
    text = " ".join(sentences)
    found = split_windows(text, 300)

    assert len(found) > 2
    for span, following in pairwise(found):
        assert text[span.start : span.end].startswith("Sentence")
        assert text[span.start : span.end].endswith("given.")
        assert span.start < following.start < span.end
    assert all(any(sentence in text[span.start : span.end] for span in found) for sentence in sentences)


def test_room_is_what_prompt_and_answer_leave():
    judge = JudgeSettings("one", "m", "http://localhost/v1", context_tokens=8000, params={"max_tokens": 500})

    assert available_tokens(judge, "x" * 300) == 8000 - 500 - 100
    with pytest.raises(UserError, match="'one' has context_tokens = 8000"):
        available_tokens(judge, "x" * 24_000)
