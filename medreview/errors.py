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
    """What the reviewer did could not be written; nothing of it is kept, and what was saved before is safe."""

    @property
    def row(self) -> str:
        """What the last row of the screen says."""
        return f"NOT SAVED: {self}"


class NotSavedHere(NotSaved):
    """The path of the study no longer names the file that is open: what was done is in the ``rescue`` file instead.

    ``rescue`` is ``None`` where none could be written; then what was decided is kept as long as the program runs.
    """

    def __init__(self, sentence: str, rescue: Path | None = None) -> None:
        super().__init__(sentence)
        self.rescue = rescue

    @property
    def row(self) -> str:
        """What the last row of the screen says."""
        return str(self)
