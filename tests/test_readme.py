"""The README says what is true now."""

import re
from pathlib import Path

from medreview.review.actions import REVIEW, shown_key

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def key_table() -> str:
    rows = [f"| {' '.join(f'`{shown_key(key)}`' for key in action.keys)} | {action.help} |" for action in REVIEW]
    return "\n".join(rows)


def test_the_key_table_is_that_of_the_actions():
    found = re.search(r"<!-- keys -->\n(.*?)\n<!-- /keys -->", README, re.DOTALL)

    assert found
    assert found[1] == key_table()
