"""The report on key facts as one HTML file: scores, themes, votes, and each case with its texts and quotes."""

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Final

from medreview.cli.output import given, one_line
from medreview.cli.reports.facts import (
    fact_name,
    head_words,
    panel_parts,
    score_parts,
    strips,
    theme_counts,
)
from medreview.cli.reports.layout import Heading, Title
from medreview.cli.reports.page import check_page, drawn, write_html
from medreview.cli.reports.plots import Marked, intervals
from medreview.cli.reports.provenance import provenance_lines
from medreview.cli.reports.tradeoff import cost_plot, latency_plot, trade_off_parts
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE, FactVote, JuryWord
from medreview.labels import label_words
from medreview.stats.facts.fact_report import FactReport
from medreview.stats.facts.fact_scores import NAMES, TASKS, SystemScores
from medreview.stats.facts.fact_themes import Theme, Themes
from medreview.stats.formulas.estimate import Estimate
from medreview.units.held_facts import FactCase, FactText, HeldFact
from medreview.visible import visible
from medreview.words import counted

_COMMAND: Final = "report"
_WORDS: Final = {PRESENCE: ("present", "absent"), CONTRADICTION: ("contradicted", "not contradicted")}
_SAID: Final = {True: ("Y", "yes"), False: ("N", "no"), None: ("–", "none")}
"""What a cell shows, and its class: a letter, never only a colour."""
_STYLE: Final = """
body { max-width: 76rem; }
nav ul { columns: 3; list-style: none; padding: 0; }
.votes td, .votes th { padding: .15rem .4rem; text-align: center; }
.votes td:first-child, .votes th:first-child { text-align: left; min-width: 18rem; overflow-wrap: anywhere; }
.votes th { font-weight: normal; overflow-wrap: anywhere; min-width: 4.6rem; max-width: 7rem; vertical-align: bottom; }
.votes td.together { font-weight: bold; border-left: 2px solid var(--ink); border-right: 2px solid var(--ink); }
caption { text-align: left; font-weight: bold; padding: .25rem .4rem; }
.scroll { overflow-x: auto; }
.yes { background: #d7eedd; color: #12492a; }
.no { background: #f6dad7; color: #7a1712; }
.tie { outline: 2px solid var(--ink); outline-offset: -2px; }
.contradiction .yes { background: #f6dad7; color: #7a1712; }
.contradiction .no { background: #d7eedd; color: #12492a; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid var(--line); padding-left: .75rem; }
mark { background: #fff1a8; color: #1a1a1a; }
mark.clash { background: #ffd0c8; }
mark sup { font-size: .7em; padding: 0 .1em; }
q { overflow-wrap: anywhere; }
.reason { color: inherit; opacity: .85; }
li { margin: .2rem 0; overflow-wrap: anywhere; }
.case { border-top: 2px solid var(--ink); margin-top: 2.5rem; }
@media print { .case { break-before: page; } nav { display: none; } .yes, .no, mark { print-color-adjust: exact;
  -webkit-print-color-adjust: exact; } }
"""


def check_fact_page(path: Path) -> None:
    """Raise :class:`UserError` where :func:`write_fact_page` would: before the work, not after it."""
    check_page(path, _COMMAND)


def write_fact_page(report: FactReport, name: str, path: Path) -> Path:
    """Write the report as a page; ``name`` says of which study it is."""
    return write_html(path, _COMMAND, f"Key facts in {one_line(name)}", _body(report), _STYLE)


def _body(report: FactReport) -> Iterator[str]:
    yield from map(drawn, head_words(report))
    yield "".join(_contents(report))
    yield '<section id="scores">\n'
    if any(one.by_jury or one.by_panel for one in report.scores):
        yield _picture(report.scores)
    yield from map(drawn, score_parts(report))
    yield from map(drawn, panel_parts(report))
    if any(one.cost or one.seconds for one in report.trade_offs):
        title, *parts = trade_off_parts(report.trade_offs)
        yield f"{drawn(title)}{cost_plot(report.trade_offs)}{latency_plot(report.trade_offs)}"
        yield from map(drawn, parts)
    yield '</section>\n<section id="themes">\n'
    yield drawn(Title("Themes in what is omitted and contradicted"))
    for themes in report.themes:
        yield from _themes(themes)
    yield '</section>\n<section id="votes">\n'
    yield drawn(Title("Votes"))
    yield "<p>Y yes, N no, – abstained; an empty cell was not asked. The majority stands last, framed if tied.</p>\n"
    for system in report.facts.systems:
        held = [one for one in report.facts.held if one.text.system == system]
        yield drawn(Heading(given(system)))
        for task in TASKS:
            yield from _matrix(report, held, task)
    yield "</section>\n"
    for case in report.facts.cases:
        yield from _case(report, case)
    yield from map(drawn, provenance_lines(report.provenance))


