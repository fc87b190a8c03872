"""The guidelines of a kind of unit until a study has its own: made of the definitions in ``medreview.labels``."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from medreview.labels import AXES, EVIDENCE, FLAGS, HALLUCINATION, REASONS, Label, scale_of
from medreview.study.unit_ids import STATEMENT
from medreview.units.registry import KINDS

_HOW: Final = """\
## How to decide

- Decide from the texts on the screen, not from memory.
- Decide each by itself. What you gave the one before is no reason for this one.
- Where the texts let nobody decide, say so: a guess counts as a label.
- Put off what you cannot settle now, and write a note on what was hard.
- A label that was given by mistake is undone at once. No label is changed to agree with somebody.
"""

_AXES: Final = {
    "evidence": "What the source says of it",
    "hallucination": "Hallucination",
    "quality": "Quality of each output",
    "category": "Category",
}


@cache
def default_guidelines(kind: str) -> str:
    """The text for one kind of unit, Markdown. Raises ``KeyError`` for a kind that there is not."""
    return "\n".join([*_of_kind(kind), _HOW])


def default_for(kinds: Iterable[str]) -> str:
    """One text for several kinds, in their order."""
    return "\n".join([*(line for kind in kinds for line in _of_kind(kind)), _HOW])


def _of_kind(kind: str) -> Iterator[str]:
    if kind == STATEMENT:
        yield from ("# Guidelines: statements", "")
        yield from ("Does the source say the statement? Each statement is held against the pages that are cited.", "")
        yield from _levels(_AXES["evidence"], EVIDENCE)
        yield from _levels(_AXES["hallucination"], HALLUCINATION)
        yield from _levels("Why you differ from a judge", REASONS)
        yield from _levels("Flags, which are no verdict", FLAGS)
        return
    unit = KINDS[kind]
    yield from (f"# Guidelines: {unit.title}", "")
    yield from (unit.about, "")
    if unit.levels:
        yield from _levels("Labels", unit.levels)
    for axis in unit.also:
        levels = AXES.get(scale_of(axis), ())
        if levels:
            yield from _levels(_AXES.get(scale_of(axis), axis), levels)
    if unit.reasons:
        yield from _levels("Why you differ from the machines", unit.reasons)


def _levels(title: str, labels: Iterable[Label]) -> Iterator[str]:
    yield from (f"## {title}", "")
    yield from (f"- `{label.key}` {label.name}: {label.definition}" for label in labels)
    yield ""
