"""Draws the unit on the review screen: its card, the bar above its text, what machines or other reviewers say of it.

One way for units of all kinds. A statement has more beside it: the question, its place in the answer, a reference.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from textual.geometry import Region, Size

from medreview.labels import FLAGS, NOT_IN_ANSWER, label_in
from medreview.review.cell_width import fit, fit_words, width
from medreview.review.highlight_index import Mark
from medreview.review.session import ReviewSession
from medreview.review.typography import set_prose
from medreview.review.why_flagged import short
from medreview.review.wrapping import prose_rows
from medreview.screens.judge_rows import SEEN_BEFORE, judge_bar, panel_rows, spoken_height
from medreview.screens.key_rows import Hints
from medreview.screens.layout import SOURCE_ROWS, TALL_FROM, Needs, PanePlan, card_room, shape_of, source_columns
from medreview.screens.panes import Panes, position_words
from medreview.screens.review_rows import Subject
from medreview.screens.source_rows import of_statements, reference_height, reference_rows, strip_rows, text_bar
from medreview.screens.widgets.document import DocumentView
from medreview.screens.widgets.painted import Row, StyledText, wrapped
from medreview.text import counted, in_words
from medreview.units.kind import CardPart, Document, UnitView
from medreview.units.statement_view import StatementView
from medreview.visible import visible

if TYPE_CHECKING:
    pass

_FOCUS: Final = "▸"
_LABEL: Final = 12
"""Cells for the label of a part of the card."""
_INDENT: Final = 10
"""Columns before a statement's text: ``" 3 of 9   "``."""
_ABOUT_ROWS: Final = 3
_MARGINS: Final = 5
"""Cells of the text's pane that are no text."""
_NOTE_ROWS: Final = 3
"""Rows in a text for the note on a machine's quote."""

_QUESTION_ROWS: Final = 3
"""Side by side, the question has so many rows unless all of it is asked for: panes that keep their place are drawn
faster and read easier."""
_ALL_ROWS: Final = 99

_PANEL_ROWS: Final = 12
"""Rows of the panel at most, but for a statement whose judges are shown."""
_CARD_ROWS: Final = 16
"""The same then: the verdict card."""
_RULES_ROWS: Final = 8
"""The same where the rules alone have spoken, or nobody: the answer has the others."""
_BLOCK_ROWS: Final = 6
"""The same in a blind block."""

_LEAST_OUTPUT: Final = 24
"""Cells of an output in which it can be read."""
_BETWEEN: Final = " │ "


