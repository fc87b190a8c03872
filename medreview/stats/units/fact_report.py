"""The report on the key facts of a study, in one place: scores, votes, and themes of what systems omit.

Scores of systems (MedFactEval) are shares said and contradicted by the majority of a jury. A tie that the tie rule
leaves open, a fact on which all abstained and one that was not asked about are left out of the share, and counted. A
text that is not there says no fact and contradicts none. ``single_person`` is MedFactEval's meta-evaluation: whether
judges agree with a panel as well as one person of it does; its figures are those of ``formulas.human_baseline``, and
cases are resampled. ``trade_offs`` are cost and time of the calls that made a text, of all attempts and stages, from
the table ``llm_call``; of a text that came in a file what its record says (``cost``, ``latency_ms``). They are known of
a system only when they are known of all its texts.

Themes are in what a system omits and contradicts, from what the judges of the majority say of it (MedFactEval, step 3).
Without a model they go by what the fact is about and by how the passage that the judges quote differs from it, as the
evidence rules see that. One fact is no theme. ``key_fact_figures`` is the report without its texts and votes.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from medreview.errors import UserError
from medreview.exchange.imports.beside_answers import cost_and_seconds
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE, JuryWord, answer_of
from medreview.judges.majority import OF_STUDY
from medreview.judges.rollup import tie_rule
from medreview.labels import CLASH_WORDS, Mode, TieRule, label_words
from medreview.stats.formulas.agreement import LEADING_PAIR, PairAgreement, two_raters
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.human_baseline import BesidePerson, non_inferiority
from medreview.stats.formulas.shared_draws import ResponseSample
from medreview.stats.reports.provenance import Provenance, provenance
from medreview.stats.reports.small_jury import judge_costs, judge_seconds
from medreview.stats.reports.study_reader import UnitSelection
from medreview.text import counted
from medreview.units.cases import case_of
from medreview.units.held_facts import (
    FACT_THEMES,
    LEAST,
    FailedFact,
    HeldFact,
    HeldFacts,
    failed_facts,
    failures_id,
    held_facts,
    waiting_facts,
)
from medreview.units.suggestion import CaseFact, FactCounts, case_facts, fact_counts, facts_wanted

_MADE: Final = """SELECT g.report, r.model FROM generation_current AS g JOIN generation_run AS r USING (run_id)
WHERE r.generator = ? AND g.item_id = ? AND g.code = '' ORDER BY r.ordinal DESC LIMIT 1"""
_UNSAID: Final = "nothing near it is said"
_PARTLY: Final = "said in part, or otherwise"
TASKS: Final = (PRESENCE, CONTRADICTION)
NAMES: Final[Mapping[str, str]] = {PRESENCE: "presence", CONTRADICTION: "contradiction"}
"""The two questions, and what their scores are called."""
_WHOLE: Final = {PRESENCE: "present", CONTRADICTION: "contradicted"}
_YES_NO: Final = ("yes", "no")


@dataclass(frozen=True, slots=True)
class FactScore:
    """The score on one question: ``figure`` is the share of facts with the answer yes, its interval over cases.

    ``tied`` counts even votes, whatever the tie rule made of them; ``undecided`` those that it left open; ``silent``
    the facts on which everybody who was asked abstained; ``not_asked`` those that nobody was asked about. The last
    three are left out of the figure.
    """

    figure: Estimate
    tied: int
    undecided: int
    silent: int
    not_asked: int


@dataclass(frozen=True, slots=True)
class SystemScores:
    """One system: on how many ``cases`` it has texts, how many of these are ``invalid``, and its scores by question.

    ``by_jury`` is by the majority of the judges, ``by_panel`` by that of people; empty where nobody was asked.
    """

    system: str
    cases: int
    texts: int
    invalid: int
    facts: int
    by_jury: Mapping[str, FactScore]
    by_panel: Mapping[str, FactScore]


@dataclass(frozen=True, slots=True)
class AgainstPanel:
    """A judge, or all together, against the panel's majority on one question; rows of the table are the panel's."""

    rater: str
    task: str
    agreement: PairAgreement


def system_scores(facts: HeldFacts, tie: TieRule, resampling: Resampling = DEFAULT) -> tuple[SystemScores, ...]:
    """Each system's scores, those first that say most of the facts by the jury, or else by the panel."""
    mode = facts.panel_mode
    panel = bool(facts.people(mode))
    found = []
    for system in facts.systems:
        held = [one for one in facts.held if one.text.system == system]
        texts = [text for text in facts.texts if text.system == system]
        found.append(
            SystemScores(
                system=system,
                cases=len({text.case_id for text in texts}),
                texts=len(texts),
                invalid=sum(not text.valid for text in texts),
                facts=len(held),
                by_jury=scores_by(held, lambda one, task: one.jury(task, tie), resampling) if facts.judges else {},
                by_panel=scores_by(held, lambda one, task: one.panel(task, tie, mode), resampling) if panel else {},
            )
        )
    return tuple(sorted(found, key=lambda one: best_first(one.by_jury or one.by_panel)))


