"""What is kept of a finished brief: each statement with the places in its notes that say it, and what was deleted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from medreview.generators.brief.verification import Cited
from medreview.generators.brief.written import Part, Sections

SUPPORTED: Final = "supported"
UNVERIFIED: Final = "unverified"
"""States of a statement that stays: a judge found it in its notes, or what the judge said could not be used."""


@dataclass(frozen=True, slots=True)
class Source:
    """A note that a statement cites: its number, its id, and half-open ranges of its text; ``quoted`` by a judge, or
    found by the statement's words."""

    number: int
    note_id: str
    spans: tuple[tuple[int, int], ...]
    quoted: bool


@dataclass(frozen=True, slots=True)
class Verified:
    """A statement that stays, ``state`` by what the judge said of it."""

    text: str
    sources: tuple[Source, ...]
    state: str


@dataclass(frozen=True, slots=True)
class Deleted:
    """A statement that was taken out: the numbers of its notes, ``why`` as a code, and the ``reason`` in words."""

    text: str
    numbers: tuple[int, ...]
    why: str
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished brief: its sections, and what was deleted from it."""

    summary: tuple[Verified, ...]
    course: tuple[Verified, ...]
    problems: tuple[tuple[str, tuple[Verified, ...]], ...]
    deleted: tuple[Deleted, ...]

    def statements(self) -> Iterator[Verified]:
        """All statements that stay, in order; one that stands in two sections comes twice."""
        yield from self.summary
        yield from self.course
        for _, statements in self.problems:
            yield from statements

    @property
    def sections(self) -> Sections:
        """Its statements with the numbers of their notes."""
        return Sections(
            _parts(self.summary),
            _parts(self.course),
            tuple((name, _parts(statements)) for name, statements in self.problems),
        )

    def report(self) -> dict[str, Any]:
        """As JSON values, to be stored with the run."""
        return {
            "summary": [_row(each) for each in self.summary],
            "course": [_row(each) for each in self.course],
            "problems": [{"name": name, "statements": [_row(each) for each in those]} for name, those in self.problems],
            "deleted": [
                {"text": each.text, "notes": list(each.numbers), "why": each.why, "reason": each.reason}
                for each in self.deleted
            ],
        }

    @classmethod
    def of(cls, report: Mapping[str, Any]) -> "Outcome":
        """What :meth:`report` made."""
        return cls(
            _read(report["summary"]),
            _read(report["course"]),
            tuple((problem["name"], _read(problem["statements"])) for problem in report["problems"]),
            tuple(
                Deleted(each["text"], tuple(each["notes"]), each["why"], each["reason"]) for each in report["deleted"]
            ),
        )


def sources_of(cited: Sequence[Cited]) -> tuple[Source, ...]:
    """Notes with places as they are kept."""
    return tuple(
        Source(each.note.number, each.note.note_id, tuple((span.start, span.end) for span in each.spans), each.quoted)
        for each in cited
    )


def _parts(statements: Sequence[Verified]) -> tuple[Part, ...]:
    return tuple(Part(each.text, tuple(source.number for source in each.sources)) for each in statements)


def _row(statement: Verified) -> dict[str, Any]:
    sources = [
        {"number": one.number, "note": one.note_id, "spans": one.spans, "quoted": one.quoted}
        for one in statement.sources
    ]
    return {"text": statement.text, "sources": sources, "state": statement.state}


def _read(rows: Sequence[Mapping[str, Any]]) -> tuple[Verified, ...]:
    return tuple(
        Verified(
            row["text"],
            tuple(
                Source(one["number"], one["note"], tuple((start, end) for start, end in one["spans"]), one["quoted"])
                for one in row["sources"]
            ),
            row["state"],
        )
        for row in rows
    )
