"""People's labels that judges are held against one by one, and what each judge says of the same statements, also again.

Labels of different groups are never pooled, so one group is chosen: blind labels, of the random audit where there are
enough of these. Where several people labelled a statement their majority counts.

Judges asked again: does one say the same twice, and which of its prompts agrees best with people? A judge's runs are
told apart by model, prompt and parameters, and the study keeps the judgements of all. Prompts are compared on a tuning
half of the questions. The other half, the test half, is for the prompt that was chosen: it is shown on request only,
and each look at it is on record.
"""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final, Literal, NamedTuple

from medreview.judges.rollup import each_judge, tally
from medreview.judges.votes import VOTED, Vote, VoteReader
from medreview.labels import TieRule
from medreview.stats.clusters import Clusters
from medreview.stats.formulas.agreement import many_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import FEW_ITEMS, Estimate
from medreview.stats.formulas.intervals import (
    Finish,
    difference_of_quotients,
    jackknifed,
    p_of_zero,
    quotient,
    summed,
)
from medreview.stats.reports.reviewer_labels import (
    BINARY,
    GROUPS,
    TIED_REVIEWERS,
    TOGETHER,
    Group,
    ReviewerLabel,
    reviewers_label,
)
from medreview.stats.reports.study_reader import EVERYTHING, Selection
from medreview.study.audit_frame import permanent_number, seed_of_draws

_OF_STATEMENTS: Final = """
SELECT s.statement_id, s.response_id, r.model, length(s.text) AS length
FROM statement AS s JOIN response AS r USING (response_id)
WHERE s.statement_id IN (SELECT value FROM json_each(?)) ORDER BY r.ordinal, s.ordinal"""
_VOTES: Final = f"""
SELECT j.statement_id, {VOTED} FROM judgement AS j JOIN judge_run AS run USING (judge_run_id)
WHERE j.statement_id IN (SELECT value FROM json_each(?1))
      AND (?2 IS NULL OR run.judge_run_id IN (SELECT value FROM json_each(?2)))
ORDER BY j.statement_id"""


@dataclass(frozen=True, slots=True)
class PeoplesLabels:
    """Whether each statement is supported, by people. ``left_out`` counts their labels that say neither, and ties."""

    title: str
    reviewers: tuple[str, ...]
    labels: Mapping[str, bool]
    left_out: Mapping[str, int]
    cautions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgedLabel:
    """A labelled statement: ``supported`` by the people, ``words`` (whether it is, by judge; ``None``: no verdict),
    ``confidences`` of the judges that stored one. ``writer``: the model of the answer; ``length`` in characters."""

    statement_id: str
    cluster: str
    writer: str
    length: int
    supported: bool
    words: Mapping[str, bool | None]
    confidences: Mapping[str, float]


def peoples_labels(labels: Mapping[str, Mapping[str, ReviewerLabel]]) -> PeoplesLabels:
    """The group of labels to hold judges against, by reviewer and statement.

    The blind labels of the random audit where there are 30 statements with these, else the blind group with most, else
    the assisted one with most.
    """
    group = _chosen(labels, Counter(label.group for held in labels.values() for label in held.values()))
    if group is None:
        return PeoplesLabels("no labels", (), {}, {}, ())
    found: dict[str, list[bool]] = defaultdict(list)
    left_out: Counter[str] = Counter()
    people = set()
    for name, held in labels.items():
        for unit, label in held.items():
            if label.group != group:
                continue
            word = reviewers_label(label.label, BINARY, stale=label.stale)
            if word.label is None:
                left_out[word.missing] += 1
            else:
                found[unit].append(word.label == BINARY.labels[0])
                people.add(name)
    majority = {unit: sum(said) * 2 > len(said) for unit, said in found.items() if sum(said) * 2 != len(said)}
    left_out[TIED_REVIEWERS] += len(found) - len(majority)
    return PeoplesLabels(group.title, tuple(sorted(people)), majority, +left_out, group.cautions)


def _chosen(labels: Mapping[str, Mapping[str, ReviewerLabel]], counts: Mapping[Group, int]) -> Group | None:
    if not counts:
        return None
    drawn = GROUPS[0]
    if len({unit for held in labels.values() for unit, label in held.items() if label.group == drawn}) >= FEW_ITEMS:
        return drawn
    return max(counts, key=lambda group: (group.mode == "blind", counts[group]))


