"""A text in the reviewer's own editor, and back."""

import os
import shlex
import subprocess
from pathlib import Path
from typing import Final

from medreview.atomic_output import workplace, write_new
from medreview.errors import UserError

MOST: Final = 1_000_000
"""Bytes that are read back, at the most."""


def edit_text(text: str, beside: Path, name: str) -> str | None:
    """The text as it was saved in ``$VISUAL``, ``$EDITOR`` or ``vi``; ``None`` when it is as it was.

    It lies meanwhile as a file ``name`` in a private folder beside a file (the study), and is deleted after. The editor
    has the terminal: the workbench has to be suspended. Raises :class:`UserError` when there is no editor, it ends with
    an error, or what it left cannot be read.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        with workplace(beside) as place:
            write_new(place / name, text)
            _run([*shlex.split(editor), str(place / name)], editor)
            body = (place / name).read_bytes()[: MOST + 1]
    except OSError as error:
        raise UserError(f"The text could not be handed to the editor ({error.strerror or error}).") from error
    if len(body) > MOST:
        raise UserError(f"What was saved in the editor has more than {MOST:,} bytes.")
    try:
        new = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError("What was saved in the editor is not UTF-8; nothing was taken over.") from error
    return None if new == text else new


def _run(command: list[str], editor: str) -> None:
    try:
        done = subprocess.run(command, check=False)
    except (FileNotFoundError, PermissionError) as error:
        raise UserError(f"The editor {editor!r} cannot be started; set $EDITOR to one that can.") from error
    if done.returncode:
        raise UserError(f"The editor {editor!r} ended with an error ({done.returncode}); nothing was taken over.")
