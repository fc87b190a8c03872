"""What authorities answered, so that nobody is asked the same twice."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from medreview.references.as_json import record_of_json, to_json
from medreview.references.model import Record
from medreview.study import Study
from medreview.study.rows import insert


class AnswerStore(Protocol):
    """Answers by authority (``crossref``, ``pubmed``, ...) and query, the words that it was asked by.

    A failure is no answer and is not kept: whoever asks later asks again.
    """

    def known(self, authority: str, query: str) -> tuple[Record, ...] | None:
        """What it answered; empty: it has nothing; ``None``: it was not asked, or failed."""

    def keep(self, authority: str, query: str, records: Sequence[Record]) -> None:
        """Keep an answer; an empty one, too."""


class MemoryAnswers:
    """Answers of this process, for files without a study."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str], tuple[Record, ...]] = {}

    def known(self, authority: str, query: str) -> tuple[Record, ...] | None:
        """As :meth:`AnswerStore.known`."""
        return self._answers.get((authority, query))

    def keep(self, authority: str, query: str, records: Sequence[Record]) -> None:
        """As :meth:`AnswerStore.keep`."""
        self._answers[authority, query] = tuple(records)


class StudyAnswers:
    """Answers in the table ``authority_answer``. Of those of the same question the newest counts; none is changed.

    ``again``: that an authority had nothing is not known any more, so that it is asked once more.
    For the thread that opened the study; in one that is open for reading nothing is kept.
    """

    def __init__(self, study: Study, *, again: bool = False) -> None:
        self._study = study
        self._anew: set[tuple[str, str]] | None = set() if again else None

    def known(self, authority: str, query: str) -> tuple[Record, ...] | None:
        """As :meth:`AnswerStore.known`."""
        row = self._study.reader.execute(
            "SELECT records FROM authority_answer WHERE authority = ? AND query = ? ORDER BY at_utc DESC LIMIT 1",
            (authority, query),
        ).fetchone()
        if row is None:
            return None
        found = tuple(record_of_json(one) for one in json.loads(row[0]))
        stale = not found and self._anew is not None and (authority, query) not in self._anew
        return None if stale else found

    def keep(self, authority: str, query: str, records: Sequence[Record]) -> None:
        """As :meth:`AnswerStore.keep`, without waiting for the disk: what is lost with the power is asked again.

        Raises :class:`UserError` when the file cannot be written.
        """
        if not self._study.writable:
            return
        row = {
            "authority": authority,
            "query": query,
            "at_utc": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "records": json.dumps([to_json(record) for record in records], ensure_ascii=False),
        }
        kept = self._study.submit(
            lambda connection: insert(connection, "authority_answer", [row]), through_power_loss=False
        )
        kept.result()
        if self._anew is not None:
            self._anew.add((authority, query))
