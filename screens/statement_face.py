"""A statement on the review screen: the statement and its question, its sources, the judges."""

from collections.abc import Sequence
from typing import Final

from textual.geometry import Region, Size

from medreview.review.deciding import Deciding
from medreview.review.highlight_index import Mark
from medreview.review.session import ReviewSession
from medreview.screens.face import beside_bar
from medreview.screens.header_rows import Subject
from medreview.screens.judge_rows import judge_bar, panel_rows
from medreview.screens.key_rows import Hints
from medreview.screens.layout import Needs, PanePlan, shape_of
from medreview.screens.panes import Panes
from medreview.screens.reference_rows import reference_height, reference_rows
from medreview.screens.source_rows import nothing_to_read, said_of_page, source_bar, source_heading
from medreview.screens.spoken_rows import spoken_height
from medreview.screens.statement_rows import answer_row, question_rows, statement_height, statement_rows
from medreview.screens.widgets.document import DocumentView
from medreview.screens.widgets.painted import Row
from medreview.sources.reading.set_apart import SetApart

_QUESTION_ROWS: Final = 3
"""Side by side, the question has so many rows unless all of it is asked for: panes that keep their place are drawn
faster and read easier."""

_ALL_ROWS: Final = 99
_PANEL_ROWS: Final = 12


class StatementFace:
    """Draws what a session over statements holds."""

    def __init__(self, session: ReviewSession, source: DocumentView, response: DocumentView) -> None:
        self._session = session
        self._response = response
        self.panes = Panes(
            session,
            source,
            response,
            lambda: nothing_to_read(session),
            _preface,
        )

    def subject(self) -> Subject | None:
        """Response, model and origin where they may be seen, the reasons for a flag."""
        session, item = self._session, self._session.item
        if item is None:
            return None
        name = item.response_name
        if not session.shows_judges:
            return Subject(name, name)
        words = " ".join(filter(None, (name, item.model))) + (f" · {item.origin}" if item.origin else "")
        return Subject(name, words, item.record_id, session.badges)

    def needs(self, size: Size, card: Region | None) -> Needs:
        """The statement, the question, two rows of judges where they are shown."""
        session, item, panes = self._session, self._session.item, self.panes
        if shape_of(size) == "one" or card is None:
            read = session.read_words
            judges = spoken_height(read, size.width) if read else 2 if session.shows_judges else 1
            if item is None:
                return Needs(1, 0, judges)
            statement = statement_height(item, size.width)
            most = _ALL_ROWS if panes.shows_response else _QUESTION_ROWS
            bar = 0 if read or panes.shows_response else reference_height(session.reference, one=True)
            question = len(question_rows(item, size.width, most))
            return Needs(statement, question, judges, panes.shows_response, bar=bar)
        if item is None:
            return Needs(0, _QUESTION_ROWS + 3, _PANEL_ROWS)
        statement = 0 if item.span else statement_height(item, card.width) + 1
        question = _QUESTION_ROWS
        if panes.whole_question:
            question = max(question, len(question_rows(item, card.width, _ALL_ROWS, " ")))
        return Needs(statement, question + 3, _PANEL_ROWS, bar=reference_height(session.reference, one=False))

    def card_rows(self, plan: PanePlan) -> list[Row]:
        """Statement and question; side by side the question, and the statement where it is not in the response."""
        session, item = self._session, self._session.item
        region = plan.regions["statement"]
        if item is None:
            return [[(" There is no statement in this queue. q goes back; : changes the filter.", "")]]
        marks = session.statement_marks()
        if panes_cut := self.panes.cut:
            marks = (*marks, Mark(panes_cut, len(item.text), "span"))
        if plan.shape == "one":
            cut = "v shows it in the response" if not self.panes.shows_response else ""
            rows = statement_rows(item, marks, region.width, plan.statement_rows, cut)
            return [*rows, *question_rows(item, region.width, plan.question_rows)]
        origin = f" ({item.origin})" if item.origin and session.shows_judges else ""
        question = question_rows(item, region.width, plan.question_rows - 3, " ")
        rows = [[(f" asked{origin}", "dim")], *question, *([[]] * (plan.question_rows - 2 - len(question)))]
        if not item.span:
            rows += [*statement_rows(item, marks, region.width, plan.statement_rows - 1, "…"), []]
        rows.append(answer_row(item, region.width, named=session.shows_judges))
        return rows

    def hints(self, plan: PanePlan) -> Hints:
        """Everything in the table, so that the row of keys stays as it is from statement to statement; ``a`` alone goes
        where the judges have no common verdict."""
        return Hints(frozenset() if self._session.can_accept else frozenset({"accept"}))

    def bar_rows(self, columns: int, *, one: bool) -> list[Row]:
        """The source's bar, or the response's."""
        session, panes, item = self._session, self.panes, self._session.item
        if one and panes.shows_response:
            name = f" {item.response_name}" if item else ""
            model = f" · {item.model}" if item and session.shows_judges else ""
            return [beside_bar("response", f"{name}{model}", self._response, panes.search_words)]
        if one:
            bar = [source_bar(session, columns, panes.where, panes.hidden, panes.search_words)]
            return [*bar, *self._reference_rows(columns, one=True)]
        first, *below = source_heading(session, columns, panes.where, panes.hidden, panes.search_words)
        return [first, *self._reference_rows(columns, one=False), *below]

    def _reference_rows(self, columns: int, *, one: bool) -> list[Row]:
        reference = self._session.reference
        most = reference_height(reference, one=one)
        return reference_rows(reference, columns, most) if reference and most else []

    def opinion_bar(self, columns: int) -> list[Row]:
        """The judges."""
        return judge_bar(self._session, columns)

    def opinion_panel(self, columns: int, most: int) -> list[Row]:
        """The judges, and my own labels."""
        return panel_rows(self._session, columns, most)


def _preface(session: Deciding, text: str, apart: Sequence[SetApart]) -> str:
    """What is to be known of the page that a session has."""
    assert isinstance(session, ReviewSession)
    return said_of_page(session.source, text, apart) if session.source else ""
