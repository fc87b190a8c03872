"""The figures of SourceCheckup on a study: support of responses, and experts beside the machines.

:func:`panel` has what people and machines said of the units of one kind: consensus, and agreement with it.
"""

import json
import sqlite3
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.citations.hosts import paywalled_domains
from medreview.judges.majority import majority_vote
from medreview.judges.rollup import tie_rule
from medreview.judges.votes import VotingJudge
from medreview.labels import TieRule
from medreview.statements.own_citations import every_statement
from medreview.stats.formulas.agreement import many_raters, two_raters
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.reports.study_reader import judged_responses
from medreview.stats.reports.study_support import JudgedSupport, SupportFigures, SupportReport, response_report
from medreview.stats.units.kind_labels import clusters_of_kind
from medreview.stats.url_analysis import UrlReport, url_figures
from medreview.study import Study
from medreview.units.registry import KINDS


def support(study: Study) -> SupportReport:
    """By the judges' verdict: the whole study first, then each model and each origin where there are several."""
    judged = JudgedSupport(tie_rule(study.reader), dict(every_statement(study.reader)), split=True)
    for response in judged_responses(study.reader):
        judged.add(response)
    return judged.report(DEFAULT)


def by_model(report: SupportReport) -> Iterator[tuple[str, SupportFigures]]:
    """Each model, or everything as ``""`` where there is one only."""
    models = [stratum for stratum in report.strata if stratum.split == "model"]
    if not models and report.strata:
        yield "", report.strata[0]
    yield from ((stratum.stratum, stratum) for stratum in models)


def urls(study: Study) -> UrlReport:
    """What became of the cited addresses; no network."""
    return url_figures(study.reader, paywalled=paywalled_domains(None))


def without_source(reader: sqlite3.Connection) -> Iterator[tuple[str, Estimate]]:
    """Of each model the share of responses that are valid and cite nothing at all."""
    return ((model, kinds.without_source) for model, kinds in response_report(reader).by_model.items())


def still_unsupported(reader: sqlite3.Connection) -> Estimate:
    """Of the statements that no source supports, and that judges were asked about again with all sources of the
    response together, the share that these do not support either."""
    n, k = reader.execute(
        """SELECT count(v.merged_supported), coalesce(sum(v.merged_supported = 0), 0)
           FROM verdict AS v JOIN statement_standing AS s USING (statement_id) WHERE v.supported = 0"""
    ).fetchone()
    return proportion("still not supported", k, n, nothing="No judge was asked with all sources together yet.")


_RULES: Final = VotingJudge("offline", True).title
Fold = Callable[[str], Hashable]
"""A stored label as one of the protocol's; ``None`` for one that has no place there (cannot judge)."""

_LABELS: Final = """SELECT reviewer, unit, axis, mode, label FROM axis_label
WHERE pass = 1 AND axis IN (SELECT value FROM json_each(?)) AND unit >= ?2 || ':' AND unit < ?2 || ';'
ORDER BY reviewer, unit, axis"""


@dataclass(frozen=True)
class Panel:
    """The labels of one kind, folded to those of a protocol. ``people`` and ``machines``: unit -> label by name.

    ``mode``: that of the people's labels here, ``blind`` where there are any such, else ``assisted``, for the two are
    never pooled; ``other_mode`` counts those of the other. ``clusters``: what to resample, by unit; ``cluster``: what
    one of these is.
    """

    units: tuple[str, ...]
    cluster: str
    clusters: Mapping[str, str]
    people: Mapping[str, Mapping[str, Hashable]]
    machines: Mapping[str, Mapping[str, Hashable]]
    mode: str
    other_mode: int
    protocol: tuple[Hashable, ...]
    tie: TieRule

    def consensus(self, without: str = "") -> dict[str, Hashable]:
        """The majority of the people, or of all but one, on each unit that one of them labelled; ties left out."""
        names = [name for name in self.people if name != without]
        ballots = [[self.people[name].get(unit) for name in names] for unit in self.units]
        labels = majority_vote(ballots).labels
        return {unit: label for unit, label in zip(self.units, labels, strict=True) if label is not None}

    def agreement(
        self,
        one: Mapping[str, Hashable],
        other: Mapping[str, Hashable],
        statistic: str,
        resampling: Resampling = DEFAULT,
    ) -> Estimate:
        """Two raters on the units that both labelled; intervals resample clusters."""
        both = [unit for unit in self.units if unit in one and unit in other]
        told = two_raters(
            [one[unit] for unit in both],
            [other[unit] for unit in both],
            self.protocol,
            clusters=[self.clusters[unit] for unit in both],
            statistics=(statistic,),
            resampling=resampling.over(self.cluster),
        )
        return told.figures[statistic]

    def between_people(self, statistic: str, resampling: Resampling = DEFAULT) -> Estimate:
        """Agreement of all people with each other."""
        return self._many(self.people, statistic, resampling)

    def between_machines(self, statistic: str, resampling: Resampling = DEFAULT) -> Estimate:
        """Agreement of all machines with each other."""
        return self._many(self.machines, statistic, resampling)

    def _many(self, raters: Mapping[str, Mapping[str, Hashable]], statistic: str, resampling: Resampling) -> Estimate:
        ratings: list[Sequence[Hashable]] = [[said.get(unit) for said in raters.values()] for unit in self.units]
        clusters = [self.clusters[unit] for unit in self.units]
        told = many_raters(
            ratings,
            self.protocol,
            clusters=clusters,
            statistics=(statistic,),
            resampling=resampling.over(self.cluster),
        )
        return told.figures[statistic]


