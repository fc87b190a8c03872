"""Output files of commands: private, whole or not at all, and nobody else's file is lost.

Everything is made in a workplace, a private folder beside its place (``.NAME.partial-0a1b2c3d``), is flushed to the
disk, and comes into place by renaming, as the operating system offers it beyond POSIX: onto nothing only, or two names
changing their places. The next command that writes into the same folder removes a workplace that a killed command left:
its lock identifies it, and a held lock means that it is in use.

Only here, in the study's own connections and in the list of saved pages is anything written
(``tests/test_writers.py``).
"""

import errno
import fcntl
import json
import os
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Final

from medreview.errors import UserError

_NEW: Final = {"linux": 1, "darwin": 4}
"""``RENAME_NOREPLACE`` of ``renameat2``, ``RENAME_EXCL`` of ``renamex_np``."""
_SWAP: Final = {"linux": 2, "darwin": 2}
_HERE: Final = -100
"""``AT_FDCWD``: paths are those of the process."""
_NOT_OFFERED: Final = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)


def rename_new(made: Path, place: Path) -> None:
    """Rename a file or folder to a name that nothing has. Raises ``FileExistsError``, and ``OSError`` as ``os.rename``.

    On a file system that cannot do both in one step it looks first.
    """
    if not _renamed(made, place, _NEW):
        if os.path.lexists(place):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place))
        os.rename(made, place)


def swap(made: Path, place: Path) -> bool:
    """Let two files or folders change places in one step; whether the file system can. Raises ``OSError``."""
    return _renamed(made, place, _SWAP)


def _renamed(made: Path, place: Path, how: dict[str, int]) -> bool:
    call = _system_call()
    if call is None:
        return False
    code = call(os.fsencode(made), os.fsencode(place), how[sys.platform])
    if code in _NOT_OFFERED:
        return False
    if code:
        raise OSError(code, os.strerror(code), str(place))
    return True


@cache
def _system_call() -> "Callable[[bytes, bytes, int], int] | None":
    """Renames by the rules of a flag, and gives 0 or the number of an error; ``None`` where there is no such call."""
    import ctypes

    library: Any = ctypes.CDLL(None, use_errno=True)
    function = {"linux": "renameat2", "darwin": "renamex_np"}.get(sys.platform, "")
    found = getattr(library, function, None) if function else None
    if found is None:
        return None

    def call(made: bytes, place: bytes, flag: int) -> int:
        names = (_HERE, made, _HERE, place) if sys.platform == "linux" else (made, place)
        return ctypes.get_errno() if found(*names, ctypes.c_uint(flag)) else 0

    return call


_WORKPLACE: Final = re.compile(r"\..+\.partial-[0-9a-f]{8}", re.DOTALL)
_LOCK: Final = "medreview.lock"
_MOVES: Final = "medreview.moves"
"""In a workplace, once several files begin to move: name, inode, size and time of each, in their order."""
_KEPT: Final = "medreview.kept"
"""In a workplace: holds what files that move together replace, until the last of them is there."""
_OLD: Final = "medreview.replaced"
"""In a workplace: holds the folder that is being replaced where two folders cannot change places in one step."""
_LONGEST_NAME: Final = 200
"""Bytes; a file system allows 255, and the workplace has its own ending."""


_TRIES: Final = 100