class Face:
    """Draws the unit on the screen: its card, the bar above its text, what machines say, what I said."""

    def __init__(self, session: ReviewSession, source: DocumentView, response: DocumentView) -> None:
        self._session = session
        self._response = response
        self._tall = False
        """Rows are not scarce."""
        self.panes = Panes(session, source, response)
        self._conflicts = None
        if session.settles:
            from medreview.review.adjudicating import ConflictSession
            from medreview.screens.conflict_rows import ConflictRows

            assert isinstance(session, ConflictSession)
            self._conflicts = ConflictRows(session)

    @property
    def _item(self) -> StatementView | None:
        """The statement on the screen; ``None`` in an empty queue, and in one of other units."""
        return self._session.item

    @property
    def _view(self) -> UnitView | None:
        """Any other unit."""
        return None if self._item else self._session.view

    # What the screen asks for

    def subject(self) -> Subject | None:
        """What the header says of it: a statement is named by its answer; ``None`` in an empty queue. Model, origin,
        record and the reasons for a flag where they may be seen."""
        item, view, session = self._item, self._view, self._session
        shown = item or view
        if shown is None:
            return None
        name = answer_name(item) if item else view.name if view else ""
        if not session.shows_judges:
            return Subject(name, name)
        words = " ".join(filter(None, (name, shown.model))) + (f" · {shown.origin}" if shown.origin else "")
        return Subject(name, words, shown.record_id, short(session.badges))

    def needs(self, size: Size, card: Region | None) -> Needs:
        """How many rows its parts ask for; ``card``: where the card lies, ``None`` in one column."""
        self.panes.beside_drawn, self.panes.columns = False, ""
        self._tall = size.height >= TALL_FROM
        one = card is None or shape_of(size) == "one"
        needs = self._needs_one(size.width) if card is None or one else self._needs_panes(size, card)
        if self._conflicts is None:
            return needs
        return needs._replace(judges=self._conflicts.height(size.width, one=one, otherwise=needs.judges))

    def _needs_one(self, columns: int) -> Needs:
        session, shows = self._session, self.panes.shows_response
        if session.read_words:
            opinions, strip, bar = spoken_height(session.read_words, columns), 0, 0
        else:
            opinions = 2 if session.shows_judges else 1
            strip = len(self._strip(columns, one=True))
            bar = 0 if shows else reference_height(self._session.reference, one=True)
        if not session.unit:
            return Needs(1, 0, opinions)
        question = len(self._question(columns, _ALL_ROWS if shows else _QUESTION_ROWS))
        source = self._text_rows(columns) + strip
        return Needs(len(self._card(columns)), question, opinions, shows, source, bar=bar, strip=strip)

    def _needs_panes(self, size: Size, card: Region) -> Needs:
        """Side by side. Without a text beside, the card has that text's place as well, if it fits; outputs that stand
        in columns have the whole width."""
        session, item, view = self._session, self._item, self._view
        panel = self._panel_rows(item)
        if item is None and view is None:
            return Needs(1, 0, panel)
        strip = len(self._strip(source_columns(size), one=False))
        if item is not None:
            question = _QUESTION_ROWS
            if self.panes.whole_question:
                question = max(question, len(self._question(card.width, _ALL_ROWS, " ")))
            statement = 0 if item.span else len(self._card(card.width)) + 1
            bar = reference_height(self._session.reference, one=False)
            return Needs(statement, question + 3, panel, bar=bar, strip=strip)
        across = size.width - card.x
        if session.asks.entry == "order" and self._stand_in_columns(size, across):
            self.panes.beside_drawn = True
            return Needs(len(self._card(across)) + 1, 0, panel, across=True)
        whole = self._card(card.width)
        assert view is not None
        if view.beside is None:
            asked = len(self._about(card.width))
            self.panes.beside_drawn = asked + 1 + len(whole) <= card_room(size, panel)
            return Needs(asked + 1 + len(whole) if self.panes.beside_drawn else asked, 0, panel, strip=strip)
        first = len(_part_rows([part for part in view.parts if part.main], card.width, _indent(view.parts)))
        return Needs(first, len(whole) - first + 1, panel, strip=strip)

    def card_rows(self, plan: PanePlan) -> list[Row]:
        """What is asked, for the region that the plan gives it: what is decided about first, cut where it has no room.

        Side by side a statement's question, and the statement where it is not in the response; without a text beside,
        what is asked stands first, and alone where the card is so long that it has the place of that text, to be paged
        through.
        """
        item, view, region = self._item, self._view, plan.regions["statement"]
        columns = region.width
        if item is None and view is None:
            noun = self._session.asks.noun
            return [[(f" There is no {noun} in this queue. q goes back; : changes the filter.", "")]]
        if plan.shape == "one":
            return [
                *self._cut_card(columns, plan.statement_rows, one=True),
                *self._question(columns, plan.question_rows),
            ]
        if item is not None:
            shows = self._session.shows_judges
            origin = f" ({item.origin})" if item.origin and shows else ""
            question = self._question(columns, plan.question_rows - 3, " ")
            before = f" after {counted(item.turns, 'turn')}: o" if item.turns else ""
            rows = [[(f" asked{origin}{before}", "dim")], *question, *([[]] * (plan.question_rows - 2 - len(question)))]
            if not item.span:
                rows += [*self._cut_card(columns, plan.statement_rows - 1, one=False), []]
            return [*rows, self._focused(answer_row(item, columns, named=shows), beside=True)]
        assert view is not None
        if self.panes.columns:
            return self._card(columns)
        if view.beside is None:
            return [*self._about(columns), *([[], *self._card(columns)] if self.panes.beside_drawn else [])]
        room = region.height - 1
        rows = self._cut_card(columns, room, one=False)
        title = self._focused([(f" {visible(view.beside.title)}", "dim")], beside=True)
        return [*rows, *([[]] * (room - len(rows))), title]

    def hints(self, plan: PanePlan) -> Hints:
        """What the keys do with it, without which of them are refused: what ``a`` takes over and ``v`` brings; side by
        side both texts are there."""
        session, view, panes, told = self._session, self._view, self.panes, self._session.reference
        if view is None:
            brings = "source" if panes.shows_response else "response"
        elif panes.columns:
            brings = ""
        else:
            cut = plan.shape == "one" and len(self._card(plan.regions["statement"].width)) > plan.statement_rows
            beside = view.beside.key if view.beside else "all of it" if cut else ""
            brings = "text" if panes.shows_response else beside
        return Hints(
            words=(
                *((("view", brings),) if plan.shape == "one" else ()),
                *((("reference", "reference"),) if told is not None and told.worth_a_row else ()),
                *((flag, label_in(FLAGS, flag).name) for flag in session.flags_asked),
            ),
            accept=session.accept_words,
            off=session.tie_words if view is None else "",
            decided=session.own.label is not None,
            outputs=len(view.numbers) if view else 0,
        )

    def bar_rows(self, columns: int, *, one: bool) -> list[Row]:
        """The bar above the text in the main pane: one row in one column, three where it has a pane of its own; what
        the rules say of its reference, quotes that are not in it, sources in conflict."""
        session, panes, view = self._session, self.panes, self._view
        if one and panes.shows_response:
            return [self._beside_bar()]
        if panes.columns and view:
            return [_names_row(view.documents, columns - _MARGINS, session.place, visible(panes.search_words))]
        first, *below = text_bar(session, columns, panes.where, panes.hidden, panes.search_words, one=one)
        reference = self._session.reference
        most = reference_height(reference, one=one)
        return [
            first if one else self._focused(first, beside=False),
            *(reference_rows(reference, columns, most) if reference and most else []),
            *below,
            *self._strip(columns, one=one),
        ]

    def opinion_rows(self, region: Region, *, one: bool) -> list[Row]:
        """What judges say: one or two rows in one column; else a list, with what I said. Where a conflict is settled,
        the reviewers' labels."""
        if self._conflicts:
            return self._conflicts.rows(region, one=one)
        if one:
            return judge_bar(self._session, region.width, self._hidden(one=True))
        return panel_rows(self._session, region.width, region.height, self._hidden(one=False))

    # The card

    def _card(self, columns: int) -> list[Row]:
        """All that is asked but for the question, what is decided about first."""
        item, view = self._item, self._view
        if item is not None:
            return [*self._statement(item, columns), *beside_rows(item, columns)]
        parts = sorted(view.parts, key=lambda part: not part.main) if view else []
        if self.panes.columns and view and view.beside:
            parts.append(CardPart("reference", view.beside.text))
        return _part_rows(parts, columns, _indent(parts))

    def _statement(self, item: StatementView, columns: int) -> list[Row]:
        marks = self._session.statement_marks()
        if cut := self.panes.cut:
            marks = (*marks, Mark(cut, len(item.text), "span"))
        return statement_rows(item, marks, columns)

    def _cut_card(self, columns: int, most: int, *, one: bool) -> list[Row]:
        """The card in at most so many rows."""
        item = self._item
        if item is None:
            return cut_rows(self._card(columns), most, columns, "v shows all")
        more = "v shows it in the response" if one and not self.panes.shows_response else ""
        rows = cut_rows(self._statement(item, columns), most, columns, more)
        return [*rows, *beside_rows(item, columns)][:most]

    def _question(self, columns: int, most: int, label: str = "") -> list[Row]:
        item = self._item
        if item is None:
            return []
        after = f" after {counted(item.turns, 'turn')} (o)" if item.turns else ""
        return question_rows(item, columns, most, label or f" asked{after} ")

    def _about(self, columns: int) -> list[Row]:
        return wrapped(self._session.asks.about, columns, "dim", _ABOUT_ROWS)

    def _stand_in_columns(self, size: Size, columns: int) -> bool:
        """Do the outputs of a ranking? They do if these have room, and what they are held against has room above."""
        view = self._view
        self.panes.columns = in_columns(view.documents, columns - _MARGINS) if view else ""
        if len(self._card(columns)) > size.height // 3:
            self.panes.columns = ""
        return bool(self.panes.columns)

    def _text_rows(self, columns: int) -> int:
        """As many rows as the longest text to read has, or as many as it has in any case."""
        texts = [visible(document.text) for document in self._view.documents] if self._view else []
        if not texts or sum(map(len, texts)) > SOURCE_ROWS * columns:
            return SOURCE_ROWS
        longest = max(len(list(prose_rows(text, 0, len(text), columns - _MARGINS))) for text in texts)
        return longest + _NOTE_ROWS if self._session.shows_judges else longest

    # The bars, and what machines say

    def _panel_rows(self, item: StatementView | None) -> int:
        """Side by side, rows of what judges say and of what I said. In a blind block the text keeps the rest."""
        session = self._session
        if session.block is not None and not session.shows_judges:
            return _BLOCK_ROWS + (2 if session.own.note else 0)
        if item is None or not session.shows_judges:
            return _PANEL_ROWS
        return _CARD_ROWS if any(not judgement.offline for judgement in item.judgements) else _RULES_ROWS

    def _hidden(self, *, one: bool) -> str:
        """What stands in the place of the judges while they are hidden."""
        session = self._session
        until = f"{'judges ' if one else ''}hidden {session.hidden_until}"
        if session.has_no_judges:
            until = "this copy has no judges" if one else "none in this copy"
        if session.knows_judges:
            return f"{until}; {SEEN_BEFORE}"
        if not of_statements(session):
            return until
        return f"shared words underlined · {until}" if one else f"{until}; shared words are underlined"

    def _strip(self, columns: int, *, one: bool) -> list[Row]:
        """What stands above the text in the main pane: quotes that are not in it, sources in conflict."""
        session = self._session
        return strip_rows(session.above_page, session.text_key, columns, one=one, tall=self._tall)

    def _focused(self, title: Row, *, beside: bool) -> Row:
        """A pane's title; the one of the pane that paging moves has a sign in its first cell."""
        if (self.panes.moved_view is self._response) != beside:
            return title
        (first, style), *others = title
        return [(_FOCUS, "gutter"), (first[1:], style), *others]

    def _beside_bar(self) -> Row:
        """The bar above the text that stands beside, where it is in the main text's place: what it is."""
        item, view, search = self._item, self._view, self.panes.search_words
        words = visible(view.beside.title) if view and view.beside else "card"
        name = ""
        if of_statements(self._session):
            words = "response"
            name = f" {item.response_name}" if item else ""
            name += f" · {item.model}" if item and self._session.shows_judges else ""
        return [
            ("── ", "rule"),
            (words, "title"),
            (f"{name} ", ""),
            ("─", "rule fill"),
            *([(f" {visible(search)} ─", "search")] if search else []),
            (f" {position_words(self._response)} ─────", "rule"),
        ]


