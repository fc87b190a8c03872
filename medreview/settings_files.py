"""What settings files hold, what can be wrong with it, and whether they may say where texts and keys go.

A folder that came from somebody else may hold a ``medreview.toml``. Its settings of the screen are used. Those that
name judges, services, a proxy or prompts would decide which key of the environment goes to which host: they count only
once the user trusted the file, as it then was. Every mistake is a sentence of its own.
"""

import getpass
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from medreview.atomic_output import atomic_output, write_new
from medreview.bounded_reading import read_bounded, read_toml
from medreview.errors import UserError
from medreview.llm.settings import Role, models_from
from medreview.next_step import shell
from medreview.review.actions import REVIEW, remapped
from medreview.review.goal import read_goal
from medreview.semantic.configured import SemanticSettings
from medreview.setting import SERVICES, SWITCH, Setting, did_you_mean, settings_in
from medreview.settings_places import FILE_NAME, LARGEST, config_folder, is_there
from medreview.text import sha256

_TRUSTED: Final = "trusted.json"
_SIGN: Final = '{"medreview": "settings files that are trusted"'


def is_own(path: Path) -> bool:
    """Whether it is the file in the user's own folder."""
    own = config_folder() / FILE_NAME
    return is_there(own) and own.samefile(path)


def is_trusted(path: Path, content: str) -> bool:
    """Whether this file was trusted with just this content, and with the prompts that it names as they are now."""
    try:
        return _trusted().get(str(path.resolve())) == _digest(path, content)
    except UserError:
        return False  # a list that cannot be trusted vouches for nothing; adding to it reports that


def trust(path: Path, content: str) -> Path:
    """Keep that the user trusts this file with this content and the prompts that it names; where that is kept.

    Raises :class:`UserError`.
    """
    return _keep({**_trusted(), str(path.resolve()): _digest(path, content)})


def distrust(path: Path) -> bool:
    """Forget that the file was trusted; whether it was, with whatever content. Raises :class:`UserError`."""
    kept = _trusted()
    known = kept.pop(str(path.resolve()), None) is not None
    if known:
        _keep(kept)
    return known


def _digest(path: Path, content: str) -> str:
    """A hash of a settings file and of the files in its folder of prompts: what they say goes to models as well."""
    import tomllib

    try:
        named = tomllib.loads(content).get("prompts", "") if "prompts" in content else ""
    except (tomllib.TOMLDecodeError, RecursionError):
        named = ""
    if not named or not isinstance(named, str):
        return sha256(content)
    held = [sha256(content)]
    for prompt in sorted((path.resolve().parent / Path(named).expanduser()).glob("*.md")):
        try:
            body, _ = read_bounded(prompt, LARGEST)
            held.append(f"{prompt.name} {hashlib.sha256(body).hexdigest()}")
        except (OSError, ValueError) as error:
            held.append(f"{prompt.name} {type(error).__name__}")
    return sha256("\n".join(held))


def check_private(path: Path, about: os.stat_result) -> None:
    """Raise :class:`UserError` when others than the user may write the file: they could say where the keys go.

    A group that is the user's alone, as many systems make one for each user, is nobody else. The folder of the user's
    own file, which needs no trust, is checked, too: whoever can write there can replace it.
    """
    if _others_may_write(about):
        raise UserError(
            f"Others may write the settings {path}, which say where texts and keys go; they are not used. "
            f"Make them yours alone: {shell('chmod', 'go-w', str(path))}"
        )
    folder = path.parent
    if is_own(path) and _others_may_write(about := folder.stat()) and not about.st_mode & stat.S_ISVTX:
        raise UserError(
            f"Others may write the folder {folder}, and so put other settings in the place of yours; they are not "
            f"used. Make it yours alone: {shell('chmod', 'go-w', str(folder))}"
        )


def read_settings(path: Path) -> tuple[str, os.stat_result]:
    """The text of a settings file of bounded size, and who may write it, both of the one file that was opened.

    Nothing but a file is read: a pipe or a device may never end. Raises ``OSError``, ``UnicodeDecodeError`` and
    :class:`UserError`.
    """
    try:
        return read_toml(path, LARGEST)
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        raise UserError(f"The settings {path} cannot be read: {error}.") from None


def _others_may_write(about: os.stat_result) -> bool:
    mode = about.st_mode
    return bool(mode & stat.S_IWOTH) or bool(mode & stat.S_IWGRP and not _is_private_group(about.st_gid))


def _is_private_group(number: int) -> bool:
    import grp

    try:
        group = grp.getgrgid(number)
        return group.gr_name == getpass.getuser() and set(group.gr_mem) <= {group.gr_name}
    except (KeyError, OSError):
        return False


