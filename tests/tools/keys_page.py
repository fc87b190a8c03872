"""Write the pages on keys, queues and labels, and on why a statement is flagged, from the tables of the screens.

    python -m tests.tools.keys_page

A test compares the pages with what this makes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from medreview.labels import (
    CATEGORY,
    EVIDENCE,
    FINISHES,
    FLAGS,
    HALLUCINATED,
    HALLUCINATION,
    PAGE_STATES,
    QUALITY,
    REASONS,
    Label,
)
from medreview.review.actions import FIGURES, REVIEW, Action, shown_key
from medreview.review.glossary import GROUPS
from medreview.review.home_actions import HOME
from medreview.review.judge_words import state_words
from medreview.review.queue_kinds import KINDS
from medreview.review.unit_queues import ALL
from medreview.review.why_flagged import every_reason
from medreview.study.ids import STATEMENT
from medreview.study.own_axes import parse, shipped_text
from medreview.units.registry import KINDS as UNITS

_FOLDER: Final = Path(__file__).parents[2] / "docs" / "reference"
_LABELS: Final = ("key", "label", "meaning")
_UNIT_COLUMNS: Final = ("kind", "`--queue`", "what is asked", "in an export, beside `unit_labels.csv`")


def keys_page() -> str:
    """The page on keys, queues and labels."""
    (harm,) = parse(shipped_text("harm"))
    return "\n".join(
        [
            "# Keys, queues and labels",
            "",
            "Every key, queue and label of the workbench, as its own screens print them. "
            "[Reviewing](../how-to/reviewing.md) says how to work with them, and "
            "[settings](settings.md#keys-of-your-own) how to change a key. `?` in the workbench has the keys with your "
            "changes.",
            "",
            "This page is made by `python -m tests.tools.keys_page`.",
            "",
            *_section("Keys while you review", ("key", "what it does"), map(_key, REVIEW)),
            *_section("Keys of the first screen", ("key", "what it does"), map(_key, HOME)),
            *_section("Keys of the page of figures", ("key", "what it does"), map(_key, FIGURES)),
            *_section("Verdicts", _LABELS, map(_label, EVIDENCE)),
            *_section("Types of hallucination", _LABELS, map(_label, HALLUCINATION)),
            *_section("Reasons for a difference from the judges", _LABELS, map(_label, REASONS)),
            *_section("Flags", _LABELS, map(_label, FLAGS)),
            *_section("Severity of harm", _LABELS, map(_label, harm.levels)),
            *_section("Labels of other units", ("kind", *_LABELS), _of_units()),
            *_section("Queues of statements", ("key", "queue", "`--queue`", "shown", "what is in it"), _queues()),
            *_section("Queues of other units", _UNIT_COLUMNS, _unit_queues()),
            *_section("States of a page", ("state", "the screen says", "meaning"), map(_state, PAGE_STATES)),
            *_section("How an answer ended", ("`finish=`", "meaning"), ((f"`{it}`", FINISHES[it]) for it in FINISHES)),
        ]
    )


def flags_page() -> str:
    """The page on why a statement is flagged."""
    rows = ((f"`{reason.badge}`", f"**{reason.short}**", reason.sentence) for reason in every_reason())
    return "\n".join(
        [
            "# Why a statement is flagged",
            "",
            "What the workbench says beside `WHY`. The few words stand in the queue and where room is short. The "
            "sentence stands in the card, with the values of the case: `quote changed: 50 mL/kg, the page has 30`. "
            "Filters and exports use the name in the first column: `badge=quote` keeps every flag with this word. "
            "`(scan?)` behind a flag says that the page was read by OCR, which may have misread the word.",
            "",
            "This page is made by `python -m tests.tools.keys_page` from `medreview/review/why_flagged.py`.",
            "",
            *_section("Every flag", ("flag", "the screen says", "in a sentence"), rows),
        ]
    )


def _section(heading: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield from (f"## {heading}", "")
    for row in (columns, ["---"] * len(columns), *rows):
        yield f"| {' | '.join(row)} |"
    yield ""


def _key(action: Action) -> tuple[str, str]:
    return " ".join(f"`{shown_key(key)}`" for key in action.keys), action.help


def _label(label: Label) -> tuple[str, str, str]:
    return f"`{label.key}`", label.name, label.definition


def _of_units() -> Iterator[tuple[str, ...]]:
    for kind in UNITS.values():
        if kind.levels not in (EVIDENCE, HALLUCINATION):
            yield from ((kind.noun, *_label(label)) for label in kind.levels)
        more = (CATEGORY if "category" in kind.also else ()) + (
            QUALITY + HALLUCINATED if "quality" in kind.also else ()
        )
        yield from ((kind.noun, *_label(label)) for label in more)


def _queues() -> Iterator[tuple[str, ...]]:
    chosen = [queue for queue in ALL if queue.unit == STATEMENT and queue not in KINDS]
    for queue in (*KINDS, *chosen):
        yield f"`{queue.key}`" if queue.key else "", queue.title, f"`{queue.name}`", queue.mode, queue.help


def _state(state: str) -> tuple[str, str, str]:
    words = state_words(state)
    return f"`{state}`", words, next(term.meaning for term in chain(*GROUPS.values()) if term.name == words)


def _unit_queues() -> Iterator[tuple[str, ...]]:
    for kind in UNITS.values():
        files = ", ".join(f"`{table.file}`" for table in kind.tables)
        yield kind.noun, f"`{kind.queue_name}`", kind.about, files
    for queue in ALL:
        if queue.unit == STATEMENT and queue not in KINDS:
            yield f"each, {queue.title}", f"`{queue.name}_` and the name above", queue.help, ""


PAGES: Final[dict[Path, Callable[[], str]]] = {
    _FOLDER / "keys-and-labels.md": keys_page,
    _FOLDER / "why-flagged.md": flags_page,
}
"""What makes the text of each page."""


if __name__ == "__main__":
    for path, make in PAGES.items():
        path.write_text(make(), encoding="utf-8")
