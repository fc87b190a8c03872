"""What was said of questions that were made from texts, as a part of the report of ``stats``."""

from collections.abc import Iterator
from typing import Final

from medreview.cli.output import counted, one_line, stratum_name
from medreview.cli.reports.layout import Heading, Part, Title, cells, inset, numbers, table
from medreview.stats.reports.question_report import PAPER, QuestionRater, QuestionReport

_SHORT: Final = {"answerable": "answerable", "not_answerable": "not", "not_self_contained": "unclear"}
"""The labels as narrow columns."""


def question_parts(report: QuestionReport) -> Iterator[Part]:
    """Each rater's labels by writer and origin, then each two reviewers; nothing before anybody has said anything."""
    if not report.raters:
        return
    yield Title(f"Question checks: {counted(report.questions, 'question')}")
    for rater in report.raters:
        yield from ("", _rater(rater))
    if report.agreement:
        rows = (
            (
                f"{one_line(each.first)}, {one_line(each.second)}",
                *cells(each.alike, ""),
                *numbers(each.alike.n),
            )
            for each in report.agreement
        )
        yield from ("", inset(table(("same label, each two", "value", "95% interval", "n"), rows)))
    yield "Share: answerable from the text. Unclear: not self-contained. Left: questions without a label of this rater."
    yield f"In the paper each of two doctors found {PAPER[0]} of {PAPER[1]} answerable from their text. All by Wilson."


def _rater(rater: QuestionRater) -> Part:
    """All questions, and the strata in which this rater has said anything."""
    rows = (
        (
            stratum_name(each.split, each.stratum) if each.split else "all questions",
            *cells(each.answerable, ""), *numbers(*each.labels.values(), each.answerable.dropped),
        )
        for each in rater.strata
        if not each.split or each.answerable.n
    )  # fmt: skip
    names = ("", "share", "95% interval", *(_SHORT[level] for level in rater.strata[0].labels), "left")
    return inset(Heading(f"{one_line(rater.by)}{f', {rater.mode}' if rater.mode else ''}"), table(names, rows))
