"""The settings files that are read, and whether they may say where texts and keys go.

A folder that came from somebody else may hold a ``medreview.toml``. What it says of the screen is taken; what names
judges, services, a proxy or prompts would decide which key of the environment goes to which host, so that it counts
only once its user trusted the file, as it then was.
"""

import getpass
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from medreview.atomic_output import atomic_output, write_new
from medreview.errors import UserError
from medreview.text import sha256

FILE_NAME: Final = "medreview.toml"
GUARDED: Final[tuple[str, ...]] = ("judges", "services", "proxy", "prompts")
"""The settings that say where texts and keys go, and what is asked."""
_TRUSTED: Final = "trusted.json"
_SIGN: Final = '{"medreview": "settings files that are trusted"'


def config_folder() -> Path:
    """The user's own folder of settings, which need no trust."""
    from platformdirs import user_config_path

    return user_config_path("medreview")


def find_configs() -> list[Path]:
    """The settings files that are read: the user's own, then the one in the working folder."""
    own, here = config_folder() / FILE_NAME, Path(FILE_NAME)
    found = [path for path in (own, here) if path.is_file()]
    return found[:1] if len(found) == 2 and own.samefile(here) else found


def is_own(path: Path) -> bool:
    """Whether it is the file in the user's own folder."""
    own = config_folder() / FILE_NAME
    return own.is_file() and own.samefile(path)


def is_trusted(path: Path, content: str) -> bool:
    """Whether this file was trusted with just this content."""
    return _trusted().get(str(path.resolve())) == sha256(content)


def trust(path: Path, content: str) -> Path:
    """Keep that the user trusts this file with this content; where that is kept. Raises :class:`UserError`."""
    return _keep({**_trusted(), str(path.resolve()): sha256(content)})


def distrust(path: Path) -> bool:
    """Forget that the file was trusted; whether it was, with whatever content. Raises :class:`UserError`."""
    kept = _trusted()
    known = kept.pop(str(path.resolve()), None) is not None
    if known:
        _keep(kept)
    return known


def check_private(path: Path) -> None:
    """Raise :class:`UserError` when others than the user may write the file: they could say where the keys go.

    A group that is the user's alone, as many systems make one for each user, is nobody else.
    """
    mode, group = path.stat().st_mode, path.stat().st_gid
    if mode & stat.S_IWOTH or (mode & stat.S_IWGRP and not _is_private_group(group)):
        raise UserError(
            f"Others may write the settings {path}, which say where texts and keys go; they are not used. "
            f"Make them yours alone: chmod go-w {path}"
        )


def _is_private_group(number: int) -> bool:
    import grp

    try:
        group = grp.getgrgid(number)
        return group.gr_name == getpass.getuser() and set(group.gr_mem) <= {group.gr_name}
    except (KeyError, OSError):
        return False


def _trusted() -> dict[str, str]:
    try:
        kept: Any = json.loads((config_folder() / _TRUSTED).read_text(encoding="utf-8"))
        files = kept["files"]
        return {str(path): str(digest) for path, digest in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}  # nothing is trusted by what cannot be read


def _keep(files: Mapping[str, str]) -> Path:
    folder = config_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}, where trust is kept, cannot be made ({error.strerror or error}).") from error
    told = f'{_SIGN}, "files": {json.dumps(dict(sorted(files.items())), indent=1)}}}\n'
    with atomic_output(folder / _TRUSTED, os.fsencode(_SIGN)) as partial:
        write_new(partial, told)
    return folder / _TRUSTED
