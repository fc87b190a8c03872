"""What a setting is: the description that stands with its field, and what follows from it.

The fields of ``medreview.config.Config`` and ``medreview.llm.settings.JudgeSettings`` are the one table of all
settings. A field has the name, the type and the default; :func:`about` adds what it is for. Reading, checking, the
command ``config`` and the pages take all they say from there.
"""

import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Final, NamedTuple


class Kind(NamedTuple):
    """A type of values: in words (``a text``), and as the reader of TOML gives it."""

    words: str
    types: tuple[type, ...]


SERVICES: Final = (
    *("eutils", "europe_pmc", "doi", "wayback", "rdap"),
    *("crossref", "datacite", "openalex", "clinical_trials"),
)
"""The services that can be asked at another address."""
MODEL_TABLES: Final = ("judges", "models")
"""The tables of settings that hold a table for each model: of those that judge, and of those that write."""
TEXT: Final = Kind("a text", (str,))
SWITCH: Final = Kind("true or false", (bool,))
WHOLE: Final = Kind("a whole number", (int,))
NUMBER: Final = Kind("a number", (int, float))
TABLE: Final = Kind("a table", (dict,))
_KINDS: Final[Mapping[Any, Kind]] = {str: TEXT, bool: SWITCH, int: WHOLE, float: NUMBER}


class About(NamedTuple):
    """What is said of a setting, and the rules that its type does not hold.

    ``help`` is one line, ``more`` what else there is to know; ``unset`` says what holds where it is not set, if the
    default does not say it; ``example`` is a value; ``page`` a place in the documentation. ``guarded``: it says where
    texts and keys go, or what is asked there, so that a file of somebody else's needs trust for it.
    """

    help: str
    more: str
    unset: str
    example: str
    page: str
    choices: tuple[str, ...]
    guarded: bool


def about(
    help: str,
    *,
    more: str = "",
    unset: str = "",
    example: str = "",
    page: str = "",
    choices: tuple[str, ...] = (),
    guarded: bool = False,
) -> dict[str, About]:
    """The ``metadata`` of a field that is a setting; arguments as of :class:`About`."""
    return {"about": About(help, more, unset, example, page, choices, guarded)}


class Setting(NamedTuple):
    """One setting. ``default`` is ``None`` where there is none; ``required``: it must be set."""

    name: str
    kind: Kind
    default: Any
    required: bool
    about: About

    def misfit(self, value: object) -> str:
        """Half a sentence when the setting cannot have this value: ``must be a text``; ``""`` when it can."""
        is_switch = isinstance(value, bool)  # which Python takes for a number, too
        if not isinstance(value, self.kind.types) or is_switch != (self.kind is SWITCH):
            return f"must be {self.kind.words}"
        if self.about.choices and value not in self.about.choices:
            return f"must be one of {', '.join(self.about.choices)}"
        return ""

    @property
    def allowed(self) -> str:
        """The values that it can have, in words."""
        return f"one of {', '.join(self.about.choices)}" if self.about.choices else self.kind.words

    @property
    def when_unset(self) -> str:
        """What holds where it is not set, in words: ``dark``, ``the login name``, ``empty``."""
        if self.required:
            return "none: it must be set"
        if self.about.unset or self.default in (None, "", {}):
            return self.about.unset or "empty"
        return str(self.default).lower() if self.kind is SWITCH else str(self.default)


def settings_in(table: type[Any]) -> dict[str, Setting]:
    """The settings that are fields of a dataclass, by name, in their order; fields without :func:`about` are none."""
    return {item.name: _setting(item) for item in fields(table) if "about" in item.metadata}


def _setting(item: Any) -> Setting:
    made = item.default_factory is not MISSING
    default = item.default_factory() if made else None if item.default is MISSING else item.default
    required = item.default is MISSING and not made
    return Setting(item.name, _kind(item.type), default, required, item.metadata["about"])


def _kind(annotation: Any) -> Kind:
    """The kind of a field: ``float | None`` is a number, ``Literal["a", "b"]`` a text, any ``Mapping`` a table."""
    origin = typing.get_origin(annotation)
    if origin is types.UnionType:
        return _kind(next(it for it in typing.get_args(annotation) if it is not types.NoneType))
    if origin is typing.Literal:
        return TEXT
    return _KINDS.get(annotation, TABLE)


def flat(told: Mapping[str, Any]) -> dict[str, Any]:
    """What a file tells by full names: ``theme``, ``keys.defer``, ``judges.NAME.model``."""
    found: dict[str, Any] = {}
    for name, value in told.items():
        if not isinstance(value, Mapping):
            found[name] = value
            continue
        for inner, below in value.items():
            is_model = name in MODEL_TABLES and isinstance(below, Mapping)
            found |= (
                {f"{name}.{inner}.{key}": it for key, it in below.items()} if is_model else {f"{name}.{inner}": below}
            )
    return found


def is_under(name: str, tables: Iterable[str]) -> bool:
    """Whether a full name is one of these or stands in one of them: ``keys.defer`` in ``keys``."""
    return any(name == table or name.startswith(f"{table}.") for table in tables)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` (did you mean 'theme'?)`` with the nearest known name; ``""`` where none is near."""
    from difflib import get_close_matches

    near = get_close_matches(name.lower()[:100], list(known), n=1, cutoff=0.6)
    return f" (did you mean {near[0]!r}?)" if near else ""
