"""Statement lists in line mode, and their figures by the command."""

import json
from pathlib import Path

from medreview.study import Study
from tests.support.commands import Program, own_settings
from tests.support.list_study import JUDGE, RULES, TEXTS, lists


def test_lists_are_checked_in_lines_without_a_word_of_the_parser_and_their_figures_printed(
    medreview: Program, tmp_path: Path
) -> None:
    own_settings(tmp_path, 'reviewer = "anna"\n')
    path = tmp_path / "a.medreview"
    with Study.create(path) as study:
        lists(study, [RULES, JUDGE, RULES, RULES], lacking=1)
    asked = ("stats", path, "--unit", "statement_list")
    assert "Nobody has labelled any of them yet" in medreview(*asked, "--full").stdout
    typed = ["?", "h 1 x", "1", TEXTS[0], "", "0", "2", "9", "1 2", "", "h 3 2", "0", "q"]
    done = medreview(
        "review", path, "--plain", "--queue", "statement_lists", input="".join(f"{one}\n" for one in typed)
    )
    told = " ".join(done.stdout.split())
    for words in (
        f"S1 {TEXTS[1]}", "heading: Septic shock", "Words of the answer to mark as missing", "marked “Norepinephrine",
        "Numbers of what is not in the answer", "No statement of the list has the number '9'", "h 3 3 5",
        "Say first what is wrong with the statement list: 1-3.",
    ):  # fmt: skip
        assert words in told, words
    assert not any(parser in told for parser in ("split 9", "claude"))
    figures = json.loads(medreview(*asked, "--json").stdout)["unit"]["family"]
    assert next((one["parser"], one["answers"], one["so"], one["missing"]) for one in figures["raters"]) == (
        "", 4, [6, 8, 1], 1,
    )  # fmt: skip
    assert "answers that miss a statement" in medreview(*asked, "--full").stdout
