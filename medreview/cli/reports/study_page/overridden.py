"""The statements on which a reviewer differs from the judges: what they share, and each in full."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from medreview.cli.output import given, one_line
from medreview.cli.reports.layout import NextStep, TableHeading, Title, table
from medreview.cli.reports.page_parts import (
    Details,
    FieldList,
    PagePart,
    QuotedText,
    Run,
    TextLine,
    line,
    listing,
    several_lines,
)
from medreview.cli.reports.study_page.material import Material, date, excerpt_runs, short_hash
from medreview.labels import FLAGS, REASONS, label_in, label_words
from medreview.next_step import command
from medreview.stats.reports.overrides import JudgeWord, Overridden, OverrideThemes, ThemedStatement
from medreview.text import counted, in_words
from medreview.units.label_comparisons import THEMES


def reason_words(code: str) -> str:
    """What the reviewer gave as the reason, if anything."""
    return label_in(REASONS, code).name if code else "no reason given"


def anchor(place: int) -> str:
    """Of the item at a place in the list: no words from outside."""
    return f"item-{place + 1}"


def overridden_section(material: Material) -> Iterator[PagePart]:
    """The statements, each folded; nothing in a study that has none."""
    if not material.figures.statements:
        return
    if material.held_back:
        yield (
            f"{counted(material.held_back, 'statement')} held back: whoever made this report has not decided "
            "them yet, or not seen their judges, and is still at the audit."
        )
    if not material.differing:
        if not material.reviewers:
            yield "Nobody has decided anything yet."
        elif not material.held_back:
            yield "No decision differs from the judges' verdict."
        return
    each = " Each opens." if material.overridden else ""
    yield (
        f"{counted(len(material.differing), 'decision')}, as they stand now, of which the judges' verdict is another."
        f"{each}"
    )
    for reviewer, every in Counter(one.reviewer for one in material.differing).items():
        yield Title(f"{one_line(reviewer)}: {counted(every, 'statement')}")
        items = [(place, one) for place, one in enumerate(material.overridden) if one.reviewer == reviewer]
        yield from (_item(place, one) for place, one in items)
        if more := every - len(items):
            yield (
                f"{more:,} more of {one_line(reviewer)} are counted, and not printed here. `medreview report` prints "
                "them with --overridden N; --reviewer and --where choose a part of the study."
            )


def _item(place: int, one: Overridden) -> Details:
    reason = reason_words(one.reason)
    summary = (
        f"{one.name}: judges {label_words('evidence', one.verdict)}, {one_line(one.reviewer)} "
        f"{label_words('evidence', one.label)} ({reason})"
    )
    return Details(summary, tuple(_item_parts(one, reason)), anchor(place))


def _item_parts(one: Overridden, reason: str) -> Iterator[PagePart]:
    for_it, other, abstained = one.votes
    yield QuotedText((Run(several_lines(one.text)),))
    rows = [
        ("asked", given(one.question)),
        ("model", given(one.model)),
        (
            "judges",
            f"{label_words('evidence', one.verdict)}: {for_it} for it, {other} otherwise, {abstained} abstained",
        ),
        ("reviewer", f"{label_words('evidence', one.label)}, {one.mode}, {date(one.decided_at)}"),
    ]
    if one.first_label:
        rows.append(("first, blind", label_words("evidence", one.first_label)))
    rows.append(("reason", reason))
    if one.note.strip():
        rows.append(("note", one_line(one.note)))
    if one.flags:
        rows.append(("flags", ", ".join(label_in(FLAGS, flag).name for flag in one.flags)))
    if one.page is not None:
        page = one.page
        rows += [
            ("page", f"{one_line(page.url)} ({one_line(page.title)})" if page.title.strip() else one_line(page.url)),
            ("page state", in_words(page.state)),
            ("snapshot", f"{short_hash(page.text_sha256)}, fetched {date(page.fetched_at)}"),
        ]
    else:
        rows.append(("page", "none: no source could be read"))
    yield FieldList(tuple(rows))
    if one.context:
        yield TableHeading("Nearest words of the page")
        yield QuotedText(tuple(excerpt_runs(one.context)))
    for word in one.words:
        yield from _word(word)
    if one.passed_over:
        yield f"{counted(one.passed_over, 'more judgement')} of other pages: not addressed, or no answer."


def _word(word: JudgeWord) -> Iterator[PagePart]:
    yield line(Run(f"{one_line(word.judge)}: {one_line(word.said)}", "strong"), f" on {one_line(word.url)}")
    if word.reason.strip():
        yield one_line(word.reason)
    if word.quote.strip():
        yield f"Quote ({in_words(word.status)}): “{one_line(word.quote)}”"
        if word.context:
            yield QuotedText(tuple(excerpt_runs(word.context, word.goes_on)))
        else:
            yield "These words are in no place of the page."


Places = Mapping[tuple[str, str], int]
"""Where a reviewer's overridden statement stands in the report, by reviewer and statement."""
_CHANGED: Final = "Labels, verdicts, reasons or notes have changed since; this makes the themes again"


def themes_section(material: Material) -> Iterator[PagePart]:
    """How often which reason was given, then for each reviewer the themes of a model, or the statements by reason."""
    if not material.differing:
        return
    counts = Counter((one.verdict, one.label, one.reason) for one in material.differing)
    yield "By the reviewers' reason codes; a reason is a reviewer's own, and may be left out."
    rows = [
        (label_words("evidence", verdict), label_words("evidence", label), reason_words(reason), count)
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
        yield "Those that are printed in full follow."
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


def _statement(one: ThemedStatement, place: int | None) -> TextLine:
    name = Run(one.name, to="" if place is None else anchor(place))
    return line(name, f" {one_line(one.label.text)}" if one.label else ": the same as the judges now")


def _by_reason(items: Mapping[int, Overridden]) -> Iterator[PagePart]:
    """The ones shown in full."""
    for reason in REASONS:
        if found := [(place, one) for place, one in items.items() if one.reason == reason.level]:
            yield TableHeading(f"{reason.name} ({counted(len(found), 'statement')}): {reason.definition}")
            yield listing([line(Run(one.name, to=anchor(place)), f" {one_line(one.text)}")] for place, one in found)
