"""What candidates said of key facts, beside a panel of people: what a search for a small jury starts from.

Candidates are judges, people or both. The reference is the majority of those people who are no candidates, so that
nobody is compared with a majority that has their own vote in it.
"""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from medreview.errors import UserError
from medreview.judges.fact_votes import answer_of
from medreview.labels import TieRule
from medreview.stats.formulas.agreement import encode
from medreview.stats.reports.reviewer_labels import Group, Scale
from medreview.stats.reports.small_jury import NOT_ASKED, JuryLabels, judge_costs
from medreview.units.held_facts import HeldFact, HeldFacts, Mode, held_facts

SCALE: Final = Scale("yes_or_no", "yes or no", ("yes", "no"))
TIED: Final = "panel tied"
UNLABELLED: Final = "nobody of the panel could judge"
_LEAST: Final = 2


def fact_jury_labels(
    reader: sqlite3.Connection,
    task: str,
    *,
    judges: Sequence[str] = (),
    members: Sequence[str] = (),
    reviewers: Sequence[str] = (),
    mode: Mode = "blind",
    tie: TieRule = "undecided",
) -> JuryLabels:
    """The panel's majority on one question about each fact, beside the candidates' answers; clusters are cases.

    ``judges`` and ``members`` (people) name the candidates; all judges by default. ``reviewers``: whose majority is the
    reference; by default all who are no candidates. Raises :class:`UserError` for a name that is not there, fewer
    than two candidates, or nobody to compare them with.
    """
    facts = held_facts(reader)
    asked = [judge for judge in facts.judges if any(judge in _said(one, task) for one in facts.held)]
    people = facts.people(mode)
    _known(judges, asked, "judge", "was asked this of key facts")
    _known((*members, *reviewers), people, "reviewer", f"labelled key facts ({mode})")
    chosen = [judge for judge in asked if judge in judges or not (judges or members)]
    panel = [name for name in (reviewers or people) if name not in members]
    candidates = [*chosen, *dict.fromkeys(members)]
    if len(candidates) < _LEAST:
        raise UserError("A jury is chosen from two candidates or more; name judges with --judge, people with --member.")
    if not panel:
        other = "" if mode == "assisted" else " (labels given after the judges were seen need --assisted)"
        raise UserError(f"Nobody has {mode} labels on key facts to compare the candidates with{other}.")
    return _labels(facts, task, tuple(chosen), tuple(candidates), panel, mode, tie, judge_costs(reader, task))


def _labels(
    facts: HeldFacts, task: str, judges: tuple[str, ...], candidates: tuple[str, ...], panel: Sequence[str],
    mode: Mode, tie: TieRule, costs: dict[str, float],
) -> JuryLabels:  # fmt: skip
    without = [name for name in facts.people(mode) if name not in panel]
    dropped: Counter[str] = Counter()
    mine: list[str] = []
    votes: list[str | None] = []
    cases: list[str] = []
    for one in facts.held:
        word = one.panel(task, tie, mode, without)
        if not word.asked:
            continue
        said = {**_people(one, task, mode), **_said(one, task)}
        if word.answer is None or not said.keys() >= set(candidates):
            dropped[(TIED if word.tied else UNLABELLED) if word.answer is None else NOT_ASKED] += 1
            continue
        mine.append(SCALE.labels[not word.answer])
        votes += [_named(said[name]) for name in candidates]
        cases.append(one.case.case_id)
    flat = encode(votes, SCALE.labels)
    return JuryLabels(
        reviewer=panel[0] if len(panel) == 1 else f"the majority of {len(panel)} people",
        group=Group(mode),
        scale=SCALE,
        judges=candidates,
        mine=encode(mine, SCALE.labels),
        votes=np.asarray(flat.reshape(len(mine), len(candidates)), dtype=np.int64),
        clusters=tuple(cases),
        costs=tuple(costs.get(name) if name in judges else None for name in candidates),
        dropped=dict(dropped),
        unit="key fact",
        cluster="case",
    )


def _said(one: HeldFact, task: str) -> dict[str, bool | None]:
    return {vote.judge: vote.answer for vote in one.judged.of(task)}


def _people(one: HeldFact, task: str, mode: Mode) -> dict[str, bool | None]:
    return {vote.reviewer: answer_of(vote.level, task) for vote in one.people if vote.mode == mode}


def _named(answer: bool | None) -> str | None:
    return None if answer is None else SCALE.labels[not answer]


def _known(names: Sequence[str], known: Sequence[str], what: str, does: str) -> None:
    for name in names:
        if name not in known:
            raise UserError(f"No {what} {name!r} {does}; {', '.join(known) or 'nobody'} did.")
