"""What references turned out to be, as sentences and tables; no figure pools two kinds of fault under one name."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from medreview.cli.output import counted, counted_each, one_line, stratum_name
from medreview.cli.reports.estimates import differences_table, figures_part
from medreview.cli.reports.layout import NextStep, Part, Title, cells, inset, table
from medreview.next_step import command
from medreview.references.model import (
    NoticeKind,
    authority_name,
    bare_urls_words,
    unanswered_words,
)
from medreview.references.verdict import Verdict
from medreview.stats.formulas.estimate import Estimate, number
from medreview.stats.reference_verdicts import COMPARED, WORKS, OtherWorkSupport, ReferenceReport, ReferenceShares
from medreview.text import in_words

VERDICT_WORDS: Final[dict[Verdict, str]] = {
    "match": "match",
    "mismatch": "described wrongly",
    "other_work": "another work's identifier",
    "not_found": "not found",
    "ambiguous": "several works fit",
    "not_checkable": "nothing to look up",
}
NOTICE_WORDS: Final[dict[NoticeKind, str]] = {
    "retracted": "retracted",
    "concern": "expression of concern",
    "corrected": "corrected",
    "withdrawn": "withdrawn",
    "superseded": "replaced by a newer one",
    "published_as": "preprint, published since",
    "preprint_of": "has a preprint",
}
NOT_FOUND_PROVES: Final = (
    "Not found: no authority that was asked has it; that does not prove that there is no such work, least of all of "
    "guidelines, books, reports and pages, of which authorities have only some."
)
_NO_INTERVAL_FROM: Final = 2


def reference_lines(report: ReferenceReport | None, brief: int = 0) -> Iterator[str]:
    """One sentence for a screen; nothing without references. ``brief``: from 2 on without intervals."""
    if report is None:
        return
    whole = report.whole
    if not whole.checked:
        why = "none checked yet" if whole.not_checked else "each an address alone, with nothing to check"
        yield f"references: {whole.found:,} found, {why}"
        return
    told = ", ".join(f"{_value(whole.share(verdict), brief)} {VERDICT_WORDS[verdict]}" for verdict in COMPARED)
    open_ = whole.verdicts["ambiguous"] + whole.verdicts["not_checkable"]
    told += f", {open_:,} that could not be decided" if open_ else ""
    more = f", {whole.not_checked:,} not yet" if whole.not_checked else ""
    more += f", of which {whole.unanswered:,} could not be looked up" if whole.unanswered else ""
    more += f"; {bare_urls_words(whole.bare_urls)}" if whole.bare_urls else ""
    yield f"references: {told} (of {whole.checked:,} checked{more})"


def _value(figure: Estimate, brief: int) -> str:
    value = cells(figure, missing="")[0]
    if figure.low is None or figure.high is None or brief >= _NO_INTERVAL_FROM:
        return value
    low, high = (number(end, figure.scale, unit=False) for end in (figure.low, figure.high))
    return f"{value} [{low} to {high}]"


def identified_parts(report: ReferenceReport | None, *, by_model: bool) -> Iterator[Part]:
    """What the cited identifiers turned out to be, of all responses and, if asked for, of each model's; nothing where
    no reference carries one."""
    if report is None:
        return
    yield Title("What the cited identifiers turned out to be")
    yield _found(report.whole)
    if not report.whole.checked:
        return
    shown = [one for one in report.strata if not one.split or (by_model and one.split == "model")]
    for stratum in shown:
        yield _shares(stratum_name(stratum.split, stratum.stratum), stratum.references)
    yield NOT_FOUND_PROVES


def reference_parts(
    report: ReferenceReport | None, other: OtherWorkSupport | None = None, *, by: str = "", study: Path | None = None
) -> Iterator[Part]:
    """Everything that there is to say of references; nothing without any. ``by``: divided by nothing else. ``study``:
    where references wait to be checked, the command that does it."""
    if report is None:
        return
    whole = report.whole
    yield Title("References: what they turned out to be")
    yield _found(whole)
    if study is not None and whole.not_checked:
        yield NextStep(command("references", study))
    yield f"Where they stand: {counted_each({str(at): count for at, count in report.standing.items()})}."
    if report.notices:
        notices = ", ".join(f"{count:,} {NOTICE_WORDS[kind]}" for kind, count in report.notices.items())
        yield f"Notices beside the works that they are: {notices}."
    yield from asked_parts(report)
    if not whole.checked:
        yield from other_work_parts(other)
        return
    yield NOT_FOUND_PROVES
    for stratum in (one for one in report.strata if not by or one.split in ("", by)):
        yield from ("", _shares(stratum_name(stratum.split, stratum.stratum), stratum.references))
    for split, count in report.omitted.items():
        yield from ("", f"{counted(count, f'smaller {split}')} not shown.")
    for works in () if by else report.works:
        yield from ("", _shares(WORKS[works.works], works.references))
    if report.differences and by in ("", "model"):
        title = "One model minus another, in points of a hundred"
        told = differences_table(title, report.differences, report.models_omitted, "tested together")
        yield from ("", inset(*told))
    yield from other_work_parts(other)


def _found(shares: ReferenceShares) -> str:
    found = f"{counted(shares.found, 'reference')} found in {counted(shares.responses, 'response')}"
    waiting = f", {shares.not_checked:,} not checked yet" if shares.not_checked else ""
    waiting += f" ({unanswered_words(shares.unanswered)})" if shares.unanswered else ""
    bare = f"; {bare_urls_words(shares.bare_urls)}" if shares.bare_urls else ""
    return f"{found}: {shares.checked:,} checked{waiting}{bare}. Shares are of those checked."


def asked_parts(report: ReferenceReport) -> Iterator[Part]:
    """Who was asked, how often, and who failed."""
    rows = [
        (
            one_line(authority_name(one.authority)),
            one_line(one.by),
            one.asked,
            one.found,
            one.nothing,
            one.failed,
        )
        for one in report.checking.asked
    ]
    if rows:
        yield from ("", inset(table(("asked", "by", "times", "found", "nothing", "failed"), rows, long=("by",))))
    if any(one.failed for one in report.checking.asked):
        yield "A question that failed proves nothing."


def _shares(name: str, shares: ReferenceShares) -> Part:
    head = f"{name}: {counted(shares.found, 'reference')} in {counted(shares.responses, 'response')}"
    main = [in_words(verdict) for verdict in COMPARED]
    figures = [figure for figure in shares.shares if figure.value != 0 or figure.name in main]
    return figures_part(head, figures)


def other_work_parts(other: OtherWorkSupport | None) -> Iterator[Part]:
    """Support by the page of another work than the one that the response names."""
    if other is None:
        return
    yield from ("", figures_part("Support from another work than the one named", (other.share,)))
    if other.pairs:
        alone = f", {other.statements_alone:,} of them by nothing else" if other.statements_alone else ""
        are = "statement is" if other.statements == 1 else "statements are"
        yield inset(f"{other.statements:,} {are} supported by such a page{alone}.")
