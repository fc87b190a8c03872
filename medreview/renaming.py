"""Renaming as the operating system offers it beyond POSIX: onto nothing only, or two names changing their places."""

import errno
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

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
