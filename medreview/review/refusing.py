"""Which acts would do nothing with the unit on the screen, and why: what is refused is not offered, by one rule."""

import sqlite3
from contextlib import suppress
from typing import Final

from medreview.errors import UserError
from medreview.review.decision import last_act, last_undone
from medreview.review.sitting import Sitting
from medreview.review.spans_and_findings import FindingSpan
from medreview.review.verdict_card import RULES_ALONE, TIE

NOTHING_TO_UNDO: Final = "There is nothing of yours to undo."
NOTHING_TO_REDO: Final = "There is nothing to redo."


class Refusing(Sitting):
    """Says why an act is refused. Keys are offered by the same words that refuse them."""

    _last: tuple[int, bool, bool] = (-1, False, False)
    """As of which act: whether there is anything to undo, and to do again."""

    def refusal(self, action: str) -> str:
        """Why an action of the table does nothing here, in a sentence; ``""`` for one that does something."""
        noun = self.asks.noun
        match action:
            case "accept":
                return self._nothing_to_accept()
            case "reveal":
                return self._nothing_to_reveal()
            case "findings":
                return self._nothing_found()
            case "delete_span" | "resize_span":
                return "" if self.own.spans else f"You have marked no span on this {noun}."
            case "judge_next" | "judge_previous":
                if not self.shows_judges:
                    return f"The judges are hidden {self.hidden_until}."
                return "" if self._judges_speak else f"No judge has a say on this {noun}."
            case "source_next" | "source_previous":
                return "" if len(self._texts()) > 1 else self.no_other_text
            case "figures":
                hidden = f"Figures are hidden here like the judges, {self.hidden_until}."
                return "" if self.shows_judges else hidden
            case "undo":
                return "" if self._may_go_back()[0] else NOTHING_TO_UNDO
            case "redo":
                return "" if self._may_go_back()[1] else NOTHING_TO_REDO
        return ""

    no_other_text = "There is no other text here."

    @property
    def can_accept(self) -> bool:
        """Whether the judges say one thing of what is on the screen, which can be taken as mine."""
        return not self.refusal("accept")

    @property
    def accept_words(self) -> str:
        """What accepting takes over: ``supported 2-0``; empty where it is refused."""
        if not self.can_accept:
            return ""
        together = self.card.together
        alone = " (rules alone)" if together.who == RULES_ALONE else ""
        return f"{self.judges_words} {together.tally}".rstrip() + alone

    @property
    def tie_words(self) -> str:
        """That accepting is refused because the judges are even: ``judges tie 1-1``; else empty."""
        together = self.card.together
        return f"judges tie {together.tally}" if together.word == TIE and not self.can_accept else ""

    @property
    def _judges_speak(self) -> bool:
        """Whether any judge has words to be read, where they may be seen."""
        return bool(self.judge_words)

    def _refuse(self, action: str) -> None:
        """Raise :class:`UserError` where an action is refused."""
        if why := self.refusal(action):
            raise UserError(why)

    def _nothing_to_accept(self) -> str:
        if not self.shows_judges:
            return f"The judges are hidden {self.hidden_until}; press your own verdict."
        return "" if self.judges_say is not None else self._no_common_label()

    def _no_common_label(self) -> str:
        return f"The judges have no common label for this {self.asks.noun}; press your own."

    def _nothing_to_reveal(self) -> str:
        block = self.block
        if not self.shows_judges:
            return "" if block is not None and block.ended else f"The judges are hidden {self.hidden_until}."
        return "" if self.own.revealed else "Nothing is hidden here."

    @property
    def findings(self) -> tuple[FindingSpan, ...]:
        """The places of findings in the response of the unit on the screen; none where they are hidden."""
        return ()

    def open_findings(self) -> int:
        """How many are open where the unit stands."""
        return sum(1 for span in self.findings if span.here and span.standing == "open")

    def _nothing_found(self) -> str:
        if not self.shows_judges:
            return f"What judges found is hidden {self.hidden_until}."
        if self.open_findings():
            return ""
        here = any(span.here for span in self.findings)
        return "No finding is open here any more." if here else f"No judge found anything in this {self.asks.noun}."

    def _may_go_back(self) -> tuple[bool, bool]:
        if self._last[0] != self.acts:
            who = self.study.reader, self.reviewer, self.pass_no
            self._last = self.acts, True, True
            with suppress(UserError, sqlite3.Error):  # where the file cannot be read, the key says so
                self._last = self.acts, last_act(*who) is not None, last_undone(*who) is not None
        return self._last[1:]
