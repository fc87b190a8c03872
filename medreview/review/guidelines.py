"""The guidelines of the label set: a text in the study, versioned, that is stamped on every label.

Until a study has its own, they are made from the definitions in ``medreview.labels``.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

from medreview.errors import UserError
from medreview.labels import AXES, EVIDENCE, FLAGS, HALLUCINATION, REASONS, Label, scale_of
from medreview.storable import is_damaged
from medreview.study import Study
from medreview.study.events import NewEvent
from medreview.study.ids import STATEMENT, kind_of
from medreview.study.own_axes import own_axes
from medreview.study.study_acts import StudyAct, newest_act, study_acts, write_act
from medreview.text import normalise_newlines, sha256
from medreview.units.registry import KINDS

EXAMPLE: Final = "Example:"
"""What an example begins with, in the text of a label; the page of the guidelines gives it rows of its own."""
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
    "hallucinated": "Whether an output is hallucinated",
    "category": "Category",
}


_PAGE: Final = (
    "In the examples the page says: “Adults: amoxicillin 500 mg three times a day for 5 days. Stop and call if a rash "
    "appears.”"
)
_EXAMPLES: Final = {
    "supported": "“Adults take 500 mg of amoxicillin three times daily for five days.”",
    "partial": "“Adults and children take 500 mg of amoxicillin three times a day for 5 days.”",
    "contradicted": "“Adults take 500 mg of amoxicillin once a day for 5 days.”",
    "not_addressed": "“Amoxicillin may be taken with food.”",
    "cannot_judge": "the page is a paywall, and only its title can be read.",
}
"""A statement for each level of the evidence axis, beside what :data:`_PAGE` says."""


@cache
def default_guidelines(kind: str) -> str:
    """The text for one kind of unit, Markdown. Raises ``KeyError`` for an unknown kind."""
    return "\n".join([*_of_kind(kind), _HOW])


def default_for(kinds: Iterable[str]) -> str:
    """One text for several kinds, in their order."""
    return "\n".join([*(line for kind in kinds for line in _of_kind(kind)), _HOW])


def _of_kind(kind: str) -> Iterator[str]:
    if kind == STATEMENT:
        yield from ("# Guidelines: statements", "")
        yield from ("Does the source say the statement? Each statement is held against the pages that are cited.", "")
        yield from _levels(_AXES["evidence"], EVIDENCE, _PAGE, _EXAMPLES)
        yield from _levels(_AXES["hallucination"], HALLUCINATION)
        yield from _levels("Why you differ from the judges", REASONS)
        yield from _levels("Flags, which are not verdicts", FLAGS)
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
        yield from _levels("Why you differ from the judges", unit.reasons)


def _levels(
    title: str, labels: Iterable[Label], about: str = "", examples: Mapping[str, str] = MappingProxyType({})
) -> Iterator[str]:
    yield from (f"## {title}", "")
    yield from (about, "") if about else ()
    for label in labels:
        example = examples.get(label.level, "")
        yield f"- `{label.key}` {label.name}: {label.definition}" + (f" {EXAMPLE} {example}" if example else "")
    yield ""


def with_axes(reader: sqlite3.Connection, text: str, kind: str = "") -> str:
    """A text as it is shown: with the levels of the study's own axes after it, of one kind of unit or of all. Labels
    carry the version of the text itself; the axes are events of their own."""
    parts = [text.rstrip() + "\n"]
    for axis in own_axes(reader, kind).values():
        about = " ".join(filter(None, (axis.about, "Any number of these, or none of them." if axis.many else "")))
        parts += [*_levels(axis.title, axis.levels, about), *((axis.source, "") if axis.source else ())]
    return "\n".join(parts).rstrip() + "\n"


LONGEST: Final = 200_000
"""Characters of a text, at the most."""
_STAMP: Final = 12
"""Hexadecimal digits of a text's hash that name it on labels and on the screen."""
_LABELS: Final = ("decide", "revise", "adjudicate")
"""Kinds of event that are labels."""