def _contents(report: FactReport) -> Iterator[str]:
    yield '<nav><ul>\n<li><a href="#scores">Scores</a></li>\n<li><a href="#themes">Themes</a></li>\n'
    yield '<li><a href="#votes">Votes</a></li>\n'
    for number, case in enumerate(report.facts.cases):
        yield f'<li><a href="#case-{number}">{_words(case.name)} {_words(case.title)}</a></li>\n'
    yield "</ul></nav>\n"


def _picture(scores: Iterable[SystemScores]) -> str:
    """Both scores of each system with their intervals; by the judges, or by the panel where none was asked."""
    rows = [
        Marked(given(one.system), tuple(_marked((one.by_jury or one.by_panel)[task].figure) for task in TASKS))
        for one in scores
    ]
    return intervals("Facts present and contradicted, 95% intervals over cases", ("present", "contradicted"), rows)


def _marked(figure: Estimate) -> tuple[float, float | None, float | None] | None:
    return None if figure.value is None else (figure.value, figure.low, figure.high)


def _themes(themes: Themes) -> Iterator[str]:
    yield drawn(Heading(given(themes.system)))
    yield f"<p>{escape(theme_counts(themes))}</p>\n"
    yield "<ul>\n"
    for theme in themes.themes:
        yield f"<li><strong>{_words(theme.title)}</strong> ({escape(counted(len(theme.facts), 'fact'))})"
        yield f"<br>{_words(theme.about)}" if theme.about else ""
        yield f"\n<ul>\n{''.join(_themed(theme))}</ul></li>\n"
    yield "</ul>\n"


def _themed(theme: Theme) -> Iterator[str]:
    for one in theme.facts:
        reasons = (f"{_words(vote.judge)}: {_words(vote.reason)}" for vote in one.votes if vote.reason.strip())
        said = "".join(f'<br><span class="reason">{reason}</span>' for reason in reasons)
        link = f'<a href="#{_anchor(one.held)}">{_words(fact_name(one.held))}</a>'
        yield f"<li>{link}, {one.failure}: {_words(one.held.fact.text)}{said}</li>\n"


def _matrix(report: FactReport, held: list[HeldFact], task: str) -> Iterator[str]:
    """Facts by judges, with the majority; and by the people of the panel, with theirs."""
    asked = {vote.judge for one in held for vote in one.judged.of(task)}
    judges = [judge for judge in report.judges if judge in asked]
    if not judges and not report.panel:
        return
    yield f'<div class="scroll"><table class="votes {NAMES[task]}">\n'
    yield f"<caption>{_WORDS[task][0].capitalize()}?</caption>\n"
    columns = [*judges, *(["judges together"] if judges else []), *report.panel]
    columns += ["panel together"] if report.panel else []
    heads = "".join(f'<th scope="col">{_words(column)}</th>' for column in ("", *columns))
    yield f"<thead><tr>{heads}</tr></thead>\n<tbody>\n"
    for one in held:
        link = f'<a href="#{_anchor(one)}">{_words(one.case.name)} {_words(one.fact.name)}</a> {_words(one.fact.text)}'
        said = {vote.judge: vote.answer for vote in one.judged.of(task)}
        cells = [_cell(said[judge]) if judge in said else "<td></td>" for judge in judges]
        cells += [_together(report.jury(one, task))] if judges else []
        if report.panel:
            people = dict(report.people_of(one, task))
            cells += [_cell(people[name]) if name in people else "<td></td>" for name in report.panel]
            cells.append(_together(report.people(one, task)))
        yield f"<tr><td>{link}</td>{''.join(cells)}</tr>\n"
    yield "</tbody>\n</table></div>\n"