def _trusted() -> dict[str, str]:
    """By file: the hash of the content that was trusted. Raises :class:`UserError` for a list that others may write."""
    list_of_them = config_folder() / _TRUSTED
    try:
        body, about = read_bounded(list_of_them, LARGEST)
    except OSError:
        return {}
    except ValueError as error:
        raise UserError(f"{list_of_them}, where trust is kept, cannot be read: {error}. Delete it.") from None
    if _others_may_write(about):
        raise UserError(
            f"Others may write {list_of_them}, where trust is kept. Look at it, and make it yours alone: "
            f"{shell('chmod', 'go-w', str(list_of_them))}"
        )
    try:
        kept: Any = json.loads(body)
        files = kept["files"]
        return {str(path): str(digest) for path, digest in files.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UserError(
            f"{list_of_them} is not the list of trusted settings that it was; nothing is trusted by it. Delete it, and "
            "trust again what is to be used."
        ) from None


def own_folder() -> Path:
    """The folder of :func:`config_folder`, made if it is not there. Raises :class:`UserError`."""
    folder = config_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}, the folder of settings, cannot be made ({error.strerror or error}).") from error
    return folder


def _keep(files: Mapping[str, str]) -> Path:
    folder = own_folder()
    told = f'{_SIGN}, "files": {json.dumps(dict(sorted(files.items())), indent=1)}}}\n'
    with atomic_output(folder / _TRUSTED, os.fsencode(_SIGN)) as partial:
        write_new(partial, told)
    return folder / _TRUSTED


_LIBRARY: Final = "The file of works that references are held against; a list of several is written by hand."
_ONLINE: Final = "Whether `run` looks references up at the services, too."
TABLES: Final[Mapping[str, Mapping[str, Setting]]] = {
    "references": {
        "library": Setting(_LIBRARY, name="library", example="guideline-group.json"),
        "online": Setting(_ONLINE, name="online", kind=SWITCH, example="true"),
    },
    "semantic": settings_in(SemanticSettings),
}
"""The settings in the tables of reference checking and of a model of meaning."""


def problems(told: Mapping[str, Any], settings: Mapping[str, Setting], path: Path) -> Iterator[str]:
    """A sentence for each mistake in what a file tells; none, and it can be used. ``settings`` are those there are."""
    for name, value in told.items():
        if name not in settings:
            near = did_you_mean(name, settings)
            yield f"The settings {path} hold an unknown key {name!r}{near}; known are {', '.join(settings)}."
        elif misfit := settings[name].misfit(value):
            yield f"In the settings {path}, {name!r} {misfit}."
        elif name in _INNER:
            yield from _INNER[name](value, path)


def _key_problems(told: Mapping[str, Any], path: Path) -> Iterator[str]:
    known = [action.id for action in REVIEW]
    unknown = [name for name in told if name not in known]
    for name in unknown:
        near = did_you_mean(name, known)
        yield f"The settings {path} give a key to {name!r}, which is not an action{near}; see `?` for their names."
    if any(not isinstance(value, str) for value in told.values()):
        yield f"In the settings {path}, every value under [keys] must be a text."
        return
    try:
        remapped(REVIEW, {name: key for name, key in told.items() if name not in unknown})
    except UserError as error:
        yield str(error)


def _service_problems(told: Mapping[str, Any], path: Path) -> Iterator[str]:
    for name, address in told.items():
        if name not in SERVICES:
            near = did_you_mean(name, SERVICES)
            yield f"The settings {path} name an unknown service {name!r}{near}; known are {', '.join(SERVICES)}."
        elif not isinstance(address, str) or not address.startswith(("https://", "http://")):
            yield f"In the settings {path}, the service {name!r} must be a web address."


def _table_problems(table: str, told: Mapping[str, Any], path: Path) -> Iterator[str]:
    known = TABLES[table]
    for name, value in told.items():
        if name not in known:
            near = did_you_mean(name, known)
            yield f"The settings {path} hold an unknown key '{table}.{name}'{near}; known are {', '.join(known)}."
        elif name == "library":
            if not all(isinstance(one, str) and one for one in (value if isinstance(value, list) else [value])):
                yield f"In the settings {path}, 'references.library' must be a file, or a list of files."
        elif misfit := known[name].misfit(value):
            yield f"In the settings {path}, '{table}.{name}' {misfit}."


def _model_problems(role: Role, told: Mapping[str, Any], path: Path) -> Iterator[str]:
    for name, table in told.items():
        try:
            models_from({name: table}, path, role)
        except UserError as error:
            yield str(error)


def _goal_problems(told: str, path: Path) -> Iterator[str]:
    try:
        read_goal(told)
    except UserError as error:
        yield f"In the settings {path}, the goal {error}"


_INNER: Final[Mapping[str, Callable[[Any, Path], Iterator[str]]]] = {
    "keys": _key_problems,
    "services": _service_problems,
    "references": partial(_table_problems, "references"),
    "semantic": partial(_table_problems, "semantic"),
    "judges": partial(_model_problems, "judge"),
    "models": partial(_model_problems, "model"),
    "goal": _goal_problems,
}
"""The checks of settings beyond their type."""
