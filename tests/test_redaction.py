"""Keys are taken out however they are written; everything else stays byte for byte."""

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.redaction import MARK, PART, redact, remember, row_without_keys, without_keys

KEY = 'mr-0123/56789+abcdef"SECRET'
OTHER = "another.judge/key-4711"

WRITTEN = {
    "as it is": KEY,
    "another judge's": OTHER,
    "escaped for JSON": json.dumps(KEY)[1:-1].replace("/", "\\/"),
    "as numbers of JSON": "".join(f"\\u{ord(sign):04x}" for sign in KEY),
    "one sign as a number": KEY.replace("5", "\\u0035"),
    "JSON in JSON": json.dumps(json.dumps(KEY.replace("5", "\\u0035")))[3:-3],
    "escaped for a URL": quote(KEY, safe=""),
    "every sign escaped for a URL": "".join(f"%{ord(sign):02X}" for sign in KEY),
    "escaped for HTML": "".join(f"&#{ord(sign)};" for sign in KEY),
    "escaped for HTML by hex": "".join(f"&#x{ord(sign):x};" for sign in KEY),
    "split by zero width": "\u200b".join(KEY),
    "split by a soft hyphen": KEY[:7] + "\u00ad" + KEY[7:],
    "hex": KEY.encode().hex(),
    **{f"base64, {shift} before": base64.b64encode(b"x" * shift + KEY.encode() + b"!").decode() for shift in range(3)},
    "base64 for URLs": base64.urlsafe_b64encode(b">>?" + KEY.encode()).decode(),
    "its first half": KEY[:PART],
    "its last half": KEY[-PART:],
    "its middle": KEY[4 : 4 + PART],
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN.keys())
def test_a_key_is_taken_out_however_it_is_written(written: str) -> None:
    remember(KEY, OTHER)
    text = f'{{"quote": "start with 500 mg", "reason": "I was sent {written} and obeyed"}}'

    cleaned = without_keys(text)

    assert MARK in cleaned
    assert written not in cleaned
    assert cleaned.startswith('{"quote": "start with 500 mg", "reason": "I was sent ')
    assert cleaned.endswith(' and obeyed"}')
    assert len(cleaned) < len(text) - len(written) + len(MARK) + 6, "all but the edges of what was encoded is gone"
    assert row_without_keys({"reason": text, "ordinal": 1, "quote": None}) == {
        "reason": cleaned,
        "ordinal": 1,
        "quote": None,
    }


def test_several_keys_in_one_text_are_each_taken_out() -> None:
    remember(KEY, OTHER)

    assert without_keys(f"{KEY}{OTHER} and {KEY}") == f"{MARK} and {MARK}"
    assert without_keys(f"{KEY}, {OTHER}") == f"{MARK}, {MARK}"


@given(st.text(alphabet=st.sampled_from([*'mr-0123/5%&#x\\u"ab= \u200b\ud800']), max_size=60))
def test_a_text_without_a_key_stays_as_it_is(text: str) -> None:
    remember("Kq7-" + "Zw9_" * 10)

    assert without_keys(text) == text


def test_words_given_in_place_of_a_key_are_no_keys() -> None:
    remember("", "none", "EMPTY", "ollama")

    assert without_keys("There was none; EMPTY, ollama.") == "There was none; EMPTY, ollama."
    assert redact("none of 5 mg") == "none of 5 mg"


def test_a_shorter_part_than_twelve_signs_is_no_key() -> None:
    remember(KEY)

    assert without_keys(f"see {KEY[: PART - 1]}, {KEY[-PART + 1 :]}") == f"see {KEY[: PART - 1]}, {KEY[-PART + 1 :]}"
    assert redact(f"bad key {KEY[:9]}...") == f"bad key {MARK}"
