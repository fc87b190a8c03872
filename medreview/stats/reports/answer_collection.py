"""How the answers of a study were collected, as far as their records say: models, dates, runs, settings.

Records of other systems call the same thing by many names: :data:`DETAILS` has them. What no record names is not
guessed.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from medreview.exchange.imports.field_mapping import normalise_column
from medreview.stats.clusters import study_clusters

DETAILS: Final[Mapping[str, tuple[str, ...]]] = {
    "version": ("model_version", "version", "model_snapshot", "snapshot", "model_id", "system_fingerprint"),
    "maker": ("manufacturer", "vendor", "provider", "developer", "maker"),
    "parameters": (
        "temperature", "top_p", "top_k", "seed", "max_tokens", "max_output_tokens", "max_completion_tokens",
        "frequency_penalty", "presence_penalty", "reasoning_effort",
    ),
    "run": ("run", "run_number", "run_no", "repetition", "repeat", "attempt", "trial"),
    "interface": ("interface", "access", "access_mode", "access_route", "platform", "channel"),
    "web access": ("web_access", "web_search", "browsing", "search_enabled", "internet"),
    "system prompt": ("system_prompt", "system", "instructions"),
    "language": ("language", "lang"),
    "location": ("location", "country", "city"),
    "session": ("session", "session_id", "chat", "chat_id", "conversation", "conversation_id"),
    "training cut-off": ("training_cutoff", "knowledge_cutoff", "cutoff"),
}  # fmt: skip
"""What guidelines ask of a query: names of columns that hold it, in small letters with ``_`` for all else."""
_DATES: Final = ("date", "query_date", "queried_at", "asked_at", "access_date", "accessed", "timestamp")
"""Names of the date of a query, where the record has none that was read as such."""
_NAMED: Final = {name: detail for detail, names in DETAILS.items() for name in names}
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_RESPONSES: Final = """
SELECT r.response_id, r.model, r.created_at, r.extra,
       (SELECT count(*) FROM statement_standing AS s WHERE s.response_id = r.response_id) AS statements,
       (SELECT count(DISTINCT c.source_id) FROM citation AS c WHERE c.response_id = r.response_id) AS sources,
       (SELECT count(*) FROM turn AS t WHERE t.response_id = r.response_id AND t.role <> 'system') AS turns