def judged_labels(
    reader: sqlite3.Connection,
    of: PeoplesLabels,
    clusters: Clusters,
    tie: TieRule,
    *,
    runs: Collection[str] | None = None,
) -> list[JudgedLabel]:
    """The labelled statements with what every judge says of them and, of several judges, all together.

    The offline judge is left out: it compares words. ``runs``: only the judgements of these count.
    """
    said = {unit: _words(votes, tie) for unit, votes in _votes(reader, of.labels, runs)}
    nothing: tuple[dict[str, bool | None], dict[str, float]] = ({}, {})
    return [
        JudgedLabel(
            row["statement_id"],
            clusters.of[row["response_id"]],
            row["model"],
            row["length"],
            of.labels[row["statement_id"]],
            *said.get(row["statement_id"], nothing),
        )
        for row in reader.execute(_OF_STATEMENTS, (json.dumps(list(of.labels)),))
    ]


def judges_of(labelled: Sequence[JudgedLabel]) -> list[str]:
    """Those that were asked about one of the statements, by name; all together come first."""
    names = {name for one in labelled for name in one.words}
    return [*([TOGETHER] if TOGETHER in names else []), *sorted(names - {TOGETHER})]


def said_by(labelled: Sequence[JudgedLabel], judge: str) -> Iterator[tuple[JudgedLabel, bool]]:
    """The statements of which a judge has a verdict, each with it."""
    for one in labelled:
        word = one.words.get(judge)
        if word is not None:
            yield one, word


def _votes(
    reader: sqlite3.Connection, units: Collection[str], runs: Collection[str] | None
) -> Iterator[tuple[str, list[Vote]]]:
    voters = VoteReader(reader)
    chosen = None if runs is None else json.dumps(list(runs))
    rows = reader.execute(_VOTES, (json.dumps(list(units)), chosen))
    for unit, of_one in groupby(rows, key=itemgetter(0)):
        yield unit, [vote for vote in voters.votes(of_one) if not vote.judge.offline]


def _words(votes: Sequence[Vote], tie: TieRule) -> tuple[dict[str, bool | None], dict[str, float]]:
    words: dict[str, bool | None] = {judge.name: said.supported for judge, said in each_judge(votes).items()}
    sure = {name: found for name, word in words.items() if (found := _confidence(votes, name, word)) is not None}
    if len(words) > 1:
        words[TOGETHER] = tally(votes, tie).supported
    return words, sure


def _confidence(votes: Sequence[Vote], judge: str, word: bool | None) -> float | None:
    """One supporting source is enough, so that the surest says it; not supported takes all, so that the least sure."""
    stored = [
        vote.confidence
        for vote in votes
        if vote.judge.name == judge and vote.supported == word and vote.confidence is not None
    ]
    return None if word is None or not stored else max(stored) if word else min(stored)


_RUNS: Final = """
SELECT judge_run_id, judge, model, prompt_id, prompt_sha256, params FROM judge_run AS run
WHERE kind <> 'offline' AND EXISTS (SELECT 1 FROM judgement AS j WHERE j.judge_run_id = run.judge_run_id)
ORDER BY ordinal"""
_SAID: Final = """
SELECT j.statement_id, s.response_id, p.source_id || '/' || p.text_sha256 AS page, j.judge_run_id, j.supported
FROM judgement AS j JOIN statement_standing AS s USING (statement_id) JOIN snapshot AS p USING (snapshot_id)
WHERE j.error = '' AND j.judge_run_id IN (SELECT value FROM json_each(?))"""
_LOOKS: Final = "SELECT count(*) FROM event WHERE kind = 'look' AND json_extract(payload, '$.half') = 'test'"
_AGAIN: Final = ("mean_pairwise_agreement", "fleiss_kappa")

_NOTHING: Final = "No labelled statement of this half has a verdict of every prompt."
_CONSTANT: Final = "Both gave one label throughout: kappa is 0/0."


class _RepeatedRun(NamedTuple):
    run_id: str
    judge: str
    model: str
    prompt_id: str
    prompt_sha256: str
    params: Mapping[str, object]