def best_first(by: Mapping[str, FactScore]) -> float:
    """The key by which systems stand in order: those first that say most, those last of which nothing is known."""
    value = by[PRESENCE].figure.value if by else None
    return 1.0 if value is None else -value


def scores_by(
    held: Sequence[HeldFact], word: Callable[[HeldFact, str], JuryWord], resampling: Resampling = DEFAULT
) -> dict[str, FactScore]:
    """The scores of some facts on both questions, by ``word``: whose majority says what of a fact."""
    return {task: _score(held, task, [word(one, task) for one in held], resampling) for task in TASKS}


def _score(held: Sequence[HeldFact], task: str, words: Sequence[JuryWord], resampling: Resampling) -> FactScore:
    left = Counter(
        "undecided" if word.tied else "silent" if word.asked else "not_asked" for word in words if word.answer is None
    )
    rows = [(word.answer is True, word.answer is not None) for word in words]
    cases = [one.case.case_id for one in held]
    sample = ResponseSample(("yes", "known"), rows, resampling.over("case"), clusters=cases)
    figure = sample.share(
        NAMES[task], "yes", "known", undefined="No fact has an answer of the majority.", whole=_WHOLE[task],
        dropped=left.total(),
    )  # fmt: skip
    tied = sum(word.tied for word in words)
    return FactScore(figure, tied, left["undecided"], left["silent"], left["not_asked"])


JURY: Final = "the jury"
Juries = Sequence[tuple[str, ...]]
"""Small juries, each by the names of its judges."""


def jury_name(members: Sequence[str]) -> str:
    """What a small jury is called beside its judges."""
    return f"jury of {', '.join(members)}"


def small_juries(facts: HeldFacts, juries: Juries) -> Juries:
    """The juries as they are; raises :class:`UserError` for one of fewer than two, and for a judge nobody asked."""
    for members in juries:
        if len(members) < 2:
            raise UserError("A jury is of two judges or more: give their names with commas between them.")
        for name in members:
            if name not in facts.judges:
                known = ", ".join(facts.judges) or "nobody"
                raise UserError(f"No judge {name!r} was asked about key facts; asked: {known}.")
    return juries


def _said(
    facts: HeldFacts, held: Sequence[HeldFact], task: str, tie: TieRule, juries: Juries
) -> dict[str, list[bool | None]]:
    """The answers of the jury, of each small jury and of each judge to one question, by name."""
    said = {JURY: [one.jury(task, tie).answer for one in held]}
    said |= {jury_name(members): [one.jury(task, tie, members).answer for one in held] for members in juries}
    votes = [{vote.judge: vote.answer for vote in one.judged.of(task)} for one in held]
    return said | {judge: [given.get(judge) for given in votes] for judge in facts.judges}


def against_panel(
    facts: HeldFacts, tie: TieRule, resampling: Resampling = DEFAULT, juries: Juries = ()
) -> tuple[AgainstPanel, ...]:
    """The jury, each small jury and each judge against the majority of the panel, on all texts together; nothing
    without a panel."""
    mode = facts.panel_mode
    if not facts.people(mode) or not facts.judges:
        return ()
    held = [one for one in facts.held if one.text.valid]
    clusters = [one.case.case_id for one in held]
    found = []
    for task in TASKS:
        reference = [_named(one.panel(task, tie, mode).answer) for one in held]
        for rater, answers in _said(facts, held, task, tie, juries).items():
            if any(answer is not None for answer in answers):
                agreement = two_raters(
                    reference, [_named(answer) for answer in answers], _YES_NO, clusters=clusters,
                    statistics=LEADING_PAIR, resampling=resampling.over("case"),
                )  # fmt: skip
                found.append(AgainstPanel(rater, task, agreement))
    return tuple(found)


