"""Tables of a study: rows with types, which become a DataFrame where pandas is installed.

What stands in a column, ``docs/api.md`` and the codebook say.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, overload

from medreview.errors import UserError
from medreview.exchange.exports.label_rows import label_rows
from medreview.exchange.exports.pair_rows import PAIRS, PASSAGE, pairs_with_passages
from medreview.exchange.exports.study_rows import judgement_rows
from medreview.exchange.files.columns import JUDGEMENTS, LABELS, Column
from medreview.exchange.files.csv_file import Cell

if TYPE_CHECKING:
    import pandas


class LabelRow(NamedTuple):
    """What one reviewer said of one statement in one pass; the columns of ``labels.csv``."""

    export_version: int
    study_id: str
    unit_type: str
    unit_id: str
    response_id: str
    record_id: str | None
    question_id: str | None
    statement_ordinal: int
    statement_text: str
    statement_sha256: str
    snapshot_id: str | None
    source_url: str | None
    source_text_sha256: str | None
    source_fetched_at: datetime | None
    extractor: str | None
    response_model: str | None
    origin: str | None
    judge_run_id: str | None
    judge_model: str | None
    judge_prompt_sha256: str | None
    judge_raw_label: str | None
    judge_verdict: str | None
    judge_supported: bool | None
    judge_conflict: bool | None
    judge_confidence: float | None
    judge_source_url: str | None
    judge_quote: str | None
    judge_quote_status: str | None
    judge_quote_doubt: str | None
    jury_n: int | None
    jury_for: int | None
    jury_against: int | None
    jury_abstained: int | None
    jury_rule: str | None
    jury_tie: bool | None
    reviewer_id: str
    pass_no: int
    mode: str
    verdict_first: str | None
    verdict_final: str | None
    changed_after_reveal: bool | None
    halluc_type: str | None
    reason_code: str | None
    note: str | None
    flag_dispute: bool
    flag_feedback: bool
    flag_badly_parsed: bool
    deferred_times: int
    n_spans: int
    exposure_judge_verdict: str | None
    exposure_judge_highlight: str | None
    exposure_jury: str | None
    queue_name: str
    stratum: str | None
    inclusion_prob: float | None
    n_events: int
    first_shown_utc: datetime | None
    decided_utc: datetime | None
    active_ms: int | None
    wall_ms: int | None
    n_keys: int | None
    label_set_version: str
    guideline: str | None
    stale: bool | None
    first_event_id: str
    last_event_id: str
    label_from_pairs: str | None
    supported_from_pairs: bool | None
    pairs_labelled: int | None
    pairs: int | None
    retired: str | None


class JudgementRow(NamedTuple):
    """What one judge said of one statement in one page, stale ones too; the columns of ``judgements.csv``."""

    judgement_id: str
    judge_run_id: str
    judge: str
    kind: str
    model: str | None
    prompt_id: str | None
    prompt_sha256: str | None
    seed: int | None
    statement_id: str
    response_id: str
    snapshot_id: str
    source_id: str
    source_url: str
    raw_label: str | None
    verdict: str | None
    supported: bool | None
    confidence: float | None
    quote_status: str
    quote_doubt: str | None
    quote_start: int | None
    quote_end: int | None
    quote: str | None
    reason: str | None
    error: str | None
    vote: bool
    abstained: bool


class PairRow(NamedTuple):
    """A statement beside one of the sources that its response cites, judged or not; the columns of ``pairs.csv``.

    Its ``passage``, which no file holds, is the text from ``passage_start`` to ``passage_end`` of the page.
    """

    unit_id: str
    response_id: str
    record_id: str | None
    statement_ordinal: int
    statement_text: str
    source_id: str
    source_url: str
    source_number: int | None
    markers: str | None
    cited_by_statement: bool | None
    readable: bool
    shown_first: bool
    unsupported: float | None
    flagged: bool | None
    judge: str | None
    judge_raw_label: str | None
    judge_confidence: float | None
    judge_quote: str | None
    judge_quote_status: str | None
    judge_quote_doubt: str | None
    verdict: str | None
    supported: bool | None
    jury_for: int | None
    jury_against: int | None
    jury_abstained: int | None
    response_model: str | None
    origin: str | None
    source_place: int
    source_domain: str | None
    snapshot_id: str | None
    page_state: str | None
    passage_start: int | None
    passage_end: int | None
    pair_id: str
    page_of_other_work: bool | None
    ocr_confidence: float | None
    passage: str | None


Row = TypeVar("Row", bound=tuple[Any, ...])


class Table(Sequence[Row], Generic[Row]):
    """The rows of one table, read when it was made, and what its ``columns`` mean; a sequence.

    A cell is text, a whole number, a number, a truth value or a time in UTC, as its column says; ``None`` is missing.
    """

    def __init__(self, columns: tuple[Column, ...], rows: Iterable[Row]) -> None:
        self.columns = columns
        self._rows = tuple(rows)

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        """A row by its place from 0, or several by a slice."""
        return self._rows[place]

    def __iter__(self) -> Iterator[Row]:
        """The rows in their order."""
        return iter(self._rows)

    def __repr__(self) -> str:
        """Short enough for a notebook."""
        return f"<Table of {len(self)} rows: {', '.join(column.name for column in self.columns[:4])}, ...>"

    def to_frame(self) -> pandas.DataFrame:
        """The table as a DataFrame of the same columns; missing is ``NA``.

        Columns with few levels are categories in the protocol's order, also those that do not occur. Raises
        ``UserError`` when pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise UserError("A DataFrame needs pandas: install medreview[pandas], or pandas itself.") from None
        return pandas.DataFrame(
            {
                column.name: _series([row[place] for row in self._rows], column)
                for place, column in enumerate(self.columns)
            }
        )


def label_table(reader: sqlite3.Connection, study_id: str) -> Table[LabelRow]:
    """A row for each statement, reviewer and pass that has more than a look."""
    return Table(LABELS, _typed(label_rows(reader, study_id), LABELS, LabelRow._make))


def judgement_table(reader: sqlite3.Connection) -> Table[JudgementRow]:
    """A row for each judgement."""
    return Table(JUDGEMENTS, _typed(judgement_rows(reader), JUDGEMENTS, JudgementRow._make))


def pair_table(reader: sqlite3.Connection) -> Table[PairRow]:
    """A row for each statement and source of its response."""
    columns = (*PAIRS, PASSAGE)
    return Table(columns, _typed(pairs_with_passages(reader), columns, PairRow._make))


def _typed(
    rows: Iterable[Sequence[Cell]], columns: Sequence[Column], make: Callable[[Iterable[Any]], Row]
) -> Iterator[Row]:
    kinds = [column.type for column in columns]
    return (make(_value(cell, kind) for cell, kind in zip(row, kinds, strict=True)) for row in rows)


def _value(cell: Cell, kind: str) -> str | int | float | bool | datetime | None:
    """A cell of an export as Python has it; what would be an empty cell there is missing here."""
    if cell is None or cell == "":
        return None
    if kind == "boolean":
        return bool(cell)
    return datetime.fromisoformat(str(cell)) if kind == "time" else cell


_DTYPES = {"text": "string", "integer": "Int64", "number": "float64", "boolean": "boolean"}


def _series(values: list[Any], column: Column) -> pandas.Series[Any]:
    import pandas

    if column.levels:
        others = sorted({value for value in values if value is not None and value not in column.levels})
        return pandas.Series(pandas.Categorical(values, categories=[*column.levels, *others]))
    if column.type == "time":
        return pandas.Series(pandas.to_datetime(values, utc=True))
    return pandas.Series(values, dtype=_DTYPES[column.type])
