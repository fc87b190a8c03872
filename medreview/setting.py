"""What a setting is: the description that stands with its field, and what follows from it.

The fields of ``medreview.config.Config`` and ``medreview.llm.settings.JudgeSettings`` are the one table of all
settings. A field has the name, the type and the default; :func:`about` adds what it is for. Reading, checking, the
command ``config`` and the pages take all they say from there.
"""

import math
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Final, NamedTuple

SERVICES: Final = (
    *("eutils", "europe_pmc", "doi", "wayback", "rdap"),
    *("crossref", "datacite", "openalex", "clinical_trials"),
)
"""The services that can be asked at another address."""
MODEL_TABLES: Final = ("judges", "models")
"""The tables of settings that hold a table for each model: of those that judge, and of those that write."""
TEXT: Final = "a text"
SWITCH: Final = "true or false"
WHOLE: Final = "a whole number"
NUMBER: Final = "a number"
TABLE: Final = "a table"
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    TEXT: (str,),
    SWITCH: (bool,),
    WHOLE: (int,),
    NUMBER: (int, float),
    TABLE: (dict,),
}
"""The types of values in words, and as the reader of TOML gives them."""
_KINDS: Final[Mapping[Any, str]] = {str: TEXT, bool: SWITCH, int: WHOLE, float: NUMBER}


class Setting(NamedTuple):
    """One setting: its description, and the values that it can have.

    ``help`` is one line, ``more`` the rest; ``unset`` says what applies where it is not set, if the default does not
    say it; ``example`` is a value; ``page`` a place in the documentation. ``above``, ``least``, ``most``: limits of a
    number. ``guarded``: it says where texts and keys go, or what is asked there, so that a file of somebody else's
    needs trust for it.

    ``name``, ``kind``, ``default`` (``None`` without one) and ``required`` are those of its field. ``keys`` lead to it
    in a TOML file.
    """

    help: str
    more: str = ""
    unset: str = ""
    example: str = ""
    page: str = ""
    choices: tuple[str, ...] = ()
    above: float | None = None
    least: float | None = None
    most: float | None = None
    guarded: bool = False
    name: str = ""
    kind: str = TEXT
    default: Any = None
    required: bool = False
    keys: tuple[str, ...] = ()

    def misfit(self, value: object) -> str:
        """Half a sentence when the setting cannot have this value: ``must be a text``; ``""`` when it can."""
        is_switch = isinstance(value, bool)  # which Python takes for a number, too
        if not isinstance(value, _TYPES[self.kind]) or is_switch != (self.kind == SWITCH):
            return f"must be {self.kind}"
        return f"must be {self.allowed}" if self.choices and value not in self.choices else ""

    def out_of_range(self, value: float | None) -> str:
        """Half a sentence where a number is not within its limits: ``must be above 0``; ``""`` where it is."""
        if value is None or (self.above, self.least) == (None, None):
            return ""
        if self.above is not None:
            return "" if self.above < value < math.inf else f"must be above {self.above:g}"
        most = math.inf if self.most is None else self.most
        if (self.least or 0) <= value <= most and value < math.inf:
            return ""
        return f"must be {self.least:g} to {most:g}" if most < math.inf else f"must not be below {self.least:g}"

    @property
    def allowed(self) -> str:
        """The values that it can have, in words."""
        return f"one of {', '.join(self.choices)}" if self.choices else self.kind

    @property
    def when_unset(self) -> str:
        """What holds where it is not set, in words: ``dark``, ``the login name``, ``empty``."""
        if self.required:
            return "none: it must be set"
        if self.unset or self.default in (None, "", {}):
            return self.unset or "empty"
        return str(self.default).lower() if self.kind == SWITCH else str(self.default)


def about(help: str, **more: Any) -> dict[str, Setting]:
    """The ``metadata`` of a field that is a setting; arguments as of :class:`Setting`."""
    return {"about": Setting(help, **more)}


def settings_in(table: type[Any]) -> dict[str, Setting]:
    """The settings that are fields of a dataclass, by name, in order; fields without :func:`about` are skipped."""
    return {item.name: _setting(item) for item in fields(table) if "about" in item.metadata}


def _setting(item: Any) -> Setting:
    made = item.default_factory is not MISSING
    default = item.default_factory() if made else None if item.default is MISSING else item.default
    required = item.default is MISSING and not made
    told: Setting = item.metadata["about"]
    return told._replace(name=item.name, kind=_kind(item.type), default=default, required=required, keys=(item.name,))


def _kind(annotation: Any) -> str:
    """The kind of a field: ``float | None`` is a number, ``Literal["a", "b"]`` a text, any ``Mapping`` a table."""
    origin = typing.get_origin(annotation)
    if origin is types.UnionType:
        return _kind(next(it for it in typing.get_args(annotation) if it is not types.NoneType))
    return TEXT if origin is typing.Literal else _KINDS.get(annotation, TABLE)


def flat(told: Mapping[str, Any]) -> dict[str, Any]:
    """A file's values by full name: ``theme``, ``keys.defer``, ``judges.NAME.model``."""
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
