"""Briefs as one HTML file: each statement with the words of its notes beside it, what was deleted, and the notes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Final

from medreview.cli.output import one_line
from medreview.cli.reports.page import check_page, write_html
from medreview.generators.brief_text import UNVERIFIED, CitedNote, Deleted, StoredBrief, TaggedNote, Verified
from medreview.text import counted, in_words
from medreview.units.documents import excerpt
from medreview.visible import visible

_COMMAND: Final = "briefs"
_AROUND: Final = 60
"""Characters of a note that are shown on either side of what is quoted."""
_BLANKS: Final = re.compile(r"\s+")
_STYLE: Final = "\n" + files(__package__).joinpath("brief_page.css").read_text(encoding="utf-8")


def check_brief_page(path: Path) -> None:
    """Raise :class:`UserError` where :func:`write_brief_page` would: before the work, not after it."""
    check_page(path, _COMMAND)


def write_brief_page(briefs: Sequence[StoredBrief], name: str, path: Path) -> Path:
    """Write the briefs as a page; ``name`` says of which study they are."""
    return write_html(path, _COMMAND, f"Briefs in {one_line(name)}", _body(briefs), _STYLE)


def _body(briefs: Sequence[StoredBrief]) -> Iterator[str]:
    yield f"<p>{_words(_counts(briefs))}</p>\n"
    yield "<p>Beside each statement stand the words of the notes that it cites: marked what the model that verified it "
    yield "quotes; behind a dotted line the nearest passage of a note that it does not quote.</p>\n"
    links = (f'<li><a href="#brief-{number}">{_title(brief)}</a></li>\n' for number, brief in enumerate(briefs, 1))
    yield f"<nav><ul>\n{''.join(links)}</ul></nav>\n"
    for number, brief in enumerate(briefs, 1):
        yield from _brief(brief, number)


def _counts(briefs: Sequence[StoredBrief]) -> str:
    kept = {(place, one.text): one for place, brief in enumerate(briefs) for one in brief.outcome.statements()}
    open_ = sum(one.state == UNVERIFIED for one in kept.values())
    deleted = sum(len(brief.outcome.deleted) for brief in briefs)
    told = f"{counted(len(briefs), 'brief')}: {counted(len(kept), 'statement')} kept, {deleted:,} deleted"
    return f"{told}, {open_:,} of those kept not verified." if open_ else f"{told}."


def _title(brief: StoredBrief) -> str:
    response = f"R{brief.response:02d} " if brief.response else ""
    case = f"{response}{brief.case.name} {brief.case.title or brief.case.record_id}"
    return f"{_words(case)} – {_words(brief.model)}"


def _brief(brief: StoredBrief, number: int) -> Iterator[str]:
    yield f'<section class="case" id="brief-{number}">\n<h2>{_title(brief)}</h2>\n'
    verified = brief.judge or "the model that wrote it"
    yield f"<p>{_words(brief.case.question)} Written by {_words(brief.model)}, verified by {_words(verified)}.</p>\n"
    yield '<table class="brief">\n<thead><tr><th scope="col" class="claim">Statement</th>'
    yield '<th scope="col">Its notes</th></tr></thead>\n<tbody>\n'
    outcome = brief.outcome
    yield from _section("One-line summary", outcome.summary, brief, number)
    yield from _section("Hospital course", outcome.course, brief, number)
    for name, statements in outcome.problems:
        yield from _section(f"Problem: {name}", statements, brief, number)
    yield "</tbody>\n</table>\n"
    yield from _deleted(outcome.deleted, number)
    yield "<h3>Notes</h3>\n"
    for note in brief.notes:
        yield f'<h4 id="{_anchor(number, note.number)}">[{note.number}] {_words(note.name)}</h4>\n'
        yield f'<p class="note">{_text(note.text)}</p>\n'
    yield "</section>\n"


def _section(name: str, statements: Sequence[Verified], brief: StoredBrief, number: int) -> Iterator[str]:
    if not statements:
        return
    yield f'<tr><th scope="rowgroup" colspan="2">{_words(name)}</th></tr>\n'
    notes = {note.note_id: note for note in brief.notes}
    for one in statements:
        flag = ' <span class="flag">not verified</span>' if one.state == UNVERIFIED else ""
        links = ", ".join(f'<a href="#{_anchor(number, source.number)}">{source.number}</a>' for source in one.sources)
        beside = "".join(_source(source, notes[source.note_id]) for source in one.sources)
        yield f'<tr><td class="claim">{_words(one.text)} [{links}]{flag}</td><td>{beside}</td></tr>\n'


def _source(source: CitedNote, note: TaggedNote) -> str:
    how = "" if source.quoted else " nearest"
    words = _excerpt(note.text, source.spans, marked=source.quoted) if source.spans else "shares no word with it"
    return f'<p class="source{how}"><span class="name">[{source.number}] {_words(note.name)}:</span> {words}</p>'


def _excerpt(text: str, spans: Iterable[tuple[int, int]], *, marked: bool) -> str:
    """The spans with some words around them; what lies between two that are far apart is an ellipsis."""
    pieces, goes_on = excerpt(text, spans, _AROUND)
    shown = ""
    for piece in pieces:
        if piece.gap:
            shown += " … " if shown else "…\N{NO-BREAK SPACE}"
        words = _piece(piece.text)
        shown += f"<mark>{words}</mark>" if piece.marked and marked else words
    return shown + ("\N{NO-BREAK SPACE}…" if goes_on else "")


def _deleted(deleted: Sequence[Deleted], number: int) -> Iterator[str]:
    if not deleted:
        return
    yield "<h3>Deleted</h3>\n<table>\n<thead><tr>"
    yield "".join(f'<th scope="col">{name}</th>' for name in ("Statement", "Notes", "Why", "Reason"))
    yield "</tr></thead>\n<tbody>\n"
    for one in deleted:
        links = ", ".join(f'<a href="#{_anchor(number, note)}">{note}</a>' for note in one.numbers)
        yield f"<tr><td><del>{_words(one.text)}</del></td><td>{links}</td>"
        yield f"<td>{_words(in_words(one.why))}</td><td>{_words(one.reason)}</td></tr>\n"
    yield "</tbody>\n</table>\n"


def _anchor(brief: int, note: int) -> str:
    return f"brief-{brief}-note-{note}"


def _words(text: str) -> str:
    """A text from outside on one line."""
    return escape(one_line(text))


def _piece(text: str) -> str:
    """A part of such a line; blanks at its ends stay."""
    return escape(visible(_BLANKS.sub(" ", text)))


def _text(text: str) -> str:
    """A text from outside with its line ends."""
    return "\n".join(escape(visible(line)) for line in text.split("\n"))