def statement_rows(item: StatementView, marks: Sequence[Mark], columns: int) -> list[Row]:
    """The statement, wrapped, behind its number."""
    return _labelled(_number(item), item.text, columns, _INDENT, "title", marks)


def beside_rows(item: StatementView, columns: int) -> list[Row]:
    """What is shown beside a statement's text, in one row; none where nothing is."""
    words = fit(visible(item.beside), max(1, columns - _INDENT - 1))
    kind = "clash" if item.beside == NOT_IN_ANSWER else "dim"
    return [[(" " * _INDENT, ""), (words, kind)]] if words else []


def question_rows(item: StatementView, columns: int, most: int, label: str) -> list[Row]:
    """The question in at most so many rows, the first behind ``label``."""
    text = " ".join(item.question.split()) or "(no question was recorded)"
    rows = _labelled(label.strip(), text, columns, len(label), "dim")
    if len(rows) > most > 0:
        lead, *words = rows[most - 1]
        last = fit_words("".join(text for text, _ in words) + " …", columns - len(label) - 1)
        return [*rows[: most - 1], [lead, (last, "")]]
    return rows[: max(0, most)]


def answer_name(item: StatementView) -> str:
    """The answer that the statement is of, as screens say it: ``answer 7``; lists and filters call it ``R07``."""
    return f"answer {int(item.response_name[1:])}"


