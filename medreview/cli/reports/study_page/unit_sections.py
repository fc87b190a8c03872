"""Sections on units other than statements: key facts and what systems cost, marked answers, references."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from medreview.cli.output import given, one_line, stratum_name
from medreview.cli.reports.facts import (
    COST_TABLE,
    fact_name,
    head_words,
    panel_parts,
    score_parts,
    strips,
    theme_counts,
    trade_off_parts,
    trade_off_plots,
)
from medreview.cli.reports.layout import Cell, TableHeading, Title, table
from medreview.cli.reports.page_parts import (
    Details,
    FieldList,
    Grid,
    GridCell,
    Listing,
    PagePart,
    Plot,
    QuotedText,
    Run,
    TextLine,
    Tone,
    line,
    listing,
    several_lines,
)
from medreview.cli.reports.plots import Drawing, Interval, forest, interval_row, intervals
from medreview.cli.reports.references import (
    NOT_FOUND_PROVES,
    VERDICT_WORDS,
    asked_parts,
    other_work_parts,
    reference_lines,
)
from medreview.cli.reports.study_page.material import Material, date
from medreview.cli.reports.unit_parts import reference_unit_parts
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE, FactVote, JuryWord
from medreview.labels import label_words
from medreview.llm.costs import Spent
from medreview.references.model import Record
from medreview.stats.formulas.estimate import half_up
from medreview.stats.reference_verdicts import COMPARED, WORKS, ReferenceReport, ReferenceShares
from medreview.stats.units.accused_references import AccusedReference, ReferenceUnitFigures
from medreview.stats.units.answer_figures import MarkedAnswer
from medreview.stats.units.fact_report import TASKS, FactReport, SystemThemes
from medreview.stats.units.kind_labels import GivenLabel
from medreview.text import counted, in_words
from medreview.units.checked_reference import field_name, fields_beside, notice_words, record_name
from medreview.units.held_facts import FactCase, FactText, FailedFact, HeldFact
from medreview.units.reference import asked_words

_WORDS: Final = {PRESENCE: ("present", "absent"), CONTRADICTION: ("contradicted", "not contradicted")}
_LETTERS: Final = {True: "Y", False: "N", None: "–"}
"""What a cell shows: a letter, never only a colour."""
_GOOD: Final = {PRESENCE: True, CONTRADICTION: False}


def fact_themes_section(material: Material) -> Iterator[PagePart]:
    """What omitted and contradicted facts have in common: by a model, where one was asked."""
    if material.facts is not None:
        yield from theme_parts(material.facts)


def theme_parts(report: FactReport) -> Iterator[PagePart]:
    """The themes of each system, with the facts of each."""
    if report.judges or report.panel:
        for found, themed in zip(report.themes, report.themed, strict=True):
            yield from _themes(found, themed)


def cases_section(material: Material) -> Iterator[PagePart]:
    """A page for each case, with its texts and what judges quote marked in them."""
    if material.facts is not None:
        yield from case_parts(material.facts)


def case_parts(report: FactReport) -> Iterator[PagePart]:
    """Each case, folded."""
    yield from (_case(report, place, case) for place, case in enumerate(report.facts.cases))


def facts_section(material: Material) -> Iterator[PagePart]:
    """Scores, the panel, the votes; nothing without key facts."""
    if material.facts is not None:
        yield from fact_parts(material.facts)


def fact_parts(report: FactReport) -> Iterator[PagePart]:
    """Scores, the panel, and the votes, those of many systems folded."""
    yield from head_words(report)
    if any(one.by_jury or one.by_panel for one in report.scores):
        yield Plot(_picture(report))
    yield from score_parts(report)
    if report.systems > 1 and report.cases > 1 and (report.judges or report.panel):
        yield from _systems_and_cases(report)
    yield from panel_parts(report)
    if not report.facts.held:
        return
    yield Title("Votes")
    yield "Y yes, N no, – abstained; an empty cell was not asked. The majority stands last, framed if tied."
    for system in _in_order(report):
        held = [one for one in report.facts.held if one.text.system == system]
        grids = tuple(grid for task in TASKS for grid in _matrix(report, held, system, task))
        if report.systems > _MOST_OPEN:
            yield Details(given(system), grids)
        else:
            yield TableHeading(given(system))
            yield from grids


_MOST_OPEN: Final = 3
"""Systems whose votes and texts stand open; those of more are folded, so that the page can be read."""


def _in_order(report: FactReport) -> list[str]:
    """The systems, those first that say most of the facts."""
    return [one.system for one in report.scores]


def _systems_and_cases(report: FactReport) -> Iterator[PagePart]:
    """All texts at once: how many of its facts each says, by the majority that the scores are by."""
    held: dict[tuple[str, str], list[HeldFact]] = {}
    for one in report.facts.held:
        held.setdefault((one.text.system, one.case.case_id), []).append(one)
    who = "judges" if report.judges else "panel"
    yield TableHeading("Each text at a glance")
    yield (
        f"How many facts of its case each text says, by the majority of the {who}; after “!” how many it contradicts. "
        "An empty cell: no text, or nothing decided. A number leads to the text and its votes."
    )
    cases = report.facts.cases
    rows = (
        (GridCell(given(system)), *(_glance(report, held.get((system, case.case_id), ())) for case in cases))
        for system in _in_order(report)
    )
    yield Grid("Facts said by each system on each case", ("", *(case.name for case in cases)), tuple(rows), "glance")


def _glance(report: FactReport, held: Sequence[HeldFact]) -> GridCell:
    word = report.jury if report.judges else report.people
    said = [word(one, PRESENCE).answer for one in held]
    if not held or set(said) == {None}:
        return GridCell("")
    against = sum(word(one, CONTRADICTION).answer is True for one in held)
    tone: Tone = "yes" if all(said) and not against else "no" if not any(said) or against else "none"
    return GridCell(f"{said.count(True)}{f' !{against}' if against else ''}", (tone,), _anchor(held[0]))


def _picture(report: FactReport) -> Drawing:
    """Both scores of each system with their intervals; by the judges, or by the panel where none was asked."""
    rows = [
        (given(one.system), [(one.by_jury or one.by_panel)[task].figure for task in TASKS]) for one in report.scores
    ]
    return intervals("Facts present and contradicted, 95% intervals over cases", ("present", "contradicted"), rows)


def _themes(themes: SystemThemes, themed: Sequence[Sequence[FailedFact]]) -> Iterator[PagePart]:
    yield Title(given(themes.system))
    yield theme_counts(themes)
    for theme, failed in zip(themes.themes, themed, strict=True):
        about = (one_line(theme.about),) if theme.about else ()
        head = line(Run(one_line(theme.title), "strong"), f" ({counted(theme.facts, 'fact')})")
        yield from (head, *about, listing(map(tuple, _themed(failed))))


def _themed(failed: Sequence[FailedFact]) -> Iterator[Iterator[PagePart]]:
    for one in failed:
        reasons = [f"{one_line(vote.judge)}: {one_line(vote.reason)}" for vote in one.votes if vote.reason.strip()]
        link = Run(one_line(fact_name(one.held)), to=_anchor(one.held))
        told = line(link, f", {one.failure}: {one_line(one.held.fact.text)}")
        yield iter((told, *(line(Run(reason, "muted")) for reason in reasons)))


def _matrix(report: FactReport, held: list[HeldFact], system: str, task: str) -> Iterator[Grid]:
    """Facts by judges, with the majority; and by the people of the panel, with theirs."""
    asked = {vote.judge for one in held for vote in one.judged.of(task)}
    judges = [judge for judge in report.judges if judge in asked]
    if not judges and not report.panel:
        return
    columns = ["", *map(one_line, judges), *(["judges together"] if judges else []), *map(one_line, report.panel)]
    columns += ["panel together"] if report.panel else []
    rows = []
    for one in held:
        said = {vote.judge: vote.answer for vote in one.judged.of(task)}
        name = f"{one.case.name} {one.fact.name} {one_line(one.fact.text)}"
        cells = [GridCell(name, to=_anchor(one))]
        cells += [_cell(said[judge], task) if judge in said else GridCell("") for judge in judges]
        cells += [_together(report.jury(one, task), task)] if judges else []
        if report.panel:
            people = dict(report.people_of(one, task))
            cells += [_cell(people[who], task) if who in people else GridCell("") for who in report.panel]
            cells.append(_together(report.people(one, task), task))
        rows.append(tuple(cells))
    yield Grid(f"{given(system)}: {_WORDS[task][0]}?", tuple(columns), tuple(rows))


def _cell(answer: bool | None, task: str, *more: Tone, words: str = "") -> GridCell:
    tone: Tone = "none" if answer is None else "yes" if answer == _GOOD[task] else "no"
    return GridCell(f"{_LETTERS[answer]}{words}", (tone, *more))


def _together(word: JuryWord, task: str) -> GridCell:
    if not word.asked and word.answer is None:
        return GridCell("")
    counts = f" {word.yes}-{word.no}" if word.asked else ""
    more: tuple[Tone, ...] = ("together", "tie") if word.tied else ("together",)
    return _cell(word.answer, task, *more, words=counts + (" tie" if word.tied else ""))


def _case(report: FactReport, place: int, case: FactCase) -> Details:
    parts: list[PagePart] = [one_line(case.question)]
    if case.reference:
        reference = QuotedText((Run(several_lines(case.reference)),))
        parts.append(Details("Reference text", (reference,)))
    place_of = {system: number for number, system in enumerate(_in_order(report))}
    texts = [text for text in report.facts.texts if text.case_id == case.case_id]
    for text in sorted(texts, key=lambda one: place_of[one.system]):
        own = tuple(_text(report, text))
        folded = len(texts) > _MOST_OPEN
        parts += [Details(_text_name(report, text), own)] if folded else [Title(_text_name(report, text)), *own]
    return Details(f"{case.name} {one_line(case.title)}", tuple(parts), f"case-{place + 1}")


def _text_name(report: FactReport, text: FactText) -> str:
    """The name of a text, its system, and how many facts it says."""
    held = [one for one in report.facts.held if one.text.response_id == text.response_id]
    cell = _glance(report, held) if report.judges or report.panel else GridCell("")
    said = f": {cell.text.split()[0]} of {counted(len(held), 'fact')}" if cell.text else ""
    return f"{text.name} {given(text.system)}{said}"


def _text(report: FactReport, text: FactText) -> Iterator[PagePart]:
    held = [one for one in report.facts.held if one.text.response_id == text.response_id]
    items = [tuple(_fact(report, one)) for one in held]
    yield Listing(tuple(items), tuple(_anchor(one) for one in held))
    yield QuotedText(tuple(_quoted(text, held))) if text.valid else "There is no text."


def _fact(report: FactReport, one: HeldFact) -> Iterator[PagePart]:
    category = label_words("category", one.fact.category)
    yield line(Run(one.fact.name, "strong"), f" {one_line(one.fact.text)} ({category})")
    told = [
        (line(f"{_WORDS[task][0]}: {said}"), listing([_vote(vote)] for vote in one.judged.of(task)))
        for task in TASKS
        if (said := strips(report, one, task))
    ]
    if told:
        yield listing(told)


def _vote(vote: FactVote) -> TextLine:
    word = "abstained" if vote.answer is None else _WORDS[vote.task][not vote.answer]
    runs = [Run(f"{one_line(vote.judge)}: {word}")]
    if vote.quote.strip():
        runs.append(Run(f" “{one_line(vote.quote)}” ({in_words(vote.quote_status)})"))
    if vote.reason.strip():
        runs += [Run(" "), Run(one_line(vote.reason), "muted")]
    return TextLine(tuple(runs))


def _quoted(text: FactText, held: list[HeldFact]) -> Iterator[Run]:
    """The text with what judges of the yes quote: marked, and which fact it is of."""
    marks: dict[tuple[int, int], dict[str, bool]] = {}
    for one in held:
        for vote in one.judged.votes:
            if vote.span and vote.answer:
                named = marks.setdefault((vote.span.start, vote.span.end), {})
                named[one.fact.name] = named.get(one.fact.name, False) or vote.task == CONTRADICTION
    end = 0
    for (start, stop), facts in sorted(marks.items()):
        if start < end:  # within a longer quote that is marked already
            continue
        yield Run(several_lines(text.text[end:start]))
        yield Run(several_lines(text.text[start:stop]), "clash" if any(facts.values()) else "quote", ", ".join(facts))
        end = stop
    yield Run(several_lines(text.text[end:]))


def _anchor(one: HeldFact) -> str:
    """The place of a fact in a text: names that are counted here, no words from outside."""
    return f"{one.text.name}-{one.fact.name}"


def cost_section(material: Material) -> Iterator[PagePart]:
    """Nothing where no model was asked from here."""
    found = material.facts.trade_offs if material.facts else ()
    if any(one.cost or one.seconds for one in found):
        yield from (Plot(drawing, tabled=COST_TABLE) for drawing in trade_off_plots(found) if drawing)
        yield from trade_off_parts(found)
    if material.spent:
        yield Title("Calls of models")
        names = ("model", "task", "calls", "lost", "tokens in", "tokens out", "cost", "median s", "95% within s")
        yield table(names, map(_cost_row, material.spent), first="anywhere", long=("task",))
        unpriced = sum(one.unpriced for one in material.spent)
        if unpriced:
            yield f"{counted(unpriced, 'answer')} of unknown cost, not in the sums."


def _cost_row(one: Spent) -> tuple[Cell, ...]:
    name = one_line(one.judge) + (f" ({given(one.model)})" if one.model != one.judge else "")
    counts = (one.calls, one.requests_lost, one.prompt_tokens, one.completion_tokens)
    cost = "not known" if one.cost is None else half_up(one.cost, 4)
    times = ("" if ms is None else half_up(ms / 1000, 1) for ms in (one.latency_median_ms, one.latency_p95_ms))
    return name, in_words(one.task), *counts, cost, *times


def answers_section(material: Material) -> Iterator[PagePart]:
    """Each answer folded; nothing where nobody marked anything."""
    if not material.answers:
        return
    spans = sum(len(one.spans) for one in material.answers)
    many = f"{counted(spans, 'span')} marked in {counted(len(material.answers), 'answer')}"
    yield f"{many}. Behind each stands its type, and who marked it."
    for one in material.answers:
        head = f"{one.name}, {given(one.model)}: {counted(len(one.spans), 'span')}"
        yield Details(head, tuple(_answer_parts(one)))


def _answer_parts(one: MarkedAnswer) -> Iterator[PagePart]:
    yield FieldList((("asked", given(one.question)),))
    yield QuotedText(tuple(_marked_runs(one)))
    rows = [
        (one_line(one.text[span.start : span.end]), _type(span.type), one_line(span.reviewer), one_line(span.reason))
        for span in one.spans
    ]
    yield table(("words", "type", "reviewer", "reason"), rows, first="anywhere", long=("type", "reviewer", "reason"))
    for finding in one.findings:
        words = "; ".join(f"“{one_line(span.quote)}”" for span in finding.spans)
        yield f"{one_line(finding.judge)}: {finding.words}{f', {words}' if words else ''}"


def _marked_runs(one: MarkedAnswer) -> Iterator[Run]:
    """The text cut at the ends of all spans, which may overlap; the notes of a span stand where it ends."""
    edges = sorted({0, len(one.text), *(span.start for span in one.spans), *(span.end for span in one.spans)})
    for start, end in pairwise(edges):
        within = any(span.start <= start and end <= span.end for span in one.spans)
        ending = (f"{_type(span.type)}, {one_line(span.reviewer)}" for span in one.spans if span.end == end)
        notes = "; ".join(ending) if within else ""
        yield Run(several_lines(one.text[start:end]), "clash" if within else "", notes)


def _type(level: str) -> str:
    return label_words("hallucination", level)


_TABLE: Final = "Shares of references"
_MOST_GROUPS: Final = 7
"""All responses and the largest models, in the plot; the table has all."""


def references_section(material: Material) -> Iterator[PagePart]:
    """Figures first, then the references; nothing where none was found."""
    if (report := material.figures.references) is None:
        return
    yield from reference_lines(report, brief=2)
    if report.whole.checked:
        yield NOT_FOUND_PROVES
        plot = forest(
            "References, 95% intervals", "share of the references checked", list(_rows(report)), scale="share"
        )
        yield Plot(plot, tabled=_TABLE)
        yield TableHeading(_TABLE)
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
        for verdict in COMPARED:
            yield interval_row(VERDICT_WORDS[verdict], stratum.references.share(verdict))


def _table(report: ReferenceReport) -> PagePart:
    groups = [(stratum_name(one.split, one.stratum), one.references) for one in report.strata]
    groups += [(WORKS[one.works], one.references) for one in report.works]
    rows = [row for name, shares in groups for row in _group(name, shares)]
    return table(("references", "of", "number", "share", "95% interval", "checked", "not yet", "address alone"), rows)


def _group(name: str, shares: ReferenceShares) -> Iterator[tuple[Cell, ...]]:
    """A row for each verdict that any reference has, and for each of the plot."""
    shown = [(verdict, words) for verdict, words in VERDICT_WORDS.items()
             if verdict in COMPARED or shares.verdicts[verdict]]  # fmt: skip
    for place, (verdict, words) in enumerate(shown):
        figure = shares.share(verdict)
        ends = (shares.checked, shares.not_checked, shares.bare_urls) if not place else ()
        yield (name if not place else "", words, shares.verdicts[verdict], figure, *ends)


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
    yield from (_reference_item(place, one) for place, one in enumerate(found.listed))


def _reference_item(place: int, one: AccusedReference) -> Details:
    check = one.stored.check
    said = VERDICT_WORDS[check.verdict]
    if check.record is not None and check.verdict != "other_work":
        said = ", ".join((said, *notice_words(check.record, brief=True)))
    reviewers = "; ".join(f"{one_line(label.reviewer)}: {_label(label.current)}" for label in one.labels)
    summary = f"{one.name}, {given(one.model)}: {one_line(said)}{f' ({reviewers})' if reviewers else ''}"
    return Details(summary, tuple(_reference_item_parts(one)), f"reference-{place + 1}")


def _reference_item_parts(one: AccusedReference) -> Iterator[PagePart]:
    check = one.stored.check
    yield QuotedText((Run(several_lines(one.stored.text)),))
    rows = [("rules", f"{VERDICT_WORDS[check.verdict]}: {one_line(check.because)}"), ("checked", date(one.checked_at))]
    rows += [("reviewer", _labelled(label)) for label in one.labels]
    if check.record is not None and (notices := notice_words(check.record)):
        rows.append(("notices", one_line("; ".join(notices))))
    yield FieldList(tuple(rows))
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
    told: dict[str, list[str]] = {}
    for difference in one.stored.check.differences if own else ():
        why = f"slip: {difference.why}" if difference.slip else difference.why
        told.setdefault(difference.field, []).append(one_line(why))
    yield TableHeading(f"{what}: {one_line(record_name(record))}")
    rows = [
        (
            field_name(row.field),
            *(one_line(fields.text[place.start : place.end]) for place in (row.printed, row.record)),
            "; ".join(told.get(row.field, ())),
        )
        for row in fields.rows
    ]
    yield table(("field", "as printed", "record", "differs"), rows, long=("as printed", "record", "differs"))


def _labelled(one: GivenLabel) -> str:
    first = f", first {_label(one.label)}" if one.label != one.current else ""
    return f"{one_line(one.reviewer)}: {_label(one.current)} ({one.mode}{first})"


def _label(level: str) -> str:
    return label_words("reference", level)