def first_allowed(named: Callable[[str], Path], check: Callable[[Path], None]) -> Path:
    """The path ``named("")`` or, where ``check`` refuses what is there, the first of ``named("-2")`` and so on that it
    takes. Raises the :class:`UserError` of the last where nothing is there, or none of a hundred is taken."""
    for number in range(1, _TRIES):
        place = named(f"-{number}" if number > 1 else "")
        try:
            check(place)
        except UserError:
            if not os.path.lexists(place):
                raise
        else:
            return place
    check(place)
    return place


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A path in a workplace; the file made there gets the name ``path`` when the block ends well.

    Raises ``FileExistsError`` when something has that name by then, and ``OSError`` when it cannot be written.
    """
    with workplace(path) as place:
        yield place / path.name
        put_new(place / path.name, _followed(path))


@contextmanager
def new_files(path: Path) -> Iterator[Path]:
    """A workplace; all that was made in it comes to lie beside ``path`` when the block ends well, or nothing of it.

    ``path`` itself comes last: as long as it is not there, the others are leftovers that the next command takes away.
    Raises ``FileExistsError`` when one of the names is taken, and ``OSError`` when it cannot be written.
    """
    with workplace(path) as place:
        yield place
        made = sorted((file for file in place.iterdir() if file.name != _LOCK), key=lambda file: file.name == path.name)
        _put_all(place, made)


@contextmanager
def atomic_output(path: Path, sign: bytes) -> Iterator[Path]:
    """A path in a workplace; the file made there takes the place of ``path`` when the block ends well.

    An earlier file is replaced only when it begins with ``sign``, as everything this command writes does. Raises
    :class:`UserError` for any other file, a folder, or a place that cannot be written.
    """
    with atomic_outputs() as outputs, outputs.file(path, sign) as made:
        yield made


@contextmanager
def atomic_outputs() -> Iterator["Outputs"]:
    """Files that are made one after the other; they take their places together when the block ends well.

    All of them do, or none: what a killed command replaced is put back by the next one that writes into the same
    folder (where links lead to several folders, by one in each). Raises :class:`UserError` as :func:`atomic_output`;
    it names those that stand all the same, where what they replaced cannot be put back.
    """
    with ExitStack() as workplaces:
        outputs = Outputs(workplaces)
        yield outputs
        outputs.put()


class Outputs:
    """The files of :func:`atomic_outputs`, each in a workplace of the folder it belongs in."""

    def __init__(self, workplaces: ExitStack) -> None:
        self._open = workplaces
        self._workplaces: dict[Path, Path] = {}  # by the folder
        self._made: list[tuple[Path, Path, Path]] = []  # where it is, its place, and that as it was given

    @contextmanager
    def file(self, path: Path, sign: bytes) -> Iterator[Path]:
        """One more, as :func:`atomic_output`; it is whole, and waits for the others, when this block ends well."""
        try:
            check_own(path, sign)
            target = _followed(path)
            if target.parent not in self._workplaces:
                self._workplaces[target.parent] = self._open.enter_context(workplace(target))
            made = self._workplaces[target.parent] / target.name
            yield made
            _flush(made)
        except OSError as error:
            raise _unwritten(path, error) from error
        self._made.append((made, target, path))

    def put(self) -> None:
        """Let all take their places. Raises :class:`UserError`."""
        path = self._made[0][2] if self._made else Path()
        try:
            if len(self._made) > 1:  # one alone comes in one step
                for place in self._workplaces.values():
                    _remember(place, [made for made, _, _ in self._made if made.parent == place])
            for made, target, path in self._made:  # noqa: B007  # the error names the path
                os.replace(made, target)
            for folder in self._workplaces:
                _flush_names(folder)
        except BaseException as error:
            standing = [file for place in self._workplaces.values() for file in _undo(place, _moves(place)[0])]
            if isinstance(error, OSError):
                raise _unwritten(path, error, standing) from error
            raise


def _unwritten(path: Path, error: OSError, standing: Sequence[Path] = ()) -> UserError:
    also = f" New all the same, since what was there could not be put back: {', '.join(map(str, standing))}."
    return UserError(f"{path} could not be written ({error.strerror or error}).{also if standing else ''}")


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """A private folder in a workplace; it takes the place of ``folder``, if there is one, when the block ends well.

    The caller checks what may be replaced. Raises ``OSError`` when it cannot be written.
    """
    folder = _followed(folder)
    with workplace(folder) as place:
        made = place / folder.name
        made.mkdir(mode=0o700)
        yield made
        _flush(made)
        if not os.path.lexists(folder):
            rename_new(made, folder)
        elif not swap(made, folder):
            (place / _OLD).mkdir()
            os.rename(folder, place / _OLD / folder.name)  # killed here, the next command puts it back
            os.rename(made, folder)
        _flush_names(folder.parent)


@contextmanager
def workplace(path: Path) -> Iterator[Path]:
    """A private folder beside ``path`` to make things in; what is left in it at the end is deleted.

    Raises ``OSError``.
    """
    path = _followed(path)
    _clear(path.parent)
    place, lock = _begun(path)
    try:
        yield place
    finally:
        with suppress(OSError):
            _end(place)
        os.close(lock)


def put_new(made: Path, place: Path) -> None:
    """Move what is whole out of a workplace to a name that nothing has. Raises ``FileExistsError`` and ``OSError``."""
    _flush(made)
    rename_new(made, place)
    _flush_names(place.parent)


def create(path: Path) -> BinaryIO:
    """A new file in a workplace, open for writing, that only its owner can read. Raises ``OSError``."""
    if not any(_WORKPLACE.fullmatch(parent.name) for parent in path.parents):
        raise ValueError(f"{path} would be written outside a workplace: a half file could stay under its name")
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb", 1 << 16)


def write_new(path: Path, text: str) -> None:
    """Write a text to a new file in a workplace, in UTF-8. Raises ``OSError``."""
    with create(path) as file:
        file.write(text.encode())


def check_own(path: Path, sign: bytes) -> None:
    """Raise :class:`UserError` unless a result can be written there: nothing, or an earlier one, is in the place."""
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file.")
    if not path.parent.is_dir():
        raise UserError(f"There is no folder {path.parent} to write {path.name} in.")
    if not path.exists():
        return
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(sign)) == sign:
                return
    raise UserError(f"{path} exists and is not an earlier result of this command; choose another name.")


def _followed(path: Path) -> Path:
    """The file that a path leads to: a symbolic link stays, its target is written."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path.absolute()  # a link to itself is a name, too


