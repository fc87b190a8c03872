"""All that is said of the key facts of a study, in one place: figures, votes, and themes of what systems omit.

Themes are in what a system omits and contradicts, from what the judges of the majority say of it (MedFactEval, step 3).
Without a model they go by what the fact is about and by how the passage that the judges quote differs from it, as the
evidence rules see that. A theme of one fact is none. ``key_fact_figures`` is the report without its texts and votes.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from medreview.judges.fact_votes import JuryWord, answer_of
from medreview.judges.rollup import tie_rule
from medreview.judges.triage import CLASH_WORDS
from medreview.labels import TieRule, label_words
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.reports.provenance import Provenance, provenance
from medreview.stats.units.fact_scores import (
    TASKS,
    AgainstPanel,
    SinglePerson,
    SystemScores,
    TradeOff,
    against_panel,
    single_person,
    system_scores,
    trade_offs,
)
from medreview.units.cases import case_of
from medreview.units.held_facts import (
    FACT_THEMES,
    LEAST,
    FailedFact,
    HeldFact,
    HeldFacts,
    Mode,
    failed_facts,
    failures_id,
    held_facts,
)
from medreview.units.suggestion import CaseFact, FactCounts, case_facts, fact_counts, facts_wanted

_MADE: Final = """SELECT g.report, r.model FROM generation_current AS g JOIN generation_run AS r USING (run_id)
WHERE r.generator = ? AND g.item_id = ? AND g.code = '' ORDER BY r.ordinal DESC LIMIT 1"""
_UNSAID: Final = "nothing near it is said"
_PARTLY: Final = "said in part, or otherwise"


@dataclass(frozen=True, slots=True)
class Theme:
    """What several failures of one system have in common; ``about``: a sentence more, if there is one."""

    title: str
    about: str
    facts: tuple[FailedFact, ...]


@dataclass(frozen=True, slots=True)
class Themes:
    """The themes of one system, the largest first; ``by``: the model that made them, ``""`` for the rules.

    ``dropped``: themes of one fact only, ``alone``: failures that are in none.
    """

    system: str
    by: str
    themes: tuple[Theme, ...]
    dropped: int
    alone: int


def themes_of(reader: sqlite3.Connection, system: str, failed: Sequence[FailedFact]) -> Themes:
    """Those that a model made of just these failures, by the newest such run; else by rule."""
    row = reader.execute(_MADE, (FACT_THEMES, failures_id(system, failed))).fetchone()
    if row is None:
        return themes_by_rule(system, failed)
    by_key = {one.key: one for one in failed}
    made: list[dict[str, Any]] = json.loads(row["report"])["themes"]
    named = [Theme(one["title"], one["about"], tuple(by_key[tuple(key)] for key in one["facts"])) for one in made]
    return _made(system, row["model"], named, failed)


def themes_by_rule(system: str, failed: Sequence[FailedFact]) -> Themes:
    """By failure, category of the fact, and how what is quoted differs from it."""
    groups: dict[tuple[str, str, str], list[FailedFact]] = {}
    for one in failed:
        groups.setdefault((one.failure, one.held.fact.category, _difference(one)), []).append(one)
    named = [
        Theme(f"{failure.capitalize()}: {label_words('category', category)}; {difference}", "", tuple(facts))
        for (failure, category, difference), facts in groups.items()
    ]
    return _made(system, "", named, failed)


def _made(system: str, by: str, named: Sequence[Theme], failed: Sequence[FailedFact]) -> Themes:
    """Those with enough facts, the largest first."""
    kept = [theme for theme in named if len(theme.facts) >= LEAST]
    inside = {one.key for theme in kept for one in theme.facts}
    return Themes(
        system=system,
        by=by,
        themes=tuple(sorted(kept, key=lambda theme: -len(theme.facts))),
        dropped=len(named) - len(kept),
        alone=sum(one.key not in inside for one in failed),
    )


def _difference(one: FailedFact) -> str:
    """In words; the commonest of several quotes' differences, the first of equals."""
    quotes = [vote.quote for vote in one.votes if vote.quote.strip()]
    if not quotes:
        return _UNSAID
    found = Counter(words for quote in quotes for words in _differences(one.held.fact.text, quote))
    return found.most_common(1)[0][0] if found else _PARTLY


def _differences(fact: str, quote: str) -> Iterator[str]:
    from medreview.evidence.clashes import clashes

    yield from dict.fromkeys(CLASH_WORDS[clash.kind] for clash in clashes(fact, quote))


@dataclass(frozen=True)
class FactFigures:
    """Key facts in the texts of systems, in figures; so many ``cases``, facts, texts and systems, and facts ``held``
    against texts.

    ``tie`` is the rule for even votes; ``tied`` how many there were, by question. ``panel``: the people whose labels
    make its majority, all of the mode ``panel_mode``; ``other_labels``: those of the other mode, which are left out.
    ``suggested``: what became of the suggested facts; ``kept``: of each case of which a number is to be kept, its name,
    how many are (own ones too), and how many are wanted.
    """

    cases: int
    key_facts: int
    texts: int
    systems: int
    held: int
    tie: TieRule
    tied: Mapping[str, int]
    judges: tuple[str, ...]
    panel: tuple[str, ...]
    panel_mode: Mode
    panel_tied: Mapping[str, int]
    other_labels: int
    suggested: FactCounts
    kept: tuple[tuple[str, int, int], ...]
    scores: tuple[SystemScores, ...]
    against_panel: tuple[AgainstPanel, ...]
    single_person: SinglePerson | None
    trade_offs: tuple[TradeOff, ...]


