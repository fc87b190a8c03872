"""Two runs of judges on the same pairs: what changed, how each agrees with people's labels, what each cost.

A run is one judge with one model, prompt, parameters and examples. Verdicts change pair by pair; labels are of
statements, so that agreement is on statements whose same pages both runs answered on.
"""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from medreview.errors import UserError
from medreview.judges.votes import says_unproven
from medreview.judges.worked_examples import FIELD
from medreview.labels import TieRule
from medreview.llm.costs import PromptCost, prompt_cost
from medreview.stats.clusters import Clusters
from medreview.stats.formulas.classification import McNemar
from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.hypothesis_tests import paired_test
from medreview.stats.formulas.intervals import difference_of_quotients, jackknifed, p_of_zero, quotient, summed
from medreview.stats.reports.judged_labels import (
    JudgedLabel,
    PeoplesLabels,
    chance_corrected,
    half_of,
    judged_labels,
    said_by,
)
from medreview.study.audit_frame import seed_of_draws

Part = Literal["tuning", "test", "all"]
"""Which labels: of one half of the questions, or all."""

_RUNS: Final = """
SELECT run.*, n.judged FROM judge_run AS run
JOIN (SELECT judge_run_id, count(*) AS judged FROM judgement GROUP BY judge_run_id) AS n USING (judge_run_id)
WHERE run.kind <> 'offline' ORDER BY run.ordinal"""
_PAIRS: Final = """
SELECT j.statement_id, p.source_id || '/' || p.text_sha256 AS page, p.source_id, j.raw_label, j.verdict, j.supported,
       j.error
FROM judgement AS j JOIN statement_standing AS s USING (statement_id) JOIN snapshot AS p USING (snapshot_id)
WHERE j.judge_run_id = ?"""
_NAMES: Final = """
SELECT s.statement_id, s.text, r.record_id, r.model FROM statement AS s JOIN response AS r USING (response_id)
WHERE s.statement_id IN (SELECT value FROM json_each(?)) ORDER BY r.ordinal, s.ordinal"""
_NOTHING: Final = "No labelled statement has a verdict of both runs on the same pages."
_CONSTANT: Final = "Both gave one label throughout: kappa is 0/0."


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as it is listed. ``number``: its place in this file, from 1; ``examples``: worked ones in its prompt;
    ``judged``: pairs that it has a row for, answered or not."""

    run_id: str
    number: int
    judge: str
    kind: str
    model: str
    prompt: str
    prompt_sha256: str
    params: Mapping[str, Any]
    examples: int
    judged: int


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One side. ``pairs`` it answered; ``agreement`` and ``kappa`` with the labels; ``cost``: ``None`` of what was not
    asked from here."""

    run: StoredRun
    pairs: int
    agreement: Estimate
    kappa: Estimate
    cost: PromptCost | None


@dataclass(frozen=True, slots=True)
class RunCalibration:
    """Brier scores (``medreview.stats.formulas.calibration``) on the ``statements`` on which both runs stored a
    confidence or a score; ``difference``: the second's minus the first's, below 0 where the second is better, with a
    two-sided ``p``. ``dropped``: those that are compared otherwise, and lack a confidence of one run."""

    statements: int
    clusters: int
    dropped: int
    first: Estimate
    second: Estimate
    difference: Estimate
    p: float | None


@dataclass(frozen=True, slots=True)
class WordChange:
    """So many pairs went from one word to another."""

    first: str
    second: str
    pairs: int


@dataclass(frozen=True, slots=True)
class ChangedPair:
    """A pair with other words; ``record`` and ``model`` are of the answer."""

    statement_id: str
    source_id: str
    record: str
    model: str
    statement: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class RunComparison:
    """``pairs`` answered in both runs, ``changed`` of them with another word; ``changes``: every word to every word.

    Agreement is on ``statements`` of ``part`` with a label of ``labels_of`` by ``reviewers``, and a verdict of both
    runs from the same pages; ``dropped``: labelled ones without that, ``examples`` of them worked examples of a run.
    ``difference``: the second's agreement minus the first's on the same statements, with a two-sided ``p``;
    ``mcnemar``: of those that only one has right. ``differ``: the parameters in which the runs differ.
    ``calibration``: ``None`` where no statement has a confidence of both.
    """

    first: ComparedRun
    second: ComparedRun
    differ: tuple[str, ...]
    pairs: int
    changed: int
    changes: tuple[WordChange, ...]
    part: Part
    labels_of: str
    reviewers: tuple[str, ...]
    cautions: tuple[str, ...]
    cluster: str
    statements: int
    clusters: int
    dropped: int
    examples: int
    difference: Estimate
    p: float | None
    mcnemar: McNemar
    calibration: RunCalibration | None


