"""What a judge may stand in for: a person, by the alternative annotator test; and where its errors are.

The test takes each person's own first label; the errors (with which confidence, on how long statements, on answers of
its own family) are against one word of the people on each statement (``judged_labels``).
"""

import math
import sqlite3
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from medreview.judges.judge_caveats import family_of
from medreview.judges.rollup import tie_rule
from medreview.judges.worked_examples import stored_examples
from medreview.labels import TieRule
from medreview.stats.clusters import Clusters, study_clusters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.calibration import Calibration, Confident, calibration
from medreview.stats.formulas.estimate import FEW_ITEMS, FEWEST, Estimate, Scale
from medreview.stats.formulas.human_baseline import EPSILON, LEAST_PEOPLE, StandIn, alternative_annotator
from medreview.stats.formulas.intervals import (
    Finish,
    difference_of_quotients,
    jackknife_over,
    jackknifed,
    p_of_zero,
    quotient,
    summed,
)
from medreview.stats.reports.judged_labels import (
    JudgedLabel,
    PeoplesLabels,
    PromptReport,
    Repeats,
    judged_labels,
    judges_of,
    peoples_labels,
    prompt_report,
    repeats,
    said_by,
)
from medreview.stats.reports.reviewer_agreement import panel_label, panels_of
from medreview.stats.reports.reviewer_labels import BINARY, GROUPS, Group, ReviewerLabel
from medreview.stats.reports.study_reader import EVERYTHING, Selection

PARTS: Final = ("shortest third", "middle third", "longest third")

_MODELS: Final = "SELECT judge, model FROM judge_run WHERE kind <> 'offline' ORDER BY ordinal"
_TELLS_EACH: Final = f"Fewer than {FEWEST} labelled statements: a share would tell each."
_NO_STATEMENT: Final = "No labelled statement here has a verdict of this judge."
_ONE_LENGTH: Final = "All labelled statements are equally long."
_FEW: Final = f"{FEW_ITEMS} labelled statements with a verdict are needed for a trend: there are {{}}."
_NO_SIDE: Final = "One of the two sides has no labelled statement with a verdict."
_NONE_WRONG: Final = "No statement of one side is not supported by the labels."


@dataclass(frozen=True, slots=True)
class LengthPart:
    """Statements of ``least`` to ``most`` characters, and the share of them on which the judge is wrong."""

    part: str
    least: int
    most: int
    wrong: Estimate


@dataclass(frozen=True, slots=True)
class ByLength:
    """``trend``: how much more often the judge is wrong on a statement that is twice as long (least squares on the
    logarithm); ``p``, two-sided: that there is no trend."""

    parts: tuple[LengthPart, ...]
    trend: Estimate
    p: float | None


@dataclass(frozen=True, slots=True)
class FamilySide:
    """Of answers of one side: how often judge and labels agree, and of what is not supported the share that the judge
    calls supported."""

    agreement: Estimate
    false_support: Estimate


@dataclass(frozen=True, slots=True)
class ByFamily:
    """Answers by models of the judge's ``family`` and by others; ``difference``: same minus other, with two-sided p.
    ``writers``: the families that wrote the answers. ``unknown``: statements of answers whose model is not named."""

    family: str
    writers: tuple[str, ...]
    unknown: int
    same: FamilySide
    other: FamilySide
    difference: FamilySide
    agreement_p: float | None
    false_support_p: float | None


@dataclass(frozen=True, slots=True)
class JudgeErrors:
    """One judge: ``n`` labelled statements with a verdict, ``dropped`` without. ``calibration``: ``None`` where no
    confidence is stored; ``by_family``: where the judge's model is not known, and of all judges together."""

    judge: str
    n: int
    clusters: int
    dropped: int
    wrong: Estimate
    calibration: Calibration | None
    by_length: ByLength
    by_family: ByFamily | None

    @property
    def tests(self) -> int:
        """How many p values stand here."""
        family = self.by_family
        of_family = (family.agreement_p, family.false_support_p) if family else ()
        return sum(p is not None for p in (self.by_length.p, *of_family))


