"""The reviewer's settings, from a TOML file, and where medreview keeps things."""

import getpass
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from medreview.errors import UserError
from medreview.labels import REVEALS, Reveal
from medreview.llm.settings import JudgeSettings, judges_from
from medreview.review.actions import REVIEW, remapped

FILE_NAME: Final = "medreview.toml"
SERVICES: Final = ("eutils", "europe_pmc", "doi", "wayback", "rdap")
_THEMES: Final = ("dark", "light", "ansi")


@dataclass(frozen=True, slots=True)
class Config:
    """What can be set. Every field has a default; an unknown key in the file is an error, not a silence."""

    reviewer: str = ""
    """Who decides: stored with every decision. Default: the login name."""
    theme: str = "dark"
    """``dark``, ``light``, or ``ansi`` (the terminal's own 16 colours)."""
    ascii: bool = False
    """Draw with ASCII characters only."""
    mouse: bool = False
    """Let the mouse scroll; takes text selection away from the terminal."""
    reveal: Reveal = "block"
    """When the judges are shown in a blind queue: at the end of a ``block`` of 20, or after ``each`` decision."""
    contact: str = ""
    """An address or web page put into the user agent when pages are fetched."""
    proxy: str = ""
    """A proxy for fetching, ``http://[user:password@]host:port``. The environment is never asked for one."""
    respect_robots: bool = False
    """Ask each site's robots.txt before fetching a page from it."""
    services: Mapping[str, str] = field(default_factory=dict)
    """Base addresses in place of the public ones: ``eutils``, ``europe_pmc``, ``doi``, ``wayback``, ``rdap``."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Action name -> key, or keys separated by commas; the names are in ``?``."""
    prompts: str = ""
    """A folder with prompts of your own: ``TASK.md`` there takes the place of the one of this program."""
    synonyms: str = ""
    """A TOML file with words of your own that stand for one another: ``[synonyms] groups = [["flu", "grippe"], ...]``.
    They are added to those of the program; pairs that were judged before are not judged again."""
    judges: Mapping[str, JudgeSettings] = field(default_factory=dict)
    """The models that can be asked: the tables ``[judges.NAME]``."""

    @property
    def prompts_folder(self) -> Path | None:
        """The folder of ``prompts``; ``None`` when it is not set."""
        return Path(self.prompts) if self.prompts else None

    @property
    def synonyms_file(self) -> Path | None:
        """The file of ``synonyms``; ``None`` when it is not set."""
        return Path(self.synonyms) if self.synonyms else None


def config_folder() -> Path:
    """Where the settings file is looked for when none lies in the working folder."""
    from platformdirs import user_config_path

    return user_config_path("medreview")


def find_config() -> Path | None:
    """The settings file in the working folder, else in the user's configuration folder; ``None`` without any."""
    for path in (Path(FILE_NAME), config_folder() / FILE_NAME):
        if path.is_file():
            return path
    return None


def load_config(path: Path | None = None) -> Config:
    """The settings; raises :class:`UserError` naming the key that is unknown, has a wrong value, or is given twice."""
    path = path or find_config()
    if path is None:
        return Config(reviewer=_login())
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"The settings {path} cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"The settings {path} are not valid TOML: {error}.") from error
    return _checked(told, path)


def _checked(told: dict[str, Any], path: Path) -> Config:
    known = {item.name: item for item in fields(Config)}
    for key, value in told.items():
        if key not in known:
            raise UserError(f"The settings {path} hold an unknown key {key!r}; known are {', '.join(known)}.")
        wanted = _KINDS.get(key, str)
        if not isinstance(value, wanted):
            raise UserError(f"In the settings {path}, {key!r} must be {_NAMES[wanted]}.")
    if told.get("theme", "dark") not in _THEMES:
        raise UserError(f"In the settings {path}, 'theme' must be one of {', '.join(_THEMES)}.")
    if told.get("reveal", "block") not in REVEALS:
        raise UserError(f"In the settings {path}, 'reveal' must be one of {', '.join(REVEALS)}.")
    if any(not isinstance(value, str) for value in told.get("keys", {}).values()):
        raise UserError(f"In the settings {path}, every value under [keys] must be a text.")
    remapped(REVIEW, told.get("keys", {}))
    _check_services(told.get("services", {}), path)
    judges = judges_from(told.get("judges", {}), path)
    # Beside the settings, whatever folder the command is given in.
    beside = {key: str(path.parent / Path(told[key]).expanduser()) for key in ("prompts", "synonyms") if told.get(key)}
    return Config(**{"reviewer": _login(), **told, "judges": judges, **beside})


def _check_services(told: Mapping[str, Any], path: Path) -> None:
    for name, address in told.items():
        if name not in SERVICES:
            raise UserError(f"The settings {path} name an unknown service {name!r}; known are {', '.join(SERVICES)}.")
        if not isinstance(address, str) or not address.startswith(("https://", "http://")):
            raise UserError(f"In the settings {path}, the service {name!r} must be a web address.")


_KINDS: Final = {
    "ascii": bool,
    "mouse": bool,
    "respect_robots": bool,
    "keys": dict,
    "judges": dict,
    "services": dict,
}
"""Settings that are no text."""
_NAMES: Final = {bool: "true or false", dict: "a table", str: "a text"}


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "reviewer"
