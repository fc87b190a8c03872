"""What a kind of unit asks: its axis, the labels its digits give, the reasons. The statement's stands here too."""

from typing import Literal

from medreview.labels import AXES, EVIDENCE, REASONS, Label, scale_of
from medreview.study.ids import PAIR, REFERENCE
from medreview.study.ids import STATEMENT as STATEMENT_KIND

Entry = Literal["level", "spans", "order", "words"]
"""How a label is given. ``level``: one digit. ``spans``: a digit, then spans in the text with a reason each. ``order``:
a digit for each output from best to worst, then a quality for each. ``words``: a digit; that of the level ``edited``
opens the text to be changed."""


class Asks:
    """What is asked of a unit of a kind. ``name`` is the kind, the prefix of its ids; ``noun`` one of them.

    ``axis`` is what its digits set and ``levels`` those labels, by digit: their names and definitions are the key rows
    and ``?``. ``reasons`` are asked for when a label differs from the machines', none when empty. ``leads_to``: the
    kind of unit that one key leads to, made of the same material; none when empty. ``crosses_to``: the same of the key
    between what is said and the references that it is said by. ``also`` are the other axes that it
    has, ``adds`` what a reviewer may add to what there is (``fact``), ``""`` for nothing. ``parsed``: a parser cut it
    out of a response, so that it can have cut it out wrongly.
    """

    name: str
    noun: str
    axis: str
    levels: tuple[Label, ...]
    reasons: tuple[Label, ...] = ()
    entry: Entry = "level"
    leads_to: str = ""
    crosses_to: str = ""
    also: tuple[str, ...] = ()
    adds: str = ""
    parsed: bool = False

    @property
    def digits(self) -> str:
        """The digits that give a label, as prompts say them: ``1-5``."""
        return f"{self.levels[0].key}-{self.levels[-1].key}" if self.levels else ""

    def level_for(self, key: str) -> Label | None:
        """The label that a digit gives, or ``None``."""
        return next((label for label in self.levels if label.key == key), None)

    def level_named(self, level: str) -> Label:
        """A label of its axis by its level; raises ``KeyError`` for another."""
        scale = self.levels or AXES[scale_of(self.axis)]
        for label in scale:
            if label.level == level:
                return label
        if self.entry == "order":
            return Label(level, "", "ranked", "")
        raise KeyError(f"{level!r} is not one of {', '.join(label.level for label in scale)}")


class _StatementAsks(Asks):
    """A statement and all that its response cites."""

    name = STATEMENT_KIND
    noun = "statement"
    axis = "evidence"
    levels = EVIDENCE
    reasons = REASONS
    leads_to = PAIR
    crosses_to = REFERENCE
    parsed = True


STATEMENT_ASKS: Asks = _StatementAsks()