def panel(reader: sqlite3.Connection, kind: str, axes: Mapping[str, Fold], protocol: Sequence[Hashable]) -> Panel:
    """The labels of a kind of unit on some axes, each with how its levels fold to the protocol.

    Where a rater said something on two of the axes, the later one of ``axes`` counts.
    """
    places = {axis: place for place, axis in enumerate(axes)}
    people: dict[str, dict[str, dict[str, Hashable]]] = {"blind": {}, "assisted": {}}
    for row in sorted(reader.execute(_LABELS, (json.dumps(list(axes)), kind)), key=lambda row: places[row["axis"]]):
        label = axes[row["axis"]](row["label"])
        if label is not None:
            people[row["mode"]].setdefault(row["reviewer"], {})[row["unit"]] = label
    machines: dict[str, dict[str, Hashable]] = {}
    clusters: dict[str, str] = {}
    for rating in KINDS[kind].machine_ratings(reader):
        fold = None if rating.rater == _RULES else axes.get(rating.axis)  # rules are not a rater
        label = fold(rating.value) if fold else None
        if label is not None:
            machines.setdefault(rating.rater, {})[rating.unit] = label
            clusters[rating.unit] = rating.cluster
    mode, other = ("blind", "assisted") if people["blind"] else ("assisted", "blind")
    for said in people[mode].values():
        for unit in said:
            if unit not in clusters:
                clusters[unit] = KINDS[kind].cluster(reader, unit)
    cluster, clusters = clusters_of_kind(reader, kind, clusters)
    return Panel(
        units=tuple(sorted(clusters)),
        cluster=cluster,
        clusters=clusters,
        people=people[mode],
        machines=machines,
        mode=mode,
        other_mode=sum(map(len, people[other].values())),
        protocol=tuple(protocol),
        tie=tie_rule(reader),
    )


SUPPORTED: Final = "supported"
NOT: Final = "not supported"
_EVIDENCE: Final[Mapping[str, Hashable]] = {
    "supported": SUPPORTED, "partial": NOT, "contradicted": NOT, "not_addressed": NOT, "not_supported": NOT,
}  # fmt: skip
AGREEMENT: Final = "percent_agreement"


def _from(levels: Mapping[str, Hashable]) -> Fold:
    return levels.get


def pairs(study: Study) -> Panel:
    """Statement and source, on two labels: the paper's "not supported" includes what is supported in part."""
    fold = _from(_EVIDENCE)
    return panel(study.reader, "pair", {"evidence": fold, "support": fold}, (SUPPORTED, NOT))


def whole_responses(study: Study) -> Panel:
    """Are all statements of a response supported?"""
    fold = _from({"yes": "yes", "no": "no"})
    return panel(study.reader, "response", {"all_supported": fold}, ("yes", "no"))


def confirmed(found: Panel) -> Iterator[tuple[str, Estimate]]:
    """Of each machine's pairs that it found not supported, the share on which the people's majority says so too."""
    consensus = found.consensus()
    for machine, said in found.machines.items():
        both = [unit for unit, label in said.items() if label == NOT and unit in consensus]
        k = sum(consensus[unit] == NOT for unit in both)
        yield machine, proportion("confirmed", k, len(both), nothing="Nobody has labelled a pair that it found so.")


def share_of(found: Panel, said: Mapping[str, Hashable], label: Hashable, name: str) -> Estimate:
    """How often one rater gave a label, of the units that it labelled."""
    return proportion(
        name, sum(given == label for given in said.values()), len(said), nothing="Nothing was labelled yet."
    )


def questions(study: Study) -> Iterator[tuple[str, Estimate]]:
    """Of each person the share of generated questions found answerable from the text, and self-contained."""
    levels = {"answerable": "yes", "not_answerable": "no", "not_self_contained": "no"}
    found = panel(study.reader, "question", {"answerability": _from(levels)}, ("yes", "no"))
    for person, said in found.people.items():
        yield person, share_of(found, said, "yes", "answerable")
