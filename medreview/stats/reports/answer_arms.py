"""Which arm of a study an answer is in: its model, run, prompt or version, or what another column of its file says.

What no record says is not guessed: such an answer is in no arm. Several answers of one arm may be to one question.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from medreview.errors import UserError
from medreview.exchange.imports.field_mapping import normalise_column
from medreview.stats.clusters import Clusters
from medreview.stats.reports.answer_collection import DETAILS, leaves

MODEL: Final = "model"
EXTRA: Final = "extra."
"""Before the name of a column that no field was made of, as in the filters of queues."""
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "run": DETAILS["run"],
    "prompt": (
        "prompt", "prompt_id", "prompt_name", "prompt_version", "prompt_style", "prompt_template", "template",
        *DETAILS["system prompt"],
    ),
    "version": DETAILS["version"],
}  # fmt: skip
"""What can be asked for by one word: names of columns that hold it, the first that is filled counts."""

_LONGEST: Final = 30
"""Characters of a value that is shown as the name of its arm."""
_BEGINNING: Final = 70
"""Characters of a longer one that are shown beside its number."""
_BEFORE: Final = 20
"""How many of these stand before the first that differs, where longer values begin alike."""
_WHOLE: Final = re.compile(r"\A(-?\d+)\.0+\Z")
_BARE: Final = re.compile(r"-?\d+(?:\.\d+)?|yes|no|true|false", re.IGNORECASE)
_DIGITS: Final = re.compile(r"(\d+)")
_SYSTEM: Final = "SELECT response_id, text FROM turn WHERE role = 'system' ORDER BY ordinal DESC"
_MADE: Final = """
SELECT p.made, r.ordinal, r.prompts FROM generation_product AS p JOIN generation_run AS r USING (run_id)
WHERE p.kind = 'response' ORDER BY r.ordinal DESC"""


class Arms(NamedTuple):
    """The arms ``by`` which a study is compared: ``of`` has the name of that of each response that says one.

    ``names`` stand in order, numbers by their size. ``legend``: by name, some of a value that is too long for one.
    """

    by: str
    of: Mapping[str, str]
    names: tuple[str, ...] = ()
    legend: Mapping[str, str] = MappingProxyType({})

    def explained(self, names: Iterable[str]) -> tuple[str, ...]:
        """What stands behind those of these names that are only numbers."""
        return tuple(f"{name}: {self.legend[name]}" for name in dict.fromkeys(names) if name in self.legend)


NO_ARMS: Final = Arms(MODEL, {})


@dataclass(frozen=True)
class ModelRepeats:
    """A model that answered ``questions`` of the study more than once, with so many ``answers`` to these together."""

    model: str
    questions: int
    answers: int


@dataclass(frozen=True)
class RepeatedAnswers:
    """``models`` that answered a question more than once, the one with most such answers first.

    ``told_by``: what tells these answers apart, for ``--between``; empty where no record says what sets them apart.
    """

    models: tuple[ModelRepeats, ...]
    told_by: tuple[str, ...]


def arm_word(by: str) -> str:
    """What the arms are, in a word for sentences: ``ward`` of ``extra.ward``."""
    return by.removeprefix(EXTRA).replace("_", " ")


def study_arms(reader: sqlite3.Connection, by: str) -> Arms:
    """The arms of the whole study by ``model``, ``run``, ``prompt``, ``version`` or ``extra.NAME``.

    Raises :class:`UserError` for another word, and where no answer says it; both name what answers say.
    """
    if by == MODEL:
        models = dict(reader.execute("SELECT response_id, model FROM response").fetchall())
        return Arms(by, models, tuple(sorted(set(models.values()))))
    column = normalise_column(by.removeprefix(EXTRA))
    key = EXTRA + column if by.startswith(EXTRA) else by
    said = dict(_answers(reader))
    if not column or (key not in COLUMNS and not key.startswith(EXTRA)):
        raise UserError(
            f"Answers are compared by {MODEL}, {', '.join(COLUMNS)} or {EXTRA}NAME, not by {by!r}. {_there_are(said)}"
        )
    values = {response: told[key] for response, told in said.items() if key in told}
    if not values:
        names = f" (a column {', '.join(COLUMNS[key])})" if key in COLUMNS else ""
        raise UserError(f"No answer of this study says its {column}{names}. {_there_are(said)}")
    words, legend = _worded(arm_word(column), dict.fromkeys(values.values()))
    of = {response: words[value] for response, value in values.items()}
    return Arms(by, of, tuple(sorted(set(of.values()), key=_by_number)), legend)


def repeated_answers(reader: sqlite3.Connection, clusters: Clusters) -> RepeatedAnswers | None:
    """Which models answered a question more than once; ``None`` where none did."""
    group = {
        response: (model, clusters.of[response])
        for response, model in reader.execute("SELECT response_id, model FROM response")
    }
    several = {each: count for each, count in Counter(group.values()).items() if count > 1}
    if not several:
        return None
    questions, answers = Counter[str](), Counter[str]()
    for (model, _), count in several.items():
        questions[model] += 1
        answers[model] += count
    said = dict(_answers(reader))
    return RepeatedAnswers(
        tuple(
            ModelRepeats(model, questions[model], answers[model])
            for model in sorted(questions, key=lambda model: (-answers[model], model))
        ),
        tuple(
            name
            for name in _choices(said)
            for values in [{(group[each], told[name]) for each, told in said.items() if name in told}]
            if len(values) > len({of for of, _ in values})
        ),
    )


def _answers(reader: sqlite3.Connection) -> Iterator[tuple[str, dict[str, str]]]:
    """Each response with what it says, by the names under which that is asked for."""
    system = dict(reader.execute(_SYSTEM).fetchall())
    made = {row["made"]: row for row in reader.execute(_MADE)}
    for response, extra in reader.execute("SELECT response_id, extra FROM response ORDER BY ordinal"):
        columns: dict[str, str] = {}
        for name, value in leaves(json.loads(extra)):
            columns.setdefault(name, _words(value))
        said = {by: next((columns[name] for name in names if name in columns), "") for by, names in COLUMNS.items()}
        if run := made.get(response):
            said["run"] = said["run"] or f"generation {run['ordinal']}"
            sent = (f"{name} {digest[:7]}" for name, digest in json.loads(run["prompts"]).items())
            said["prompt"] = said["prompt"] or ", ".join(sent)
        said["prompt"] = said["prompt"] or _words(system.get(response, ""))
        yield (
            response,
            {key: value for key, value in said.items() if value}
            | {f"{EXTRA}{name}": value for name, value in columns.items()},
        )


def _words(value: str) -> str:
    """A value on one line; a whole number as that, which a column with gaps may have as ``1.0``."""
    return _WHOLE.sub(r"\1", " ".join(value.split()))


def _choices(said: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What can divide the answers: it has two values that are each said of two answers or more."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in COLUMNS}
    for told in said.values():
        for name, value in told.items():
            counts.setdefault(name, Counter())[value] += 1
    # A column that one word asks for need not be named twice.
    known = {f"{EXTRA}{column}" for columns in COLUMNS.values() for column in columns}
    return [
        name for name, values in counts.items() if name not in known and sum(count > 1 for count in values.values()) > 1
    ]


def _there_are(said: Mapping[str, Mapping[str, str]]) -> str:
    found = _choices(said)
    return f"What answers here say: {', '.join([MODEL, *found])}."


def _worded(column: str, values: Mapping[str, object]) -> tuple[dict[str, str], dict[str, str]]:
    """A name for each value: itself, after the name of the column where it says nothing alone; a number if too long."""
    long = {value: f"{column} #{number}" for number, value in enumerate(filter(_is_long, values), 1)}
    words = {value: f"{column} {value}" if _BARE.fullmatch(value) else long.get(value, value) for value in values}
    alike = _begin_alike(min(long), max(long)) if len(long) > 1 else 0
    # Prompts that begin alike are told apart by where they differ.
    start = alike - _BEFORE if alike > _BEGINNING - _BEFORE else 0
    return words, {name: _some(value, start) for value, name in long.items()}


def _begin_alike(first: str, last: str) -> int:
    """How many characters the first and the last in order have alike, and so all between them."""
    pairs = enumerate(zip(first, last, strict=False))
    return next((place for place, (one, other) in pairs if one != other), len(first))


def _some(value: str, start: int) -> str:
    end = start + _BEGINNING
    return f"{'…' if start else ''}{value[start:end].strip()}{'…' if end < len(value) else ''}"


def _is_long(value: str) -> bool:
    return len(value) > _LONGEST


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(name)]
