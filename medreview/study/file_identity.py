"""Which files a study has open, and whether its path still names them: asked before and after every commit."""

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

from medreview.atomic_output import create, workplace


class _Seen(NamedTuple):
    """What a stat says of a file: which one it is, and whether it was written to."""

    device: int
    inode: int
    size: int
    modified_ns: int

    @classmethod
    def at(cls, place: Path) -> Self | OSError:
        try:
            found = os.stat(place)
        except OSError as error:
            return error
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


class _Files(NamedTuple):
    """The study file and the write-ahead log beside it; an error for what cannot be reached."""

    main: _Seen | OSError
    log: _Seen | OSError


class FileIdentity:
    """The study file, with its write-ahead log, as they were when the study was opened or last written to here.

    Two calls of ``stat`` a question, and nothing is opened: to close any descriptor of the file would drop the locks
    that SQLite holds on it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        here = Path(os.path.abspath(path))
        # A relative path goes on naming the file when the folder that the program was started in is renamed.
        self._names = [_with_log(here)] if path.is_absolute() else [_with_log(here), _with_log(path)]
        self.real = path.resolve() if path.is_symlink() else path
        self._then = self._now = _files(*self._names[0])

    @property
    def has_log(self) -> bool:
        """Whether commits go to a write-ahead log."""
        return isinstance(self._then.log, _Seen)

    @property
    def log_size(self) -> int:
        """Bytes of the log, as of the last question."""
        return self._now.log.size if isinstance(self._now.log, _Seen) else 0

    @property
    def names_study(self) -> bool:
        """Whether the path names the study file itself, whatever became of its log; as of the last question."""
        return _same(self._now.main, self._then.main)

    def lost(self) -> str:
        """What happened to the file or its log, half a sentence; ``""`` while the path names both."""
        for names in self._names:
            found = _files(*names)
            if self._is_ours(found):
                self._now = found
                return ""
        self._now = _files(*self._names[0])
        return self._what()

    def touched(self, *, committed: bool) -> bool:
        """Whether something else has written to them, as of the last question.

        Within a commit (``committed``) the log changes; so does the file itself where there is no log.
        """
        main = self._now.main != self._then.main and (self.has_log or not committed)
        return main or (not committed and self._log_touched())

    def remember(self) -> None:
        """Take what the last question found for the study as this process has left it."""
        self._then = self._now

    def leave_log(self, *, overwritten: bool) -> None:
        """Let no other file be read with the log of this study, now that the path names it no longer.

        ``overwritten``: the file itself was written over; what SQLite still has in the log is taken from it, so that
        it is not written into what is there now when SQLite closes. Raises ``OSError``.
        """
        _, log = self._names[0]
        here = _same(self._now.log, self._then.log)
        if overwritten:
            if here and self._log_touched():  # it was restored with the file, and belongs to that
                with workplace(log) as place:
                    with create(place / log.name) as copy:
                        copy.write(log.read_bytes())
                    (place / log.name).replace(log)
            self._empty_open_log()
        elif here and not self.names_study:
            log.unlink(missing_ok=True)
        if overwritten or (here and not self.names_study):
            log.with_name(log.name.removesuffix("-wal") + "-shm").unlink(missing_ok=True)

    def _log_touched(self) -> bool:
        return _same(self._now.log, self._then.log) and self._now.log != self._then.log

    def _empty_open_log(self) -> None:
        """Through the descriptors that SQLite has of it: it may have no name any more."""
        for number in map(int, os.listdir("/dev/fd")):
            with suppress(OSError):  # that of the listing is closed already
                found = os.fstat(number)
                if isinstance(self._then.log, _Seen) and (found.st_dev, found.st_ino) == self._then.log[:2]:
                    os.ftruncate(number, 0)

    def _is_ours(self, found: _Files) -> bool:
        return _same(found.main, self._then.main) and (not self.has_log or _same(found.log, self._then.log))

    def _what(self) -> str:
        name, folder = self.path.name, self._names[0][0].parent
        if not self.names_study:
            found = self._now.main
        else:
            name, found = f"{name}-wal (the newest part of the study)", self._now.log
        if isinstance(found, _Seen):
            return f"another file was put in the place of {name}"
        if not isinstance(found, FileNotFoundError | NotADirectoryError):
            return f"{name} could not be reached any more ({found.strerror})"
        if not folder.exists():
            return f"the folder {folder} was deleted, moved or renamed"
        return f"{name} was deleted, moved or renamed"


def _with_log(path: Path) -> tuple[Path, Path]:
    """A study file and its log, which lies beside the file itself, not beside a symbolic link to it."""
    real = path.resolve() if path.is_symlink() else path
    return path, real.with_name(real.name + "-wal")


def _files(main: Path, log: Path) -> _Files:
    return _Files(_Seen.at(main), _Seen.at(log))


def _same(found: _Seen | OSError, then: _Seen | OSError) -> bool:
    if isinstance(found, OSError) or isinstance(then, OSError):
        return False
    return (found.device, found.inode) == (then.device, then.inode)
