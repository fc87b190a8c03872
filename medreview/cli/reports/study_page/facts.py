"""Key facts in the texts of systems: scores, themes, the votes as a matrix, and a page for each case."""

from collections.abc import Iterator
from typing import Final

from medreview.cli.output import given, one_line
from medreview.cli.reports.facts import fact_name, head_words, panel_parts, score_parts, strips, theme_counts
from medreview.cli.reports.layout import Heading, Title
from medreview.cli.reports.page_parts import (
    Cell,
    Details,
    Grid,
    Line,
    Listing,
    PagePart,
    Passage,
    Plot,
    Run,
    Section,
    Tone,
    line,
    listing,
    several_lines,
)
from medreview.cli.reports.plots import Drawing, Marked, intervals
from medreview.cli.reports.study_page.material import Material
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE, FactVote, JuryWord
from medreview.labels import label_words
from medreview.stats.facts.fact_report import FactReport
from medreview.stats.facts.fact_scores import TASKS
from medreview.stats.facts.fact_themes import Theme, Themes
from medreview.units.held_facts import FactCase, FactText, HeldFact
from medreview.words import counted, in_words

_WORDS: Final = {PRESENCE: ("present", "absent"), CONTRADICTION: ("contradicted", "not contradicted")}
_LETTERS: Final = {True: "Y", False: "N", None: "–"}
"""What a cell shows: a letter, never only a colour."""
_GOOD: Final = {PRESENCE: True, CONTRADICTION: False}


def facts_section(material: Material) -> Section | None:
    """Scores, the panel, the votes; nothing without key facts."""
    report = material.facts
    return None if report is None else Section("facts", "Key facts", tuple(_facts(report)))


def fact_themes_section(material: Material) -> Section | None:
    """What omitted and contradicted facts have in common: by a model, where one was asked."""
    report = material.facts
    if report is None or not (report.judges or report.panel):
        return None
    parts = (part for themes in report.themes for part in _themes(themes))
    return Section("fact-themes", "Themes in omitted and contradicted facts", tuple(parts))


def cases_section(material: Material) -> Section | None:
    """A page for each case, with its texts and what judges quote marked in them."""
    report = material.facts
    if report is None or not report.facts.cases:
        return None
    cases = (_case(report, place, case) for place, case in enumerate(report.facts.cases))
    return Section("cases", "The cases", tuple(cases))


def _facts(report: FactReport) -> Iterator[PagePart]:
    yield from head_words(report)
    if any(one.by_jury or one.by_panel for one in report.scores):
        yield Plot(_picture(report))
    yield from score_parts(report)
    yield from panel_parts(report)
    if not report.facts.held:
        return
    yield Title("Votes")
    yield "Y yes, N no, – abstained; an empty cell was not asked. The majority stands last, framed if tied."
    for system in report.facts.systems:
        held = [one for one in report.facts.held if one.text.system == system]
        yield Heading(given(system))
        for task in TASKS:
            yield from _matrix(report, held, system, task)


def _picture(report: FactReport) -> Drawing:
    """Both scores of each system with their intervals; by the judges, or by the panel where none was asked."""
    rows = [
        Marked(given(one.system), tuple((one.by_jury or one.by_panel)[task].figure for task in TASKS))
        for one in report.scores
    ]
    return intervals("Facts present and contradicted, 95% intervals over cases", ("present", "contradicted"), rows)


def _themes(themes: Themes) -> Iterator[PagePart]:
    yield Title(given(themes.system))
    yield theme_counts(themes)
    for theme in themes.themes:
        about = (one_line(theme.about),) if theme.about else ()
        head = line(Run(one_line(theme.title), "strong"), f" ({counted(len(theme.facts), 'fact')})")
        yield from (head, *about, listing(map(tuple, _themed(theme))))


def _themed(theme: Theme) -> Iterator[Iterator[PagePart]]:
    for one in theme.facts:
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
        cells = [Cell(name, to=_anchor(one))]
        cells += [_cell(said[judge], task) if judge in said else Cell("") for judge in judges]
        cells += [_together(report.jury(one, task), task)] if judges else []
        if report.panel:
            people = dict(report.people_of(one, task))
            cells += [_cell(people[who], task) if who in people else Cell("") for who in report.panel]
            cells.append(_together(report.people(one, task), task))
        rows.append(tuple(cells))
    yield Grid(f"{given(system)}: {_WORDS[task][0]}?", tuple(columns), tuple(rows))


def _cell(answer: bool | None, task: str, *more: Tone, words: str = "") -> Cell:
    tone: Tone = "none" if answer is None else "yes" if answer == _GOOD[task] else "no"
    return Cell(f"{_LETTERS[answer]}{words}", (tone, *more))


def _together(word: JuryWord, task: str) -> Cell:
    if not word.asked and word.answer is None:
        return Cell("")
    counts = f" {word.yes}-{word.no}" if word.asked else ""
    more: tuple[Tone, ...] = ("together", "tie") if word.tied else ("together",)
    return _cell(word.answer, task, *more, words=counts + (" tie" if word.tied else ""))


def _case(report: FactReport, place: int, case: FactCase) -> Details:
    parts: list[PagePart] = [one_line(case.question)]
    if case.reference:
        reference = Passage((Run(several_lines(case.reference)),))
        parts.append(Details("Reference text", (reference,)))
    for text in report.facts.texts:
        if text.case_id == case.case_id:
            parts += _text(report, text)
    return Details(f"{case.name} {one_line(case.title)}", tuple(parts), f"case-{place + 1}")


def _text(report: FactReport, text: FactText) -> Iterator[PagePart]:
    held = [one for one in report.facts.held if one.text.response_id == text.response_id]
    yield Title(f"{text.name} {given(text.system)}")
    items = [tuple(_fact(report, one)) for one in held]
    yield Listing(tuple(items), tuple(_anchor(one) for one in held))
    yield Passage(tuple(_quoted(text, held))) if text.valid else "There is no text."


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


def _vote(vote: FactVote) -> Line:
    word = "abstained" if vote.answer is None else _WORDS[vote.task][not vote.answer]
    runs = [Run(f"{one_line(vote.judge)}: {word}")]
    if vote.quote.strip():
        runs.append(Run(f" “{one_line(vote.quote)}” ({in_words(vote.quote_status)})"))
    if vote.reason.strip():
        runs += [Run(" "), Run(one_line(vote.reason), "muted")]
    return Line(tuple(runs))


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