def _runs(reader: sqlite3.Connection) -> list[_RepeatedRun]:
    return [_RepeatedRun(row[0], row[1], row[2], row[3], row[4], json.loads(row[5])) for row in reader.execute(_RUNS)]


@dataclass(frozen=True, slots=True)
class Repeats:
    """One judge with one model and one prompt, asked twice or more about a statement and the same text of a page.

    ``pairs`` of these were answered in two runs or more of ``runs``, which ``differ`` in these parameters. ``same``: of
    each two answers, the share that say the same, supported or not; ``kappa``: the same beyond chance (Fleiss).
    """

    judge: str
    model: str
    prompt: str
    prompt_sha256: str
    runs: int
    differ: tuple[str, ...]
    pairs: int
    same: Estimate
    kappa: Estimate


def repeats(
    reader: sqlite3.Connection, clusters: Clusters, resampling: Resampling, only: Selection = EVERYTHING
) -> tuple[Repeats, ...]:
    """Every judge that was asked again in the same words; an abstention is no answer."""
    alike: dict[tuple[str, str, str], list[_RepeatedRun]] = defaultdict(list)
    for run in _runs(reader):
        alike[run.judge, run.model, run.prompt_sha256].append(run)
    return tuple(_again(reader, runs, clusters, resampling, only) for runs in alike.values() if len(runs) > 1)


def _again(
    reader: sqlite3.Connection,
    runs: Sequence[_RepeatedRun],
    clusters: Clusters,
    resampling: Resampling,
    only: Selection,
) -> Repeats:
    places = {run.run_id: place for place, run in enumerate(runs)}
    answers: dict[tuple[str, str, str], list[str | None]] = {}
    for unit, response, page, run_id, supported in reader.execute(_SAID, (json.dumps(list(places)),)):
        if only.holds(unit) and supported is not None:
            row = answers.setdefault((response, unit, page), [None] * len(runs))
            row[places[run_id]] = BINARY.labels[not supported]
    twice = {key: row for key, row in answers.items() if len(row) - row.count(None) > 1}
    found = many_raters(
        list(twice.values()), BINARY.labels, clusters=[clusters.of[key[0]] for key in twice], statistics=_AGAIN,
        resampling=resampling.over(clusters.name),
    )  # fmt: skip
    names = {name for run in runs for name in run.params}
    differ = sorted(name for name in names if len({json.dumps(run.params.get(name)) for run in runs}) > 1)
    newest = runs[-1]
    return Repeats(
        judge=newest.judge,
        model=newest.model,
        prompt=newest.prompt_id,
        prompt_sha256=newest.prompt_sha256,
        runs=len(runs),
        differ=tuple(differ),
        pairs=len(twice),
        same=found.figures["mean_pairwise_agreement"],
        kappa=found.figures["fleiss_kappa"],
    )


Half = Literal["tuning", "test"]


@dataclass(frozen=True, slots=True)
class PromptFigures:
    """One prompt of a judge: ``agreement`` and ``kappa`` with the labels on the statements on which every prompt of
    this judge has a verdict. ``minus_newest``: its agreement minus that of the newest prompt, on the same statements,
    with a two-sided ``p``; ``None`` of the newest itself."""

    prompt: str
    prompt_sha256: str
    agreement: Estimate
    kappa: Estimate
    minus_newest: Estimate | None
    p: float | None


@dataclass(frozen=True, slots=True)
class JudgePrompts:
    """The prompts of one judge, in the order in which they were first put; ``dropped``: labelled statements of this
    half on which one of them has no verdict."""

    judge: str
    statements: int
    dropped: int
    prompts: tuple[PromptFigures, ...]


@dataclass(frozen=True, slots=True)
class PromptReport:
    """Prompts on one ``half`` of the questions (or responses, see ``cluster``): ``clusters`` of it have a label, of
    ``labels_of`` by ``reviewers``. ``looks``: how often the test half had been looked at before."""

    half: Half
    cluster: str
    clusters: int
    labels_of: str
    reviewers: tuple[str, ...]
    labels: int
    cautions: tuple[str, ...]
    looks: int
    judges: tuple[JudgePrompts, ...]


def half_of(seed: str, cluster: str) -> Half:
    """In which half a question is, for good: a hash of the study's seed and of the question says so."""
    return "tuning" if permanent_number(seed, f"half/{cluster}") < 0.5 else "test"


