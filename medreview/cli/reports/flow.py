"""The flow of items as sentences of counts: each adds up to what it begins with."""

from collections.abc import Iterator

from medreview.cli.output import counted, one_line
from medreview.labels import NOT_IN_ANSWER
from medreview.stats.reports.item_flow import ItemFlow, LabelFlow, ResponseFlow, StatementFlow


def flow_lines(flow: ItemFlow) -> Iterator[str]:
    """Responses, statements, and the labels of each reviewer."""
    yield _responses(flow.responses)
    yield _statements(flow.statements)
    yield from map(label_line, flow.labels)


def label_line(labels: LabelFlow) -> str:
    """How the statements stand for one reviewer, and what becomes of the labels."""
    lost = _told((labels.cannot_judge, "cannot judge"), (labels.stale, "stale"))
    of_labels = f"; of the labels {labels.used:,} used, {lost}" if lost else ""
    since = f"; {labels.put_off_since:,} labelled ones put off since" if labels.put_off_since else ""
    return (
        f"{one_line(labels.reviewer)}: {labels.blind:,} labelled blind, {labels.assisted:,} assisted, "
        f"{labels.deferred:,} deferred, {labels.open:,} open{of_labels}{since}"
    )


def _responses(flow: ResponseFlow) -> str:
    steps = _told(
        (flow.invalid, "invalid"), (flow.not_parsed, "not split yet"), (flow.without_statements, "without statements"),
        (flow.with_statements, "with statements"),
    )  # fmt: skip
    left = f"; {counted(flow.parts_left_out, 'part')} of their texts left out" if flow.parts_left_out else ""
    return f"{counted(flow.in_study, 'response')}: {steps or 'nothing yet'}{left}"


def _statements(flow: StatementFlow) -> str:
    edited = f" ({flow.made:,} made, {flow.edited:,} edited away)" if flow.edited else ""
    pages = _told((flow.readable_source, "with a readable source"), (flow.no_readable_source, "without one"))
    judged = _told(
        (flow.judged_by_models, "judged"), (flow.judged_by_rules, "by rules only"), (flow.not_judged, "not judged"),
    )  # fmt: skip
    absent = _told((flow.not_in_answer, NOT_IN_ANSWER))
    told = "; ".join(filter(None, (pages, judged, absent)))
    return f"{counted(flow.in_study, 'statement')}{edited}: {told or 'none yet'}"


def _told(*steps: tuple[int, str]) -> str:
    return ", ".join(f"{count:,} {words}" for count, words in steps if count)