@dataclass(frozen=True)
class FactReport(FactFigures):
    """The same with the facts, texts and votes themselves (``facts``), and the themes of each system."""

    facts: HeldFacts
    themes: tuple[Themes, ...]
    provenance: Provenance

    def jury(self, held: HeldFact, task: str) -> JuryWord:
        """The judges' word on one fact, by the rule of the report."""
        return held.jury(task, self.tie)

    def people(self, held: HeldFact, task: str) -> JuryWord:
        """The panel's word on one fact, by the rule of the report."""
        return held.panel(task, self.tie, self.panel_mode)

    def people_of(self, held: HeldFact, task: str) -> list[tuple[str, bool | None]]:
        """Each person of the panel who labelled a fact, and the answer to one question."""
        votes = [vote for vote in held.people if vote.mode == self.panel_mode]
        return [(vote.reviewer, answer_of(vote.level, task)) for vote in votes]


def fact_report(
    reader: sqlite3.Connection, *, tie: TieRule | None = None, resampling: Resampling = DEFAULT
) -> FactReport:
    """That of a study as it is; ``tie`` stands in for the study's rule."""
    rule = tie or tie_rule(reader)
    suggested = case_facts(reader)
    facts = held_facts(reader)
    mode = facts.panel_mode
    panel = facts.people(mode)
    against = against_panel(facts, rule, resampling)
    scores = system_scores(facts, rule, resampling)
    voted = Counter(vote.reviewer for one in facts.held for vote in one.people if vote.mode == mode)
    labels = {name: {str(mode): count} for name, count in sorted(voted.items())}
    return FactReport(
        cases=len(facts.cases),
        key_facts=sum(len(case.facts) for case in facts.cases),
        texts=len(facts.texts),
        systems=len(facts.systems),
        held=len(facts.held),
        facts=facts,
        tie=rule,
        tied={task: sum(one.jury(task, rule).tied for one in facts.held) for task in TASKS},
        judges=facts.judges,
        panel=panel,
        panel_mode=mode,
        panel_tied={task: sum(one.panel(task, rule, mode).tied for one in facts.held) for task in TASKS},
        other_labels=sum(vote.mode != mode for one in facts.held for vote in one.people),
        suggested=fact_counts(suggested),
        kept=tuple(_kept(reader, suggested)),
        scores=scores,
        against_panel=against,
        single_person=single_person(facts, rule, resampling),
        trade_offs=tuple(trade_offs(reader, scores)),
        themes=tuple(themes_of(reader, system, failed_facts(facts, system, rule)) for system in facts.systems),
        provenance=provenance(reader, resampling, labels=labels, comparisons=len(against), tie=rule),
    )


def _kept(reader: sqlite3.Connection, facts: Sequence[CaseFact]) -> Iterator[tuple[str, int, int]]:
    standing = Counter(fact.case_id for fact in facts if fact.state in ("kept", "edited"))
    for case_id, wanted in facts_wanted(reader).items():
        case = case_of(reader, case_id)
        if case is not None:
            yield case.name, standing[case_id], wanted


@dataclass(frozen=True)
class ThemeCount:
    """A theme and how many facts are in it."""

    title: str
    about: str
    facts: int


@dataclass(frozen=True)
class SystemThemes:
    """The themes of one system, the largest first; ``by``: the model that made them, ``""`` for the rules.

    ``dropped``: themes of one fact only, ``alone``: failures that are in none.
    """

    system: str
    by: str
    themes: tuple[ThemeCount, ...]
    dropped: int
    alone: int


@dataclass(frozen=True)
class KeyFactFigures:
    """``figures``: scores of systems by the jury and by the panel, and judges beside it. Which votes a fact got is not
    told here: that is for who has decided."""

    figures: FactFigures
    themes: tuple[SystemThemes, ...]


def key_fact_figures(reader: sqlite3.Connection, resampling: Resampling = DEFAULT) -> KeyFactFigures | None:
    """By the study's tie rule; ``None`` where no response is held against a key fact."""
    report = fact_report(reader, resampling=resampling)
    return summary_of(report) if report.held else None


def summary_of(report: FactReport) -> KeyFactFigures:
    """A report without its texts and votes."""
    figures = FactFigures(**{field.name: getattr(report, field.name) for field in fields(FactFigures)})
    return KeyFactFigures(figures, tuple(map(_themes, report.themes)))


def _themes(found: Themes) -> SystemThemes:
    counts = tuple(ThemeCount(theme.title, theme.about, len(theme.facts)) for theme in found.themes)
    return SystemThemes(found.system, found.by, counts, found.dropped, found.alone)