def judge_models(reader: sqlite3.Connection) -> dict[str, str]:
    """The family of each judge by the model of its newest run; a judge whose model is not stored by its own name, where
    that names one."""
    models: dict[str, str] = {}
    for judge, model in reader.execute(_MODELS):
        found = family_of(model) if model else family_of(judge, known=True)
        models[judge] = found or models.get(judge, "")
    return {judge: family for judge, family in models.items() if family}


def judge_errors(
    labelled: Sequence[JudgedLabel], judge: str, families: Mapping[str, str], unit: str, resampling: Resampling
) -> JudgeErrors:
    """The figures of one judge, or of all together; ``families`` by judge, ``unit`` is what a cluster is."""
    told = list(said_by(labelled, judge))
    level = resampling.level
    sums = summed((one.cluster, (float(one.supported != word), 1.0)) for one, word in told)
    confident = [
        Confident(one.confidences[judge], one.supported == word, one.cluster)
        for one, word in told
        if judge in one.confidences
    ]
    family = families.get(judge, "")
    return JudgeErrors(
        judge=judge,
        n=len(told),
        clusters=len(sums),
        dropped=len(labelled) - len(told),
        wrong=jackknifed("judge wrong", sums, quotient(), n=len(told), scale="share", nothing=_NO_STATEMENT,
                         dropped=len(labelled) - len(told), unit=unit, level=level),
        calibration=calibration(confident, dropped=len(told) - len(confident), unit=unit, resampling=resampling)
        if confident
        else None,
        by_length=_by_length(told, _cuts(labelled), unit, level),
        by_family=_by_family(told, family, unit, level) if family else None,
    )  # fmt: skip


def _cuts(labelled: Sequence[JudgedLabel]) -> tuple[int, int]:
    """The longest lengths of the first and of the second third of all labelled statements: the same for all judges."""
    lengths = sorted(one.length for one in labelled)
    return lengths[max(0, math.ceil(len(lengths) / 3) - 1)], lengths[max(0, math.ceil(len(lengths) * 2 / 3) - 1)]


def _by_length(told: Sequence[tuple[JudgedLabel, bool]], cuts: tuple[int, int], unit: str, level: float) -> ByLength:
    parts = []
    for place, name in enumerate(PARTS):
        held = [(one, word) for one, word in told if sum(one.length > cut for cut in cuts) == place]
        sums = summed((one.cluster, (float(one.supported != word), 1.0)) for one, word in held)
        lengths = [one.length for one, _ in held] or [0]
        wrong = _where_enough(
            sums, f"judge wrong, {name}", quotient(), [len(held)], "share", _NO_STATEMENT, unit=unit, level=level
        )
        parts.append(LengthPart(name, min(lengths), max(lengths), wrong))
    name = "more often wrong for twice the length"
    if len(told) < FEW_ITEMS:
        few = _FEW.format(len(told))
        groups = len({one.cluster for one, _ in told})
        trend = Estimate(name, None, None, None, jackknife_over(unit), len(told), groups, reason=few, level=level,
                         scale="share_difference", cluster=unit)  # fmt: skip
        return ByLength(tuple(parts), trend, None)
    sums = summed((one.cluster, _moments(math.log2(max(1, one.length)), one.supported != word)) for one, word in told)
    trend = jackknifed(name, sums, _slope, n=len(told), scale="share_difference", nothing=_ONE_LENGTH, unit=unit,
                       level=level)  # fmt: skip
    return ByLength(tuple(parts), trend, p_of_zero(trend, sums, _slope))


def _moments(x: float, y: float) -> tuple[float, ...]:
    return 1.0, x, float(y), x * x, x * y


def _slope(sums: Sequence[float]) -> float | None:
    n, x, y, xx, xy = sums
    spread = n * xx - x * x
    return (n * xy - x * y) / spread if spread > 1e-9 * max(1.0, n * xx) else None


