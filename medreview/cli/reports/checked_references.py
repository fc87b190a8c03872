"""How references compare with what authorities know: counts, then each that is not simply right, both readings beside
each other.

Apart from the figures on references: a file is checked without numpy.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.layout import Part, TableHeading, inset, table
from medreview.exchange.imports.file_rows import BadRecord
from medreview.references.input_file import CheckedReference
from medreview.references.model import (
    Asked,
    FieldDifference,
    Record,
    ReferenceCheck,
    authority_name,
    bare_urls_words,
    citation_line,
    outcome_words,
    unanswered_words,
)
from medreview.references.verdict import VERDICTS, Verdict
from medreview.stats.formulas.estimate import percent
from medreview.text import in_words
from medreview.units.checked_reference import notice_words

GRAVEST_FIRST: Final[tuple[Verdict, ...]] = (
    "other_work", "mismatch", "not_found", "ambiguous", "not_checkable", "match",
)  # fmt: skip
_CANDIDATES: Final = 3
_CANDIDATE_NAMES: Final[dict[Verdict, str]] = {
    "other_work": "perhaps meant",
    "not_found": "nearest",
    "ambiguous": "fits",
}
"""What the candidates of a verdict are."""
_PLAIN: Final = "as printed"
_SERIOUS: Final = ("retracted", "concern", "withdrawn")
"""Notices for which a reference is listed, whatever its verdict."""


@dataclass(frozen=True, slots=True)
class CheckedReport:
    """What was checked. ``texts``: responses that it stands in; ``bad``: records of the file that were left out."""

    name: str
    checked: Sequence[CheckedReference]
    texts: int = 0
    bad: Sequence[BadRecord] = ()

    @property
    def checks(self) -> list[ReferenceCheck]:
        """The checks; an address alone has none, nor has a reference about which nobody could be asked."""
        return [one.check for one in self.checked if one.check is not None]

    @property
    def unanswered(self) -> int:
        """References that could not be looked up: nobody was asked, or whoever was gave no answer."""
        return self.unasked + sum(check.unanswered for check in self.checks)

    @property
    def bare_urls(self) -> int:
        """References that are an address alone, which is not checked."""
        return sum(one.brought.reference.bare_url for one in self.checked)

    @property
    def unasked(self) -> int:
        """References that are to be checked, and about which nobody could be asked."""
        return len(self.checked) - len(self.checks) - self.bare_urls

    @property
    def counts(self) -> Counter[Verdict]:
        """References by verdict, without those that could not be looked up."""
        return Counter(check.verdict for check in self.checks if not check.unanswered)


def checked_parts(report: CheckedReport, show: Sequence[Verdict], *, slips: bool, limit: int) -> Iterator[Part]:
    """``show``: the verdicts to list; ``slips``: matches that have some are listed as well."""
    yield from _head(report)
    listed = [
        (one, one.check)
        for verdict in GRAVEST_FIRST
        for one in report.checked
        if one.check is not None and one.check.verdict == verdict and _is_listed(one.check, show, slips)
    ]
    for one, check in listed[:limit]:
        yield ""
        yield from _one(one, check)
    if len(listed) > limit:
        yield ""
        yield f"and {counted(len(listed) - limit, 'more reference')}; --limit shows more"
    slipped = sum(check.verdict == "match" and bool(check.slips) for check in report.checks)
    if slipped and show and not slips:
        yield ""
        yield f"{counted(slipped, 'match', 'matches')} with slips that mislead nobody; --all lists them"


def _is_listed(check: ReferenceCheck, show: Sequence[Verdict], slips: bool) -> bool:
    if not show:
        return False
    notices = () if check.record is None else check.record.notices
    serious = any(notice.kind in _SERIOUS for notice in notices)
    return check.verdict in show or serious or (slips and check.verdict == "match" and bool(check.slips))


def _head(report: CheckedReport) -> Iterator[Part]:
    counts = report.counts
    total = counts.total()
    texts = f" in {counted(report.texts, 'response')}" if report.texts > 1 else ""
    yield f"{one_line(report.name)}: {counted(len(report.checked), 'reference')}{texts}"
    if report.bad:
        yield f"{counted(len(report.bad), 'record')} of the file left out"
    if report.bare_urls:
        yield f"{bare_urls_words(report.bare_urls)}{'; shares are of the others' if total else ''}"
    if report.unasked:
        yield f"{counted(report.unasked, 'reference')} not checked: nobody could be asked"
    if silent := report.unanswered - report.unasked:
        yield f"{unanswered_words(silent)}{'; shares are of the others' if total else ''}"
    if not total:
        return
    rows = (
        (in_words(verdict), counts[verdict], percent(counts[verdict] / total), VERDICTS[verdict])
        for verdict in VERDICTS
        if counts[verdict]
    )
    yield ""
    yield inset(table(("", "n", "share", "meaning"), rows, first="never", long=("meaning",)))
    told = Counter(words for check in report.checks for words in _notices(check))
    if told:
        yield inset(*(f"{words}: {counted(number, 'work')}" for words, number in told.most_common(5)))


def _one(one: CheckedReference, check: ReferenceCheck) -> Iterator[Part]:
    brought = one.brought
    where = one_line(brought.name) or (f"line {brought.line}" if brought.line else "")
    number = f" [{brought.reference.number}]" if brought.reference.number is not None else ""
    yield TableHeading(" ".join(filter(None, (in_words(check.verdict).upper(), f"{where}{number}".strip()))))
    yield inset(*_body(brought.reference.text, check))


def _body(text: str, check: ReferenceCheck) -> Iterator[Part]:
    yield one_line(text)
    if check.because:
        yield one_line(check.because)
    if check.record is not None and check.differences:
        known = one_line(authority_name(check.record.authority))
        yield table(
            ("", _PLAIN, known, "slip"), map(_row, check.differences), first="never", long=(_PLAIN, known, "slip")
        )
    elif check.record is not None:
        yield f"{one_line(authority_name(check.record.authority))}: {_cited(check.record)}"
    yield from _notices(check)
    name = _CANDIDATE_NAMES.get(check.verdict, "also")
    yield from (f"{name}: {_cited(record)}" for record in check.candidates[:_CANDIDATES])
    if check.asked:
        yield f"asked: {_asked(check.asked)}"


def _row(difference: FieldDifference) -> tuple[str, ...]:
    told = (one_line(text) or "-" for text in (difference.reference, difference.record))
    return difference.field, *told, one_line(difference.why) if difference.slip else ""


def _cited(record: Record) -> str:
    return one_line(citation_line(record))


def _notices(check: ReferenceCheck) -> list[str]:
    return [] if check.record is None else list(map(one_line, notice_words(check.record)))


def _asked(asked: Iterable[Asked]) -> str:
    return "; ".join(
        f"{one_line(authority_name(one.authority))} by {one.by}: {outcome_words(one)}"
        + (f" ({one_line(one.words)})" if one.words else "")
        for one in asked
    )
