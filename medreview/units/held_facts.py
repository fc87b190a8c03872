"""Every key fact in force, held against every response to its question: what judges and people say of it.

The system that a response is of is its model. Cases are what figures resample: the facts of one case, and the texts of
several systems on it, are not independent. :func:`failed_facts` has what a system omits and contradicts by the majority
of the judges.
"""

import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from medreview.judges.fact_votes import (
    CONTRADICTION,
    PRESENCE,
    FactInResponse,
    FactVote,
    JuryWord,
    answer_of,
    facts_in_responses,
    jury_word,
)
from medreview.labels import Mode, TieRule
from medreview.study.ids import content_id, unit_id
from medreview.units.cases import case_of_question
from medreview.units.statement_view import response_name

_FACTS: Final = """SELECT question_sha256, key_fact_id, ordinal, text, category FROM key_fact_in_force
ORDER BY question_sha256, ordinal, key_fact_id"""
_RESPONSES: Final = """SELECT r.response_id, r.ordinal, r.model, r.question, r.text, r.invalid, k.question_sha256
FROM response AS r JOIN (SELECT DISTINCT question_sha256 FROM key_fact_in_force) AS k
     ON k.question_sha256 = sha256_of(r.question) ORDER BY r.ordinal"""
_LABELS: Final = """SELECT unit, reviewer, mode, label FROM reviewer_label
WHERE axis = 'presence' AND pass = 1 AND unit >= 'fact:' AND unit < 'fact;' ORDER BY unit, reviewer"""


@dataclass(frozen=True, slots=True)
class KeyFact:
    """A key fact in force; ``number`` is its own in the case, as on the screen."""

    key_fact_id: str
    number: int
    text: str
    category: str

    @property
    def name(self) -> str:
        """What the screen calls it."""
        return f"F{self.number}"


@dataclass(frozen=True, slots=True)
class FactCase:
    """A case with its facts; one that came without a case has no ``title`` and no ``reference``."""

    case_id: str
    name: str
    title: str
    question: str
    reference: str
    facts: tuple[KeyFact, ...]


@dataclass(frozen=True, slots=True)
class FactText:
    """The text of a ``system`` on a case; not ``valid``: it is empty or cut off, so that nobody is asked about it."""

    response_id: str
    name: str
    system: str
    case_id: str
    text: str
    valid: bool


@dataclass(frozen=True, slots=True)
class PanelVote:
    """One person's level of the presence axis; ``mode``: whether machines had been seen before."""

    reviewer: str
    level: str
    mode: Mode


@dataclass(frozen=True, slots=True)
class HeldFact:
    """One fact held against one text: the votes of judges and of people."""

    case: FactCase
    fact: KeyFact
    text: FactText
    judged: FactInResponse
    people: tuple[PanelVote, ...]

    @property
    def unit(self) -> str:
        """The unit that a reviewer decides."""
        return unit_id("fact", self.text.response_id, self.fact.key_fact_id)

    def jury(self, task: str, tie: TieRule, members: Collection[str] | None = None) -> JuryWord:
        """What most judges say to one question; ``members``: of these judges only.

        Where there is no text, no fact is in it, and none contradicted.
        """
        if not self.text.valid:
            return JuryWord(0, 0, 0, answer=False, tied=False)
        votes = [vote.answer for vote in self.judged.of(task) if members is None or vote.judge in members]
        return jury_word(votes, tie)

    def panel(self, task: str, tie: TieRule, mode: Mode, without: Sequence[str] = ()) -> JuryWord:
        """What most people say to one question who labelled in a mode, some of them left out."""
        votes = [one for one in self.people if one.mode == mode and one.reviewer not in without]
        return jury_word([answer_of(one.level, task) for one in votes], tie)