def answer_row(item: StatementView, columns: int, *, named: bool) -> Row:
    """The row above the response: whose it is, if that may be ``named``, how it ended where it was not whole, and the
    statement's name.

    The id of its record where it has room; ids often name the model.
    """
    model = f"  {visible(item.model)}" if named else ""
    ended = f"  {in_words(item.finish)}" if item.finish not in ("", "complete") else ""
    record = f"  {visible(item.record_id)}" if named and item.record_id else ""
    first, name = f" {answer_name(item)}", f"statement {_number(item)} "
    if width(f"{first}{model}{ended}{record}  {name}") > columns:
        record = ""
    if width(f"{first}{model}{ended}  {name}") > columns:
        name = f"{_number(item)} "
    return [(first, "dim"), (model, "title"), (ended, "badge"), (record, "dim"), ("", "fill"), (name, "title")]


def _number(item: StatementView) -> str:
    """Which statement of its answer it is: ``3 of 9``."""
    return f"{item.short_name[1:]} of {item.siblings}"


def _indent(parts: Sequence[CardPart]) -> int:
    """Where the texts of all parts of a card begin."""
    return min(_LABEL, max((width(part.label) for part in parts), default=0)) + 2


def _part_rows(parts: Sequence[CardPart], columns: int, indent: int) -> list[Row]:
    """Parts of the card, wrapped, each with its label before its first row."""
    rows: list[Row] = []
    for part in parts:
        label, style = fit(part.label, min(width(part.label), _LABEL)), "title" if part.main else "dim"
        rows += _labelled(label, part.text, columns, indent, style, tone=part.tone)
    return rows


