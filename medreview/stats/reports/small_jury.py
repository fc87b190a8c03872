"""Which few judges agree best with a reviewer, chosen on one half of the clusters and measured on the other.

Clusters are questions or responses on statements, and cases on key facts.

The best of many juries looks better on the labels it was chosen on than it is. So every jury of a size is scored on
half of the clusters, and the figure that counts comes from the other half, with an interval over clusters. Splitting
again and again shows how much of the choice was luck; the spread over splits is no confidence interval, because the
splits share their clusters (Nadeau & Bengio 2003). ``jury_labels`` is what the search starts from: what candidates and
a reviewer said of the same units.
"""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from medreview.errors import UserError
from medreview.judges.fact_votes import answer_of
from medreview.judges.votes import VotingJudge, judges_of_support
from medreview.labels import Mode, TieRule
from medreview.stats.clusters import study_clusters
from medreview.stats.formulas import coefficients as c
from medreview.stats.formulas.agreement import encode
from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    Floats,
    Ints,
    Resampling,
    bootstrap_figure,
    cluster_codes,
    contributions,
    draw,
    sum_by_cluster,
    wholly,
    without_each,
)
from medreview.stats.formulas.estimate import FEW_CLUSTERS, Estimate
from medreview.stats.reports.reviewer_labels import (
    BINARY,
    GROUPS,
    Group,
    ReviewerLabel,
    Scale,
    judges_label,
    reviewer_labels,
    reviewers_label,
)
from medreview.stats.reports.study_reader import judged_responses
from medreview.units.held_facts import held_facts

NOT_ASKED: Final = "not every candidate was asked"
YES_NO: Final = Scale("yes_or_no", "yes or no", ("yes", "no"))
TIED: Final = "panel tied"
UNLABELLED: Final = "nobody of the panel could judge"

# A call names judge, model, prompt and host: it cannot distinguish runs that differ in parameters only.
_COSTS: Final = """
SELECT run.judge, sum(l.cost) AS cost, sum(l.cost IS NULL AND l.tries > 0) AS unpriced,
       sum(l.latency_ms) AS latency_ms, sum(l.rung = '' AND l.tries > 0) AS batched,
       (SELECT count(DISTINCT {unit}) FROM {table} AS j WHERE j.judge_run_id = run.judge_run_id) AS units,
       (SELECT count(*) FROM judge_run AS r WHERE r.kind = 'llm' AND (r.judge, r.model, r.prompt_sha256,
        coalesce(json_extract(r.params, '$.host'), '')) = (l.judge, l.model, l.prompt_sha256, l.host)) AS runs
FROM judge_run AS run JOIN llm_call AS l
     ON l.judge = run.judge AND l.model = run.model AND l.prompt_sha256 = run.prompt_sha256
     AND l.host = coalesce(json_extract(run.params, '$.host'), '')
WHERE run.kind = 'llm' AND run.ordinal = (
    SELECT max(ordinal) FROM judge_run AS newest WHERE newest.judge = run.judge
    AND EXISTS (SELECT 1 FROM {table} AS j WHERE j.judge_run_id = newest.judge_run_id {which}))
GROUP BY run.judge"""
_OF_STATEMENTS: Final = _COSTS.format(table="judgement", unit="j.statement_id", which="")
_OF_FACTS: Final = _COSTS.format(
    table="key_fact_vote", unit="j.response_id || j.key_fact_id", which="AND j.task = :task"
)


@dataclass(frozen=True)
class JuryLabels:
    """The units that a reviewer labelled and every candidate was asked about.

    ``mine`` (n) and ``votes`` (n x judges) are places in ``scale.labels``, -1 where a judge abstained; ``clusters``
    (n) are what is resampled. ``costs``: what a judge's newest run costs for one unit, all its sources and failed
    calls included; ``None`` when that is not known. ``unit``, ``cluster``: what one of these is.
    """

    reviewer: str
    group: Group
    scale: Scale
    judges: tuple[str, ...]
    mine: Ints
    votes: Ints
    clusters: tuple[str, ...]
    costs: tuple[float | None, ...]
    dropped: Mapping[str, int]
    unit: str = "statement"
    cluster: str = "response"


