"""Rankings made of what models answered to open QA items (ClinIQLink, experiment 2); no model is asked.

Each is one item with its reference answer and the answers of all compared models, without a name. Items are drawn by
numbers that follow from seed and item alone: a larger draw holds the smaller one. Nothing that a reviewer may see
follows from a model's name. The outputs are stored in an order drawn by their own words, so that seed and names do not
give it away; the screen has another order. Beside each model stands the key of its call, which nobody can guess, so
that the unit's id is no test for a guess at who wrote what. Both are left out of copies for who is blind.
"""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from medreview.errors import UserError
from medreview.generators.qa_answers import as_asked
from medreview.study import Study
from medreview.study.audit_frame import permanent_number
from medreview.study.events import NewEvent, Recorder
from medreview.text import sha256
from medreview.units.answer_files import MOST_OUTPUTS
from medreview.units.item_answers import ItemAnswer, item_answers
from medreview.units.new_units import ImportRecord, store_records
from medreview.units.qa import QAItem, items_of
from medreview.units.qa_key import OPEN
from medreview.units.stored import NewUnit, load_unit

DRAW: Final = "ranking_draw"
"""The kind of event: rankings are made of items that a seed draws."""
FEWEST: Final = 2
"""Models that a ranking compares."""


@dataclass(frozen=True, slots=True)
class RankingDraw:
    """What is drawn of: the ``models`` whose answers are compared, items of ``types``, so many of them (``items``) or a
    ``share``, all where both are ``None``; by ``seed``."""

    models: tuple[str, ...]
    types: tuple[str, ...] = OPEN
    items: int | None = None
    share: float | None = None
    seed: int = 1


@dataclass(frozen=True, slots=True)
class DrawnRankings:
    """``eligible`` items have an answer of every model, ``unanswered`` ones lack one; ``drawn`` of the eligible
    ones are in rankings, of which ``new`` were made now; ``by_type`` of all drawn. ``named``: outputs in which the name
    of their own model stands."""

    models: tuple[str, ...]
    seed: int
    eligible: int
    unanswered: int
    drawn: int
    new: int
    by_type: Mapping[str, int]
    named: int


def answering_models(reader: sqlite3.Connection) -> list[str]:
    """The models that answered QA items, by their names in the settings."""
    return list(dict.fromkeys(one.model for one in item_answers(reader)))


def make_rankings(study: Study, reviewer: str, draw: RankingDraw, *, dry_run: bool = False) -> DrawnRankings:
    """Draw items and store a ranking of each, with the event that says how; what is there already stays as it is.

    Raises :class:`UserError` for models that did not answer, fewer than two or more than nine of them, and where no
    item has an answer of all.
    """
    reader = study.reader
    _check(draw.models, answering_models(reader))
    items = {unit: one for unit, (_, one) in items_of(reader).items() if one.type in draw.types}
    answers = _answers(reader, draw.models, items)
    eligible = [unit for unit, held in answers.items() if len(held) == len(draw.models)]
    if not eligible:
        kinds = ", ".join(draw.types)
        raise UserError(f"No item of the types {kinds} has an answer of each of: {', '.join(draw.models)}.")
    wanted = _size(draw, len(eligible))
    drawn = sorted(eligible, key=lambda unit: permanent_number(str(draw.seed), unit))[:wanted]
    made = [_ranking(study, unit, items[unit], answers[unit]) for unit in drawn]
    there = {row[0] for row in reader.execute("SELECT unit_id FROM unit WHERE kind = 'ranking'")}
    new = [one for one in made if one.unit not in there]
    types = [items[unit].type for unit in drawn]
    found = DrawnRankings(
        models=draw.models,
        seed=draw.seed,
        eligible=len(eligible),
        unanswered=len(items) - len(eligible),
        drawn=len(drawn),
        new=len(new),
        by_type={kind: types.count(kind) for kind in draw.types if kind in types},
        named=sum(one.model.casefold() in one.text.casefold() for unit in drawn for one in answers[unit]),
    )
    if new and not dry_run:
        _store(study, reviewer, draw, found, new)
    return found


def _check(models: Sequence[str], known: Sequence[str]) -> None:
    if strange := [name for name in models if name not in known]:
        there = f"there are {', '.join(known)}" if known else "no model has answered any"
        raise UserError(f"{', '.join(strange)} did not answer QA items; {there}.")
    if not FEWEST <= len(models) <= MOST_OUTPUTS:
        raise UserError(
            f"A ranking compares {FEWEST} to {MOST_OUTPUTS} models; {len(models)} answered QA items or are named."
        )


def _answers(
    reader: sqlite3.Connection, models: Collection[str], items: Mapping[str, QAItem]
) -> dict[str, list[ItemAnswer]]:
    found: dict[str, list[ItemAnswer]] = {unit: [] for unit in items}
    for one in item_answers(reader):
        if one.model in models and one.unit in found and one.text:
            found[one.unit].append(one)
    return found


def _size(draw: RankingDraw, eligible: int) -> int:
    if draw.items is not None:
        return draw.items
    return eligible if draw.share is None else max(1, round(draw.share * eligible))


def _ranking(study: Study, unit: str, item: QAItem, answers: Sequence[ItemAnswer]) -> NewUnit:
    stored = load_unit(study.reader, unit)
    shuffled = sorted(answers, key=lambda one: (sha256(f"{unit} {one.text}"), one.call))
    content = {
        "question": as_asked(item),
        "type": item.type,
        "reference": reference_of(item),
        "outputs": [{"model": one.model, "text": one.text, "call": one.call} for one in shuffled],
    }
    by = {"item": unit, "runs": sorted({one.run for one in answers})}
    return NewUnit("ranking", item.question, content, stored.record_id, stored.origin, made_by=by)


def reference_of(item: QAItem) -> str:
    """What a good answer says, of an inverse item first what is wrong with the one that was given."""
    steps = "\n".join(f"{number}. {text}" for number, text in enumerate(item.steps, 1))
    return "\n\n".join(filter(None, (item.flaw, "\n".join(item.answers), steps)))


def _store(study: Study, reviewer: str, draw: RankingDraw, found: DrawnRankings, new: Sequence[NewUnit]) -> None:
    # Without the models: who reviews the rankings may read the record.
    said = {name: value for name, value in asdict(draw).items() if name != "models"} | {
        "outputs": len(draw.models), "eligible": found.eligible, "drawn": found.drawn, "new": found.new,
    }  # fmt: skip
    event, recorder = NewEvent(DRAW, study.meta("study_id"), said), Recorder(reviewer)

    def store(connection: sqlite3.Connection) -> None:
        store_records(connection, [ImportRecord(units=tuple(new))], "answers to QA items")
        recorder.append(connection, event, block=DRAW, mode="blind")

    study.write(store)
