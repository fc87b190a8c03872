"""The passages of the sample chapter, and answers to their prompts that are valid."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from medreview.generators.passage_run import Measures, choose, paragraphs_of
from medreview.generators.source_texts import text_of_file
from tests.support.misbehaving import Asked

SAMPLE = Path(__file__).parents[2] / "sample_data"
SOME = ("P3", "P6", "P7", "P9", "P10")
"""The passage that calls for a list, and those of the four types that come in turn."""


@cache
def chapter() -> Mapping[str, str]:
    """The passages that are chosen from the sample chapter, by the names that the recorded answers call them."""
    found, _ = choose(paragraphs_of([text_of_file(SAMPLE / "chapter.md")]), Measures())
    kept = [one.candidate.text for one in found if not one.codes]
    return {f"P{number}": text for number, text in enumerate(kept, 1)}


@cache
def recorded(task: str) -> Mapping[str, Mapping[str, Any]]:
    """The last recorded answer to a prompt about each passage."""
    lines = (SAMPLE / "recorded" / f"{task}.jsonl").read_text(encoding="utf-8").splitlines()
    return {line["for"].partition(" / ")[0]: line["answer"] for line in map(json.loads, lines)}


def good_item(asked: Asked) -> Mapping[str, Any]:
    """What a good model makes of a passage of the chapter, or of options that are rejected."""
    name = next(name for name, text in chapter().items() if text == asked.texts["passage"])
    if "rejected" in asked.texts:
        return recorded("qa_distractors")[name]
    (found,) = (
        answers[name]
        for answers in map(recorded, ("qa_true_false", "qa_list", "qa_multiple_choice", "qa_short", "qa_short_inverse",
                                      "qa_multi_hop", "qa_multi_hop_inverse"))
        if name in answers
    )  # fmt: skip
    return found