def jury_labels(
    reader: sqlite3.Connection,
    reviewer: str,
    *,
    judges: Sequence[str] = (),
    scale: Scale = BINARY,
    mode: Mode = "blind",
) -> JuryLabels:
    """The labels of a reviewer, the larger of the random audit and the chosen ones (never both), beside the judges'.

    ``judges`` names the candidates; all but the offline one by default. Raises :class:`UserError` for a judge that is
    not there, fewer than two candidates, or a reviewer without labels of that mode.
    """
    candidates = _candidates(reader, judges)
    clusters = study_clusters(reader)
    labels = reviewer_labels(reader, reviewer, clusters=clusters)
    group, mine = _group(labels, reviewer, mode)
    dropped: Counter[str] = Counter()
    rows: list[tuple[str, str, list[str | None]]] = []
    for case in judged_responses(reader, clusters=clusters):
        for statement in case.statements:
            label = mine.get(statement.statement_id)
            if label is None:
                continue
            own, said = reviewers_label(label.label, scale), statement.by_judge
            if own.label is None or not said.keys() >= set(candidates):
                dropped[own.missing or NOT_ASKED] += 1
                continue
            words = [judges_label(said[judge], scale).label for judge in candidates]
            rows.append((case.cluster, own.label, words))
    names = [judge.name for judge in candidates]
    return _labels(reviewer, group, scale, names, rows, judge_costs(reader), dropped, cluster=clusters.name)


