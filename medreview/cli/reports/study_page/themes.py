"""What the statements share that reviewers decide otherwise than the judges: a model's themes, else reason codes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from medreview.cli.output import given, one_line
from medreview.cli.reports.layout import Heading, NextStep, Title, numbers, table
from medreview.cli.reports.page_parts import Line, PagePart, Run, Section, line, listing
from medreview.cli.reports.study_page.material import Material
from medreview.cli.reports.study_page.overridden import anchor, reason_words
from medreview.cli.reports.study_page.words import date
from medreview.labels import REASONS, label_words
from medreview.next_step import command
from medreview.stats.reports.overridden import Overridden
from medreview.stats.reports.override_themes import OverrideThemes, ThemedStatement
from medreview.units.overridden_labels import THEMES
from medreview.words import counted

Places = Mapping[tuple[str, str], int]
"""Where a reviewer's overridden statement stands in the report, by reviewer and statement."""
_CHANGED: Final = "Labels, verdicts, reasons or notes have changed since; this makes the themes anew"


def themes_section(material: Material) -> Section | None:
    """How often which reason was given, then for each reviewer the themes of a model, or the statements by reason."""
    if not material.differing:
        return None
    return Section("themes", "What is wrong where they differ", tuple(_parts(material)))


def _parts(material: Material) -> Iterator[PagePart]:
    counts = Counter((one.verdict, one.label, one.reason) for one in material.differing)
    yield "By the reviewers' reason codes; a reason is a reviewer's own, and may be left out."
    rows = [
        (label_words("evidence", verdict), label_words("evidence", label), reason_words(reason), *numbers(count))
        for (verdict, label, reason), count in counts.most_common()
    ]
    yield table(("judges", "reviewer", "reason", "statements"), rows, long=("reviewer", "reason"))
    places = {(one.reviewer, one.statement_id): place for place, one in enumerate(material.overridden)}
    for found in material.themes:
        yield from _by_model(found, places, material.name)
    themed = {found.reviewer for found in material.themes}
    left = {place: one for place, one in enumerate(material.overridden) if one.reviewer not in themed}
    if themed and left:
        yield Title("Other reviewers, by reason")
    if left and len(material.overridden) < len(material.differing):
        yield "Below are those that are told in full."
    yield from _by_reason(left)


def _by_model(found: OverrideThemes, places: Places, name: str) -> Iterator[PagePart]:
    yield Title(f"Themes of {one_line(found.reviewer)}")
    of = "" if found.read == found.of else f", spread evenly over {found.of:,}"
    yield (
        f"Found by {given(found.model)} on {date(found.made_at)} in {counted(found.read, 'statement')}{of}. Nobody has "
        "confirmed them; a statement may be in several, or in none."
    )
    if found.changed:
        yield f"{_CHANGED}:"
        yield NextStep(command("generate", THEMES, name, "--model", "NAME"))
    for theme in found.themes:
        yield line(Run(one_line(theme.title), "strong"), f" ({counted(len(theme.statements), 'statement')})")
        if theme.about:
            yield one_line(theme.about)
        yield listing([_statement(one, places.get((found.reviewer, one.statement_id)))] for one in theme.statements)


def _statement(one: ThemedStatement, place: int | None) -> Line:
    name = Run(one.name, to="" if place is None else anchor(place))
    return line(name, f" {one_line(one.label.text)}" if one.label else ": no longer otherwise than the judges")


def _by_reason(items: Mapping[int, Overridden]) -> Iterator[PagePart]:
    """Those that are told in full."""
    for reason in REASONS:
        if found := [(place, one) for place, one in items.items() if one.reason == reason.level]:
            yield Heading(f"{reason.name} ({counted(len(found), 'statement')}): {reason.definition}")
            yield listing([line(Run(one.name, to=anchor(place)), f" {one_line(one.text)}")] for place, one in found)