def prompt_report(
    reader: sqlite3.Connection,
    of: PeoplesLabels,
    clusters: Clusters,
    tie: TieRule,
    resampling: Resampling,
    *,
    half: Half = "tuning",
    least: int = 1,
) -> PromptReport:
    """The judges that were asked with ``least`` prompts or more, on one half of the labelled statements."""
    seed = seed_of_draws(reader)
    versions: dict[str, dict[str, list[_RepeatedRun]]] = {}
    for run in _runs(reader):
        versions.setdefault(run.judge, {}).setdefault(run.prompt_sha256, []).append(run)
    judges = []
    every = judged_labels(reader, of, clusters, tie, runs=())
    here = [one for one in every if half_of(seed, one.cluster) == half]
    inside = {one.statement_id for one in here}
    part = PeoplesLabels(
        of.title, of.reviewers, {unit: word for unit, word in of.labels.items() if unit in inside}, {}, of.cautions
    )
    for judge, prompts in versions.items():
        if len(prompts) >= least:
            said = {
                sha: judged_labels(reader, part, clusters, tie, runs=[run.run_id for run in runs])
                for sha, runs in prompts.items()
            }
            judges.append(_prompts(judge, prompts, said, clusters.name, resampling.level))
    return PromptReport(
        half=half,
        cluster=clusters.name,
        clusters=len({one.cluster for one in here}),
        labels_of=of.title,
        reviewers=of.reviewers,
        labels=len(here),
        cautions=of.cautions,
        looks=test_looks(reader),
        judges=tuple(judges),
    )


def _prompts(
    judge: str, prompts: Mapping[str, Sequence[_RepeatedRun]], said: Mapping[str, Sequence[JudgedLabel]], unit: str,
    level: float,
) -> JudgePrompts:  # fmt: skip
    words = {sha: {one.statement_id: (one, word) for one, word in said_by(held, judge)} for sha, held in said.items()}
    shared = set.intersection(*(set(held) for held in words.values()))
    labelled = len(next(iter(said.values())))
    newest = list(prompts)[-1]
    order = sorted(shared)

    def counted(sha: str) -> Iterator[tuple[str, tuple[float, ...]]]:
        for unit_id in order:
            one, word = words[sha][unit_id]
            beside = words[newest][unit_id][1]
            yield one.cluster, (
                1.0, float(word == one.supported), float(beside == one.supported), float(word), float(one.supported),
            )  # fmt: skip

    found = []
    for sha, runs in prompts.items():
        sums, n = summed(counted(sha)), len(order)
        apart, p = None, None
        if sha != newest:
            finish = difference_of_quotients((1, 0), (2, 0))
            apart = jackknifed("agreement minus that of the newest prompt", sums, finish, n=n, unit=unit, level=level,
                               scale="share_difference", nothing=_NOTHING)  # fmt: skip
            p = p_of_zero(apart, sums, finish)
        found.append(
            PromptFigures(
                prompt=runs[-1].prompt_id,
                prompt_sha256=sha,
                agreement=jackknifed("agreement", sums, quotient(1, 0), n=n, scale="share", nothing=_NOTHING, unit=unit,
                                     level=level),
                kappa=jackknifed("Cohen's kappa", sums, chance_corrected(0, 1, 3, 4), n=n, scale="coefficient",
                                 nothing=_CONSTANT if n else _NOTHING, unit=unit, level=level),
                minus_newest=apart,
                p=p,
            )
        )  # fmt: skip
    return JudgePrompts(judge, len(order), labelled - len(order), tuple(found))


def chance_corrected(count: int, agreed: int, first: int, second: int) -> Finish:
    """Cohen's kappa from the places of four sums: items, agreements, and how many each of the two calls supported."""

    def finish(sums: Sequence[float]) -> float | None:
        n, one, other = sums[count], sums[first], sums[second]
        chance = one * other + (n - one) * (n - other)
        return (n * sums[agreed] - chance) / (n * n - chance) if n * n - chance > 1e-9 else None

    return finish


def test_looks(reader: sqlite3.Connection) -> int:
    """How often anybody looked at the test half."""
    return int(reader.execute(_LOOKS).fetchone()[0])
