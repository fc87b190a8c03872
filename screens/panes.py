"""The source and response panes: what they show, their highlights, naming words by letters, the search in one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from medreview.review.highlight_index import TYPOGRAPHY, HighlightIndex, Mark
from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.search import Hits, TextSearch
from medreview.review.session import ReviewSession
from medreview.review.shown_unit import DocumentOutline, Highlights
from medreview.review.span_editing import SpanEdit, WordHint, hints_left, word_hints
from medreview.review.typography import typography
from medreview.screens.source_rows import APART_NOTES, CLOSED, WHOLE_PAGE, Where, nothing_to_read, preface
from medreview.screens.widgets.document import DocumentView, Note
from medreview.screens.widgets.painted import Row
from medreview.sources.ocr_pages import BY_OCR, percent, words_in_doubt
from medreview.statements.left_out import LeftOut
from medreview.text import Span
from medreview.visible import hidden_count


class Naming(NamedTuple):
    """Words are being named: the hints in sight, the first word once it is named, the letters typed of this one."""

    hints: tuple[WordHint, ...]
    first: WordHint | None = None
    typed: str = ""

    def press(self, letter: str) -> "Naming | Span | None":
        """What follows a letter: the same with one more, the span when its last word is named, ``None`` at Esc and at a
        letter that begins no hint."""
        typed = self.typed + letter
        left = hints_left(self.hints, typed) if len(letter) == 1 else ()
        if not left:
            return None
        if left[0].letters != typed:
            return self._replace(typed=typed)
        if self.first is None:
            return self._replace(first=left[0], typed="")
        return Span(min(self.first.start, left[0].start), max(self.first.end, left[0].end))

    def rows(self) -> list[Row]:
        """What to press."""
        which = "first" if self.first is None else "last"
        typed = f" {self.typed}…" if self.typed else ""
        return [
            [(f" Press the letters at the {which} word of the span.{typed}", "title")],
            [(" ", ""), ("Esc", "key"), (" back to moving the ends", "")],
        ]


_KEPT: Final = 4


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A text with its ``places``, the number of ``hidden`` characters in it, and the index of its headings, of what
    does not stand open in it, and of words that OCR may have read wrong: there may be thousands."""

    text: str = ""
    places: DocumentOutline = field(default_factory=DocumentOutline)
    hidden: int = 0
    standing: HighlightIndex = field(default_factory=HighlightIndex)


