"""A statement of a study as plain data, with everything that is known of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

from medreview.review.reviewer_state import ReviewerState, load_reviewer_states
from medreview.review.shown_unit import found_in_source
from medreview.units.statement_view import StatementView, load_evidence, load_statement_view, load_text


class MarkedPassage(NamedTuple):
    """A stretch of a source's text that was found for a statement: ``text`` is what stands from ``start`` to ``end``.

    ``kind``: ``"quote"`` (a judge's quotation), ``"evidence"`` (what to read first, by the offline rules) or
    ``"clash"`` (what differs from the statement, or from a judge's quotation; ``remark`` says what they have instead).
    Offsets count code points of the source's text.
    """

    source_id: str
    kind: str
    start: int
    end: int
    text: str
    remark: str


@dataclass(frozen=True, slots=True, repr=False)
class StudyStatement(StatementView):
    """A statement of a study with its response, sources, judgements, verdict, passages and labels.

    ``span`` is its place in ``response``, ``None`` when it is paraphrased. ``judgements`` are those on the pages as
    they are now; ``verdict`` is their roll-up, ``None`` before any. ``passages`` stand in the order of the sources,
    within one quotes first, best first. ``labels`` holds what each reviewer has said, by name.
    """

    passages: tuple[MarkedPassage, ...]
    labels: Mapping[str, ReviewerState]

    @property
    def name(self) -> str:
        """What the workbench calls it: ``R07 S3``."""
        return f"{self.response_name} {self.short_name}"

    def __repr__(self) -> str:
        """Short enough for a notebook."""
        return f"<StudyStatement {self.name}: {self.text!r}>"


def read_statements(
    reader: sqlite3.Connection, statement_ids: Sequence[str], pass_no: int = 1
) -> Iterator[StudyStatement]:
    """Statements one by one, each as it is when its turn comes; ``KeyError`` for one that the study does not have."""
    texts: dict[str, str] = {}
    response_id = ""
    for statement_id in statement_ids:
        view = load_statement_view(reader, statement_id)
        if view.response_id != response_id:  # the pages of one response are read once
            texts, response_id = {}, view.response_id
        yield StudyStatement(
            **{field.name: getattr(view, field.name) for field in fields(StatementView)},
            passages=tuple(_passages(reader, view, texts)),
            labels=load_reviewer_states(reader, statement_id, pass_no),
        )


def _passages(reader: sqlite3.Connection, view: StatementView, texts: dict[str, str]) -> Iterator[MarkedPassage]:
    """What judges quote, what the rules found, and what differs."""
    for source in view.sources:
        page = source.snapshot_id
        if page is None:
            continue
        marks, remarks = found_in_source(view, source, load_evidence(reader, view.statement_id, page))
        if marks and page not in texts:
            texts[page] = load_text(reader, page)
        for start, end, kind in dict.fromkeys(marks):
            remark = remarks.get(start, "") if kind == "clash" else ""
            yield MarkedPassage(source.source_id, kind, start, end, texts[page][start:end], remark)
