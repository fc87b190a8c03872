"""The end of a block: what it came to, then its judges; and once they are shown, what that came to."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from medreview.review.deciding import Deciding
from medreview.review.verdict_flow import FollowUp

if TYPE_CHECKING:
    from medreview.screens.choice_page import Choices

Act = Callable[[], None]


class SumsUp(Protocol):
    """What is asked of the screen."""

    def sum_up(self, title: str, lines: Sequence[str], choices: "Choices") -> None:
        """Show a summary, and go on as is chosen."""


def end_block(session: Deciding, stage: SumsUp, follow: Callable[[FollowUp], None], advance: Act, stay: Act) -> None:
    """Nothing of a blind block waits: tell what it came to; its judges are shown, or one goes on blind."""
    from medreview.review.sitting_report import block_report

    choices: Choices = {
        "r": ("see the judges of this block", lambda: follow(session.show_judges())),
        "Enter": ("go on blind", advance),
        "Esc": ("stay here", stay),
    }
    stage.sum_up("End of the block: the judges can be shown now", block_report(session, shown=False), choices)


def end_shown_block(session: Deciding, stage: SumsUp, advance: Act, stay: Act) -> None:
    """The judges of a block are shown, and all that differs was asked about."""
    from medreview.review.sitting_report import block_report

    choices: Choices = {"Enter": ("go on", advance), "Esc": ("stay here", stay)}
    stage.sum_up("The block, with its judges", block_report(session, shown=True), choices)
