"""The one kind of error that a user can cause and mend."""

from pathlib import Path
from typing import Final

MENDABLE: Final = 2
"""The exit code of a mistake that the user can mend, as of a wrong option."""


class UserError(Exception):
    """One sentence that says what is wrong and what to do.

    The command line prints it without a traceback and exits with ``exit_code``; the workbench shows it in a dialog.
    """

    exit_code: int = MENDABLE


class NotSaved(UserError):
    """The reviewer's act could not be saved; nothing of it is kept, and earlier saves are safe."""

    @property
    def row(self) -> str:
        """Text of the last row of the screen."""
        return f"NOT SAVED: {self}"


class NotSavedHere(NotSaved):
    """The path of the study no longer names the file that is open: what was done is in the ``rescue`` file instead.

    ``rescue`` is ``None`` if it could not be written; then the decisions are kept while the program runs.
    """

    def __init__(self, sentence: str, rescue: Path | None = None) -> None:
        super().__init__(sentence)
        self.rescue = rescue

    @property
    def row(self) -> str:
        """Text of the last row of the screen."""
        return str(self)
