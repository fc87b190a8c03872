"""What a key does while a step is open in the last rows: which keys leave it open, and which are the step's own."""

from typing import Final

from medreview.screens.dialogs import (
    ChooseSpanDialog,
    HallucinationDialog,
    ReasonDialog,
    RevealDialog,
    SpanDialog,
)
from medreview.screens.edit_dialogs import CutDialog, EditDialog, LeftOutDialog
from medreview.screens.finding_dialogs import FindingDialog

READS: Final = frozenset(
    {"page_down", "page_up", "top", "end", "mark_next", "mark_previous", "copy", "redraw", "help", "guidelines"}
)
"""Actions that leave every step open."""

TURNS: Final = frozenset({"source_next", "source_previous", "view", "judge_next", "judge_previous", "judges_in_full"})
"""Actions that leave a step open unless it marks words: one may look at sources and judges before giving a reason."""

TAKES_BACK: Final = frozenset({"undo", "redo"})
"""Actions that may be given again at once: each takes back what the other did."""

VERDICT_STEPS: Final = (ReasonDialog, RevealDialog)
"""Steps that ask about the verdict just given."""

OWN_DIGITS: Final = (HallucinationDialog, SpanDialog, EditDialog, CutDialog)
"""Steps in which a key for a verdict does nothing: it was meant for the step."""

SPAN_STEPS: Final = (SpanDialog, ChooseSpanDialog, LeftOutDialog, FindingDialog)
"""Steps about a range of a text, which they bring to the screen."""

SEARCHING: Final = {"n": "hit_next", "N": "hit_previous"}
"""While searching, what these keys do instead."""