def _labels(
    reviewer: str,
    group: Group,
    scale: Scale,
    judges: Sequence[str],
    rows: Sequence[tuple[str, str, Sequence[str | None]]],
    costs: Mapping[str, float],
    dropped: Mapping[str, int],
    unit: str = "statement",
    cluster: str = "response",
) -> JuryLabels:
    """Of rows of a cluster, the right label, and the candidates' labels."""
    flat = encode([vote for *_, votes in rows for vote in votes], scale.labels)
    return JuryLabels(
        reviewer=reviewer,
        group=group,
        scale=scale,
        judges=tuple(judges),
        mine=encode([own for _, own, _ in rows], scale.labels),
        votes=np.asarray(flat.reshape(len(rows), len(judges)), dtype=np.int64),
        clusters=tuple(cluster for cluster, *_ in rows),
        costs=tuple(costs.get(name) for name in judges),
        dropped=dict(dropped),
        unit=unit,
        cluster=cluster,
    )


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

    The panel has no candidate in it, so that nobody is compared with a majority that has their own vote.
    ``judges`` and ``members`` (people) name the candidates; all judges by default. ``reviewers``: whose majority is the
    reference; by default all who are no candidates. Raises :class:`UserError` for a name that is not there, fewer
    than two candidates, or nobody to compare them with.
    """
    facts = held_facts(reader)
    asked = [
        judge
        for judge in facts.judges
        if any(vote.judge == judge for one in facts.held for vote in one.judged.of(task))
    ]
    people = facts.people(mode)
    _known(judges, asked, "judge", "was asked this of key facts")
    _known((*members, *reviewers), people, "reviewer", f"labelled key facts ({mode})")
    chosen = [judge for judge in asked if judge in judges or not (judges or members)]
    panel = [name for name in (reviewers or people) if name not in members]
    candidates = [*chosen, *dict.fromkeys(members)]
    if len(candidates) < 2:
        raise UserError("A jury is chosen from two candidates or more; name judges with --judge, people with --member.")
    if not panel:
        other = "" if mode == "assisted" else " (labels given after the judges were seen need --assisted)"
        raise UserError(f"Nobody has {mode} labels on key facts to compare the candidates with{other}.")
    without = [name for name in facts.people(mode) if name not in panel]
    dropped: Counter[str] = Counter()
    rows: list[tuple[str, str, list[str | None]]] = []
    for one in facts.held:
        word = one.panel(task, tie, mode, without)
        if not word.asked:
            continue
        said = {vote.reviewer: answer_of(vote.level, task) for vote in one.people if vote.mode == mode}
        said |= {vote.judge: vote.answer for vote in one.judged.of(task)}
        if word.answer is None or not said.keys() >= set(candidates):
            dropped[(TIED if word.tied else UNLABELLED) if word.answer is None else NOT_ASKED] += 1
            continue
        answers = [None if said[name] is None else YES_NO.labels[not said[name]] for name in candidates]
        rows.append((one.case.case_id, YES_NO.labels[not word.answer], answers))
    reviewer = panel[0] if len(panel) == 1 else f"the majority of {len(panel)} people"
    costs = {judge: cost for judge, cost in judge_costs(reader, task).items() if judge in chosen}
    return _labels(reviewer, Group(mode), YES_NO, candidates, rows, costs, dropped, "key fact", "case")


def _known(names: Sequence[str], known: Sequence[str], what: str, does: str) -> None:
    for name in names:
        if name not in known:
            raise UserError(f"No {what} {name!r} {does}; {', '.join(known) or 'nobody'} did.")


def judge_costs(reader: sqlite3.Connection, task: str = "") -> dict[str, float]:
    """By judge: what one statement costs in its newest run, where that is known of every call; of key facts with
    their ``task``, what one fact in one response costs."""
    return {
        row["judge"]: row["cost"] / row["units"]
        for row in reader.execute(_OF_FACTS if task else _OF_STATEMENTS, {"task": task})
        if row["cost"] is not None and not row["unpriced"] and row["units"] and row["runs"] == 1
    }


def judge_seconds(reader: sqlite3.Connection, task: str = "") -> dict[str, float]:
    """By judge: how many seconds its calls took for one statement (or fact), by the rules of :func:`judge_costs`;
    nothing of a judge some of whose answers came in a batch, where no time of an answer is known."""
    return {
        row["judge"]: row["latency_ms"] / 1000 / row["units"]
        for row in reader.execute(_OF_FACTS if task else _OF_STATEMENTS, {"task": task})
        if row["latency_ms"] and not row["batched"] and row["units"] and row["runs"] == 1
    }


def _candidates(reader: sqlite3.Connection, wanted: Sequence[str]) -> list[VotingJudge]:
    known = [judge for judge in judges_of_support(reader) if not judge.offline]
    names = {judge.name for judge in known}
    for name in wanted:
        if name not in names:
            raise UserError(
                f"There is no judge {name!r} in this study; there are {', '.join(sorted(names)) or 'none'}."
            )
    chosen = [judge for judge in known if not wanted or judge.name in wanted]
    if len(chosen) < 2:
        raise UserError("A jury is chosen from two judges or more; there are fewer (the offline judge is not a juror).")
    return chosen


def _group(labels: Mapping[str, ReviewerLabel], reviewer: str, mode: Mode) -> tuple[Group, dict[str, ReviewerLabel]]:
    """The larger of the two groups of this mode; labels of different groups are never pooled."""
    found = {
        group: {unit: label for unit, label in labels.items() if label.group == group}
        for group in GROUPS
        if group.mode == mode
    }
    group = max(found, key=lambda group: len(found[group]))
    if not found[group]:
        other = " (labels given after the judges were seen need --assisted)" if labels and mode == "blind" else ""
        raise UserError(f"{reviewer} has no {mode} labels in this study{other}.")
    return group, found[group]


Measure = Literal["cohen_kappa", "percent_agreement"]
MEASURES: Final[dict[Measure, str]] = {
    "cohen_kappa": "Cohen's kappa",
    "percent_agreement": "percent agreement",
}
SPLITS: Final = 200
_MOST_CELLS: Final = 40_000_000
_LEAST_CLUSTERS: Final = 4
_GOOD_CLUSTERS: Final = 60


@dataclass(frozen=True)
class Repeated:
    """The same choice made on many random halves.

    ``mean``, ``low`` and ``high`` (5% and 95% of the splits) are held-out values: a spread, no confidence interval.
    ``optimism`` is how much better the chosen juries looked, on average, where they were chosen. ``chosen`` are the
    juries by how often they were.
    """

    splits: int
    mean: float | None
    low: float | None
    high: float | None
    optimism: float | None
    chosen: tuple[tuple[tuple[str, ...], int], ...]


@dataclass(frozen=True)
class JuryChoice:
    """The best jury of one size.

    ``judges`` were chosen on one half, where they had ``training``; ``held_out`` is their agreement on the other half,
    ``difference`` that minus the agreement of all candidates together, from the same resamples. ``undecided`` counts
    the held-out units without a verdict, ``cost`` is for 1,000 units (``None``: not known of every juror).
    ``on_all_labels`` is the jury to use: the same search on all labels, which the held-out figure speaks for.
    """

    size: int
    judges: tuple[str, ...]
    training: float | None
    held_out: Estimate
    difference: Estimate
    undecided: int
    cost: float | None
    on_all_labels: tuple[str, ...]
    cost_of_it: float | None
    repeated: Repeated


@dataclass(frozen=True)
class SmallJury:
    """The search: what it was made on, the best jury of every size, and all candidates together on the same half.

    ``unit``, ``cluster``: what one of the ``units`` and ``clusters`` is (a statement, a response).
    """

    reviewer: str
    group: str
    scale: str
    measure: str
    tie_rule: TieRule
    candidates: tuple[str, ...]
    unit: str
    cluster: str
    units: int
    clusters: int
    held_out_clusters: int
    dropped: dict[str, int]
    seed: int
    everyone: Estimate
    choices: tuple[JuryChoice, ...]
    cautions: tuple[str, ...]


def small_jury(
    labels: JuryLabels,
    sizes: Sequence[int],
    *,
    tie: TieRule = "undecided",
    measure: Measure = "cohen_kappa",
    splits: int = SPLITS,
    resampling: Resampling = DEFAULT,
) -> SmallJury:
    """Search all juries of the given sizes. The seed of ``resampling`` makes the splits and the resamples.

    A jury without a verdict (a tie, or all abstained) disagrees with the reviewer: it is a label of its own, so that
    being silent on the hard statements gains nothing. Equal juries: the cheaper one. Raises :class:`UserError` for
    fewer than four responses, a size that does not fit the candidates, or more juries than fit in memory.
    """
    searched = _Search(labels, sizes, tie, measure)
    rng = np.random.default_rng(resampling.seed)
    halves = np.stack([_half(rng, searched.clusters) for _ in range(max(1, splits))])
    training = searched.score(searched.sums(halves))
    held = searched.score(searched.sums(~halves))
    whole = searched.score(searched.sums(np.ones((1, searched.clusters), dtype=bool)))[0]
    everyone = searched.places(len(labels.judges))[0]
    choices = []
    for size in sizes:
        places = searched.places(size)
        best = places[_first_best(training[:, places])]
        rows = np.arange(len(halves))
        chosen, on_all = int(best[0]), int(places[_first_best(whole[None, places])[0]])
        held_out, difference, undecided = _measured(searched, chosen, everyone, ~halves[0], resampling)
        choices.append(
            JuryChoice(
                size=size,
                judges=searched.names(chosen),
                training=_number(training[0, chosen]),
                held_out=held_out,
                difference=difference,
                undecided=undecided,
                cost=searched.cost(chosen),
                on_all_labels=searched.names(on_all),
                cost_of_it=searched.cost(on_all),
                repeated=_repeated(searched, training[rows, best], held[rows, best], best),
            )
        )
    out = int((~halves[0]).sum())
    return SmallJury(
        reviewer=labels.reviewer,
        group=labels.group.title,
        scale=labels.scale.name,
        measure=MEASURES[measure],
        tie_rule=tie,
        candidates=labels.judges,
        unit=labels.unit,
        cluster=labels.cluster,
        units=len(labels.mine),
        clusters=searched.clusters,
        held_out_clusters=out,
        dropped=dict(labels.dropped),
        seed=resampling.seed,
        everyone=_measured(searched, everyone, everyone, ~halves[0], resampling)[0],
        choices=tuple(choices),
        cautions=_cautions(labels, out),
    )


class _Search:
    """Every jury of the sizes asked for, and of all candidates, with its table against the reviewer per cluster."""

    def __init__(self, labels: JuryLabels, sizes: Sequence[int], tie: TieRule, measure: Measure) -> None:
        count = len(labels.judges)
        for size in sizes:
            if not 1 <= size <= count:
                raise UserError(f"A jury of {size} cannot be chosen from {count} judges.")
        codes, self.clusters = cluster_codes(labels.clusters)
        if self.clusters < _LEAST_CLUSTERS:
            raise UserError(
                f"A jury is chosen on one half of the {labels.cluster}s and measured on the other: it takes labels on "
                f"{_LEAST_CLUSTERS} {labels.cluster}s, better {_GOOD_CLUSTERS}; {labels.reviewer} has "
                f"{self.clusters} here."
            )
        self.labels = labels
        self.q = len(labels.scale.labels)
        self.measure = measure
        wanted = sorted({*sizes, count})
        juries = [jury for size in wanted for jury in combinations(range(count), size)]
        self.juries = sorted(juries, key=lambda jury: (len(jury), self._order(jury), jury))
        cells = self.q * (self.q + 1)
        if self.clusters * len(self.juries) * cells > _MOST_CELLS:
            raise UserError(f"That are {len(self.juries):,} juries; name fewer judges, or smaller juries.")
        one_hot = np.zeros((count, len(labels.mine), self.q))
        item, judge = np.nonzero(labels.votes >= 0)
        one_hot[judge, item, labels.votes[item, judge]] = 1
        width = len(self.juries) * cells
        self.tables = np.zeros((self.clusters, width))
        for place, jury in enumerate(self.juries):
            verdicts = _verdicts(one_hot[list(jury)].sum(axis=0), tie)
            where = codes * width + place * cells + labels.mine * (self.q + 1) + verdicts
            np.add.at(self.tables.reshape(-1), where, 1.0)

    def places(self, size: int) -> Ints:
        """The numbers of the juries of a size."""
        return np.array([place for place, jury in enumerate(self.juries) if len(jury) == size], dtype=np.int64)

    def names(self, place: int) -> tuple[str, ...]:
        return tuple(self.labels.judges[judge] for judge in self.juries[place])

    def cost(self, place: int) -> float | None:
        """For 1,000 units."""
        return self._cost(self.juries[place])

    def _cost(self, jury: Sequence[int]) -> float | None:
        costs = [self.labels.costs[judge] for judge in jury]
        return None if None in costs else 1000 * sum(cost for cost in costs if cost is not None)

    def _order(self, jury: Sequence[int]) -> float:
        cost = self._cost(jury)
        return float("inf") if cost is None else cost

    def sums(self, masks: NDArray[np.bool_]) -> Floats:
        """The tables of all juries over some clusters: masks (M x R) to (M x juries x q x q+1)."""
        summed = masks.astype(np.float64) @ self.tables
        return np.asarray(summed.reshape(len(masks), len(self.juries), self.q, self.q + 1), dtype=np.float64)

    def table(self, place: int) -> Floats:
        """One jury's tables by cluster (R x q x q+1)."""
        cells = self.q * (self.q + 1)
        return self.tables[:, place * cells : (place + 1) * cells].reshape(-1, self.q, self.q + 1)

    def score(self, tables: Floats) -> Floats:
        """The measure on tables (..., q, q+1), whose last column is "no verdict"."""
        square = np.concatenate([tables, np.zeros((*tables.shape[:-2], 1, self.q + 1))], axis=-2)
        return c.cohen_kappa(square) if self.measure == "cohen_kappa" else c.observed_agreement(square)