def _labelled(
    label: str, text: str, columns: int, indent: int, style: str, marks: Sequence[Mark] = (), tone: str = ""
) -> list[Row]:
    """A text, wrapped, from the column ``indent`` on; its label before the first row."""
    rows: list[Row] = []
    for number, line in enumerate(set_prose(visible(text), columns - indent - 1, marks)):
        lead = f" {label} " if label and number == 0 else ""
        pieces = [(words.rstrip("\n"), f"{kinds} {tone}".strip()) for words, kinds in line]
        rows.append([(lead.ljust(indent), style), *pieces])
    return rows


def cut_rows(rows: Sequence[Row], most: int, columns: int, more: str) -> list[Row]:
    """At most so many rows; the last says where the rest is (``more``)."""
    if len(rows) <= most or most < 1:
        return list(rows[: max(0, most)])
    (label, label_style), *words = rows[most - 1]
    told = f" … {more}".rstrip()
    text = "".join(piece for piece, _ in words)
    room = max(1, columns - width(label) - width(told) - 1)
    if width(text) > room:
        text = fit(text, room, "")
        text = text.rpartition(" ")[0] or text
    return [*rows[: most - 1], [(label, label_style), (text, ""), (told, "dim")]]


def in_columns(documents: Sequence[Document], room: int) -> str:
    """The outputs of a ranking beside each other in so many cells: one text whose rows hold a row of each; ``""`` where
    there are not two, or they have no room for it."""
    wide = _output_width(len(documents), room)
    if len(documents) < 2 or wide < _LEAST_OUTPUT:
        return ""
    columns = [
        ["".join(words for words, _ in row).rstrip() for row in set_prose(visible(document.text), wide)]
        for document in documents
    ]
    return "\n".join(
        _BETWEEN.join(fit(part, wide, "") for part in parts).rstrip() for parts in zip_longest(*columns, fillvalue="")
    )


def _names_row(documents: Sequence[Document], room: int, here: int, search: str) -> Row:
    """The names above outputs in columns; that of the text ``here`` stands out. ``search``: which hit one is at."""
    wide = _output_width(len(documents), room)
    row: list[StyledText] = [("── ", "rule")]
    for place, document in enumerate(documents):
        name = visible(document.title)
        name = fit(name, min(width(name), wide))
        row += [(name, "title" if place == here else ""), (f" {'─' * (wide - width(name) + 1)} ", "rule")]
    if search:
        row[-1] = (" ", "rule")
    return [*row, ("─", "rule fill"), *([(f" {search} ─", "search")] if search else [])]


def _output_width(count: int, room: int) -> int:
    return (room - len(_BETWEEN) * (count - 1)) // max(1, count)