def _by_family(told: Sequence[tuple[JudgedLabel, bool]], family: str, unit: str, level: float) -> ByFamily:
    writers = [family_of(one.writer) for one, _ in told]
    known = [(one, word, wrote == family) for (one, word), wrote in zip(told, writers, strict=True) if wrote]
    sums = summed((one.cluster, _counts(one.supported, word, own)) for one, word, own in known)
    n = {own: sum(side == own for *_, side in known) for own in (True, False)}
    negative = {own: sum(side == own and not one.supported for one, _, side in known) for own in (True, False)}

    told_of = partial(_where_enough, sums, unit=unit, level=level)

    def side(own: bool, place: int, whose: str) -> FamilySide:
        agree, false = quotient(place, place + 1), quotient(place + 2, place + 3)
        return FamilySide(
            told_of(f"agreement, {whose}", agree, [n[own]], "share", _NO_SIDE),
            told_of(f"false support, {whose}", false, [negative[own]], "share", _NONE_WRONG),
        )

    agree, false = difference_of_quotients((0, 1), (4, 5)), difference_of_quotients((2, 3), (6, 7))
    difference = FamilySide(
        told_of("agreement, same minus other families", agree, n.values(), "share_difference", _NO_SIDE),
        told_of("false support, same minus other families", false, negative.values(), "share_difference", _NONE_WRONG),
    )
    return ByFamily(
        family=family,
        writers=tuple(sorted(set(filter(None, writers)))),
        unknown=writers.count(""),
        same=side(True, 0, "same family"),
        other=side(False, 4, "other families"),
        difference=difference,
        agreement_p=p_of_zero(difference.agreement, sums, agree),
        false_support_p=p_of_zero(difference.false_support, sums, false),
    )


def _counts(supported: bool, word: bool, own: bool) -> tuple[float, ...]:
    """Right, of all; supported though it is not, of what is not: of the judge's family, then of the others."""
    here = (float(supported == word), 1.0, float(word and not supported), float(not supported))
    empty = (0.0,) * 4
    return (*here, *empty) if own else (*empty, *here)


