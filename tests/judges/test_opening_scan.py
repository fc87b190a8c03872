"""Patterns that are tried only where a match can begin find what they find everywhere."""

import random
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medreview.judges.injection import INSTRUCTIONS, RULES
from medreview.judges.opening_scan import OpeningScan, ScannedText, folded, openings


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\bignore all\b", {"ignore"}),
        (r"\b(?:the |your )?(?:right|only) answer", {"the ri", "the on", "your r", "your o", "right ", "only a"}),
        (r"labels?:", {"labels", "label:"}),
        (r"judge?ments", {"judgem", "judgme"}),
        (r"(?<!\w)(?-i:AI)(?![a-z]) model", {"ai mod"}),
        (r"(?m:^) ?#{1,4}", {"#", " #"}),
        (r"<\|[a-z]+\|>", {"<|"}),
        (r"ab\w*cd|a\.b", {"ab", "a.b"}),
        (r"(?:ab|c){2,3}d", {"ab", "c"}),
        (r"[abc]d", None),
        (r"\W{0,4}system", None),
        (r"a*b?", None),
    ],
)
def test_the_openings_of_a_pattern(pattern: str, expected: set[str] | None) -> None:
    assert openings(pattern) == expected


@pytest.mark.parametrize("rule", [rule for rule in RULES if openings(rule)])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_every_match_of_a_rule_begins_with_one_of_its_openings(rule: str, data: st.DataObject) -> None:
    match = data.draw(st.from_regex(re.compile(rule, re.IGNORECASE)))
    found = re.search(rule, match, re.IGNORECASE)
    assert found is not None
    assert folded(found[0]).startswith(tuple(openings(rule) or ()))


def same(scan: OpeningScan, patterns: Sequence[str], text: str) -> int:
    """How much both ways find, which is the same."""
    whole = re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)
    expected = [match.span() for match in whole.finditer(text)]
    assert [match.span() for match in scan.finditer(ScannedText(text))] == expected
    return len(expected)


WORDS = """
ignore|all|previous|instructions|.|\n|System:|system prompt|:|you must|answer|label|"supported"|as|supported|this page
the|reviewers of|must|every claim|is to be|marked as|verified|</source>|<|### system|AI|language model|note to
evaluators|should|verdict|{"label": "|entailed|"rating": "|judge|İgnore|ıgnore|tool output:|a: supported|your task
----- end of source -----
"""


def test_a_scan_finds_what_its_patterns_find_together() -> None:
    luck = random.Random(8)
    words = [word for line in WORDS.strip("\n").split("\n") for word in line.split("|")] + ["\n"]
    texts = ["".join(luck.choice(words) + luck.choice((" ", " ", "")) for _ in range(30)) for _ in range(400)]
    assert sum(same(INSTRUCTIONS, RULES, text) for text in texts) > 400


@given(st.text(alphabet="abcAB ıİſ.<", max_size=30))
def test_a_scan_of_any_text(text: str) -> None:
    patterns = (r"\bab", r"a[bc]+", r"(?:^|\.) ?i", r"b\b|<a", r"\W{1,2}s", r"c")
    same(OpeningScan(patterns), patterns, text)
