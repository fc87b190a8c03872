"""Every kind of unit by name: a new kind is a module and an entry here. Units are looked up by id or by screen name.

:func:`without_models` removes from stored units the names of the models that wrote them.
"""

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from json import loads
from typing import TYPE_CHECKING, Any, Final

from medreview.labels import label_words
from medreview.study.ids import STATEMENT, kind_of
from medreview.study.unit_table import dumped
from medreview.text import sha256
from medreview.units.kind import Asks
from medreview.units.statement import STATEMENT_ASKS
from medreview.units.statement_view import load_name

if TYPE_CHECKING:
    from medreview.units.kind import UnitKind


_EVERY: Final = {
    "pair": ("pair", "PairKind"),
    "response": ("whole_response", "WholeResponse"),
    "reference": ("reference", "ReferenceKind"),
    "qa": ("qa", "QA"),
    "question": ("question", "QuestionKind"),
    "revision": ("revision", "Revision"),
    "answer": ("answer", "AnswerKind"),
    "statement_list": ("statement_list", "StatementListKind"),
    "suggestion": ("suggestion", "Suggestion"),
    "fact": ("fact_vote", "FactVotes"),
    "ranking": ("ranking", "RankingKind"),
}
"""By name: the module of a kind and its class there."""


class _Kinds(Mapping[str, "UnitKind"]):
    """One object of each kind, loaded when it is first asked for: who reviews statements waits for no other."""

    def __init__(self) -> None:
        self._made: dict[str, UnitKind] = {}

    def __getitem__(self, name: str) -> "UnitKind":
        if name not in self._made:
            module, kind = _EVERY[name]
            self._made[name] = getattr(import_module(f"medreview.units.{module}"), kind)()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in _EVERY

    def __iter__(self) -> Iterator[str]:
        return iter(_EVERY)

    def __len__(self) -> int:
        return len(_EVERY)


KINDS: Final[Mapping[str, "UnitKind"]] = _Kinds()
"""In the order of the first screen; the statement, which has its own queues, stands before them."""


def asks_of(unit: str) -> Asks:
    """What is asked of a unit, by its id."""
    return KINDS.get(kind_of(unit), STATEMENT_ASKS)


def unit_name(reader: sqlite3.Connection, unit: str) -> str:
    """What the screen calls a unit among all (``R07 S3``, ``Q12``); empty for one that the study does not have."""
    kind = KINDS.get(kind_of(unit))
    if kind is None:
        return load_name(reader, unit)
    try:
        return kind.load(reader, unit).name
    except KeyError:
        return ""


def words_on(reader: sqlite3.Connection, unit: str, axis: str, label: str) -> str:
    """A label on a unit as the screen says it beside the unit: an order in places there, not in stored numbers."""
    kind = KINDS.get(kind_of(unit))
    if kind is None or axis != kind.axis:
        return label_words(axis, label)
    return kind.label_words(kind.load(reader, unit), label)


def kinds_in(reader: sqlite3.Connection) -> dict[str, int]:
    """The kinds, other than the statement, that a study has units of, and how many."""
    return {kind: count for kind in KINDS if (count := count_units(reader, kind))}


def count_units(reader: sqlite3.Connection, kind: str) -> int:
    """How many units of a kind, other than the statement, the study has."""
    return int(reader.execute(f"SELECT count(*) FROM ({KINDS[kind].rows})").fetchone()[0])


_NAME: Final = re.compile(r"R0*(\d+)[ /:]*S0*(\d+)", re.IGNORECASE)


def find_unit(reader: sqlite3.Connection, name: str) -> str:
    """The unit with an id, with the name that the screen gives a statement (``R07 S3``), or with the id of its record.

    ``KIND:`` before the id of a record says which kind is meant: ``qa:q12``, ``response:a17``. Raises ``LookupError``
    with half a sentence unless it finds exactly one.
    """
    name = name.strip()
    if _is_unit(reader, name):
        return name
    if found := _NAME.fullmatch(name):
        row = reader.execute(
            """SELECT s.statement_id FROM statement AS s JOIN response AS r USING (response_id)
               WHERE r.ordinal = ? AND s.ordinal = ?""",
            (int(found[1]), int(found[2])),
        ).fetchone()
        if row:
            return str(row[0])
    kind, colon, record = name.partition(":")
    wanted = [KINDS[kind]] if colon and kind in KINDS else list(KINDS.values())
    record = record if colon and kind in KINDS else name
    units = [
        row[0]
        for one in wanted
        for row in reader.execute(f"SELECT unit FROM ({one.rows}) WHERE record_id = ? AND record_id <> ''", (record,))
    ]
    if len(units) != 1:
        raise LookupError(
            f"there is {'more than one' if units else 'no'} unit {name!r}{'' if units else ' in the study'}"
        )
    return str(units[0])


def _is_unit(reader: sqlite3.Connection, name: str) -> bool:
    if kind_of(name) == STATEMENT:
        return reader.execute("SELECT 1 FROM statement WHERE statement_id = ?", (name,)).fetchone() is not None
    if kind_of(name) not in KINDS:
        return False
    try:
        KINDS[kind_of(name)].load(reader, name)
    except (LookupError, ValueError):
        return False
    return True


def without_models(kind: str, content: str) -> str:
    """The JSON text of a stored unit's content, with ``""`` for each value that names what wrote it.

    Which these are the kind says (``UnitKind.models``); the content of a kind that is not known here stays as it is.
    """
    names = KINDS[kind].models if kind in KINDS else ()
    if not names:
        return content
    patterns = [re.compile(re.escape(name).replace(r"\*", "[0-9]+")) for name in names]
    return dumped(_emptied(loads(content), patterns, ""))


def register(connection: sqlite3.Connection) -> None:
    """Give a connection the SQL functions ``without_models(kind, content)`` and ``sha256_of(text)``."""
    connection.create_function("without_models", 2, without_models, deterministic=True)
    connection.create_function("sha256_of", 1, sha256, deterministic=True)


def _emptied(value: Any, patterns: Sequence[re.Pattern[str]], path: str) -> Any:
    if isinstance(value, dict):
        return {key: _emptied(inner, patterns, _below(path, key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [_emptied(inner, patterns, _below(path, str(place))) for place, inner in enumerate(value)]
    return "" if any(pattern.fullmatch(path) for pattern in patterns) else value


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
