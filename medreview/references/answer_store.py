"""What authorities answered, so that nobody is asked the same twice."""

from collections.abc import Sequence
from typing import Protocol

from medreview.references.model import Record


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
