"""The command line: its entry, and one sentence for every error."""

import gc
import os
import sys
from typing import TYPE_CHECKING, Final

try:
    from medreview.cli.meant_words import meant
    from medreview.errors import NotSavedHere, UserError
except KeyboardInterrupt:  # before anything could be done
    print("medreview: stopped.", file=sys.stderr)
    raise SystemExit(130) from None

if TYPE_CHECKING:
    from pathlib import Path

_OBJECTS_BEFORE_COLLECTING: Final = 200_000
"""Of those newly made, before cycles among them are looked for: a large study makes millions, hardly one in a cycle;
with the few hundred of Python itself an eighth of the time of a command went there."""
_INTERRUPTED: Final = 130
"""The exit code with which Typer answers Ctrl-C."""
KEEPING: Final = frozenset({
    "fetch", "generate", "import", "judge", "papers replay", "parse", "plan audit", "review", "run",
    "sources addresses", "team merge",
})  # fmt: skip
"""Commands that store what they do as they go. The others only read, or write their result whole at the end."""


def _say(message: str) -> None:
    from medreview.cli.output import say

    try:
        say(f"medreview: {message}")
    except OSError:  # the terminal is gone, and with it who would have read this
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _stopped() -> str:
    kept = "; what was done is saved, the same command goes on from there" if _keeps() else ""
    return f"stopped{kept}."


def _keeps() -> bool:
    """Whether what a command did is kept; of a file, `references` keeps nothing."""
    if sys.argv[1:2] != ["references"]:
        return not KEEPING.isdisjoint({" ".join(sys.argv[1:2]), " ".join(sys.argv[1:3])})
    from pathlib import Path

    from medreview.study.file_kind import is_database

    return any(is_database(Path(word)) for word in sys.argv[2:])


def main() -> None:
    """Run a command. A mistake the user can mend is one sentence on standard error and exit code 2."""
    try:
        _told_in_words()
    except KeyboardInterrupt:  # in the middle of saying how it ended, too
        _say(_stopped())
        raise SystemExit(_INTERRUPTED) from None


def _told_in_words() -> None:
    try:
        try:
            _run()
        finally:
            if sys.stdout:
                sys.stdout.flush()
    except UserError as error:
        first = _ended_by(error) or error
        for one in dict.fromkeys(map(str, (first, error))):
            _say(one)
        raise SystemExit(first.exit_code) from None
    except SystemExit as ended:
        if ended.code == _INTERRUPTED:
            _say(_stopped())
        raise
    except BrokenPipeError:
        # The reader of our output went away (`medreview ... | head`): no error.
        _drop_output()
        raise SystemExit(141) from None
    except OSError as error:
        _drop_output()
        _say(f"the result could not be written ({error.strerror or error}).")
        raise SystemExit(2) from None
    except Exception as error:
        if not _is_of_sqlite(error):
            raise
        _say(f"the study could not be read or written ({error}); `medreview check STUDY` says whether it is whole.")
        raise SystemExit(2) from None


def _ended_by(error: UserError) -> UserError | None:
    """What had ended the command already when leaving the study found that it is not the one at its path any more."""
    before = error.__context__ if isinstance(error, NotSavedHere) else None
    return before if isinstance(before, UserError) else None


def _is_of_sqlite(error: Exception) -> bool:
    """Of a study whose schema is not what its number says, for one. Asked without loading SQLite for it."""
    sqlite = sys.modules.get("sqlite3")
    return sqlite is not None and isinstance(error, sqlite.Error)


def _run() -> None:
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTING)
    if sys.argv[1:] == ["evidence", "--jsonl"]:
        # A filter is started for a handful of lines as well: it does without the other commands.
        from medreview.cli.jsonl_filters import answer_lines

        answer_lines()
    elif libraries := _only_libraries():
        from medreview.cli.jsonl_filters import answer_by_libraries

        answer_by_libraries(libraries)
    else:
        if sys.argv[1:] in ([], ["review"]) and "_MEDREVIEW_COMPLETE" not in os.environ:
            from medreview.cli.study_picker import words_to_run

            sys.argv[1:] = words_to_run() or sys.argv[1:]
        sys.argv[1:], renamed = meant(sys.argv[1:])
        if renamed:
            _say(renamed)
        if sys.argv[1:2] == ["review"] and _opened(sys.argv[2:]):
            return
        from medreview.cli.app import app

        app()


def _opened(words: list[str]) -> bool:
    """Whether `review` could do without the other commands and Typer, and has: a person waits for its screen."""
    from medreview.cli.review_words import opening_words

    read = opening_words(words)
    if read is None:
        return False
    study, wanted = read
    from medreview.screens.last_screen import LAST_SCREEN
    from medreview.study.file_kind import is_database

    if is_database(study):  # else a file of answers may take long to be imported
        gc.disable()  # what is loaded now stays: looking through it again and again is a tenth of the start
    try:
        with LAST_SCREEN.shown(study, wanted):
            from medreview.cli.opening import review_paths

            review_paths([study], wanted)
    finally:
        gc.enable()
    return True


def _only_libraries() -> "list[Path]":
    """The libraries of ``references --jsonl --library FILE ...``, the same kind of filter; none of other words."""
    if sys.argv[1:2] != ["references"]:
        return []
    from medreview.cli.jsonl_filters import only_libraries

    return only_libraries(sys.argv[2:])


def _drop_output() -> None:
    """Drop what is left in the buffer: Python would try to write it at the end, and complain."""
    if sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