def _verdicts(counts: Floats, tie: TieRule) -> Ints:
    """The jury's label by the votes for each (n x q): its place, or q without a verdict.

    The first label of a scale is ``supported``; the rules are those of ``judges.rollup``.
    """
    q = counts.shape[1]
    top = counts.max(axis=1)
    first = (counts == top[:, None]) & (top > 0)[:, None]
    many = first.sum(axis=1)
    found = np.where(many == 1, first.argmax(axis=1), q)
    if tie == "supported":
        found[(many > 1) & first[:, 0]] = 0
    elif tie == "not_supported":
        broken = (many == 2) & first[:, 0]
        found[broken] = 1 + first[broken, 1:].argmax(axis=1)
    return np.asarray(found, dtype=np.int64)


def _half(rng: np.random.Generator, clusters: int) -> NDArray[np.bool_]:
    """The clusters to choose on; the other half, never the smaller one, is held out."""
    mask = np.zeros(clusters, dtype=bool)
    mask[rng.permutation(clusters)[: clusters // 2]] = True
    return mask


def _first_best(scores: Floats) -> Ints:
    """Per row the first of the best; an undefined score is the worst."""
    return np.asarray(np.where(np.isnan(scores), -np.inf, scores).round(12).argmax(axis=1), dtype=np.int64)


def _measured(
    searched: _Search, chosen: int, everyone: int, held_out: NDArray[np.bool_], resampling: Resampling
) -> tuple[Estimate, Estimate, int]:
    """Agreement of a jury on the held-out clusters, its difference from all candidates, and its undecided."""
    tables = np.stack([searched.table(place)[held_out] for place in (chosen, everyone)], axis=1)
    units = sum_by_cluster(tables.reshape(len(tables), -1), None)
    data = contributions(units)

    def score(sums: Floats) -> Floats:
        return searched.score(sums.reshape(-1, *tables.shape[1:]))

    draws, observed = score(draw(data, resampling)), score(data.total)
    left_out = without_each(units, score, resampling)
    mine = tables[:, 0]
    agreed = np.trace(mine, axis1=-2, axis2=-1)
    n, clusters, unit = int(mine.sum()), len(tables), searched.labels.cluster
    undefined = "One label only on the held-out half: chance agreement is 1 and kappa is 0/0."
    name = MEASURES[searched.measure]
    held = bootstrap_figure(
        name, float(observed[0, 0]), draws[:, 0], n=n, clusters=clusters, undefined=undefined,
        instead=partial(wholly, agreed, mine.sum(axis=(1, 2)), "all labels agree", unit, resampling.level),
        left_out=None if left_out is None else left_out[:, 0],
        scale="share" if searched.measure == "percent_agreement" else "coefficient", resampling=resampling.over(unit),
    )  # fmt: skip
    difference = bootstrap_figure(
        f"{name}, minus all {len(searched.labels.judges)} candidates", float(observed[0, 0] - observed[0, 1]),
        draws[:, 0] - draws[:, 1], n=n, clusters=clusters, undefined=undefined,
        instead="the two never differ", left_out=None if left_out is None else left_out[:, 0] - left_out[:, 1],
        scale="share_difference" if searched.measure == "percent_agreement" else "coefficient_difference",
        resampling=resampling.over(unit),
    )  # fmt: skip
    return held, difference, int(mine[:, :, -1].sum())


def _repeated(searched: _Search, training: Floats, held: Floats, best: Ints) -> Repeated:
    both = ~(np.isnan(training) | np.isnan(held))
    values = held[both]
    counted = Counter(int(place) for place in best).most_common(3)
    low, high = np.quantile(values, [0.05, 0.95]) if len(values) else (np.nan, np.nan)
    return Repeated(
        splits=len(best),
        mean=_number(values.mean()) if len(values) else None,
        low=_number(low),
        high=_number(high),
        optimism=_number((training[both] - values).mean()) if len(values) else None,
        chosen=tuple((searched.names(place), times) for place, times in counted),
    )


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _cautions(labels: JuryLabels, held_out: int) -> tuple[str, ...]:
    found = []
    if labels.group.mode == "assisted":
        found.append("These labels were given with the judges' opinion in sight: agreement is inflated.")
    if labels.group.drawn is False:
        found.append("These statements were chosen, not drawn at random: on the rest the best jury may be another.")
    if held_out < FEW_CLUSTERS:
        few = f"Only {held_out} {labels.cluster}s are held out"
        found.append(f"{few}: below {FEW_CLUSTERS} the intervals can be too narrow.")
    return tuple(found)
