"""The page of replays: every paper with its steps, as the program has them, and every key of the JSON."""

import json
import re
from pathlib import Path

from tests.support.commands import Program
from tests.tools.replays_page import PAGE, replays_page


def test_the_page_says_what_the_replays_do() -> None:
    assert PAGE.read_text(encoding="utf-8") == replays_page(), "write it anew: python -m tests.tools.replays_page"


def test_the_page_names_every_key_of_the_json(tmp_path: Path) -> None:
    told = json.loads(Program(tmp_path)("replay", "cds", "s.medreview", "--sample", "--json").stdout)
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", text.partition("## As JSON")[2].partition("\n## ")[0]))
    assert named >= {*told, *told["steps"][0], *told["figures"][0]}