def _where_enough(
    sums: Mapping[Hashable, Sequence[float]],
    name: str,
    finish: Finish,
    counts: Collection[int],
    scale: Scale,
    nothing: str,
    *,
    unit: str,
    level: float,
) -> Estimate:
    """A figure of so many statements (of each of its sides), undefined where one is so small that it would tell each;
    ``nothing``: why where there is no statement."""
    few = min(counts) < FEWEST
    return jackknifed(
        name, sums, (lambda _sums: None) if few else finish, n=sum(counts), scale=scale,
        nothing=_TELLS_EACH if min(counts) else nothing, unit=unit, level=level,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class StandIns:
    """The alternative annotator test of every judge, on supported or not, by one group of labels.

    ``statements`` have labels of two of ``people`` or more; the ``cluster`` is what varies.
    """

    title: str
    people: tuple[str, ...]
    statements: int
    clusters: int
    cluster: str
    cautions: tuple[str, ...]
    judges: tuple[StandIn, ...]


@dataclass(frozen=True, slots=True)
class ShownExamples:
    """A run whose ``prompt`` shows ``statements`` that ``reviewer`` labelled. They are not asked about in it, so that
    they are left out of all figures on it."""

    judge: str
    prompt: str
    reviewer: str
    statements: int


_SHOWN: Final = """SELECT judge_run_id, judge, prompt_id FROM judge_run AS run
WHERE EXISTS (SELECT 1 FROM judgement AS j WHERE j.judge_run_id = run.judge_run_id) ORDER BY ordinal"""


def shown_examples(reader: sqlite3.Connection) -> tuple[ShownExamples, ...]:
    """The runs with worked examples that have judged anything."""
    stored = stored_examples(reader)
    return tuple(
        ShownExamples(row["judge"], row["prompt_id"], shown["from"], len(shown["shown"]))
        for row in (reader.execute(_SHOWN) if stored else ())
        if (shown := stored.get(row["judge_run_id"]))
    )


@dataclass(frozen=True, slots=True)
class JudgeTrust:
    """``stand_ins``: ``None`` where no two people labelled a statement in one group. ``labels_of`` says by which labels
    of whom ``errors`` are, one entry for each judge, with so many ``tests`` side by side. ``repeats``: judges that were
    asked again in the same words. ``prompts``: judges that were asked with several, on the tuning half of the
    questions. ``examples``: runs with worked examples. ``left_out`` counts labels that say neither, and statements on
    which the people tie.
    """

    stand_ins: StandIns | None
    labels_of: str
    reviewers: tuple[str, ...]
    labels: int
    cluster: str
    left_out: Mapping[str, int]
    cautions: tuple[str, ...]
    errors: tuple[JudgeErrors, ...]
    tests: int
    repeats: tuple[Repeats, ...]
    prompts: PromptReport
    examples: tuple[ShownExamples, ...]


def judge_trust(
    reader: sqlite3.Connection,
    labels: Mapping[str, Mapping[str, ReviewerLabel]],
    resampling: Resampling,
    only: Selection = EVERYTHING,
    *,
    epsilon: float = EPSILON,
    clusters: Clusters | None = None,
) -> JudgeTrust:
    """Everything, by the ``labels`` of each reviewer on statements; ``clusters``: those of the study, where known."""
    clusters, tie, of = clusters or study_clusters(reader), tie_rule(reader), peoples_labels(labels)
    labelled = judged_labels(reader, of, clusters, tie)
    families = judge_models(reader)
    errors = tuple(judge_errors(labelled, judge, families, clusters.name, resampling) for judge in judges_of(labelled))
    return JudgeTrust(
        stand_ins=_stand_ins(reader, labels, clusters, tie, epsilon, resampling.level),
        labels_of=of.title,
        reviewers=of.reviewers,
        labels=len(of.labels),
        cluster=clusters.name,
        left_out=dict(of.left_out),
        cautions=of.cautions,
        errors=errors,
        tests=sum(one.tests for one in errors),
        repeats=repeats(reader, clusters, resampling, only),
        prompts=prompt_report(reader, of, clusters, tie, resampling, least=2),
        examples=shown_examples(reader),
    )


def _stand_ins(
    reader: sqlite3.Connection, labels: Mapping[str, Mapping[str, ReviewerLabel]], clusters: Clusters, tie: TieRule,
    epsilon: float, level: float,
) -> StandIns | None:  # fmt: skip
    """By the group of labels that gives most people 30 statements to be tested on; of equal ones the first."""
    groups = _panels(labels)
    blind = [group for group in GROUPS if group.mode == "blind" and len(groups[group]) >= 2]
    group = max(blind or GROUPS, key=lambda one: (min(len(groups[one]), LEAST_PEOPLE), _shared(groups[one])))
    people = groups[group]
    if len(people) < 2:
        return None
    units = {unit for held in people.values() for unit in held}
    both = {unit for unit in units if sum(unit in held for held in people.values()) >= 2}
    of = PeoplesLabels(group.title, tuple(people), dict.fromkeys(both, True), {}, ())
    said = judged_labels(reader, of, clusters, tie)
    return StandIns(
        title=group.title,
        people=tuple(people),
        statements=len(both),
        clusters=len({one.cluster for one in said}),
        cluster=clusters.name,
        cautions=group.cautions,
        judges=tuple(
            alternative_annotator(
                judge,
                {one.statement_id: word for one in said if (word := one.words.get(judge)) is not None},
                {name: {unit: word for unit, word in held.items() if unit in both} for name, held in people.items()},
                {one.statement_id: one.cluster for one in said},
                epsilon=epsilon,
                unit=clusters.name,
                level=level,
            )
            for judge in judges_of(said)
        ),
    )


def _panels(labels: Mapping[str, Mapping[str, ReviewerLabel]]) -> dict[Group, dict[str, dict[str, bool]]]:
    """By group, whether each statement is supported, by each person."""
    found: dict[Group, dict[str, dict[str, bool]]] = {group: {} for group in GROUPS}
    for (unit, _), (group, given) in panels_of(labels).items():
        for name, label in given.items():
            word = panel_label(label, BINARY).label
            if word is not None:
                found[group].setdefault(name, {})[unit] = word == BINARY.labels[0]
    return {group: {name: panel[name] for name in labels if name in panel} for group, panel in found.items()}


def _shared(people: Mapping[str, Mapping[str, bool]]) -> int:
    units = {unit for held in people.values() for unit in held}
    return sum(sum(unit in held for held in people.values()) >= 2 for unit in units)
