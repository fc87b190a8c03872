"""How good the answers are by a reviewer's own labels: of statements by what they cite and by any source, of responses.

No word of a judge is in it, so that a reviewer whose judges are hidden may read it.
"""

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from medreview.statements.own_citations import OwnCitations, every_statement, of_response
from medreview.stats.clusters import Clusters, study_clusters
from medreview.stats.formulas.estimate import UNDEFINED_LIMIT, Estimate, percent
from medreview.stats.formulas.intervals import pooled_share
from medreview.stats.formulas.support import SHARE_NAMES, ResponseSupport, support_counts
from medreview.stats.reports.reviewer_labels import BINARY, ReviewerLabel, reviewers_label
from medreview.stats.reports.study_reader import EVERYTHING, Selection
from medreview.study.ids import ids_of

Basis = Literal["all", "drawn", "flagged", "chosen"]

_NOTHING: Final = {
    "own_support": "No label tells of a source that its statement cites.",
    "statement_support": "No label says whether a statement is supported.",
    "response_support": "No response has a label on every statement.",
}
_TRIAGE: Final = "flagged"
"""The queue of what the judges or the rules find doubtful."""
_FEW: Final = 100
"""Responses up to which what they cite is asked for one by one."""
_STATEMENTS: Final = """
SELECT r.response_id, r.invalid <> '' AS invalid, s.statement_id FROM response AS r
LEFT JOIN statement_standing AS s USING (response_id) ORDER BY r.ordinal, s.ordinal"""
_DRAWN: Final = "SELECT statement_id FROM audit_item"
_PAGES: Final = """
SELECT d.unit, p.source_id FROM decision_current AS d JOIN snapshot AS p ON p.snapshot_id = d.snapshot
WHERE d.reviewer = ? AND d.pass = ? AND d.axis = 'evidence' AND NOT instr(d.unit, ':')"""
_CITED: Final = "SELECT response_id, source_id FROM citation"
_PAIRS: Final = """
SELECT unit, label FROM decision_current
WHERE reviewer = ? AND pass = ? AND axis IN ('evidence', 'support') AND unit >= 'pair:' AND unit < 'pair;'
      AND event_id NOT IN (SELECT event_id FROM decision_stale) ORDER BY event_id"""


@dataclass(frozen=True)
class OwnLabels:
    """What a reviewer's labels on statements say of the answers, as they stand.

    ``labels`` of ``of`` statements, ``blind`` of them first given blind. ``basis``: of what: ``all`` statements; those
    of them that were ``drawn`` at random (then ``of`` counts the draw); those met in triage (``flagged``), or otherwise
    ``chosen``, which say nothing about the rest. ``cited``: statements that a source supports which they cite
    themselves: the page on record with the label, a label on the pair, or that they cite all that the response does.
    It is undefined where more than one label in twenty says "supported" and not by which source: to leave these out
    would leave out what is supported. ``any_source``: by any source of the response. ``responses``: of which every
    statement has a label, those with all of them supported.
    """

    reviewer: str
    basis: Basis
    labels: int
    of: int
    blind: int
    cited: Estimate
    any_source: Estimate
    responses: Estimate

    @property
    def of_what(self) -> str:
        """``all 21 of 21``, ``12 of 60 drawn at random``, in few words."""
        return words_of_basis(self.basis, self.labels, self.of)

    @property
    def caution(self) -> str:
        """What the figures do not tell, ``""`` where they are of the whole study or of a random draw."""
        return caution_of_basis(self.basis)


def words_of_basis(basis: Basis, labels: int, of: int) -> str:
    """Of what ``labels`` of ``of`` units are, in few words: ``all 21 of 21``, ``12 of 60 drawn at random``."""
    words = {"all": f"all {labels:,} of {of:,}", "drawn": f"{labels:,} of {of:,} drawn at random"}
    some = "from triage" if basis == "flagged" else "chosen"
    return words.get(basis, f"{labels:,} of {of:,}, {some}")


def caution_of_basis(basis: Basis) -> str:
    """What figures of such labels do not tell; ``""`` where they are of everything or of a random draw."""
    which = {"flagged": "the flagged ones", "chosen": "chosen, not drawn at random"}.get(basis)
    return f"{which}: they say nothing about the rest" if which else ""