def _counts(supported: bool, mine: bool, other: bool) -> tuple[float, ...]:
    """One; the first right, the second right; each calls it supported, the label does; only one of them right."""
    first, second = mine == supported, other == supported
    return (1.0, first, second, mine, other, supported, first and not second, second and not first)


class _RunAnswer(NamedTuple):
    word: str
    source_id: str


def stored_runs(reader: sqlite3.Connection) -> list[StoredRun]:
    """The runs that judged pairs of statement and source, in the order in which this file learnt of them; without those
    of the offline judge, which compares words."""
    found = []
    for row in reader.execute(_RUNS):
        params = json.loads(row["params"])
        shown = params.pop(FIELD, None)
        found.append(
            StoredRun(
                row["judge_run_id"],
                row["ordinal"],
                row["judge"],
                row["kind"],
                row["model"],
                row["prompt_id"],
                row["prompt_sha256"],
                params,
                len(shown["shown"]) if shown else 0,
                row["judged"],
            )
        )
    return found


def run_named(runs: Sequence[StoredRun], wanted: str) -> StoredRun:
    """A run by its number in the list, or by its id or the beginning of it. Raises :class:`UserError` for none, and
    for several."""
    exact = [one for one in runs if wanted in (str(one.number), one.run_id)]
    found = exact or [one for one in runs if len(wanted) > 3 and one.run_id.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(str(one.number) for one in runs) or "none"
    which = "several runs begin so" if found else f"there is no run {wanted!r}"
    raise UserError(f"{which[0].upper()}{which[1:]}; the runs of the study are {known}.")


def compare_runs(
    reader: sqlite3.Connection,
    first: StoredRun,
    second: StoredRun,
    of: PeoplesLabels,
    clusters: Clusters,
    tie: TieRule,
    *,
    part: Part = "tuning",
    level: float = LEVEL,
) -> RunComparison:
    """The comparison by the labels ``of`` people. Raises :class:`UserError` for a run beside itself, and for runs
    without a common pair."""
    if first.run_id == second.run_id:
        raise UserError(f"Run {first.number} is compared with itself: name two runs.")
    said = [_answers(reader, run) for run in (first, second)]
    shared = said[0].keys() & said[1].keys()
    if not shared:
        raise UserError(f"Runs {first.number} and {second.number} have answered on no common pair.")
    changes = Counter((said[0][pair].word, said[1][pair].word) for pair in shared)
    pages = [_pages(held) for held in said]
    halves = seed_of_draws(reader)
    every = judged_labels(reader, of, clusters, tie, runs=())
    inside = {one.statement_id for one in every if part == "all" or half_of(halves, one.cluster) == part}
    held = PeoplesLabels(of.title, of.reviewers, {unit: of.labels[unit] for unit in inside}, {}, of.cautions)
    words = [
        {one.statement_id: (one, word)
         for one, word in said_by(judged_labels(reader, held, clusters, tie, runs=[run.run_id]), run.judge)
         if pages[0].get(one.statement_id) == pages[1].get(one.statement_id)}
        for run in (first, second)
    ]  # fmt: skip
    both = sorted(words[0].keys() & words[1].keys())
    rows = [(words[0][unit][0], words[0][unit][1], words[1][unit][1]) for unit in both]
    sums = summed((one.cluster, _counts(one.supported, mine, other)) for one, mine, other in rows)
    n, unit = len(rows), clusters.name
    finish = difference_of_quotients((2, 0), (1, 0))
    shown = _shown(reader, first) | _shown(reader, second)

    told = partial(jackknifed, sums=sums, n=n, unit=unit, level=level)
    apart = told("agreement, second minus first", finish=finish, scale="share_difference", nothing=_NOTHING)
    only_first, only_second, items = ([row[at] for row in sums.values()] for at in (6, 7, 0))

    def side(run: StoredRun, at: int) -> ComparedRun:
        kappa = chance_corrected(0, 1 + at, 3 + at, 5)
        return ComparedRun(
            run=run,
            pairs=len(said[at]),
            agreement=told("agreement", finish=quotient(1 + at, 0), scale="share", nothing=_NOTHING),
            kappa=told("Cohen's kappa", finish=kappa, scale="coefficient", nothing=_CONSTANT if n else _NOTHING),
            cost=_cost(reader, run),
        )

    return RunComparison(
        first=side(first, 0),
        second=side(second, 1),
        differ=_differ(first, second),
        pairs=len(shared),
        changed=sum(count for (mine, other), count in changes.items() if mine != other),
        changes=tuple(
            WordChange(*words, count) for words, count in sorted(changes.items(), key=lambda one: (-one[1], one[0]))
        ),
        part=part,
        labels_of=of.title,
        reviewers=of.reviewers,
        cautions=of.cautions,
        cluster=unit,
        statements=n,
        clusters=len(sums),
        dropped=len(inside) - n,
        examples=len(shown & inside),
        difference=apart,
        p=p_of_zero(apart, sums, finish),
        mcnemar=paired_test(only_first, only_second, items, unit),
        calibration=_calibration([(words[0][unit], words[1][unit]) for unit in both], first, second, unit, level),
    )


def _calibration(
    pairs: Sequence[tuple[tuple[JudgedLabel, bool], tuple[JudgedLabel, bool]]], first: StoredRun, second: StoredRun,
    unit: str, level: float,
) -> RunCalibration | None:  # fmt: skip
    found = []
    for (mine, my_word), (other, other_word) in pairs:
        sure = (mine.confidences.get(first.judge), other.confidences.get(second.judge))
        if sure[0] is not None and sure[1] is not None:
            errors = ((sure[0] - (mine.supported == my_word)) ** 2, (sure[1] - (other.supported == other_word)) ** 2)
            found.append((mine.cluster, (1.0, *errors)))
    if not found:
        return None
    sums, n, dropped = summed(found), len(found), len(pairs) - len(found)
    told = partial(jackknifed, sums=sums, n=n, unit=unit, level=level, dropped=dropped, nothing=_NOTHING)
    finish = difference_of_quotients((2, 0), (1, 0))
    apart = told("Brier score, second minus first", finish=finish, scale="coefficient_difference")
    sides = [told("Brier score", finish=quotient(at, 0), scale="ratio") for at in (1, 2)]
    return RunCalibration(n, len(sums), dropped, sides[0], sides[1], apart, p_of_zero(apart, sums, finish))


def changed_pairs(
    reader: sqlite3.Connection, first: StoredRun, second: StoredRun, only: Collection[str] | None = None
) -> list[ChangedPair]:
    """The pairs with another word in the second run, in the order of the study; ``only``: of these statements."""
    mine, other = _answers(reader, first), _answers(reader, second)
    changed = [
        pair for pair in mine.keys() & other.keys()
        if mine[pair].word != other[pair].word and (only is None or pair[0] in only)
    ]  # fmt: skip
    by_statement: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for pair in sorted(changed):
        by_statement[pair[0]].append(pair)
    return [
        ChangedPair(
            row["statement_id"], mine[pair].source_id, row["record_id"], row["model"], row["text"], mine[pair].word,
            other[pair].word,
        )
        for row in reader.execute(_NAMES, (json.dumps(list(by_statement)),))
        for pair in by_statement[row["statement_id"]]
    ]  # fmt: skip


def _answers(reader: sqlite3.Connection, run: StoredRun) -> dict[tuple[str, str], _RunAnswer]:
    """What a run says by statement and page; without failures."""
    return {
        (row["statement_id"], row["page"]): _RunAnswer(_word(row), row["source_id"])
        for row in reader.execute(_PAIRS, (run.run_id,))
        if not row["error"]
    }


def _word(row: sqlite3.Row) -> str:
    if row["supported"] is None and says_unproven(row["raw_label"]):
        return "supported, quote does not prove it"
    if row["verdict"] is not None:
        return str(row["verdict"])
    return "no verdict" if row["supported"] is None else "supported" if row["supported"] else "not_supported"


def _pages(held: Mapping[tuple[str, str], _RunAnswer]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for statement_id, page in held:
        found[statement_id].add(page)
    return {unit: frozenset(pages) for unit, pages in found.items()}


def _shown(reader: sqlite3.Connection, run: StoredRun) -> set[str]:
    row = reader.execute(
        f"SELECT json_extract(params, '$.{FIELD}.shown') FROM judge_run WHERE judge_run_id = ?", (run.run_id,)
    ).fetchone()
    return {one[0] for one in json.loads(row[0] or "[]")}


def _differ(first: StoredRun, second: StoredRun) -> tuple[str, ...]:
    named = [
        name for name, mine, other in (
            ("judge", first.judge, second.judge),
            ("model", first.model, second.model),
            ("prompt", first.prompt_sha256, second.prompt_sha256),
            ("examples", first.examples, second.examples),
        ) if mine != other
    ]  # fmt: skip
    keys = sorted(first.params.keys() | second.params.keys())
    return (*named, *(key for key in keys if first.params.get(key) != second.params.get(key)))


def _cost(reader: sqlite3.Connection, run: StoredRun) -> PromptCost | None:
    """The cost of all questions with the run's prompt to its model; runs that differ in parameters alone share it."""
    if run.kind != "llm":
        return None
    alike = [
        other.number
        for other in stored_runs(reader)
        if (other.judge, other.model, other.prompt_sha256) == (run.judge, run.model, run.prompt_sha256)
        and other.params.get("host") == run.params.get("host") and other.run_id != run.run_id
    ]  # fmt: skip
    return prompt_cost(reader, run.judge, run.model, str(run.params.get("host", "")), run.prompt_sha256, alike)
