"""The keys of the first screen: apart, because they name every queue, and so every kind of unit."""

from typing import Final

from medreview.review.actions import Action, unique
from medreview.review.unit_queues import ALL

HOME: Final = unique(
    (
        Action("open", ("enter",), "open", "Open the queue or the response at the pointer.", "First screen"),
        Action("next", ("j", "down"), "next", "Next line.", "First screen"),
        Action("previous", ("k", "up"), "previous", "Line before.", "First screen"),
        *(
            Action(f"open_{kind.name}", (kind.key,), kind.title, f"Open the queue “{kind.title}”.", "First screen")
            for kind in ALL
            if kind.key
        ),
        Action("release", ("X",), "give back", "Give what is reserved for the audit back to triage.", "First screen"),
        Action("palette", ("colon",), "all", "Everything, on a line: words find it, Enter does it.", "First screen"),
        Action("history", ("H",), "my decisions", "My last decisions and notes, to go there.", "First screen"),
        Action("figures", ("i",), "figures", "How often you and the judges agree.", "First screen"),
        Action("paste", ("I",), "paste", "Paste a question and an answer, to check that as well.", "First screen"),
        Action("background", ("B",), "who decides", "Say who you are: role, years, specialty.", "First screen"),
        Action("no_background", ("N",), "never mind", "Do not say who you are; it is not asked again.", "First screen"),
        Action("guidelines", ("f2",), "guidelines", "What the labels mean in this study.", "First screen"),
        Action("redraw", ("f5",), "", "Draw the screen again.", "First screen"),
        Action("help", ("question_mark",), "keys", "This page.", "First screen"),
        Action("glossary", ("f1",), "glossary", "The words of the screens, explained.", "First screen"),
        Action("leave", ("q",), "leave", "End. Everything is saved already.", "First screen"),
    )
)
"""The keys of the first screen; they are not remapped. A letter that stands for something on another screen stands for
the same here; what only this screen has are capitals that stand for nothing elsewhere."""