def own_labels(
    reader: sqlite3.Connection,
    reviewer: str,
    labels: Mapping[str, ReviewerLabel],
    pass_no: int = 1,
    only: Selection = EVERYTHING,
    clusters: Clusters | None = None,
    cites: Mapping[str, OwnCitations] | None = None,
) -> OwnLabels | None:
    """Of one reviewer, whose ``labels`` these are; ``None`` without any. ``only``: of this part of the study.

    ``clusters``: those of the study, ``cites``: what its statements cite, where they are known already.
    """
    if not labels:
        return None
    every: dict[str, list[str]] = {}
    invalid = set()
    for response, none, statement in reader.execute(_STATEMENTS):
        held = every.setdefault(response, [])
        if none:
            invalid.add(response)
        elif statement is not None:
            held.append(statement)
    total = sum(map(only.holds, (statement for held in every.values() for statement in held)))
    basis, counted, of = _basis(reader, labels, total, only)
    touched = {label.response_id for label in counted.values()}
    cited = _by_cited(reader, reviewer, counted, touched, pass_no, cites)
    untold = sum(found is None and _supported(counted[unit]) is True for unit, found in cited.items())
    rows = []
    clusters = clusters or study_clusters(reader)
    for response, statements in every.items():
        cluster = clusters.of[response]
        if response in touched:
            mine = [statement for statement in statements if only.holds(statement)]
            states = [_supported(counted.get(statement)) for statement in mine]
            own = [cited[statement] for statement in mine if statement in cited]
            parted = len(mine) < len(statements)
            rows.append(ResponseSupport([], [[] for _ in mine], states, own, parted=parted, cluster=cluster))
        elif response in invalid and basis == "all" and only.statements is None:
            rows.append(ResponseSupport([], [], invalid=True, cluster=cluster))
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for row in rows:
        sums = found.setdefault(row.cluster, dict.fromkeys(SHARE_NAMES, (0, 0)))
        for key, (so, known) in support_counts(row).items():
            before, of_before = sums[key]
            sums[key] = before + so, of_before + known
    items = {"own_support": len(cited), "statement_support": len(counted), "response_support": len(rows)}

    def share(key: str) -> Estimate:
        counts = [one[key] for one in found.values()]
        left = items[key] - sum(known for _, known in counts)
        return pooled_share(SHARE_NAMES[key], counts, nothing=_NOTHING[key], dropped=left, unit=clusters.name)

    return OwnLabels(
        reviewer=reviewer,
        basis=basis,
        labels=len(counted),
        of=of,
        blind=sum(label.mode == "blind" for label in counted.values()),
        cited=_or_bounds(share("own_support"), untold),
        any_source=share("statement_support"),
        responses=share("response_support"),
    )


def _basis(
    reader: sqlite3.Connection, labels: Mapping[str, ReviewerLabel], total: int, only: Selection
) -> tuple[Basis, Mapping[str, ReviewerLabel], int]:
    """Of what the figures are, the labels that count in them, and of how many statements these are some."""
    if len(labels) == total:
        return "all", labels, total
    members = {row[0] for row in reader.execute(_DRAWN) if only.holds(row[0])}
    drawn = {unit: label for unit, label in labels.items() if label.group.drawn and unit in members}
    if drawn:
        return "drawn", drawn, len(members)
    return "flagged" if all(label.queue == _TRIAGE for label in labels.values()) else "chosen", labels, total


def _or_bounds(cited: Estimate, untold: int) -> Estimate:
    """The share, undefined where ``untold`` labels that say supported, not by what, are more than a few."""
    known, of = round((cited.value or 0) * cited.n), cited.n + untold
    if not untold or untold <= UNDEFINED_LIMIT * of:
        return cited
    low, high = percent(known / of), percent((known + untold) / of)
    reason = (
        f"{untold:,} of {of:,} labels on statements that cite a source say that they are supported, not whether by "
        f"that source: between {low} and {high} are."
    )
    dropped = cited.n + cited.dropped
    return replace(cited, value=None, low=None, high=None, n=0, clusters=0, dropped=dropped, reason=reason)


def _supported(label: ReviewerLabel | None) -> bool | None:
    if label is None:
        return None
    word = reviewers_label(label.current, BINARY, stale=label.stale).label
    return None if word is None else word == "supported"


def _by_cited(
    reader: sqlite3.Connection,
    reviewer: str,
    labels: Mapping[str, ReviewerLabel],
    responses: Collection[str],
    pass_no: int,
    cites: Mapping[str, OwnCitations] | None,
) -> dict[str, bool | None]:
    """Of each labelled statement that cites sources itself, whether one of them supports it; ``None``: unknown."""
    pages = dict(reader.execute(_PAGES, (reviewer, pass_no)).fetchall())
    pairs: dict[str, dict[str, bool | None]] = {}
    for unit, label in reader.execute(_PAIRS, (reviewer, pass_no)):
        statement, source = ids_of(unit)
        pairs.setdefault(statement, {})[source] = None if label == "cannot_judge" else label == "supported"
    cited_by: dict[str, set[str]] = {}
    for response, source in reader.execute(_CITED):
        cited_by.setdefault(response, set()).add(source)
    if cites is not None:
        every: Iterable[tuple[str, OwnCitations]] = cites.items()
    elif len(responses) < _FEW:
        every = (one for each in responses for one in of_response(reader, each))
    else:
        every = every_statement(reader)
    found: dict[str, bool | None] = {}
    for statement, own in every:
        if own.sources and statement in labels:
            said = [pairs.get(statement, {}).get(source) for source in own.sources]
            supported = _supported(labels[statement])
            by_these = pages.get(statement) in own.sources or cited_by[labels[statement].response_id] <= {*own.sources}
            if True in said or (supported and by_these):
                found[statement] = True
            elif supported is False or (said and None not in said):
                found[statement] = False
            else:
                found[statement] = None
    return found
