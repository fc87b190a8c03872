"""Identifiers of invented patients in 200 sentences, and 200 sentences in which something only looks like one."""

from pathlib import Path

import pytest

from medreview.llm.identifiers import identifiers

TEXTS = Path(__file__).parent / "identifiers"
PLANTED = [line.split("\t") for line in (TEXTS / "planted.tsv").read_text(encoding="utf-8").splitlines()]
DECOYS = (TEXTS / "decoys.txt").read_text(encoding="utf-8").splitlines()


def told(text: str) -> list[tuple[str, str]]:
    return [(kind, text[start:end]) for kind, start, end in identifiers(text)]


def test_what_is_planted_is_found_as_what_it_is() -> None:
    missed = []
    for kind, marked in PLANTED:
        before, _, rest = marked.partition("[[")
        planted, _, after = rest.partition("]]")
        if not any(
            kind == said and (found in planted or planted in found) for said, found in told(before + planted + after)
        ):
            missed.append((kind, before + planted + after))
    assert len(PLANTED) == 200
    assert missed == []


def test_of_what_only_looks_like_one_few_stop() -> None:
    assert len(DECOYS) == 200
    assert len([text for text in DECOYS if told(text)]) <= 5


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The helpline is 212-555-0143. Her son: 212-555-0144.", [("phone", "212-555-0144")]),
        ("Patient: Amara Lindqvist, born 3 May 1951, MRN 5512345.",
         [("name", "Amara Lindqvist"), ("date of birth", "3 May 1951"), ("record number", "5512345")]),
        ("NHS 485 777 3456 or 485 777 3457", [("record number", "485 777 3457")]),
        ("Is MRN 5512345 the right chart of 2019?", [("record number", "5512345")]),
        ("Case number 12 in the series of 2019 had it.", []),
        ("a." * 200_000, []),  # what looks at each start of a long word again would not end
        ("", []),
    ],
)  # fmt: skip
def test_places(text: str, found: list[tuple[str, str]]) -> None:
    assert told(text) == found
