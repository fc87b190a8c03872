"""What the references turned out to be, as plot and table; each that the rules speak against, with both readings."""

from collections.abc import Iterator
from typing import Final

from medreview.cli.output import given, one_line, stratum_name
from medreview.cli.reports.layout import Heading, Title, cells, numbers, table
from medreview.cli.reports.page_parts import Details, Fields, PagePart, Passage, Plot, Run, Section, several_lines
from medreview.cli.reports.plots import Interval, forest
from medreview.cli.reports.references import (
    NOT_FOUND_PROVES,
    VERDICT_WORDS,
    asked_parts,
    other_work_parts,
    reference_lines,
)
from medreview.cli.reports.study_page.material import Material
from medreview.cli.reports.study_page.words import date
from medreview.cli.reports.units.references import reference_unit_parts
from medreview.labels import label_words
from medreview.references.model import Difference, Record
from medreview.references.verdict import Verdict
from medreview.stats.references.accused_references import AccusedReference, ReferenceLabel
from medreview.stats.references.found_references import WORKS
from medreview.stats.references.reference_report import ReferenceReport, ReferenceShares
from medreview.stats.units.references import ReferenceUnitFigures
from medreview.units.reference import asked_words
from medreview.units.reference_fields import field_name, fields_beside, notice_words, record_name
from medreview.words import counted

_TABLE: Final = "Shares of references"
_MOST_GROUPS: Final = 7
"""All responses and the largest models, in the plot; the table has all."""
_PLOTTED: Final[tuple[Verdict, ...]] = ("match", "mismatch", "other_work", "not_found")


def references_section(material: Material) -> Section | None:
    """Figures first, then the references; nothing where none was found."""
    report = material.figures.references
    if report is None:
        return None
    return Section("references", "What the references turned out to be", tuple(_parts(material, report)))


def _parts(material: Material, report: ReferenceReport) -> Iterator[PagePart]:
    yield from reference_lines(report, brief=2)
    if report.whole.checked:
        yield NOT_FOUND_PROVES
        plot = forest(
            "References, 95% intervals", "share of the references checked", list(_rows(report)), scale="share"
        )
        yield Plot(plot, tabled=_TABLE)
        yield Heading(_TABLE)
        yield _table(report)
        yield from asked_parts(report)
    yield from other_work_parts(material.figures.other_work)
    for kind in material.figures.units:
        if isinstance(kind.family, ReferenceUnitFigures):
            yield from reference_unit_parts(kind.family)
    yield from _accused(material)


def _rows(report: ReferenceReport) -> Iterator[Interval]:
    groups = [one for one in report.strata if one.split in ("", "model") and one.references.checked]
    for stratum in groups[:_MOST_GROUPS]:
        yield Interval(stratum_name(stratum.split, stratum.stratum))
        for verdict in _PLOTTED:
            figure = stratum.references.share(verdict)
            words = cells(figure, "no interval")
            yield Interval(VERDICT_WORDS[verdict], figure.value, figure.low, figure.high, words, figure.n)


def _table(report: ReferenceReport) -> PagePart:
    groups = [(stratum_name(one.split, one.stratum), one.references) for one in report.strata]
    groups += [(WORKS[one.works], one.references) for one in report.works]
    rows = [row for name, shares in groups for row in _group(name, shares)]
    return table(("references", "of", "number", "share", "95% interval", "checked", "not yet", "address alone"), rows)


def _group(name: str, shares: ReferenceShares) -> Iterator[tuple[str, ...]]:
    """A row for each verdict that any reference has, and for each of the plot."""
    shown = [(verdict, words) for verdict, words in VERDICT_WORDS.items()
             if verdict in _PLOTTED or shares.verdicts[verdict]]  # fmt: skip
    for place, (verdict, words) in enumerate(shown):
        figure = shares.share(verdict)
        ends = numbers(shares.checked, shares.not_checked, shares.bare_urls) if not place else ("",) * 3
        yield (name if not place else "", words, *numbers(shares.verdicts[verdict]), *cells(figure, "none"),
               *ends)  # fmt: skip


def _accused(material: Material) -> Iterator[PagePart]:
    found = material.references
    if found is None:
        return
    if found.held_back:
        yield (
            f"{counted(found.held_back, 'reference')} held back: whoever made this report has not decided them yet, or "
            "not seen what the rules say of them, and is still at the audit."
        )
    if not found.listed:
        return
    yield Title("References that the rules speak against")
    yield "Those of another work first. A reviewer's label stands beside the rules' verdict. Each opens."
    if found.omitted:
        yield f"{counted(found.omitted, 'more reference')} not listed here: `references.csv` of an export has all."
    yield from (_item(place, one) for place, one in enumerate(found.listed))


def _item(place: int, one: AccusedReference) -> Details:
    check = one.stored.check
    said = VERDICT_WORDS[check.verdict]
    if check.record is not None and check.verdict != "other_work":
        said = ", ".join((said, *notice_words(check.record, brief=True)))
    reviewers = "; ".join(f"{one_line(label.reviewer)}: {_label(label.now)}" for label in one.labels)
    summary = f"{one.name}, {given(one.model)}: {one_line(said)}{f' ({reviewers})' if reviewers else ''}"
    return Details(summary, tuple(_item_parts(one)), f"reference-{place + 1}")


def _item_parts(one: AccusedReference) -> Iterator[PagePart]:
    check = one.stored.check
    yield Passage((Run(several_lines(one.stored.text)),))
    rows = [("rules", f"{VERDICT_WORDS[check.verdict]}: {one_line(check.because)}"), ("checked", date(one.checked_at))]
    rows += [("reviewer", _labelled(label)) for label in one.labels]
    if check.record is not None and (notices := notice_words(check.record)):
        rows.append(("notices", one_line("; ".join(notices))))
    yield Fields(tuple(rows))
    if words := asked_words(check):
        yield one_line(words)
    if check.record is not None:
        yield from _beside("Its identifier's work" if check.verdict == "other_work" else "The work", one, check.record)
    for candidate in check.candidates:
        yield from _beside("A candidate", one, candidate)


def _beside(what: str, one: AccusedReference, record: Record) -> Iterator[PagePart]:
    """Both readings, field by field, and what is said of the differences."""
    fields = fields_beside(one.stored.reference, record)
    own = record == one.stored.check.record
    told: dict[str, list[Difference]] = {}
    for difference in one.stored.check.differences if own else ():
        told.setdefault(difference.field, []).append(difference)
    yield Heading(f"{what}: {one_line(record_name(record))}")
    rows = [
        (
            field_name(row.field),
            *(one_line(fields.text[place.start : place.end]) for place in (row.printed, row.record)),
            "; ".join(_difference(each) for each in told.get(row.field, ())),
        )
        for row in fields.rows
    ]
    yield table(("field", "as printed", "record", "differs"), rows, long=("as printed", "record", "differs"))


def _difference(one: Difference) -> str:
    return one_line(f"slip: {one.why}" if one.slip else one.why)


def _labelled(one: ReferenceLabel) -> str:
    first = f", first {_label(one.first)}" if one.first != one.now else ""
    return f"{one_line(one.reviewer)}: {_label(one.now)} ({one.mode}{first})"


def _label(level: str) -> str:
    return label_words("reference", level)