class SourcePages:
    """Reads pages; those of the last snapshots are kept, which never change, and which neighbours often share."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, bool], SourcePage] = {}

    def page(self, session: ReviewSession, *, whole: bool) -> SourcePage:
        """What is in the main pane, or the ``whole`` page."""
        key = (session.snapshot or "", whole)
        page = self._kept.pop(key, None) or _read(session, whole)
        if session.snapshot:
            self._kept[key] = page
            if len(self._kept) > _KEPT:
                del self._kept[next(iter(self._kept))]
        return page


def _read(session: ReviewSession, whole: bool) -> SourcePage:
    text = session.source_text(whole=whole)
    places = DocumentOutline() if whole else session.source_places()
    standing = [
        *(Mark(heading.start, heading.end, "heading") for heading in places.outline),
        *(Mark(*part) for part in places.set_apart if part.kind in CLOSED),
        *(Mark(word.start, word.end, "doubtful") for word in words_in_doubt(places.by_ocr)),
    ]
    index = HighlightIndex(standing)
    return SourcePage(
        text, places, hidden_count(text), index.over(typography(text)) if session.source_is_answer else index
    )


_LONG_HIDDEN: Final = 20
"""Code points of a hidden text from which on a note stands under it; shorter ones are words for screen readers."""


class Panes:
    """Fills the two panes from the session and moves in them. Knows nothing of decisions."""

    def __init__(self, session: ReviewSession, source: DocumentView, response: DocumentView) -> None:
        self.session = session
        self.source = source
        self.response = response
        self.shows_response = False
        """In one column: the response stands where the source was."""
        self.on_response = False
        """Side by side: paging moves the response."""
        self.whole_question = False
        """Side by side: the question has as many rows as it needs."""
        self.beside_drawn = False
        """The text beside is drawn in full elsewhere."""
        self.columns = ""
        """All texts of the unit in columns, to be shown instead of the one that is chosen."""
        self.cut = 0
        """Where the statement is being cut; 0 while it is not."""
        self.whole = False
        """The source pane shows the whole page, menus and footnotes too, for reading only."""
        self._highlights = Highlights()
        self._loaded: tuple[tuple[str, str | None] | str | None, bool] = (None, False)
        self._pages = SourcePages()
        self._page = SourcePage()
        self._standing = self._page.standing
        """Marks in the page for every statement, and search hits."""
        self._shown: tuple[str, str | None] | None = None
        self._answer: tuple[str, str, tuple[Mark, ...]] | None = None
        self._searched = source
        """The pane in which is searched."""
        self._search = TextSearch("")
        self._query = ""
        self._hits: Hits | None = None
        self._hit = -1
        self.hints = PaneHints(
            lambda target: self.response if self.session.is_beside(target) else self.source,
            lambda target: self.session.words_to_name(target),
        )
        """The letters over the words in sight, while words are named."""

    @property
    def hidden(self) -> int:
        """Hidden characters in the source's text."""
        return self._page.hidden

    @property
    def _text(self) -> str:
        return self._page.text

    @property
    def _places(self) -> DocumentOutline:
        return self._page.places

    # What is shown

    def show(self) -> None:
        """Show statement and source of the session; the place is kept while both stay the same."""
        self.show_source()
        self.show_response()

    def show_source(self) -> None:
        """The source with its marks: opened at the best span if it was not on the screen before."""
        session = self.session
        if self.columns:
            if self.columns != self._text:
                self._page, self._highlights = SourcePage(self.columns), Highlights()
                self._standing, self._shown, self._loaded = self._page.standing, None, (None, False)
                self.source.show(self.columns)
            return
        key = (session.unit, session.text_key) if session.unit else None
        text_of = session.snapshot or key
        same = key is not None and key == self._shown
        self.whole = self.whole and same
        anchor = 0
        if (text_of, self.whole) != self._loaded:
            line = self._line_here() if same else ""
            self._loaded = text_of, self.whole
            self._page = self._pages.page(session, whole=self.whole)
            self._standing = self._page.standing
            anchor, same = max(0, self._text.find(line)), False
            if self._searched is self.source:
                self.end_search()
        highlights = Highlights() if self.whole else session.source_highlights()
        before = self._highlights
        if same and highlights == before:
            return
        self._highlights, self._shown = highlights, key
        if not self._text:
            self.source.show(nothing_to_read(session) if session.unit else "")
            return
        hits = self._hits.spans if self._hits and self._searched is self.source else ()
        active = self.source.active if same else None
        stays = active is not None and (active in highlights.stops or active in hits)
        opens = not stays and (not same or highlights.opening != before.opening)  # also when the judges are revealed
        if opens:
            active = highlights.opening
        marked = active if stays or opens else None
        place = active.start if active and opens else self.source.first_offset if same else anchor
        at_third = opens and active is not None
        above = WHOLE_PAGE if self.whole else preface(session, self._text, self._places.set_apart)
        marks, notes = _marks(highlights, marked), _notes(self._page, highlights)
        self.source.show(self._text, marks, place, notes, at_third=at_third, preface=above, below=self._standing)

    def prepare(self, ahead: ReviewSession) -> None:
        """Read and draw what :meth:`show` will be asked for when the session is there; nothing is shown."""
        if self.whole or self.searching or self.columns or not ahead.unit:
            return
        page, highlights = self._pages.page(ahead, whole=False), ahead.source_highlights()
        if page.text:
            opening = highlights.opening
            above = preface(ahead, page.text, page.places.set_apart)
            marks, notes = _marks(highlights, opening), _notes(page, highlights)
            at_third, place = opening is not None, opening.start if opening else 0
            self.source.show(
                page.text, marks, place, notes,
                at_third=at_third, preface=above, below=page.standing, beforehand=True,
            )  # fmt: skip
        if not self.beside_drawn:
            text, marked, told = ahead.beside_text(), ahead.beside_marks(), ahead.beside_told
            at, below = self.response.first_offset, typography(text)
            self.response.show(text, marked, at, below=below, told=told, beforehand=True)

    def toggle_whole(self) -> str:
        """Show the whole page, or again the text that is judged and marked; a message if that is all."""
        if not self.whole and not self.session.source_text(whole=True):
            return "There is no more on this page than what is shown."
        self.whole = not self.whole
        return ""

    def _line_here(self) -> str:
        """The line at the place where the reader is."""
        place = self.source.place
        end = self._text.find("\n", place)
        return self._text[self._text.rfind("\n", 0, place) + 1 : len(self._text) if end < 0 else end].strip()

    def show_response(self) -> None:
        """The text that stays beside it: a response with the statement marked."""
        session = self.session
        text, marks = ("", ()) if self.beside_drawn else (session.beside_text(), session.beside_marks())
        shown = (session.unit, text, marks)
        if shown == self._answer:
            return
        if self._searched is self.response:
            self.end_search()
        self._answer = shown
        told = session.beside_told
        self.response.show(text, marks, self.response.first_offset, below=typography(text), told=told)
        own = [mark for mark in marks if mark.kind == "statement"]
        if own:
            self.response.keep_in_sight(own[-1].end - 1)
            self.response.keep_in_sight(own[0].start)

    @property
    def chosen(self) -> Span | None:
        """The active highlight in the text that is judged."""
        return None if self.whole else self.source.active

    @property
    def moved_view(self) -> DocumentView:
        """The pane that paging moves."""
        return self.response if self.shows_response or (self.on_response and not self.beside_drawn) else self.source

    @property
    def where(self) -> Where:
        """Where the source pane is: in percent, on a page, under headings; nowhere when there is nothing to read."""
        if not self._text:
            return Where()
        place = self.source.place
        page = self._places.page(place)
        words = "whole page · " if self.whole else f"p. {page[0]}/{page[1]} · " if page else ""
        sure = self._places.ocr_confidence(place)
        path = self._places.path(self._text, place)
        by_ocr = "" if sure is None else f"{BY_OCR} {percent(sure)}"
        return Where(f"{words}{position_words(self.source)}", path, by_ocr)

    # Highlights

    @property
    def has_stops(self) -> bool:
        """Whether anything is highlighted in the source."""
        return bool(self._highlights.stops)

    def step(self, by: int) -> str:
        """Go to the next or previous highlight, round and round; a message where there is no other."""
        stops = self._highlights.stops
        if not stops:
            return ""
        active = self.source.active
        if [active] == list(stops):
            self.source.activate(stops[0])
            return "That is the only highlight."
        if active in stops:
            place = (stops.index(active) + by) % len(stops)
        else:
            here = self.source.first_offset
            after = next((number for number, stop in enumerate(stops) if stop.start >= here), 0)
            place = (after if by > 0 else after - 1) % len(stops)
        self.source.activate(stops[place])
        return ""

    # Search

    @property
    def searching(self) -> bool:
        """Whether hits are shown."""
        return self._hits is not None

    @property
    def search_words(self) -> str:
        """The search as a bar shows it: ``/fluid 3/17``; beside the source, that it is in the other text."""
        if self._hits is None:
            return ""
        elsewhere = "" if self._searched is self.source or self.shows_response else " beside"
        return f"/{self._query} {self._hits.position(self._hit)}{elsewhere}"

    def search(self, query: str) -> str:
        """Mark all hits in the pane that is read, and go to the first below its top; a message without hits."""
        view = self.moved_view
        text = self.session.beside_text() if view is self.response else self._text
        name = "the text beside" if view is self.response else "this text"
        if not text:
            return "There is no text here to search."
        if self._search.text != text:
            self._search = TextSearch(text)
        self.end_search()
        hits = self._search.find(query)
        if not hits:
            return f"“{query}” is not in {name}." if query.strip() else ""
        self._searched, self._query, self._hits = view, query, hits
        self._mark_hits(hits.spans)
        nearest = hits.next(view.first_offset - 1)
        self._to_hit(0 if nearest is None else nearest)
        return ""

    def step_hit(self, by: int) -> str:
        """The next or previous hit; a message at the last one and without a search."""
        if self._hits is None:
            return "Nothing is searched for; / starts a search."
        if not 0 <= self._hit + by < len(self._hits):
            return "That was the last hit." if by > 0 else "That was the first hit."
        self._to_hit(self._hit + by)
        return ""

    def end_search(self) -> None:
        """Forget the hits."""
        if self._hits is not None:
            self._hits, self._hit = None, -1
            self._mark_hits(())
            self._searched.mark("active", [])

    def _mark_hits(self, spans: Sequence[Span]) -> None:
        self._searched.mark("search", spans)
        if self._searched is self.source:
            standing = ("doubtful", *CLOSED, *TYPOGRAPHY, *(("search",) if spans else ()))
            self._standing = self.source.marks.only(*standing)

    def _to_hit(self, number: int) -> None:
        assert self._hits is not None
        self._hit = number
        self._searched.activate(self._hits.spans[number])

    # The span step

    def draw_span(self, target: str, edit: SpanEdit | None, moves: ReviewerSpan | None = None) -> None:
        """Draw the span being set, beside those that are; ``None`` draws only those. ``moves``: the one it was."""
        beside = self.session.is_beside(target)
        if not self.session.unit:
            return
        if not beside and edit is not None and self.whole:
            self.whole = False  # spans belong to the text that is judged
            self.show_source()
        view = self.response if beside else self.source
        there = [mine for mine in self.session.own.spans if mine.target == target and self.session.in_sight(mine)]
        spans = [mine.span for mine in there if mine != moves]
        if edit is not None:
            spans.append(edit.span)
        view.spell_out(edit is not None)
        view.mark("span", spans)
        if edit is not None:
            view.keep_in_sight(edit.start if edit.moving == "start" else edit.end - 1)

    def draw_only(self, mine: ReviewerSpan) -> None:
        """Draw one of the spans that are marked, alone, where its text is the one that is shown."""
        beside, seen = self.session.is_beside(mine.target), self.session.in_sight(mine)
        if not beside and self.whole:
            self.whole = False
            self.show_source()
        view = self.response if beside else self.source
        view.mark("span", [mine.span] if seen else [])
        if seen:
            view.keep_in_sight(mine.span.end - 1)
            view.keep_in_sight(mine.span.start)

    def draw_left_out(self, part: LeftOut | None) -> None:
        """Draw a part of the response that is no statement; ``None`` draws none."""
        self.response.mark("chosen", [Span(part.start, part.end)] if part else [])
        if part:
            self.response.keep_in_sight(part.end - 1)
            self.response.keep_in_sight(part.start)

    def draw_cut(self, at: int, places: Sequence[Span]) -> None:
        """Draw what would stand behind a cut of the statement, in it and at its places in the response; 0: no cut."""
        self.cut = at
        self.response.mark("chosen", places)
        if places:
            self.response.keep_in_sight(places[0].start)


