"""A team whose annotators err by a known rule, and what the rule comes to, worked out apart from the program.

They decide in the sessions behind the screen, each in the copy of their own batch.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from medreview.review.adjudicating import ConflictSession
from medreview.review.background import read_background, set_background
from medreview.review.consent import give_consent, must_consent
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.span_editing import SpanEdit
from medreview.study import Study

NONE: Final = "none"
TYPES: Final = ("fact", "input", "context")
CONSENT: Final = "I take part, and know that my labels are kept."
_SPAN: Final = "It is stopped after a week."
_CHECK_EVERY: Final = 10


def chance(*of: object) -> float:
    """The same number from 0 to 1 for the same words: what a model or a person does on an item does not depend on
    when it is asked."""
    return random.Random("\x1f".join(map(str, of))).random()


@dataclass(frozen=True)
class Annotator:
    """``false_alarm``: of how many right items one is called wrong; ``miss``: of how many wrong ones none is. Who is
    not ``attentive`` fails every check."""

    name: str
    false_alarm: float
    miss: float
    attentive: bool = True

    def errs(self, key: object, *, wrong: bool) -> bool:
        """Whether this one errs on an item."""
        return chance("errs", self.name, key) < (self.miss if wrong else self.false_alarm)


@dataclass(frozen=True)
class SimulatedTeam:
    """``items``: QA items by their own names, and whether each is wrong; ``answers``: the type of what is wrong."""

    annotators: Sequence[Annotator]
    items: Mapping[str, bool]
    answers: Mapping[str, str]

    def named(self, name: str) -> Annotator:
        """The annotator of this name."""
        return next(one for one in self.annotators if one.name == name)

    def without(self, *names: str) -> "SimulatedTeam":
        """The others."""
        return SimulatedTeam([one for one in self.annotators if one.name not in names], self.items, self.answers)

    def flags(self, who: str, item: str) -> bool:
        """Whether an annotator disputes an item."""
        return self.items[item] != self.named(who).errs(item, wrong=self.items[item])

    def relevance(self, who: str, item: str) -> str:
        """How relevant it is to an annotator: all are, as everybody says who reads them."""
        return "5" if self.named(who).attentive or not is_check(item) else "2"

    def type_of(self, who: str, answer: str) -> str:
        """Which hallucination an annotator sees in an answer."""
        kind = self.answers[answer]
        if not self.named(who).errs(answer, wrong=kind != NONE):
            return kind
        return TYPES[int(chance("which", who, answer) * 3)] if kind == NONE else NONE

    def records(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The items and the answers as their files have them. They have no medical meaning."""
        items = []
        for item, wrong in self.items.items():
            check = {"gold": "5", "attention": True} if is_check(item) else {}
            unit = "mL" if wrong else "mg"
            items.append({"unit": "qa", "id": item, "type": "true_false", "question": f"Measure {item} is in mg.",
                          "answer": "true", "passage": f"The ward has {item} in {unit}.", **check})  # fmt: skip
        answers = []
        for answer, kind in self.answers.items():
            gold = {"hallucination_type": kind, "hallucinated_spans": [] if kind == NONE else [_SPAN]}
            answers.append({"unit": "answer", "id": answer, "question": f"What is measure {answer}?",
                            "model": "quillwright", "answer": f"Measure {answer} is taken daily. {_SPAN}",
                            "correct_answer": f"The measure {answer} is taken for life.", **gold})  # fmt: skip
        return items, answers


def is_check(item: str) -> bool:
    """Whether an item is a check of attention."""
    return int(item[1:]) % _CHECK_EVERY == 0


def team_of(annotators: Sequence[Annotator], items: int, answers: int, seed: int) -> SimulatedTeam:
    """A fifth of the items and three quarters of the answers are wrong, drawn by the seed."""
    wrong = {f"i{number}": chance("wrong", seed, number) < 0.2 for number in range(items)}
    kinds = {
        f"a{number}": TYPES[number % 3] if chance("kind", seed, number) < 0.75 else NONE for number in range(answers)
    }
    return SimulatedTeam(annotators, wrong, kinds)


@dataclass(frozen=True)
class Expected:
    """What the rule comes to on a draw that is shared out: of the items that two or more have, how many pairs of labels
    are there and ``same``, how many items ``differ``; ``flagged``: items that anybody flags; ``labels`` of each one."""

    shared: int
    pairs: int
    same: int
    differ: frozenset[str]
    flagged: frozenset[str]
    labels: Mapping[str, int]