@dataclass(frozen=True, slots=True)
class Guidelines:
    """One version. ``number`` counts those of the study by time, 0 is the text that no study has set.

    ``sha256`` is the hash of ``text``: it names the version in every copy, also where a merge added one in between.
    ``set_by``, ``set_at`` and ``event_id`` are empty for number 0.
    """

    number: int
    sha256: str
    text: str
    set_by: str = ""
    set_at: str = ""
    event_id: str = ""

    @property
    def stamp(self) -> str:
        """What labels carry: the beginning of the hash."""
        return self.sha256[:_STAMP]

    @property
    def name(self) -> str:
        """``version 2 (3f0c12ab90de)``."""
        return f"version {self.number} ({self.stamp})"


def versions(reader: sqlite3.Connection) -> list[Guidelines]:
    """Those that the study has set and that stand, oldest first."""
    return [_of(number, act) for number, act in enumerate(study_acts(reader, "guideline"), 1)]


def in_force(reader: sqlite3.Connection, kind: str = STATEMENT) -> Guidelines:
    """The text that labels of units of a kind are given by."""
    found = versions(reader)
    return found[-1] if found else _default(default_guidelines(kind))


def in_force_for_all(reader: sqlite3.Connection) -> Guidelines:
    """The same for the study: until it has set one, the texts of the kinds of unit that it has, in one."""
    found = versions(reader)
    return found[-1] if found else _default(default_for(_kinds(reader)))


def set_guidelines(study: Study, reviewer: str, text: str) -> Guidelines:
    """Set another text; the one in force, set again, stays the same version.

    Raises :class:`UserError` for a text that is empty, damaged or longer than ``LONGEST``.
    """
    text = normalise_newlines(text).strip() + "\n"
    if not text.strip():
        raise UserError("The guidelines are empty; write what the labels mean, and when to give which.")
    if is_damaged(text):
        raise UserError("The text of the guidelines is damaged (a NUL or half a character in it); save it as UTF-8.")
    if len(text) > LONGEST:
        raise UserError(f"The guidelines have {len(text):,} characters; {LONGEST:,} are the most.")
    before = newest_act(study.reader, "guideline")
    if before is None or before.said["sha256"] != sha256(text):
        write_act(study, reviewer, "guideline", {"text": text, "sha256": sha256(text)})
    return in_force(study.reader)


def must_read(reader: sqlite3.Connection, reviewer: str) -> Guidelines | None:
    """The text that this reviewer has to be shown before the next decision, or ``None``.

    Only the study's own texts are shown unasked. Each version once: a text that comes back was read already.
    """
    newest = newest_act(reader, "guideline")
    if newest is None:
        return None
    read = {act.said["sha256"] for act in study_acts(reader, "guideline_read", reviewer)}
    return None if newest.said["sha256"] in read else in_force(reader)


def note_read(study: Study, reviewer: str, shown: Guidelines) -> None:
    """Record that a text was shown to a reviewer: once for each text, and not in a read-only study."""
    known = (act.said["sha256"] for act in study_acts(study.reader, "guideline_read", reviewer))
    if study.writable and shown.sha256 not in known:
        write_act(study, reviewer, "guideline_read", {"sha256": shown.sha256})


def stamped(connection: sqlite3.Connection, event: NewEvent) -> NewEvent:
    """A label with the guidelines that it was given by; any other event as it is."""
    if event.kind not in _LABELS:
        return event
    stamp = in_force(connection, kind_of(event.unit)).stamp
    return NewEvent(event.kind, event.unit, {**event.payload, "guideline": stamp}, event.snapshot, event.undoes_event)


def _of(number: int, act: StudyAct) -> Guidelines:
    return Guidelines(number, act.said["sha256"], act.said["text"], act.reviewer, act.at_utc, act.event_id)


def _default(text: str) -> Guidelines:
    return Guidelines(0, sha256(text), text)


def _kinds(reader: sqlite3.Connection) -> list[str]:
    """The kinds of unit that the study has; the statement where it has none at all."""
    has = [] if not reader.execute("SELECT EXISTS (SELECT 1 FROM statement)").fetchone()[0] else [STATEMENT]
    has += [kind.name for kind in KINDS.values()
            if reader.execute(f"SELECT EXISTS (SELECT 1 FROM ({kind.rows}))").fetchone()[0]]  # fmt: skip
    return has or [STATEMENT]