def _begun(path: Path) -> tuple[Path, int]:
    """A new workplace, and its lock, held."""
    name = path.name if len(os.fsencode(path.name)) <= _LONGEST_NAME else "output"
    while True:
        place = path.with_name(f".{name}.partial-{secrets.token_hex(4)}")
        place.mkdir(mode=0o700)
        try:
            lock = os.open(place / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            continue  # another command has just taken it for a leftover
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.stat(place / _LOCK), os.fstat(lock)):
                return place, lock
        except (BlockingIOError, FileNotFoundError):
            pass  # so here
        os.close(lock)


def _clear(folder: Path) -> None:
    """Remove what killed commands left in a folder, except what is not ours or is in use."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if (
                _WORKPLACE.fullmatch(entry.name)
                and entry.is_dir(follow_symlinks=False)
                and entry.stat(follow_symlinks=False).st_uid == os.getuid()
            ):
                with suppress(OSError):
                    _clear_one(Path(entry.path))


def _clear_one(place: Path) -> None:
    try:
        lock = os.open(place / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        place.rmdir()  # killed before its first file; where it holds any it is not ours, and this fails
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _put_back(place)
        _end(place)
    finally:
        os.close(lock)


def _end(place: Path) -> None:
    """Delete a workplace: first what may have moved, which is settled; its lock last, by which it is known."""
    (place / _MOVES).unlink(missing_ok=True)
    for entry in place.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != _LOCK:
            entry.unlink()
    (place / _LOCK).unlink()
    place.rmdir()


def _put_all(place: Path, made: list[Path]) -> None:
    """Move files out of a workplace, beside it: all, or none."""
    for file in made:
        _flush(file)
    _remember(place, made)
    try:
        for file in made:
            rename_new(file, place.parent / file.name)
    except BaseException:
        _put_back(place)
        raise
    _flush_names(place.parent)


def _remember(place: Path, made: list[Path]) -> None:
    """Write down which files are about to move out of a workplace, and keep what they replace."""
    (place / _KEPT).mkdir(mode=0o700)
    for file in made:
        replaced = place.parent / file.name
        if replaced.is_file():
            try:
                os.link(replaced, place / _KEPT / file.name)
            except OSError:  # a file system without links
                shutil.copy2(replaced, place / _KEPT / file.name)
    _flush(place / _KEPT)
    found = [(file.name, file.stat()) for file in made]
    moves = [[name, stat.st_ino, stat.st_size, stat.st_mtime_ns] for name, stat in found]
    write_new(place / _MOVES, json.dumps(moves))
    _flush(place / _MOVES)


def _put_back(place: Path) -> None:
    """Undo a replacement, or a move of several files, that did not come to its end."""
    for old in (place / _OLD).iterdir() if (place / _OLD).is_dir() else ():
        with suppress(FileExistsError):
            rename_new(old, place.parent / old.name)
    moved, whole = _moves(place)
    if not whole and (standing := _undo(place, moved)):
        raise OSError(f"{standing[0]} cannot be put back")  # what was there is in the workplace, which stays


def _moves(place: Path) -> tuple[list[Path], bool]:
    """The files that have moved out of a workplace and are still what they were then, and whether that is all."""
    try:
        moves = json.loads((place / _MOVES).read_bytes())
    except (FileNotFoundError, ValueError):
        return [], True  # none was to move, or none has begun
    moved = [file for name, *stat in moves if _is_same(file := place.parent / Path(name).name, stat)]
    return moved, len(moved) == len(moves)


def _undo(place: Path, moved: list[Path]) -> list[Path]:
    """Put back what files that moved out of a workplace replaced; those that stay where they are."""
    standing = []
    for file in moved:
        kept = place / _KEPT / file.name
        try:
            if kept.exists():
                os.replace(kept, file)
            else:
                file.unlink()
        except OSError:
            standing.append(file)
    return standing


def _is_same(path: Path, told: list[int]) -> bool:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    return [found.st_ino, found.st_size, found.st_mtime_ns] == told


def _flush(path: Path) -> None:
    """Let a file, or a folder with all in it, be on the disk."""
    if path.is_dir():
        for entry in path.iterdir():
            _flush(entry)
        _flush_names(path)
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush_names(folder: Path) -> None:
    """Flush the names in a folder to the disk, where its file system allows it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