def expected(said: Mapping[str, Mapping[str, object]]) -> Expected:
    """Counted from what everybody says of their items: annotator -> item -> label."""
    by_item: dict[str, list[object]] = {}
    for own in said.values():
        for item, label in own.items():
            by_item.setdefault(item, []).append(label)
    twice = {item: labels for item, labels in by_item.items() if len(labels) > 1}
    pairs = [one == other for labels in twice.values() for one, other in combinations(labels, 2)]
    return Expected(
        len(twice), len(pairs), sum(pairs),
        frozenset(item for item, labels in twice.items() if len(set(labels)) > 1),
        frozenset(item for item, labels in by_item.items() if any(labels)),
        {who: sum(map(bool, own.values())) for who, own in said.items()},
    )  # fmt: skip


Run = Callable[..., str]
"""Runs a command of the program in the folder of the studies; what it prints."""


def lead_makes_the_study(run: Run, folder: Path, team: SimulatedTeam, seed: str, drawn_answers: int) -> None:
    """Import, consent, and two draws: every item to one, 45% to a second; of the answers some, each to three."""
    for name, records in zip(("items", "answers"), team.records(), strict=True):
        lines = "".join(json.dumps(one) + "\n" for one in records)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        run("import", "s.medreview", f"{name}.jsonl")
    (folder / "consent.txt").write_text(CONSENT, encoding="utf-8")
    run("plan", "consent", "s.medreview", "consent.txt")
    names = ",".join(one.name for one in team.annotators)
    run("plan", "draw", "s.medreview", "qa", "all", "--name", "items", "--seed", seed)
    run("plan", "assign", "s.medreview", "items", "--to", names, "--overlap", "45%")
    run("plan", "draw", "s.medreview", "answers", drawn_answers, "--name", "answers", "--seed", seed)
    run("plan", "assign", "s.medreview", "answers", "--to", names, "--each", 3)


def batches(study: Study) -> dict[str, dict[str, list[str]]]:
    """Draw -> annotator -> the names of their units in the files that they came from."""
    names = dict(study.reader.execute("SELECT unit_id, record_id FROM unit").fetchall())
    names |= dict(study.reader.execute("SELECT 'answer:' || response_id, record_id FROM response").fetchall())
    found: dict[str, dict[str, list[str]]] = {}
    for draw, who, unit in study.reader.execute("SELECT name, reviewer, unit FROM batch_unit ORDER BY place"):
        found.setdefault(draw, {}).setdefault(who, []).append(names[unit])
    return found


def decide_batch(copy: Path, who: str, team: SimulatedTeam, most: int | None = None) -> int:
    """Open a copy as an annotator does, and decide what waits in the batch; how much was decided."""
    with Study.open(copy) as study:
        session, done = _opened(study, who, "mine"), 0
        while session.unit and session.awaits(session.unit) and done != most:
            _decide(session, who, team)
            done += 1
            session.next_open()
        session.leave()
    return done


def _opened(study: Study, who: str, queue: str) -> ReviewSession:
    """The session over a queue, after what is asked before it."""
    if text := must_consent(study.reader, who):
        give_consent(study, who, text)
        set_background(study, who, read_background({"role": "physician", "years": "7"}))
    return open_session(study, who, open_queue(study, queue, who))


def _decide(session: ReviewSession, who: str, team: SimulatedTeam) -> None:
    assert session.view is not None
    name = session.view.record_id
    if session.asks.name == "qa":
        if team.flags(who, name):
            session.flag("dispute")
        session.decide(team.relevance(who, name))
        return
    kind = team.type_of(who, name)
    session.decide(kind)
    if kind != NONE:
        text = session.response_text()
        session.add_span("response", SpanEdit(text, text.index(_SPAN), len(text)))


def settle(file: Path, third: str, queue: str, team: SimulatedTeam) -> int:
    """A third person settles every open conflict of a queue as the truth is; how many units had one."""
    with Study.open(file) as study:
        session = _opened(study, third, queue)
        assert isinstance(session, ConflictSession)
        units = len(session.queue.units)
        while session.unit and session.awaits(session.unit):
            assert session.view is not None
            name = session.view.record_id
            for conflict in session.conflicts:
                if conflict.axis == "dispute":
                    for _ in range(1 if team.items[name] else 2):  # pressed again, it does not belong there
                        session.flag("dispute")
                else:
                    session.decide("5" if conflict.axis == "relevance" else team.answers[name])
            session.next_open()
        session.leave()
    return units
