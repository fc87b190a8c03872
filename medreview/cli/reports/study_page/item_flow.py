"""The flow of items: from the responses to the labels that figures use, as a diagram and as tables."""

from collections.abc import Iterator, Mapping
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.layout import Title, table
from medreview.cli.reports.page_parts import PagePart, Plot
from medreview.cli.reports.plots import Drawing, Step, flow
from medreview.cli.reports.study_page.material import Material
from medreview.stats.reports.item_flow import ItemFlow, LabelFlow

_MOST: Final = 3
"""Reviewers that the diagram has room for; the table has all."""
_LABELS: Final = {
    "in_study": "statements", "blind": "blind labels", "assisted": "assisted labels", "deferred": "deferred",
    "open": "open", "cannot_judge": "cannot judge", "stale": "stale", "used": "used",
}  # fmt: skip


def flow_parts(material: Material) -> Iterator[PagePart]:
    """A diagram whose counts add up, and each reviewer's in a table."""
    found = material.figures.flow
    yield Title("Flow of items")
    yield Plot(_diagram(found))
    if found.labels:
        rows = [(one_line(one.reviewer), *(f"{getattr(one, name):,}" for name in _LABELS)) for one in found.labels]
        yield table(("reviewer", *_LABELS.values()), rows, first="anywhere")


def _diagram(found: ItemFlow) -> Drawing:
    responses, statements = found.responses, found.statements
    lost = {
        "invalid": responses.invalid, "not split yet": responses.not_parsed,
        "without a statement": responses.without_statements,
    }  # fmt: skip
    judged = {
        "judged by models": statements.judged_by_models, "judged by rules only": statements.judged_by_rules,
        "not judged": statements.not_judged, "without a readable source": statements.no_readable_source,
    }  # fmt: skip
    trunk = [
        Step(counted(responses.in_study, "response"), aside=tuple(_counts(lost))),
        Step(
            counted(statements.made, "statement made", "statements made"),
            aside=tuple(_counts({"edited away by reviewers": statements.edited})),
        ),
        Step(counted(statements.in_study, "statement in the study", "statements in the study"), tuple(_counts(judged))),
    ]
    return flow("From responses to labels", trunk, [_of(one) for one in found.labels[:_MOST]])


def _of(one: LabelFlow) -> list[Step]:
    labelled = {"blind": one.blind, "assisted": one.assisted, "deferred": one.deferred, "open": one.open}
    left = {"cannot judge": one.cannot_judge, "page changed since": one.stale}
    return [
        Step(f"{one_line(one.reviewer)}: {one.blind + one.assisted:,} labelled", tuple(_counts(labelled))),
        Step(f"{one.used:,} used in figures", tuple(f"left out: {words}" for words in _counts(left))),
    ]


def _counts(counts: Mapping[str, int]) -> Iterator[str]:
    return (f"{count:,} {name}" for name, count in counts.items() if count)