@dataclass(frozen=True, slots=True)
class HeldFacts:
    """All of a study: cases, texts, and each fact in each text on its case, in the order of the texts."""

    cases: tuple[FactCase, ...]
    texts: tuple[FactText, ...]
    held: tuple[HeldFact, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, by their first text."""
        return tuple(dict.fromkeys(text.system for text in self.texts))

    @property
    def judges(self) -> tuple[str, ...]:
        """Who was asked, in the order in which they were first."""
        return tuple(dict.fromkeys(vote.judge for one in self.held for vote in one.judged.votes))

    def people(self, mode: Mode) -> tuple[str, ...]:
        """Who labelled in a mode, by name."""
        return tuple(sorted({vote.reviewer for one in self.held for vote in one.people if vote.mode == mode}))

    def where(self, wanted: Callable[[HeldFact], bool]) -> "HeldFacts":
        """The facts that are wanted, with their texts and cases."""
        held = tuple(one for one in self.held if wanted(one))
        cases, texts = {one.case.case_id for one in held}, {one.text.response_id for one in held}
        return HeldFacts(
            tuple(case for case in self.cases if case.case_id in cases),
            tuple(text for text in self.texts if text.response_id in texts),
            held,
        )

    @property
    def panel_mode(self) -> Mode:
        """The labels that make the panel's majority: blind ones, and assisted ones only where there are no others."""
        return "blind" if self.people("blind") or not self.people("assisted") else "assisted"


def held_facts(reader: sqlite3.Connection) -> HeldFacts:
    """All of a study; nothing where it has no key fact in force."""
    cases = _cases(reader)
    votes = {(one.response_id, one.key_fact_id): one for one in facts_in_responses(reader)}
    labels = _labels(reader)
    texts: list[FactText] = []
    held: list[HeldFact] = []
    for row in reader.execute(_RESPONSES):
        case, valid = cases[row["question_sha256"]], not row["invalid"]
        name, system = response_name(row["ordinal"]), row["model"]
        text = FactText(row["response_id"], name, system, case.case_id, row["text"], valid)
        texts.append(text)
        for fact in case.facts:
            ids = (text.response_id, fact.key_fact_id)
            people = tuple(labels.get(unit_id("fact", *ids), ()))
            held.append(HeldFact(case, fact, text, votes.get(ids) or FactInResponse(*ids, ()), people))
    return HeldFacts(tuple(cases.values()), tuple(texts), tuple(held))


def waiting_facts(reader: sqlite3.Connection) -> int:
    """How many key facts in force wait: no text answers their question yet."""
    return int(
        reader.execute(
            """SELECT count(*) FROM key_fact_in_force
               WHERE question_sha256 NOT IN (SELECT sha256_of(question) FROM response)"""
        ).fetchone()[0]
    )


def _cases(reader: sqlite3.Connection) -> dict[str, FactCase]:
    """By the hash of the question, cases in their order before the questions that are of none."""
    facts: dict[str, list[KeyFact]] = {}
    for row in reader.execute(_FACTS):
        fact = KeyFact(row["key_fact_id"], row["ordinal"], row["text"], row["category"])
        facts.setdefault(row["question_sha256"], []).append(fact)
    known = {question: case_of_question(reader, question) for question in facts}
    cases = {
        question: FactCase(case.case_id, case.name, case.title, case.question, case.reference, tuple(facts[question]))
        for question, case in sorted(
            ((question, case) for question, case in known.items() if case), key=lambda pair: pair[1].ordinal
        )
    }
    for row in reader.execute(_RESPONSES):
        question = row["question_sha256"]
        if question not in cases:
            name = f"Q{len(cases) + 1}"
            cases[question] = FactCase(question, name, "", row["question"], "", tuple(facts[question]))
    return cases


def _labels(reader: sqlite3.Connection) -> dict[str, list[PanelVote]]:
    """By unit, what each person said of it."""
    found: dict[str, list[PanelVote]] = {}
    for row in reader.execute(_LABELS):
        found.setdefault(row["unit"], []).append(PanelVote(row["reviewer"], row["label"], row["mode"]))
    return found


Failure = Literal["omitted", "contradicted"]
LEAST: Final = 2
"""Facts, or statements, that make a theme."""
FACT_THEMES: Final = "themes"
"""The generator that makes themes of them; its report lists each theme's facts by :attr:`FailedFact.key`."""
_TASKS: Final[tuple[tuple[Failure, str, bool], ...]] = (
    ("omitted", PRESENCE, False), ("contradicted", CONTRADICTION, True),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FailedFact:
    """A fact that a text omits or contradicts by the majority, with the votes of the judges who say so."""

    failure: Failure
    held: HeldFact
    votes: tuple[FactVote, ...]

    @property
    def key(self) -> tuple[str, str, str]:
        """How it failed, in which response, which key fact."""
        return self.failure, self.held.text.response_id, self.held.fact.key_fact_id


def failed_facts(facts: HeldFacts, system: str, tie: TieRule) -> list[FailedFact]:
    """What a system omits, then what it contradicts, in the order of its texts. Missing texts give no theme."""
    held = [one for one in facts.held if one.text.system == system and one.text.valid]
    found = []
    for failure, task, answer in _TASKS:
        for one in held:
            if one.jury(task, tie).answer is answer:
                votes = tuple(vote for vote in one.judged.of(task) if vote.answer is answer)
                found.append(FailedFact(failure, one, votes))
    return found


def failures_id(system: str, failed: Sequence[FailedFact]) -> str:
    """The same for the same failures with the same words of the judges: what themes were made of."""
    return content_id(
        "t",
        system,
        *([*one.key, one.held.fact.text, *(f"{vote.judge}: {vote.reason}" for vote in one.votes)] for one in failed),
    )
