"""What a sitting shows of the unit on the screen, which is for each kind of unit to say."""

from abc import ABC, abstractmethod

from medreview.review.document_outline import DocumentOutline
from medreview.review.highlight_index import Mark
from medreview.review.highlights import Highlights
from medreview.review.judge_words import JudgeWords
from medreview.review.queue_entry import QueueEntry
from medreview.review.reviewer_state import ReviewerSpan


class ShownUnit(ABC):
    """The texts of a unit, and what machines say of it, as far as they may be seen."""

    @property
    @abstractmethod
    def judge_words(self) -> tuple[JudgeWords, ...]:
        """What each machine says; nothing where it is hidden."""

    @abstractmethod
    def _show_read(self, words: JudgeWords) -> None:
        """Show the text that a machine read."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the screen calls the unit among those around it: ``S3``, ``Q12``; empty without one."""

    @property
    @abstractmethod
    def judges_say(self) -> str | None:
        """The label that a decision is compared with, ``None`` when machines have no common one."""

    @property
    @abstractmethod
    def judges_words(self) -> str:
        """The same in words; ``""`` when they say nothing in common."""

    @property
    @abstractmethod
    def text_key(self) -> str | None:
        """What tells the text in the main pane from another of the same unit."""

    @property
    @abstractmethod
    def snapshot(self) -> str | None:
        """The snapshot whose text is in the main pane."""

    @abstractmethod
    def turn_source(self, step: int) -> bool:
        """Show the next (1) or previous (-1) text, round and round. False when there is one at most."""

    @abstractmethod
    def show_text(self, key: str) -> None:
        """Show the text with a :attr:`text_key` in the main pane, if the unit has it."""

    @abstractmethod
    def source_text(self, *, whole: bool = False) -> str:
        """The text in the main pane, or the ``whole`` page where that is more; else empty."""

    @abstractmethod
    def source_places(self) -> DocumentOutline:
        """The headings and pages of that text."""

    @abstractmethod
    def source_highlights(self) -> Highlights:
        """Its marks, by the blind rules."""

    @abstractmethod
    def beside_text(self) -> str:
        """The text that stands beside it, the response of a statement; empty without one."""

    @abstractmethod
    def beside_marks(self) -> tuple[Mark, ...]:
        """The marks in that."""

    @abstractmethod
    def is_beside(self, target: str) -> bool:
        """Whether spans with a target lie in the text that stands beside, and not in the main pane."""

    @abstractmethod
    def in_sight(self, mine: ReviewerSpan) -> bool:
        """Whether a marked span lies in one of the two texts on the screen."""

    @abstractmethod
    def _entry(self, unit: str) -> QueueEntry:
        """The line of a unit in a list."""

    @abstractmethod
    def _load_unit(self) -> None:
        """Read the unit on the screen, whose ``own`` state is read."""

    @abstractmethod
    def _read_beside(self) -> None:
        """Read what is read only when it is asked for, and always is."""