def _named(answer: bool | None) -> str | None:
    return None if answer is None else _YES_NO[not answer]


_LEAST: Final = 3
"""People, so that the others of one are two."""


@dataclass(frozen=True, slots=True)
class SinglePerson:
    """``person``: the mean of each one's kappa with the majority of the others; the judges and the jury beside it."""

    people: int
    replicates: int
    person: Estimate
    beside: tuple[BesidePerson, ...]


def single_person(
    facts: HeldFacts, tie: TieRule, resampling: Resampling = DEFAULT, juries: Juries = ()
) -> SinglePerson | None:
    """``None`` without judges, or with fewer than three people."""
    mode = facts.panel_mode
    people = facts.people(mode)
    if len(people) < _LEAST or not facts.judges:
        return None
    held = [one for one in facts.held if one.text.valid]
    panel = [
        {vote.reviewer: answer_of(vote.level, PRESENCE) for vote in one.people if vote.mode == mode} for one in held
    ]
    found = non_inferiority(
        [[votes.get(name) for name in people] for votes in panel],
        _said(facts, held, PRESENCE, tie, juries),
        (True, False),
        tie=OF_STUDY[tie],
        positive=True,
        negative=False,
        clusters=[one.case.case_id for one in held],
        resampling=resampling.over("case"),
    )
    return SinglePerson(len(people), resampling.replicates, found.baseline.mean, found.beside)


_CALLS: Final = """
SELECT s.model AS system, count(*) AS texts, json_group_array(s.extra) FILTER (WHERE m.made IS NULL) AS brought,
       max(m.model) AS model,
       max(m.strategy) AS strategy, sum(m.cost) AS cost, sum(m.unpriced) AS unpriced, sum(m.seconds) AS seconds,
       sum(m.batched) AS batched
FROM response AS s LEFT JOIN (
    SELECT p.made, r.model_name AS model, coalesce(json_extract(r.options, '$.strategy'), r.generator) AS strategy,
           sum(l.cost) AS cost, sum(l.cost IS NULL) AS unpriced, sum(l.latency_ms) / 1000.0 AS seconds,
           sum(coalesce(l.rung, '') = '') AS batched
    FROM (SELECT made, item_id, run_id, max(o.ordinal) FROM generation_product JOIN generation_run AS o USING (run_id)
          WHERE kind = 'response' GROUP BY made) AS p
    JOIN generation_run AS r USING (run_id)
    JOIN (SELECT DISTINCT run_id, item_id, cache_key FROM generation_attempt) AS a USING (run_id, item_id)
    LEFT JOIN llm_call AS l USING (cache_key)
    GROUP BY p.made
) AS m ON m.made = s.response_id
WHERE s.response_id IN (SELECT value FROM json_each(?))
GROUP BY s.model"""


@dataclass(frozen=True, slots=True)
class TradeOff:
    """One system. ``cost`` and ``seconds`` are means per case; ``None`` where they are not known, and then
    ``no_cost`` and ``no_time`` say why. ``model`` wrote by ``strategy``: systems of one model are compared.
    ``presence`` is the score by the jury, or by the panel where no judge was asked.
    """

    system: str
    model: str
    strategy: str
    texts: int
    cost: float | None
    seconds: float | None
    presence: Estimate
    no_cost: str = ""
    no_time: str = ""


def trade_offs(reader: sqlite3.Connection, scores: Sequence[SystemScores], facts: HeldFacts) -> list[TradeOff]:
    """Each system with a score, in the order of the scores; its calls are those for the texts of ``facts``."""
    texts = json.dumps([text.response_id for text in facts.texts])
    made = {row["system"]: row for row in reader.execute(_CALLS, (texts,))}
    found = []
    for one in scores:
        by = one.by_jury or one.by_panel
        if not by:
            continue
        row = made[one.system]
        brought = [cost_and_seconds(extra) for extra in json.loads(row["brought"])]
        costs, times = [cost for cost, _ in brought], [seconds for _, seconds in brought]
        no_cost = _untold(row, costs, "cost") or _unpriced(row)
        no_time = _untold(row, times, "latency") or _batched(row)
        found.append(
            TradeOff(
                system=one.system,
                model=row["model"] or "",
                strategy=row["strategy"] or "",
                texts=row["texts"],
                cost=None if no_cost else sum(filter(None, [row["cost"], *costs])) / row["texts"],
                seconds=None if no_time else sum(filter(None, [row["seconds"], *times])) / row["texts"],
                presence=by[PRESENCE].figure,
                no_cost=no_cost,
                no_time=no_time,
            )
        )
    return found


