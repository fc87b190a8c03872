"""Table 1: what the study is made of, by model; cases and categories of facts. Then what a journal asks beside."""

from collections import Counter
from collections.abc import Iterator
from statistics import median
from typing import Final

from medreview.cli.output import given, one_line
from medreview.cli.reports.layout import TableHeading, table
from medreview.cli.reports.page_parts import FieldList, PagePart
from medreview.cli.reports.study_page.material import Material
from medreview.labels import CATEGORY
from medreview.stats.formulas.estimate import percent
from medreview.stats.reports.answer_collection import AnswerCollection, ModelAnswers
from medreview.text import counted

_MOST_VALUES: Final = 3
"""Of a setting that are named; of more it is said how many there are."""
_LONGEST: Final = 60


def table_one_section(material: Material) -> Iterator[PagePart]:
    """Questions, answers, statements and sources by model; cases with their notes, facts by category."""
    record = material.asked
    if record is not None and record.whole.answers:
        yield TableHeading("Answers by model")
        yield from _answers(record)
        yield from _settings(record.models)
    report = material.facts
    if report is None or not report.facts.cases:
        return
    yield TableHeading("Cases and key facts")
    rows = [("cases", f"{report.cases:,}")]
    if record is not None and any(record.notes):
        rows.append(("notes per case", _spread(record.notes)))
    rows.append(("key facts", f"{report.key_facts:,}"))
    rows.append(("key facts per case", _spread([len(case.facts) for case in report.facts.cases])))
    categories = Counter(fact.category for case in report.facts.cases for fact in case.facts)
    rows += [
        (f"of these, {one.name}", f"{categories[one.level]:,} ({percent(categories[one.level] / report.key_facts, 0)})")
        for one in CATEGORY
        if categories[one.level]
    ]
    rows += [("systems", f"{report.systems:,}"), ("texts", f"{report.texts:,}")]
    yield table(("", "number"), rows, first="anywhere")


def _answers(record: AnswerCollection) -> Iterator[PagePart]:
    """A row for each model, and for all where there are several; columns that would be empty are left out."""
    whole = record.whole
    models = [(given(one.model), one) for one in record.models] + ([("all", whole)] if len(record.models) > 1 else [])
    of_statements = bool(whole.statements)
    names = ["", "questions", "answers", *(["statements", "sources"] if of_statements else [])]
    names += ["given"] if whole.dated else []
    rows = [
        (
            name,
            one.questions,
            one.answers,
            *((one.statements, one.sources) if of_statements else ()),
            *([days(one)] if whole.dated else []),
        )
        for name, one in models
    ]
    yield table(names, rows, first="anywhere", long=("given",))
    if of_statements:
        yield "Sources: those that an answer cites, each counted once in it."


def days(one: ModelAnswers) -> str:
    """When answers were given, in words; ``""`` where no record says so."""
    if not one.dated:
        return ""
    when = one.first_day if one.first_day == one.last_day else f"{one.first_day} to {one.last_day}"
    return when if one.dated == one.answers else f"{when} ({one.dated:,} of {one.answers:,} say when)"


def value_words(values: dict[str, int] | None, answers: int) -> str:
    """The values of a setting, with how many answers have each, where these are not all."""
    if not values:
        return ""
    shown = []
    for value, count in list(values.items())[:_MOST_VALUES]:
        text = one_line(value)
        text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
        shown.append(text if count == answers else f"{text} ({counted(count, 'answer')})")
    more = len(values) - len(shown)
    return ", ".join([*shown, *([f"{more:,} more"] if more > 0 else [])])


def _settings(models: tuple[ModelAnswers, ...]) -> Iterator[PagePart]:
    """What the records say of how each model was asked; nothing where they say nothing."""
    rows = [
        (given(one.model) if not place else "", detail, value_words(dict(values), one.answers))
        for one in models
        for place, (detail, values) in enumerate(one.details.items())
    ]
    if rows:
        yield TableHeading("How models were asked, as the records of the answers say")
        yield table(("", "what", "value"), rows, first="anywhere", long=("what", "value"))


def _spread(counts: "list[int] | tuple[int, ...]") -> str:
    """``3``, or ``median 3 (2 to 5)``."""
    low, high = min(counts), max(counts)
    if low == high:
        return f"{low:,}"
    middle = median(counts)
    return f"median {middle:g} ({low:,} to {high:,})"


def declared_section(material: Material) -> Iterator[PagePart]:
    """What was declared for a journal; nothing where nothing was."""
    if material.declared:
        yield FieldList(tuple((one.title, one_line(one.text)) for one in material.declared))
        yield f"As declared by {', '.join(sorted({one_line(one.by) for one in material.declared}))}."
