"""All that is said of the key facts of a study, in one place: what is printed of them, and stands in the report."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from medreview.judges.fact_votes import JuryWord, answer_of
from medreview.judges.ties import tie_rule
from medreview.labels import TieRule
from medreview.stats.facts.fact_scores import TASKS, AgainstPanel, SystemScores, against_panel, system_scores
from medreview.stats.facts.fact_themes import Themes, themes_of
from medreview.stats.facts.single_person import SinglePerson, single_person
from medreview.stats.facts.tradeoff import TradeOff, trade_offs
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.reports.provenance import Provenance, provenance
from medreview.units.cases import case_of
from medreview.units.failed_facts import failed_facts
from medreview.units.held_facts import HeldFact, HeldFacts, Mode, held_facts
from medreview.units.suggestion import CaseFact, FactCounts, case_facts, fact_counts, facts_wanted


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
