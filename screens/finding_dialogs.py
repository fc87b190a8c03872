"""The step in the last rows about what a judge found in a response."""

from collections.abc import Callable
from dataclasses import dataclass

from medreview.review.finding_state import FindingSpan
from medreview.review.layout.cells import fit, width
from medreview.review.span_editing import SpanEdit
from medreview.screens.dialogs import Act, both_ends, walked
from medreview.screens.key import Key
from medreview.screens.widgets.painted import Row, StyledText
from medreview.visible import visible


@dataclass(eq=False, repr=False)
class FindingDialog:
    """One passage that a judge found, drawn in the response: take it over, reject it, or go to another."""

    span: FindingSpan
    edit: SpanEdit
    left: int
    take: Act
    reject: Act
    walk: Callable[[int], None]
    back: Act
    target: str = "response"
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """Who found it, of which type, its words; the judge's reason; the keys."""
        finding = self.span.finding
        who = f" {visible(finding.judge)}: {finding.words.upper()}, {self.left} open: "
        who = who if width(who) < columns // 2 else f" {finding.words.upper()}: "
        words = f"“{both_ends(self.span.quote, columns - width(who) - 3)}”"
        why = visible(" ".join(finding.reason.split())) or "no reason given"
        keys: list[StyledText] = [
            (" ", ""), ("Enter", "key"), (" take over  ", ""), ("x", "key"), (" reject  ", ""), ("w b", "key"),
            (" next, previous  ", ""), ("Esc", "key"), (" leave open", ""),
        ]  # fmt: skip
        return [[(who, "key"), (words, "span")], [(f" {fit(why, min(width(why), columns - 2))}", "dim")], keys]

    def press(self, key: Key) -> bool:
        """Take over, reject, walk, leave. A digit is a verdict here too, and not for this step."""
        if by := walked(key):
            self.walk(by)
        elif key.said == "enter":
            self.take()
        elif key.said == "x":
            self.reject()
        elif key.said == "escape":
            self.back()
        else:
            return False
        return True
