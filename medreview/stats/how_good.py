"""What answers "how good are the answers?", in the order in which it counts.

First the labels of reviewers, then the random audit, then judges that are models. Rules compare words: they give no
verdict, and answer nothing here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.support import SHARE_NAMES
from medreview.stats.reports.audit_report import AuditReport
from medreview.stats.reports.own_labels import OwnLabels, caution_of_basis, words_of_basis
from medreview.stats.reports.study_support import SupportReport
from medreview.stats.units.kind_labels import UnitHeadline

By = Literal["labels", "audit", "audit_with_verdicts", "models"]
Rests = Literal["all", "drawn", "flagged", "chosen", "verdicts"]

_RANKS: Final[dict[By, int]] = {"labels": 0, "audit": 1, "audit_with_verdicts": 1, "models": 2}
STATEMENT: Final = "statement"
ALL_REVIEWERS: Final = "all reviewers"
WHAT: Final = {
    SHARE_NAMES["own_support"]: "a cited source supports it",
    SHARE_NAMES["statement_support"]: "any source supports it",
    SHARE_NAMES["response_support"]: "whole responses supported",
}
"""What each share of statements, or of whole responses, is in few words, in the order in which they count."""


@dataclass(frozen=True)
class Answer:
    """One answer to "how good are the answers?".

    ``by``: a reviewer's ``labels``, the random ``audit`` alone or ``audit_with_verdicts``, or ``models`` that judge.
    ``who``: the reviewer, ``all reviewers`` of an audit, or the models by name. ``kind``: of which unit; ``what``: the
    share of them that this is. ``basis``: ``all`` units, those ``drawn`` at random, the ``flagged`` ones of triage,
    others that were ``chosen``, or ``verdicts``. ``of_what``: that in words; ``caution``: what the figure does not
    tell, ``""`` where it is of the whole study or of a random draw.
    """

    by: By
    who: str
    kind: str
    what: str
    basis: Rests
    of_what: str
    caution: str
    estimate: Estimate


def of_units(headlines: Sequence[UnitHeadline]) -> tuple[Answer, ...]:
    """The answers of other units that have a value: by reviewers, then by models."""
    found = (answer for people in (True, False) for kind in headlines for answer in _of_units(kind, people=people))
    return tuple(answer for answer in found if answer.estimate.value is not None)


def how_good(
    own: Sequence[OwnLabels],
    headlines: Sequence[UnitHeadline],
    audit: AuditReport,
    judged: SupportReport,
    judges: Sequence[str],
) -> tuple[Answer, ...]:
    """The answers that have a value, those that count most first: of several reviewers those with most labels.

    ``own``: what the labels on statements say, by reviewer; ``headlines``: of other units, by rater. ``judged``:
    support by the verdict of ``judges``, models by name.
    """
    statements = (
        *(answer for one in sorted(own, key=lambda one: -one.labels) for answer in _by_labels(one)),
        *_by_audit(audit),
        *(_by_models(judged, ", ".join(judges)) if judges and not judged.by_rules else ()),
    )
    every = (*(one for one in statements if one.estimate.value is not None), *of_units(headlines))
    return tuple(sorted(every, key=lambda one: _RANKS[one.by]))


def _by_labels(own: OwnLabels) -> Iterator[Answer]:
    for figure in (own.cited, own.any_source, own.responses):
        what = WHAT[figure.name]
        yield Answer("labels", own.reviewer, STATEMENT, what, own.basis, own.of_what, own.caution, figure)


def _of_units(kind: UnitHeadline, *, people: bool) -> Iterator[Answer]:
    for one in kind.raters:
        if people and not one.machine:
            basis = kind.basis(one)
            of_what, caution = words_of_basis(basis, one.units, kind.units), caution_of_basis(basis)
            yield Answer("labels", one.rater, kind.kind, kind.words, basis, of_what, caution, one.share)
        elif not people and one.machine and not one.rules:
            yield Answer("models", one.rater, kind.kind, kind.words, "verdicts", "", "", one.share)


def _by_audit(audit: AuditReport) -> Iterator[Answer]:
    """Of all reviewers together where there are several; the one to quote first."""
    for one in audit.figures[-1:]:
        who = ALL_REVIEWERS if one.reviewer is None else one.reviewer
        alone = one.supported.study
        words = f"{one.supported.flow.used:,} of {one.supported.flow.drawn:,} drawn at random"
        found: list[tuple[By, Estimate]] = [("audit", alone)]
        found += [("audit_with_verdicts", each.supported) for each in one.with_verdicts[:1]]
        for by, figure in found if one.leading is alone else reversed(found):
            yield Answer(by, who, STATEMENT, WHAT[SHARE_NAMES["statement_support"]], "drawn", words, "", figure)


def _by_models(judged: SupportReport, who: str) -> Iterator[Answer]:
    found = {figure.name: figure for whole in judged.strata[:1] for figure in whole.clustered}
    for name, what in WHAT.items():
        if name in found:
            yield Answer("models", who, STATEMENT, what, "verdicts", "", "", found[name])