def _untold(row: sqlite3.Row, told: Sequence[float | None], what: str) -> str:
    number = told.count(None)
    return f"{counted(number, 'text')} of {row['texts']} not written here, and without a {what}" if number else ""


def _unpriced(row: sqlite3.Row) -> str:
    return f"the cost of {counted(row['unpriced'], 'call')} is not known" if row["unpriced"] else ""


def _batched(row: sqlite3.Row) -> str:
    return f"{counted(row['batched'], 'call')} came in a batch" if row["batched"] else ""


@dataclass(frozen=True, slots=True)
class JudgeWork:
    """What a judge, a small jury or all judges together spend on one fact in one text, by question.

    ``cost`` and ``seconds`` are of the judge's newest run, ``None`` where that is not known of every call; of a jury
    the sum of the costs, and the time of its slowest judge, since judges are asked side by side. Beside the kappas of
    ``against_panel`` they are the axes of MedFactEval's figure 2.
    """

    rater: str
    task: str
    cost: float | None
    seconds: float | None


def judge_work(reader: sqlite3.Connection, facts: HeldFacts, juries: Juries = ()) -> Iterator[JudgeWork]:
    """Of everybody in ``against_panel``, by question."""
    for task in TASKS:
        costs, seconds = judge_costs(reader, task), judge_seconds(reader, task)
        asked = tuple(dict.fromkeys(vote.judge for one in facts.held for vote in one.judged.of(task)))
        named = [(JURY, asked), *((jury_name(members), members) for members in juries)] if asked else []
        for rater, members in (*named, *((judge, (judge,)) for judge in asked)):
            paid, took = ([known.get(name) for name in members] for known in (costs, seconds))
            yield JudgeWork(
                rater,
                task,
                None if None in paid else sum(each for each in paid if each is not None),
                None if None in took else max(each for each in took if each is not None),
            )


@dataclass(frozen=True)
class ThemeCount:
    """What several failures of one system have in common: a title, a sentence more, if there is one, how many facts."""

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


_Named = tuple[str, str, Sequence[FailedFact]]
"""Title, sentence more and facts of a theme."""


def _themes_of(
    reader: sqlite3.Connection, system: str, failed: Sequence[FailedFact]
) -> tuple[SystemThemes, tuple[Sequence[FailedFact], ...]]:
    """Those that a model made of just these failures, by the newest such run; else by rule. Then the facts of each."""
    row = reader.execute(_MADE, (FACT_THEMES, failures_id(system, failed))).fetchone()
    by_key = {one.key: one for one in failed}
    made: list[dict[str, Any]] = json.loads(row["report"])["themes"] if row else []
    by_model = [(one["title"], one["about"], [by_key[tuple(key)] for key in one["facts"]]) for one in made]
    named: list[_Named] = [*by_model] if row else list(_by_rule(failed))
    kept = sorted((one for one in named if len(one[2]) >= LEAST), key=lambda one: -len(one[2]))
    inside = {fact.key for *_, facts in kept for fact in facts}
    counts = tuple(ThemeCount(title, about, len(facts)) for title, about, facts in kept)
    alone = sum(one.key not in inside for one in failed)
    by = row["model"] if row else ""
    return SystemThemes(system, by, counts, len(named) - len(kept), alone), tuple(facts for *_, facts in kept)


