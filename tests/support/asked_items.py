"""A benchmark of QA items, models that answer it by a seeded rule, and annotators who err by another.

A rule is a keyed hash: what a model writes to an item, and what an annotator makes of it, follow from seed, names and
item alone, so that a test can compute what the figures have to recover.
"""

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any, Final

from medreview.study import Study
from medreview.study.rows import insert
from medreview.text import sha256
from medreview.units.item_answers import GENERATOR
from medreview.units.new_units import ImportRecord, store_records
from medreview.units.qa import TYPES, QAItem, with_letters
from medreview.units.qa_key import CLOSED
from medreview.units.stored import NewPassage, NewUnit
from tests.support.generated_rows import AT, ATTEMPT, CALL, RUN
from tests.support.http_server import Exchange
from tests.support.judge_endpoint import says
from tests.support.misbehaving import read_request
from tests.support.unit_study import decided

_SCALE: Final = 1 << 52


def chance(*names: object) -> float:
    """A number from 0 to 1 that follows from the names."""
    return int(sha256("/".join(map(str, names)))[:13], 16) / _SCALE


def item(number: int) -> QAItem:
    """The item of a number: the seven types come in turn."""
    kind = list(TYPES)[number % len(TYPES)]
    passage = NewPassage(text_of(number)).passage_id
    question = f"Case {number}: which dose of the made-up drug d{number} is given?"
    options = with_letters(f"{number} mg of d{number} {how}" for how in ("daily", "weekly", "monthly", "once"))
    right = [options[number % 4][1], options[(number + 1) % 4][1]]
    match kind:
        case "true_false":
            question = f"Case {number}: the dose of d{number} is {number} mg."
            return QAItem(kind, question, answers=("True" if number % 2 else "False",), passage=passage)
        case "list":
            return QAItem(kind, question, options, tuple(right), passage=passage)
        case "multiple_choice":
            return QAItem(kind, question, options, (right[0],), passage=passage)
    steps = ("The dose follows the weight.", "The weight is known.") if kind.startswith("multi") else ()
    wrong = {"wrong_answer": "Any dose.", "wrong_steps": ("Doses never matter.", "So any will do."),
             "flaw": "Doses matter."}  # fmt: skip
    more: Mapping[str, Any] = wrong if kind.endswith("inverse") else {}
    return QAItem(kind, question, answers=(f"{number} mg",), steps=steps, passage=passage, **more)


def text_of(number: int) -> str:
    """The passage of an item."""
    return f"In case {number} the dose of d{number} is {number} mg, by weight. Nothing else is given."


def fill(study: Study, items: int, *, first: int = 0) -> None:
    """Store so many items with their passages."""
    made = [(number, item(number)) for number in range(first, first + items)]
    record = ImportRecord(
        passages=tuple(NewPassage(text_of(number)) for number, _ in made),
        units=tuple(
            NewUnit("qa", one.question, one.content(), f"i{number}", "made up", belongs_to=one.passage)
            for number, one in made
        ),
    )
    study.write(lambda connection: store_records(connection, [record], "test"))


@dataclass(frozen=True, slots=True)
class Rule:
    """How a model answers: shares of closed items that it gets right, refuses or answers beside the point, and of open
    ones in which it invents something."""

    right: float
    refuses: float = 0.0
    unclear: float = 0.0
    invents: float = 0.0

    def closed(self, model: str, number: int) -> str:
        """``right``, ``wrong``, ``refused``, ``unread``: what its answer to a closed item is."""
        fate = chance("closed", model, number)
        if fate < self.refuses:
            return "refused"
        if fate < self.refuses + self.unclear:
            return "unread"
        return "right" if chance("right", model, number) < self.right else "wrong"

    def invented(self, model: str, number: int) -> bool:
        """Whether its answer to an open item has something invented."""
        return chance("open", model, number) < self.invents

    def answer(self, model: str, number: int) -> str:
        """What it writes to an item."""
        one = item(number)
        if one.type not in CLOSED:
            dose = number + 1000 if self.invented(model, number) else number
            return f"The dose of d{number} is {dose} mg, {_VOICES[int(chance('voice', model, number) * len(_VOICES))]}."
        match self.closed(model, number):
            case "refused":
                return "I'm sorry, but I cannot answer that."
            case "unread":
                return "Doses depend on many things."
            case "right":
                letters = _key(one)
            case _:
                letters = (
                    ["False" if number % 2 else "True"]
                    if one.type == "true_false"
                    else ["D" if number % 4 != 3 else "B"]
                )
        return _FORMS[int(chance("form", model, number) * len(_FORMS))].format(", ".join(letters))


