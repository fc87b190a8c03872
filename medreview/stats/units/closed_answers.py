"""Closed QA items that models answered, scored by the key (ClinIQLink section 3.3): accuracy by model and type.

An answer is right when it names the key and nothing else (``medreview.units.qa_key``). Accuracy is of all items that
were put to the model: what refuses, is empty or cannot be read is not right, and is counted apart. Items of one
passage are alike, so that passages are resampled where one has several.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import share_of
from medreview.stats.formulas.shared_draws import ResponseSample
from medreview.units.item_answers import ItemAnswer, item_answers
from medreview.units.qa import items_of
from medreview.units.qa_key import CLOSED, How, key_of, overlap, read_choice

HOW: Final[tuple[How, ...]] = ("read", "unread", "refused", "empty")
_NOTHING: Final = "No such item was put to this model."


@dataclass(frozen=True)
class ClosedAnswers:
    """One model's answers to the items of a ``type``, ``""`` for all closed ones.

    ``how``: how many were ``read``, ``unread``, ``refused``, ``empty``; ``without_key``: items left out, whose key is
    none of their options. ``accuracy``: right of all the others; ``of_read``: right of those that were read.
    ``overlap``: of lists alone, the mean F1 of the options that were named, 0 where none could be read.
    """

    model: str
    type: str
    how: Mapping[str, int]
    right: int
    without_key: int
    accuracy: Estimate
    of_read: Estimate
    overlap: Estimate | None


@dataclass(frozen=True)
class AnsweringModel:
    """A model that was asked, with one set of prompts: ``asked`` items, of which ``answered`` have a text; ``cut_off``
    of these break off. ``cost`` and ``seconds`` per item; ``None`` where a price or a time is not known."""

    model: str
    run: str
    prompts: tuple[str, ...]
    asked: int
    answered: int
    cut_off: int
    cost: float | None
    seconds: float | None


@dataclass(frozen=True)
class ItemAnswerFigures:
    """What models answered to the study's QA items: each model, and its closed items by type."""

    models: tuple[AnsweringModel, ...]
    closed: tuple[ClosedAnswers, ...]


class _ScoredAnswer(NamedTuple):
    model: str
    type: str
    cluster: str
    how: How
    right: bool
    overlap: float
    keyed: bool


def item_answer_figures(
    reader: sqlite3.Connection,
    resampling: Resampling = DEFAULT,
    only: Collection[str] | None = None,
    model: str | None = None,
) -> ItemAnswerFigures | None:
    """Those of every model that was asked, or of one; ``None`` where none was. ``only``: of these items."""
    answers = [
        one
        for one in item_answers(reader)
        if (only is None or one.unit in only) and (model is None or one.model == model)
    ]
    if not answers:
        return None
    scored = list(_scored(reader, answers))
    groups = [
        (model, kind, [one for one in scored if one.model == model and kind in ("", one.type)])
        for model in dict.fromkeys(one.model for one in answers)
        for kind in ("", *CLOSED)
    ]
    return ItemAnswerFigures(
        models=tuple(_models(answers)),
        closed=tuple(_closed(model, kind, held, resampling) for model, kind, held in groups if held),
    )


def _models(answers: Sequence[ItemAnswer]) -> Iterator[AnsweringModel]:
    for model in dict.fromkeys(one.model for one in answers):
        own = [one for one in answers if one.model == model]
        costs = [one.cost for one in own if one.cost is not None]
        times = [one.seconds for one in own if one.seconds is not None]
        yield AnsweringModel(
            model=model,
            run=own[0].run,
            prompts=tuple(sorted({one.prompt for one in own if one.prompt})),
            asked=len(own),
            answered=sum(bool(one.text) for one in own),
            cut_off=sum(one.ended == "cut_off" for one in own),
            cost=sum(costs) / len(own) if len(costs) == len(own) else None,
            seconds=sum(times) / len(own) if len(times) == len(own) else None,
        )


def _scored(reader: sqlite3.Connection, answers: Sequence[ItemAnswer]) -> Iterator[_ScoredAnswer]:
    items = items_of(reader)
    clusters = dict(reader.execute("SELECT unit_id, coalesce(nullif(belongs_to, ''), unit_id) FROM unit"))
    for one in answers:
        if one.unit not in items or (item := items[one.unit][1]).type not in CLOSED:
            continue
        read, key = read_choice(item, one.text), key_of(item)
        yield _ScoredAnswer(
            one.model, item.type, clusters[one.unit], read.how, read.how == "read" and read.chosen == key,
            overlap(read.chosen, key), bool(key),
        )  # fmt: skip


def _closed(model: str, kind: str, held: Sequence[_ScoredAnswer], resampling: Resampling) -> ClosedAnswers:
    keyed = [one for one in held if one.keyed]
    read = [one for one in keyed if one.how == "read"]
    counted = Counter(one.how for one in keyed)
    return ClosedAnswers(
        model=model,
        type=kind,
        how={how: counted[how] for how in HOW},
        right=sum(one.right for one in keyed),
        without_key=len(held) - len(keyed),
        accuracy=_share("accuracy", keyed),
        of_read=_share("accuracy of what was read", read),
        overlap=_overlap(keyed, resampling) if kind == "list" else None,
    )


def _overlap(held: Sequence[_ScoredAnswer], resampling: Resampling) -> Estimate:
    rows, clusters = [(one.overlap, 1) for one in held], [one.cluster for one in held]
    sample = ResponseSample(("f1", "n"), rows, resampling.over("passage"), clusters=clusters)
    return sample.figure("mean F1 of lists", "f1", "n", scale="share", undefined=_NOTHING)


def _share(name: str, held: Sequence[_ScoredAnswer]) -> Estimate:
    counts: dict[str, tuple[int, int]] = {}
    for one in held:
        right, of = counts.get(one.cluster, (0, 0))
        counts[one.cluster] = (right + one.right, of + 1)
    return share_of(name, list(counts.values()), nothing=_NOTHING, unit="passage")