class PaneHints:
    """Draws hints in the pane of a text."""

    def __init__(
        self,
        view_of: Callable[[str], DocumentView],
        named: Callable[[str], Sequence[Span]] = lambda _target: (),
    ) -> None:
        """``named``: the ranges of a text to which the words to be named are limited; none for no limit."""
        self._view_of = view_of
        self._named = named

    def show(self, target: str) -> tuple[WordHint, ...]:
        """Draw hints for the words in sight, or for those of them that may be named; they."""
        view = self._view_of(target)
        seen = Span(view.first_offset, view.end_offset)
        named = [(max(part.start, seen.start), min(part.end, seen.end)) for part in self._named(target)] or [seen]
        hints = word_hints(view.text, *(part for part in named if part[0] < part[1]))
        view.name_words(hints)
        return hints

    def draw(self, target: str, naming: Naming | None) -> None:
        """Draw what is still to be typed of them; ``None`` takes them away."""
        left = hints_left(naming.hints, naming.typed) if naming else ()
        self._view_of(target).name_words(left, naming.typed if naming else "")


def _marks(highlights: Highlights, active: Span | None) -> list[Mark]:
    return [*highlights.marks, *([Mark(*active, "active")] if active is not None else [])]


def _notes(page: SourcePage, highlights: Highlights) -> tuple[Note, ...]:
    """The notes under rows of a page: what differs there, what a passage is, what no reader of the page sees."""
    told = dict(highlights.told)
    for part in page.places.set_apart:
        if part.kind == "hidden" and part.end - part.start >= _LONG_HIDDEN:
            told.setdefault(part.start, "hidden on the page")
    for stop in highlights.stops:
        for part in page.places.apart_in(*stop):
            if part.kind in APART_NOTES:
                at = min(part.end, stop.end) - 1
                told[at] = " · ".join(filter(None, (told.get(at), APART_NOTES[part.kind])))
    return (
        *(Note(offset, f"^^ {remark}") for offset, remark in highlights.remarks.items()),
        *(Note(offset, words, hangs=True) for offset, words in told.items()),
    )


def position_words(view: DocumentView) -> str:
    """Where a pane is in its text."""
    return f"{view.position}%"