_FORMS: Final = ("{}", "Answer: {}.", "**{}**", "The answer is {}")
_VOICES: Final = ("by weight", "as the weight asks", "which the weight decides", "given by weight")


def _key(one: QAItem) -> list[str]:
    if one.type == "true_false":
        return list(one.answers)
    return [letter for letter, text in one.options if text in one.answers]


class Answering:
    """A server's route: each model that it is asked for answers by its rule."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.rules = rules

    def __call__(self, exchange: Exchange) -> None:
        body = json.loads(exchange.body)
        words = read_request(body).texts["item"]
        number = re.match(r"Case (\d+):", words)  # other items may be there as well
        answer = self.rules[body["model"]].answer(body["model"], int(number[1])) if number else "I cannot say."
        says(json.dumps({"answer": answer}), usage=(100, 20))(exchange)


def store_answers(
    study: Study, model: str, answers: Mapping[str, str], costs: Sequence[float | None] = (0.0005,)
) -> None:
    """What a model answered to items, as rows of a run, without a server; ``costs``: of each attempt at an answer."""
    run = f"run of {model}"

    def add(connection: sqlite3.Connection) -> None:
        last = connection.execute("SELECT coalesce(max(ordinal), 0) FROM generation_run").fetchone()[0]
        named = {"run_id": run, "ordinal": last + 1, "generator": GENERATOR, "model_name": model, "model": model}
        insert(connection, "generation_run", [{**RUN, **named}])
        for unit, text in answers.items():
            item, report = {"run_id": run, "item_id": unit}, {"prompt": "qa_reply_open/1", "answer": text, "ended": ""}
            ended = {"code": "" if text else "empty", "report": json.dumps(report), "finished_at": AT}
            insert(connection, "generation", [{**item, "round": 1, "name": unit, **ended}])
            for number, cost in enumerate(costs, 1):
                key = {"cache_key": f"{model} {unit} {number}"}
                insert(connection, "llm_call", [{**CALL, **key, "cost": cost, "raw_output": text}])
                made = {**ATTEMPT, **item, "number": number, **key, "status": "ok", "codes": "[]"}
                insert(connection, "generation_attempt", [made])

    study.write(add)


def answer_by_rule(study: Study, rules: Mapping[str, Rule]) -> None:
    """The same of models that answer all items of :func:`fill` by a rule."""
    items = study.reader.execute("SELECT unit_id, record_id FROM unit WHERE imported_from = 'test'").fetchall()
    for name, rule in rules.items():
        store_answers(study, name, {unit: rule.answer(name, int(record[1:])) for unit, record in items})


@dataclass(frozen=True, slots=True)
class Annotator:
    """Who ranks, rates and flags an output by what is invented in it, and is wrong about it as often as ``errs``."""

    name: str
    errs: float = 0.0

    def flags(self, model: str, number: int, invented: bool) -> bool:
        """Whether they flag an output."""
        return invented != (chance("errs", self.name, model, number) < self.errs)


def rank(study: Study, unit: str, annotator: Annotator, rules: Mapping[str, Rule]) -> None:
    """One annotator's labels of one ranking: what they flag is Bad and comes last, the rest is Good."""
    row = study.reader.execute("SELECT record_id, content FROM unit WHERE unit_id = ?", (unit,)).fetchone()
    number, outputs = int(row[0][1:]), json.loads(row[1])["outputs"]
    flagged = {
        place: annotator.flags(one["model"], number, rules[one["model"]].invented(one["model"], number))
        for place, one in enumerate(outputs, 1)
    }
    good, bad = ("=".join(str(place) for place, bad in flagged.items() if bad == is_bad) for is_bad in (False, True))
    labels = {"rank": ">".join(filter(None, (good, bad)))}
    for place, is_bad in flagged.items():
        labels[f"quality/{place}"] = "bad" if is_bad else "good"
        labels[f"hallucinated/{place}"] = "flagged" if is_bad else "not_flagged"

    def label(connection: Connection) -> None:
        for axis, level in labels.items():
            decided(connection, annotator.name, unit, axis, level, block="rankings")

    study.write(label)
