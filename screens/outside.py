"""What leaves the workbench: a copied text, to terminal or file; and the terminal, to the reviewer's own editor."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual.app import App, SuspendNotSupported

from medreview.atomic_output import atomic_output, write_new
from medreview.errors import NotSaved, UserError
from medreview.review.session import ReviewSession
from medreview.review.text_entry import MOST, EditorText, editor_command, write_outside
from medreview.study.state_folder import made_state_folder, state_folder

if TYPE_CHECKING:
    from medreview.study import Study


_BY_PROGRAM: Final = {
    "WezTerm": "WezTerm",
    "ghostty": "Ghostty",
    "rio": "Rio",
    "vscode": "the terminal of VS Code",
}
_BY_TERM: Final = {"xterm-kitty": "kitty", "alacritty": "Alacritty", "foot": "foot", "foot-extra": "foot"}
_BY_VARIABLE: Final = {"KITTY_WINDOW_ID": "kitty", "WT_SESSION": "Windows Terminal", "ALACRITTY_WINDOW_ID": "Alacritty"}
_MULTIPLEXED: Final = {
    "tmux": "tmux passes it on only with `set -g set-clipboard on`",
    "screen": "screen does not pass it on",
}


def copy_file() -> Path:
    """The file that holds what was copied last."""
    return state_folder() / "copied.txt"


def takes_osc52(environ: Mapping[str, str]) -> str:
    """The terminal, if it is known to take text for the clipboard as it comes (OSC 52); else ``""``.

    Behind tmux, screen or SSH the environment says nothing certain.
    """
    if multiplexer(environ):
        return ""
    known = _BY_PROGRAM.get(environ.get("TERM_PROGRAM", "")) or _BY_TERM.get(environ.get("TERM", ""))
    return known or next((name for variable, name in _BY_VARIABLE.items() if environ.get(variable)), "")


def multiplexer(environ: Mapping[str, str]) -> str:
    """``tmux`` or ``screen``, if the program runs in one; else ``""``."""
    if environ.get("TMUX"):
        return "tmux"
    return "screen" if environ.get("STY") else ""


def copied(text: str, how: str, send: Callable[[str], None], environ: Mapping[str, str] = os.environ) -> str:
    """Send a text to the terminal, or write it to the file, as the setting ``copy`` says; where it went, in words.

    The words are never "copied": only the reader sees whether a terminal took it. Raises :class:`UserError` where the
    file was wanted and cannot be written.
    """
    known = takes_osc52(environ)
    said = []
    if how != "file":
        send(text)
        within = multiplexer(environ)
        what = f"sent to {known}" if known else "sent to the terminal, which need not take it"
        said.append(f"{what} ({_MULTIPLEXED[within]})" if within else what)
    if how in ("file", "both") or (how == "auto" and not known):
        try:
            said.append(f"in {_written(text)}")
        except UserError as error:
            if how != "auto":
                raise
            said.append(f"not in a file: {error}")
    return "; ".join(said)


def _written(text: str) -> Path:
    """Write the file, in the place of what was copied before."""
    try:
        made_state_folder()
    except OSError as error:
        raise UserError(f"{state_folder()} cannot be made ({error.strerror or error}).") from error
    with atomic_output(copy_file(), b"") as partial:
        write_new(partial, text + "\n")
    return copy_file()


_THE_EDITORS: Final = (signal.SIGINT, signal.SIGQUIT)
"""Signals of keys that are typed in the editor, and reach this program as well."""


def edit_note(app: App[None], session: ReviewSession) -> str:
    """Let the editor change the note on the unit that is on the screen, or the draft of one; the result.

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
        raise UserError(f"Not saved: {back.fault}. The text is kept as a draft; n or e goes on with it.")
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


def in_editor(app: App[None], text: str, name: str, most: int) -> EditorText:
    """Give the terminal to the editor until it ends."""
    editor_command(os.environ)  # before the screen goes away for nothing
    back: EditorText | UserError
    try:
        with app.suspend(), _without_its_signals():
            try:
                back = write_outside(text, name, most, run=subprocess.call)
            except UserError as error:  # raised in there it would leave the terminal with the editor
                back = error
    except SuspendNotSupported:
        raise UserError("The editor needs a terminal, and there is no terminal here.") from None
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
