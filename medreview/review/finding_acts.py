"""What a reviewer does with the judges' findings in a response: for statements and for answers alike."""

from abc import abstractmethod

from medreview.errors import UserError
from medreview.review.deciding import Deciding
from medreview.review.finding_state import FindingSpan, load_finding_spans, next_open, rejecting, taking
from medreview.review.highlight_index import Mark
from medreview.review.reviewer_state import ReviewerState
from medreview.review.undo import brief


class FindingActs(Deciding):
    """The acts on findings. They are read only where the machines' opinion may be seen."""

    of_unit = (*Deciding.of_unit, "_findings", "_findings_beside")
    _findings: tuple[FindingSpan, ...] = ()
    _findings_beside: ReviewerState | None = None
    """The state of mine that they were read beside: it is another object after each act and each move."""

    @property
    def findings(self) -> tuple[FindingSpan, ...]:
        """The places of findings in the response of the unit on the screen; none where they are hidden."""
        if not self.unit or not self.shows_judges:
            return ()
        if self._findings_beside is not self.own:
            self._findings = load_finding_spans(self.study.reader, self.unit, self.reviewer, self.pass_no)
            self._findings_beside = self.own
        return self._findings

    def _read_beside(self) -> None:
        _ = self.findings

    def finding_marks(self) -> tuple[Mark, ...]:
        """Their marks in the response, without those that I rejected."""
        left = (span for span in self.findings if span.standing != "rejected")
        return tuple(Mark(*place, "quote") for span in left for place in span.places)

    def open_finding(self, after: FindingSpan | None = None, step: int = 1) -> FindingSpan:
        """The next (1) or previous (-1) open finding where the unit stands, round and round.

        Raises :class:`UserError` where findings are hidden, and when none is open.
        """
        if not self.shows_judges:
            raise UserError(f"What judges found is hidden {self.hidden_until}.")
        found = next_open(self.findings, after, step)
        if found is None:
            here = any(span.here for span in self.findings)
            raise UserError(
                "No finding is open here any more." if here else f"No judge found anything in this {self.asks.noun}."
            )
        return found

    def open_findings(self) -> int:
        """How many are open where the unit stands."""
        return sum(1 for span in self.findings if span.here and span.standing == "open")

    def take_finding(self, span: FindingSpan) -> None:
        """Take one over: it becomes my span, with its type."""
        text = self.response_text()
        self._write(taking(self._current(), text, span, self.own.spans), f"{self.name} · took over {brief(span.quote)}")

    def reject_finding(self, span: FindingSpan) -> None:
        """It is no hallucination to me."""
        self._write([rejecting(self._current(), span)], f"{self.name} · rejected {brief(span.quote)}")

    @abstractmethod
    def response_text(self) -> str:
        """The text of the response that findings are in; empty for a unit without one."""
