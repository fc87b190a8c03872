"""Answers with the hallucinations that reviewers marked in them, where they stand."""

from collections.abc import Iterator
from itertools import pairwise

from medreview.cli.output import given, one_line
from medreview.cli.reports.layout import table
from medreview.cli.reports.page_parts import Details, Fields, PagePart, Passage, Run, Section, several_lines
from medreview.cli.reports.study_page.material import Material
from medreview.labels import label_words
from medreview.stats.reports.marked_answers import MarkedAnswer, MarkedSpan
from medreview.words import counted


def answers_section(material: Material) -> Section | None:
    """Each answer folded; nothing where nobody marked anything."""
    if not material.answers:
        return None
    spans = sum(len(one.spans) for one in material.answers)
    many = f"{counted(spans, 'span')} marked in {counted(len(material.answers), 'answer')}"
    head = f"{many}. Behind each stands its type, and who marked it."
    return Section("answers", "Hallucinations marked in the answers", (head, *map(_answer, material.answers)))


def _answer(one: MarkedAnswer) -> Details:
    return Details(f"{one.name}, {given(one.model)}: {counted(len(one.spans), 'span')}", tuple(_parts(one)))


def _parts(one: MarkedAnswer) -> Iterator[PagePart]:
    yield Fields((("asked", given(one.question)),))
    yield Passage(tuple(_marked(one)))
    rows = [
        (one_line(one.text[span.start : span.end]), _type(span.type), one_line(span.reviewer), one_line(span.reason))
        for span in one.spans
    ]
    yield table(("words", "type", "reviewer", "reason"), rows, first="anywhere", long=("type", "reviewer", "reason"))
    for finding in one.findings:
        words = "; ".join(f"“{one_line(span.quote)}”" for span in finding.spans)
        yield f"{one_line(finding.judge)}: {finding.words}{f', {words}' if words else ''}"


def _marked(one: MarkedAnswer) -> Iterator[Run]:
    """The text cut at the ends of all spans, which may overlap; the notes of a span stand where it ends."""
    edges = sorted({0, len(one.text), *(span.start for span in one.spans), *(span.end for span in one.spans)})
    for start, end in pairwise(edges):
        within = any(span.start <= start and end <= span.end for span in one.spans)
        notes = "; ".join(map(_note, (span for span in one.spans if span.end == end))) if within else ""
        yield Run(several_lines(one.text[start:end]), "clash" if within else "", notes)


def _note(span: MarkedSpan) -> str:
    return f"{_type(span.type)}, {one_line(span.reviewer)}"


def _type(level: str) -> str:
    return label_words("hallucination", level)