def _cell(answer: bool | None, more: str = "", words: str = "") -> str:
    letter, name = _SAID[answer]
    return f'<td class="{name}{more}">{letter}{words}</td>'


def _together(word: JuryWord) -> str:
    if not word.asked and word.answer is None:
        return "<td></td>"
    counts = f" {word.yes}-{word.no}" if word.asked else ""
    return _cell(word.answer, " together" + (" tie" if word.tied else ""), counts + (" tie" if word.tied else ""))


def _case(report: FactReport, case: FactCase) -> Iterator[str]:
    number = report.facts.cases.index(case)
    yield f'<section class="case" id="case-{number}">\n<h2>{_words(case.name)} {_words(case.title)}</h2>\n'
    yield f"<p>{_words(case.question)}</p>\n"
    if case.reference:
        yield f'<h3>Reference text</h3>\n<p class="text">{_text(case.reference)}</p>\n'
    for text in report.facts.texts:
        if text.case_id == case.case_id:
            yield from _case_text(report, text)
    yield "</section>\n"


def _case_text(report: FactReport, text: FactText) -> Iterator[str]:
    held = [one for one in report.facts.held if one.text.response_id == text.response_id]
    yield f"<h3>{_words(text.name)} {escape(given(text.system))}</h3>\n<ul>\n"
    for one in held:
        category = label_words("category", one.fact.category)
        yield f'<li id="{_anchor(one)}"><strong>{_words(one.fact.name)}</strong> {_words(one.fact.text)} '
        yield f"({escape(category)})\n<ul>\n"
        for task in TASKS:
            yield from _votes(report, one, task)
        yield "</ul></li>\n"
    yield f'</ul>\n<p class="text">{_quoted(text, held) if text.valid else "(there is no text)"}</p>\n'


def _votes(report: FactReport, one: HeldFact, task: str) -> Iterator[str]:
    """The majority, then each vote with its quote and reason."""
    if said := strips(report, one, task):
        yield f"<li>{_WORDS[task][0]}: {escape(said)}\n<ul>\n"
        yield from map(_vote, one.judged.of(task))
        yield "</ul></li>\n"


def _vote(vote: FactVote) -> str:
    word = "abstained" if vote.answer is None else _WORDS[vote.task][not vote.answer]
    quote = f" <q>{_words(vote.quote)}</q> ({escape(vote.quote_status)})" if vote.quote.strip() else ""
    reason = f' <span class="reason">{_words(vote.reason)}</span>' if vote.reason.strip() else ""
    return f"<li>{_words(vote.judge)}: {word}{quote}{reason}</li>\n"


def _quoted(text: FactText, held: list[HeldFact]) -> str:
    """The text with what judges of the yes quote: marked, and which fact it is of."""
    marks: dict[tuple[int, int], dict[str, bool]] = {}
    for one in held:
        for vote in one.judged.votes:
            if vote.span and vote.answer:
                named = marks.setdefault((vote.span.start, vote.span.end), {})
                named[one.fact.name] = named.get(one.fact.name, False) or vote.task == CONTRADICTION
    shown: list[str] = []
    end = 0
    for (start, stop), facts in sorted(marks.items()):
        if start < end:  # within a longer quote that is marked already
            continue
        clash = ' class="clash"' if any(facts.values()) else ""
        told = f"<sup>{_words(', '.join(facts))}</sup>"
        shown.append(f"{_text(text.text[end:start])}<mark{clash}>{_text(text.text[start:stop])}{told}</mark>")
        end = stop
    return "".join(shown) + _text(text.text[end:])


def _anchor(one: HeldFact) -> str:
    """The place of a fact in a text: names that are counted here, no words from outside."""
    return escape(f"{one.text.name}-{one.fact.name}", quote=True)


def _words(text: str) -> str:
    """A text from outside on one line."""
    return escape(one_line(text))


def _text(text: str) -> str:
    """A text from outside with its line ends."""
    return "\n".join(escape(visible(line)) for line in text.split("\n"))