def _by_rule(failed: Sequence[FailedFact]) -> Iterator[_Named]:
    """By failure, category of the fact, and how what is quoted differs from it."""
    groups: dict[tuple[str, str, str], list[FailedFact]] = {}
    for one in failed:
        groups.setdefault((one.failure, one.held.fact.category, _difference(one)), []).append(one)
    for (failure, category, difference), facts in groups.items():
        yield f"{failure.capitalize()}: {label_words('category', category)}; {difference}", "", facts


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

    ``waiting``: the key facts of the study that no text is held against yet.
    ``tie`` is the rule for even votes; ``tied`` how many there were, by question. ``panel``: the people whose labels
    make its majority, all of the mode ``panel_mode``; ``other_labels``: those of the other mode, which are left out.
    ``suggested``: what became of the suggested facts; ``kept``: of each case of which a number is to be kept, its name,
    how many are (own ones too), and how many are wanted. ``judge_work``: what judges cost, and how long they take.
    """

    cases: int
    key_facts: int
    texts: int
    systems: int
    held: int
    waiting: int
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
    judge_work: tuple[JudgeWork, ...]
    trade_offs: tuple[TradeOff, ...]


@dataclass(frozen=True)
class KeyFactFigures:
    """``figures``: scores of systems by the jury and by the panel, and judges beside it. Votes on a fact are not
    here: they are for reviewers who decided."""

    figures: FactFigures
    themes: tuple[SystemThemes, ...]


@dataclass(frozen=True)
class FactReport(FactFigures):
    """The same with the facts, texts and votes themselves (``facts``), the themes of each system, and the facts of each
    of these themes (``themed``)."""

    facts: HeldFacts
    themes: tuple[SystemThemes, ...]
    themed: tuple[tuple[Sequence[FailedFact], ...], ...]
    provenance: Provenance

    @property
    def summary(self) -> KeyFactFigures:
        """The report without its texts and votes."""
        own = {field.name: getattr(self, field.name) for field in fields(FactFigures)}
        return KeyFactFigures(FactFigures(**own), self.themes)

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
    reader: sqlite3.Connection,
    *,
    tie: TieRule | None = None,
    resampling: Resampling = DEFAULT,
    only: UnitSelection | None = None,
    juries: Juries = (),
) -> FactReport:
    """That of a study as it is; ``tie`` stands in for the study's rule.

    ``only``: of that part of the facts in responses; what became of suggested facts is of the whole study. ``juries``:
    small ones to be set beside the panel; raises :class:`UserError` for a judge that nobody asked.
    """
    facts = held_facts(reader)
    small_juries(facts, juries)
    facts = facts if only is None else facts.where(lambda one: one.unit in only.units)
    return report_on(reader, facts, tie=tie, resampling=resampling, juries=juries)


def report_on(
    reader: sqlite3.Connection,
    facts: HeldFacts,
    *,
    tie: TieRule | None = None,
    resampling: Resampling = DEFAULT,
    juries: Juries = (),
) -> FactReport:
    """That of facts which were read already: all of a study, or a part of it."""
    rule = tie or tie_rule(reader)
    suggested = case_facts(reader)
    mode = facts.panel_mode
    panel = facts.people(mode)
    against = against_panel(facts, rule, resampling, juries)
    scores = system_scores(facts, rule, resampling)
    themes = [_themes_of(reader, system, failed_facts(facts, system, rule)) for system in facts.systems]
    voted = Counter(vote.reviewer for one in facts.held for vote in one.people if vote.mode == mode)
    labels = {name: {str(mode): count} for name, count in sorted(voted.items())}
    return FactReport(
        cases=len(facts.cases),
        key_facts=sum(len(case.facts) for case in facts.cases),
        texts=len(facts.texts),
        systems=len(facts.systems),
        held=len(facts.held),
        waiting=waiting_facts(reader),
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
        single_person=single_person(facts, rule, resampling, juries),
        judge_work=tuple(judge_work(reader, facts, juries)),
        trade_offs=tuple(trade_offs(reader, scores, facts)),
        themes=tuple(found for found, _ in themes),
        themed=tuple(held for _, held in themes),
        provenance=provenance(reader, resampling, labels=labels, comparisons=len(against), tie=rule),
    )


def _kept(reader: sqlite3.Connection, facts: Sequence[CaseFact]) -> Iterator[tuple[str, int, int]]:
    standing = Counter(fact.case_id for fact in facts if fact.state in ("kept", "edited"))
    for case_id, wanted in facts_wanted(reader).items():
        case = case_of(reader, case_id)
        if case is not None:
            yield case.name, standing[case_id], wanted


def key_fact_figures(
    reader: sqlite3.Connection,
    resampling: Resampling = DEFAULT,
    only: UnitSelection | None = None,
    juries: Juries = (),
) -> KeyFactFigures | None:
    """By the study's tie rule; ``None`` where no response is held against a key fact. ``only``, ``juries``: as of
    :func:`fact_report`."""
    report = fact_report(reader, resampling=resampling, only=only, juries=juries)
    return report.summary if report.held else None
