"""The reviewer's settings, from a TOML file, and where medreview keeps things."""

import getpass
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from medreview.errors import UserError
from medreview.labels import REVEALS, Reveal
from medreview.llm.settings import JudgeSettings, as_told, judges_from, told_of
from medreview.redaction import MARK
from medreview.review.actions import REVIEW, remapped
from medreview.settings_files import GUARDED, find_configs, is_own, is_trusted, read_settings

SERVICES: Final = ("eutils", "europe_pmc", "doi", "wayback", "rdap")
_PASSWORD: Final = re.compile(r"(?<=:)[^:@/][^@/]*(?=@)")
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
    untrusted: Mapping[str, Path] = field(default_factory=dict)
    """What of this says where texts and keys go (``judges.NAME``, ``services.NAME``, ``proxy``, ``prompts``) and comes
    from a file that was not trusted yet: it is known, and not to be used (``medreview.configured``)."""

    @property
    def prompts_folder(self) -> Path | None:
        """The folder of ``prompts``; ``None`` when it is not set."""
        return Path(self.prompts) if self.prompts else None

    @property
    def synonyms_file(self) -> Path | None:
        """The file of ``synonyms``; ``None`` when it is not set."""
        return Path(self.synonyms) if self.synonyms else None


def load_config(path: Path | None = None) -> Config:
    """The settings; raises :class:`UserError` naming the key that is unknown, has a wrong value, or is given twice.

    With a ``path`` only that file is read, which whoever names it is taken to know. Otherwise the user's own and the
    one in the working folder. The latter goes before the user's, but for what says where texts and keys go: there the
    user's own goes before it, and it counts only once it was trusted.
    """
    if path is not None:
        return Config(**{"reviewer": _login(), **_read(path)[0]})
    merged: dict[str, Any] = {"reviewer": _login()}
    untrusted: dict[str, Path] = {}
    for file in find_configs():
        told, content = _read(file)
        guarded = {name: told.pop(name) for name in GUARDED if name in told}
        merged |= told
        added = _added(merged, guarded)
        if added and not is_own(file) and not is_trusted(file, content):
            untrusted |= dict.fromkeys(added, file)
    return Config(**merged, untrusted=untrusted)


@dataclass(frozen=True, slots=True)
class Guarded:
    """What one file says on where texts and keys go, a line each, and the whole text that says it."""

    lines: list[str]
    content: str


def read_guarded(path: Path) -> Guarded:
    """What a settings file says on where texts and keys go; raises :class:`UserError` as :func:`load_config` does."""
    told, content = _read(path)
    lines = []
    for judge in told.get("judges", {}).values():
        key = f"the key in {judge.api_key_env}" if judge.api_key_env else "no key"
        lines.append(f"  judge {told_of(judge)}, {key}")
    lines += (f"  service {name}: {as_told(address)}" for name, address in told.get("services", {}).items())
    if proxy := told.get("proxy"):
        lines.append(f"  proxy: {as_told(_PASSWORD.sub(MARK, proxy))}")
    if prompts := told.get("prompts"):
        lines.append(f"  prompts: {as_told(prompts)}")
    return Guarded(lines, content)


def guarded_settings(told: Mapping[str, Any]) -> list[str]:
    """The names of what says where texts and keys go: ``judges.NAME``, ``services.NAME``, ``proxy``, ``prompts``."""
    names = []
    for name in GUARDED:
        value = told.get(name)
        names += [f"{name}.{key}" for key in value] if isinstance(value, Mapping) else [name] if value else []
    return names


def _added(merged: dict[str, Any], guarded: Mapping[str, Any]) -> list[str]:
    """Add what is not there yet, table by table; the names of what came in."""
    before = set(guarded_settings(merged))
    for name, value in guarded.items():
        if isinstance(value, Mapping):
            merged[name] = {**value, **merged.get(name, {})}
        elif not merged.get(name):
            merged[name] = value
    return [name for name in guarded_settings(merged) if name not in before]


def _read(path: Path) -> tuple[dict[str, Any], str]:
    """The checked settings of one file, and its text."""
    try:
        text = read_settings(path)
        told = tomllib.loads(text.content)
        if guarded_settings(told):
            text.check_private()
    except OSError as error:
        raise UserError(f"The settings {path} cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"The settings {path} are not valid TOML: {error}.") from error
    return _checked(told, path), text.content


def _checked(told: dict[str, Any], path: Path) -> dict[str, Any]:
    """What is told, with its judges and the paths beside the file; nothing is added to it."""
    known = [item.name for item in fields(Config) if item.name != "untrusted"]
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
    # Beside the settings, whatever folder the command is given in.
    beside = {key: str(path.parent / Path(told[key]).expanduser()) for key in ("prompts", "synonyms") if told.get(key)}
    judges = {"judges": judges_from(told["judges"], path)} if "judges" in told else {}
    return {**told, **judges, **beside}


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
