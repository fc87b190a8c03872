"""The one kind of error that a user can cause and mend."""


class UserError(Exception):
    """One sentence that says what is wrong and what to do.

    The command line prints it without a traceback and exits with code 2; the workbench shows it in a dialog.
    """


class NotSaved(UserError):
    """What the reviewer did could not be written; nothing of it is kept, and what was saved before is safe."""
