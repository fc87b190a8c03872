"""The reviewer's own editor: the terminal is given to it, and taken again."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from textual.app import App, SuspendNotSupported

from medreview.errors import NotSaved, UserError
from medreview.review.deciding import Deciding
from medreview.review.text_entry import MOST, Written, editor_command, write_outside

if TYPE_CHECKING:
    from medreview.study import Study

_THE_EDITORS: Final = (signal.SIGINT, signal.SIGQUIT)
"""Signals of keys that are typed in the editor, and reach this program as well."""


def edit_note(app: App[None], session: Deciding) -> str:
    """Let the editor change the note on the unit that is on the screen, or the draft of one; what came of it.

    Raises :class:`UserError`; what was written and not saved is kept as a draft.
    """
    if not session.unit:
        raise UserError(f"There is no {session.asks.noun} here to write a note on.")
    if not session.study.writable:
        raise UserError("The study is open for reading only: a note cannot be saved.")
    draft = session.draft
    back = in_editor(app, draft.text if draft else session.own.note, "note.txt", MOST)
    if back.text == session.own.note:
        if draft:
            session.discard_draft()
        return f"{back.fault}; the note is as it was".removeprefix("; ")
    session.note_typed(back.text)
    session.drafts.keep()
    if back.fault:
        raise UserError(f"Not saved: {back.fault}. What it wrote is kept as a draft; n or e goes on with it.")
    try:
        session.note(back.text)
    except NotSaved as error:
        raise NotSaved(f"{error} What you wrote is kept as a draft where that can be stored.") from error
    return ""


def edit_guidelines(app: App[None], study: "Study", reviewer: str, text: str) -> bool:
    """Let the editor change the guidelines of the study; whether there is a new version. Raises :class:`UserError`."""
    from medreview.review.guidelines import LONGEST, set_guidelines

    back = in_editor(app, text.rstrip(), "guidelines.md", LONGEST)
    if back.fault:
        raise UserError(f"The guidelines are as they were: {back.fault}.")
    if back.text == text.rstrip():
        return False
    set_guidelines(study, reviewer, back.text)
    return True


def in_editor(app: App[None], text: str, name: str, most: int) -> Written:
    """Give the terminal to the editor until it ends."""
    editor_command(os.environ)  # before the screen goes away for nothing
    back: Written | UserError
    try:
        with app.suspend(), _without_its_signals():
            try:
                back = write_outside(text, name, most, run=subprocess.call)
            except UserError as error:  # raised in there it would leave the terminal with the editor
                back = error
    except SuspendNotSupported:
        raise UserError("The editor needs a terminal, and this is none.") from None
    if isinstance(back, UserError):
        raise back
    return back


@contextmanager
def _without_its_signals() -> Iterator[None]:
    """Ctrl+C and Ctrl+\\ in the editor are for the editor; Ctrl+Z stops both, and ``fg`` continues both."""
    before = {number: signal.getsignal(number) for number in (*_THE_EDITORS, signal.SIGTSTP)}
    for number in _THE_EDITORS:
        signal.signal(number, lambda _number, _frame: None)  # not ignored: that the editor would inherit
    signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