FROM response AS r ORDER BY r.ordinal"""
_SYSTEM: Final = "SELECT response_id, text FROM turn WHERE role = 'system'"
_MADE: Final = """
SELECT DISTINCT p.made, r.generator, r.model, r.prompts, r.params, r.started_at
FROM generation_product AS p JOIN generation_run AS r USING (run_id) WHERE p.kind = 'response' ORDER BY r.ordinal"""
_ORIGINS: Final = (
    "SELECT origin, count(*) FROM response WHERE origin <> '' GROUP BY origin ORDER BY count(*) DESC, origin"
)
_NOTES: Final = """
SELECT c.case_id, count(n.note_id) AS notes FROM clinical_case AS c LEFT JOIN case_note AS n USING (case_id)
GROUP BY c.case_id"""


@dataclass(frozen=True)
class ModelAnswers:
    """The answers of one model, or of all together (``model`` is ``""``).

    ``dated`` of them say when they were given, from ``first_day`` to ``last_day`` (ISO dates). ``fewest_runs`` and
    ``most_runs``: answers of a model to one question. ``earlier_turns``: answers before which more was said than the
    question. ``details``: by what guidelines ask for (:data:`DETAILS`), value -> answers.
    """

    model: str
    questions: int
    answers: int
    statements: int
    sources: int
    dated: int
    first_day: str
    last_day: str
    fewest_runs: int
    most_runs: int
    earlier_turns: int
    details: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class MadeHere:
    """A run that wrote answers from here: ``answers`` of them, by a ``model`` with these prompts and parameters."""

    generator: str
    model: str
    prompts: tuple[str, ...]
    params: Mapping[str, Any]
    started_at: str
    answers: int


@dataclass(frozen=True)
class AnswerCollection:
    """How the answers were collected.

    ``whole``: all answers; ``models``: those of each, the most first. ``origins``: where questions come from, with the
    answers to them. ``notes``: how many each case has.
    """

    whole: ModelAnswers
    models: tuple[ModelAnswers, ...] = ()
    origins: Mapping[str, int] = field(default_factory=dict)
    made_here: tuple[MadeHere, ...] = ()
    notes: tuple[int, ...] = ()


def answer_collection(reader: sqlite3.Connection) -> AnswerCollection:
    """Read it from the records of all answers of a study."""
    questions = study_clusters(reader).of
    rows = [_answer(row, questions[row["response_id"]]) for row in reader.execute(_RESPONSES)]
    by_id = {one.response_id: one for one in rows}
    for response_id, text in reader.execute(_SYSTEM):
        by_id[response_id].details.setdefault("system prompt", []).append(text)
    products = reader.execute(_MADE).fetchall()
    made = Counter(
        (row["generator"], row["model"], tuple(json.loads(row["prompts"])), row["params"], row["started_at"])
        for row in products
    )
    for row in products:
        if row["made"] in by_id and not by_id[row["made"]].day:
            by_id[row["made"]].day = row["started_at"][:10]
    models: dict[str, list[_CollectedAnswer]] = {}
    for one in rows:
        models.setdefault(one.model, []).append(one)
    found = [_model(name, answers) for name, answers in models.items()]
    return AnswerCollection(
        whole=_model("", rows),
        models=tuple(sorted(found, key=lambda one: (-one.answers, one.model))),
        origins=dict(reader.execute(_ORIGINS).fetchall()),
        made_here=tuple(
            MadeHere(generator, model, prompts, json.loads(params), at, answers)
            for (generator, model, prompts, params, at), answers in made.items()
        ),
        notes=tuple(row["notes"] for row in reader.execute(_NOTES)),
    )


@dataclass(slots=True)
class _CollectedAnswer:
    response_id: str
    model: str
    question: str
    day: str
    statements: int
    sources: int
    turns: int
    details: dict[str, list[str]]


def _answer(row: sqlite3.Row, question: str) -> _CollectedAnswer:
    details: dict[str, list[str]] = {}
    day = _day(row["created_at"])
    for name, value in leaves(json.loads(row["extra"])):
        if not day and name in _DATES:
            day = _day(value)
        if detail := _NAMED.get(name):
            details.setdefault(detail, []).append(f"{name} {value}" if detail == "parameters" else value)
    counts = row["statements"], row["sources"], row["turns"]
    return _CollectedAnswer(row["response_id"], row["model"], question, day, *counts, details)


def leaves(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and values of a record and of the tables within it, as texts; lists are nothing that is asked for."""
    for key, value in record.items():
        if isinstance(value, Mapping):
            yield from leaves(value)
        elif isinstance(value, str | int | float) and str(value).strip():
            yield normalise_column(str(key)), _text(value)


def _text(value: str | float) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).strip()


def _day(text: str) -> str:
    found = _DAY.match(text)
    return found[0] if found else ""


def _model(name: str, answers: list[_CollectedAnswer]) -> ModelAnswers:
    days = sorted(one.day for one in answers if one.day)
    runs = Counter((one.model, one.question) for one in answers).values()
    details: dict[str, Counter[str]] = {}
    for one in answers:
        for detail, values in one.details.items():
            details.setdefault(detail, Counter()).update(dict.fromkeys(values, 1))
    return ModelAnswers(
        model=name,
        questions=len({one.question for one in answers}),
        answers=len(answers),
        statements=sum(one.statements for one in answers),
        sources=sum(one.sources for one in answers),
        dated=len(days),
        first_day=days[0] if days else "",
        last_day=days[-1] if days else "",
        fewest_runs=min(runs, default=0),
        most_runs=max(runs, default=0),
        earlier_turns=sum(one.turns > 0 for one in answers),
        details={detail: dict(details[detail].most_common()) for detail in DETAILS if detail in details},
    )
