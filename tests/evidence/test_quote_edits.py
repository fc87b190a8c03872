"""Which edits of a quotation leave it a proof: none that changes what is said, nearly all that do not."""

import tomllib
from pathlib import Path
from typing import Final

import pytest

from medreview.evidence.grounding import ground
from medreview.labels import PROVEN_QUOTES

EDITS: Final = tomllib.loads(Path(__file__).with_name("quote_edits.toml").read_text("utf-8"))


def status(passage: str, quote: str) -> str:
    """The quote's status in a page that has the passage in its middle."""
    before, after = EDITS["filler"]
    return ground(quote, f"{before}\n\n{EDITS['passages'][passage]}\n\n{after}\n").status


@pytest.mark.parametrize(("kind", "passage", "quote"), EDITS["meaning"])
def test_an_edit_that_changes_the_meaning_proves_nothing(kind: str, passage: str, quote: str) -> None:
    assert status(passage, quote) == "altered"


def test_honest_edits_stay_proven() -> None:
    lost = [case for case in EDITS["honest"] if status(*case[1:]) not in PROVEN_QUOTES]
    assert len(EDITS["honest"]) == len(EDITS["meaning"]) == 60
    assert len(lost) <= 3, lost
