"""Any unit but a statement on the review screen: card, documents, what machines say, and its actions. Knows no kind."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from textual.geometry import Region, Size

from medreview.errors import UserError
from medreview.labels import AXES, EDITED, QUALITY, Label, level_named
from medreview.review.cell_width import fit, fit_words, width
from medreview.review.judge_words import state_words
from medreview.review.session import ReviewSession
from medreview.review.span_editing import partner_for
from medreview.review.text_entry import LineEdit
from medreview.review.typography import set_prose
from medreview.review.wrapping import prose_rows
from medreview.screens.action_handlers import ActionHandlers
from medreview.screens.dialogs import HallucinationDialog
from medreview.screens.face import Face
from medreview.screens.judge_rows import SEEN_BEFORE
from medreview.screens.key_rows import Hints
from medreview.screens.key_screen import Key
from medreview.screens.last_rows import LineInput
from medreview.screens.layout import SOURCE_ROWS, TALL_FROM, Needs, PanePlan, card_room, shape_of, source_columns
from medreview.screens.output_columns import in_columns, names_row
from medreview.screens.review_rows import Subject
from medreview.screens.source_rows import NOTHING_TO_READ
from medreview.screens.widgets.painted import Row, StyledText, cells, wrapped
from medreview.sources.reading.text_structure import SetApart
from medreview.units.kind import RESPONSE, CardPart
from medreview.units.ranking import FLAG_KEY, RankingEntry
from medreview.visible import visible

_PANEL_ROWS: Final = 12

_ABOUT_ROWS: Final = 3
_MARGINS: Final = 5
"""Cells of the text's pane that are no text."""

_NOTE_ROWS: Final = 3
"""Rows in a text for the note on a machine's quote."""

_NAMED: Final = 12
"""Cells of the name of a text that say which it is."""

_LABEL: Final = 12
"""Cells for the label of a part of the card."""


class UnitFace(Face):
    """Draws what a session over units of one kind holds."""

    _session: ReviewSession

    def subject(self) -> Subject | None:
        """By its own name."""
        view = self._session.view
        return self._subject(view.name, view) if view else None

    def needs(self, size: Size, card: Region | None) -> Needs:
        """The card, two rows of opinions where they are shown; side by side and without a text beside, the card has
        that text's place as well, if it fits."""
        session, view = self._session, self._session.view
        self.panes.beside_drawn, self.panes.columns = False, ""
        self._tall = size.height >= TALL_FROM
        if shape_of(size) == "one" or card is None:
            opinions = self._opinion_height(size.width)
            if view is None:
                return Needs(1, 0, opinions)
            shows = self.panes.shows_response
            strip = 0 if session.read_words else len(self._strip(size.width, one=True))
            source = self._text_rows(size.width) + strip
            return Needs(len(self._card(size.width)), 0, opinions, shows, source, strip=strip)
        panel = self._panel_rows(_PANEL_ROWS)
        if view is None:
            return Needs(1, 0, panel)
        if session.asks.entry == "order" and (across := self._side_by_side(size, size.width - card.x)):
            self.panes.beside_drawn, self.panes.columns = True, across
            return Needs(len(self._card(size.width - card.x)) + 1, 0, panel, across=True)
        whole, strip = self._card(card.width), len(self._strip(source_columns(size), one=False))
        if view.beside is None:
            asked = len(self._about(card.width))
            self.panes.beside_drawn = asked + 1 + len(whole) <= card_room(size, panel)
            return Needs(asked + 1 + len(whole) if self.panes.beside_drawn else asked, 0, panel, strip=strip)
        first = len(_rows([part for part in view.parts if part.main], card.width, _indent(view.parts)))
        return Needs(first, len(whole) - first + 1, panel, strip=strip)

    def card_rows(self, plan: PanePlan) -> list[Row]:
        """What is decided about, then all else of the card; where it is cut, ``v`` shows the rest.

        Side by side and without a text beside, what is asked stands first, and alone where the card is so long that it
        has the place of that text, to be paged through.
        """
        session, view = self._session, self._session.view
        region = plan.regions["statement"]
        if view is None:
            return [[(f" There is no {session.asks.noun} in this queue. q goes back; : changes the filter.", "")]]
        whole = self._card(region.width)
        if self.panes.columns:
            return whole
        if plan.shape != "one" and view.beside is None:
            return [*self._about(region.width), *([[], *whole] if self.panes.beside_drawn else [])]
        if plan.shape == "one":
            return _cut(whole, plan.statement_rows, region.width)
        room = region.height - 1
        title = self._focused([(f" {visible(view.beside.title)}" if view.beside else " ", "dim")], beside=True)
        return [*_cut(whole, room, region.width), *([[]] * (room - len(whole))), title]

    def hints(self, plan: PanePlan) -> Hints:
        """What ``a`` takes over and ``v`` brings, and how many outputs there are."""
        session, view = self._session, self._session.view
        if view is None:
            return Hints()
        cut = plan.shape == "one" and len(self._card(plan.regions["statement"].width)) > plan.statement_rows
        brings = "text" if self.panes.shows_response else view.beside.key if view.beside else "all of it" if cut else ""
        return Hints(
            words=self._view_words(plan, "" if self.panes.columns else brings),
            accept=session.accept_words,
            decided=session.own.label is not None,
            outputs=len(view.numbers),
        )

    def bar_rows(self, columns: int, *, one: bool) -> list[Row]:
        """Which document, its state, the place in it."""
        panes, view = self.panes, self._session.view
        if one and panes.shows_response:
            words = view.beside.title if view and view.beside else "card"
            return [self._beside_bar(visible(words))]
        if panes.columns and view:
            search = visible(panes.search_words)
            return [names_row(view.documents, columns - _MARGINS, _MARGINS - 2, self._session.place, search)]
        bar = self._bar(columns)
        if one:
            return [bar, *self._strip(columns, one=True)]
        heading = visible(" › ".join(panes.where.path))
        below = [(f"   {fit(heading, min(width(heading), columns - 4))}", "")] if heading else self._texts(columns)
        bar = self._focused(bar, beside=False)
        return [bar, below, [("─", "rule fill")], *self._strip(columns, one=False)]

    # Within

    def _card(self, columns: int) -> list[Row]:
        view = self._session.view
        parts = sorted(view.parts, key=lambda part: not part.main) if view else []
        if self.panes.columns and view and view.beside:
            parts.append(CardPart("reference", view.beside.text))
        return _rows(parts, columns, _indent(parts))

    def _side_by_side(self, size: Size, wide: int) -> str:
        """The outputs of a ranking in columns, if these have room, and what they are held against has room above."""
        view = self._session.view
        self.panes.columns = in_columns(view.documents, wide - _MARGINS) if view else ""
        return self.panes.columns if len(self._card(wide)) <= size.height // 3 else ""

    def _text_rows(self, columns: int) -> int:
        """As many rows as the longest text to read has, or as many as it has in any case."""
        view = self._session.view
        texts = [visible(document.text) for document in view.documents] if view else []
        if not texts or sum(map(len, texts)) > SOURCE_ROWS * columns:
            return SOURCE_ROWS
        room = columns - _MARGINS
        longest = max(len(list(prose_rows(text, 0, len(text), room))) for text in texts)
        return longest + _NOTE_ROWS if self._session.shows_judges else longest

    def _about(self, columns: int) -> list[Row]:
        return wrapped(self._session.asks.about, columns, "dim", _ABOUT_ROWS)

    def _texts(self, columns: int) -> Row:
        """The texts to read beside the unit, where there is more than one."""
        view, place = self._session.view, self._session.place
        if view is None or len(view.documents) < 2:
            return []
        row: list[StyledText] = [("  ", "")]
        for number, document in enumerate(view.documents):
            if number < place - 1:
                continue
            words = f" {number + 1} {visible(document.title)} "
            room = columns - 1 - cells(row)
            if room < width(words) and room < width(words.strip().partition(" ")[0]) + _NAMED:
                row.append((" …" if room > 1 else "", "dim"))
                break
            row.append((fit_words(words, room), "title" if number == place else "dim"))
            if room < width(words):
                break
        return row

    def _hidden(self, *, one: bool) -> str:
        session = self._session
        known = f"; {SEEN_BEFORE}" if session.knows_judges else ""
        return f"{'judges ' if one else ''}hidden {session.hidden_until}{known}"

    def _bar(self, columns: int) -> Row:
        session, panes, view = self._session, self.panes, self._session.view
        document = session.document
        if view is None or document is None:
            return [("── no text ", "rule"), ("─", "rule fill")]
        place = f"{session.place + 1} of {len(view.documents)} " if len(view.documents) > 1 else ""
        left: list[StyledText] = [("── ", "rule"), (place, "dim"), (visible(document.title), "title")]
        if document.state and document.state != "ok":
            left.append((f" · {state_words(document.state)}", "badge"))
        if panes.where.by_ocr:
            left.append((f" · {panes.where.by_ocr}", "badge"))
        if panes.hidden:
            left.append((f" · {panes.hidden} hidden marked", "badge"))
        search = visible(panes.search_words)
        right: list[StyledText] = [(f" {search} ─", "search")] if search else []
        right.append((f" {panes.where.position} ─────" if panes.where.position else "──", "rule"))
        title, room = left[2][0], columns - cells([*left[:2], *left[3:]]) - cells(right) - 2
        left[2] = (fit(title, min(width(title), max(8, room))), "title")
        return [*left, (" ", ""), ("─", "rule fill"), *right]

    def _nothing(self) -> str:
        document = self._session.document
        if document is None:
            view = self._session.view
            return view.missing if view and view.missing else "There is no text to read beside it."
        return document.state_words or NOTHING_TO_READ.get(document.state, "This text is empty.")

    def _preface(self, session: ReviewSession, text: str, apart: Sequence[SetApart]) -> str:
        document = session.document
        return f"[medreview: {document.state_words}]" if document and document.state_words else ""


def _indent(parts: Sequence[CardPart]) -> int:
    """Where the texts of all parts of a card begin."""
    return min(_LABEL, max((width(part.label) for part in parts), default=0)) + 2


def _rows(parts: Sequence[CardPart], columns: int, indent: int) -> list[Row]:
    """Parts of the card, wrapped, each with its label before its first row."""
    rows: list[Row] = []
    for part in parts:
        style = "title" if part.main else "dim"
        for number, line in enumerate(set_prose(visible(part.text), columns - indent - 1)):
            label = f" {fit(part.label, min(width(part.label), _LABEL))}" if number == 0 else ""
            pieces = [(words.rstrip("\n"), f"{kinds} {part.tone}".strip()) for words, kinds in line]
            rows.append([(label.ljust(indent), style), *pieces])
    return rows


def _cut(rows: list[Row], most: int, columns: int) -> list[Row]:
    """At most so many rows; the last says where the rest is."""
    if len(rows) <= most or most < 1:
        return rows[:most]
    (label, label_style), *words = rows[most - 1]
    told = " … v shows all"
    text = "".join(piece for piece, _ in words)
    room = max(1, columns - width(label) - width(told) - 1)
    if width(text) > room:
        text = fit(text, room, "")
        text = text.rpartition(" ")[0] or text
    return [*rows[: most - 1], [(label, label_style), (text, ""), (told, "dim")]]


@dataclass(eq=False, repr=False)
class ChoiceDialog:
    """What is asked, and the labels of which one is taken."""

    asked: str
    labels: Sequence[Label]
    take: Callable[[str], None]
    back: Callable[[], None]
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The question and the letters in one row."""
        row: list[StyledText] = [(f" {self.asked}", "title")]
        for label in self.labels:
            row += [("  ", ""), (label.key, "key"), (f" {label.name}", "")]
        return [[*row, ("   ", ""), ("Esc", "key"), (" leaves", "")]]

    def press(self, key: Key) -> bool:
        """A letter or Esc; this step has no other keys."""
        label = next((one for one in self.labels if one.key == key.said), None)
        if label is not None:
            self.take(label.level)
        elif key.said == "escape":
            self.back()
        else:
            return key.said.isdigit()
        return True


_FLAG: Final = " hallucinated"
"""After an output that is flagged."""


@dataclass(eq=False, repr=False)
class RankingDialog:
    """``look`` gets the place of the output that is asked about; ``give`` gets the entry, once complete."""

    entry: RankingEntry
    look: Callable[[int], None]
    give: Callable[[RankingEntry], None]
    back: Callable[[], None]
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The order so far and what is open, or the qualities and flags so far; the keys."""
        entry = self.entry
        order = " > ".join(" = ".join(map(str, tier)) for tier in entry.tiers)
        more = " = …" if entry.tying else " > …" if entry.tiers and entry.open else " …" if entry.open else ""
        first: list[StyledText] = [(" best ", "dim"), (f"{order}{more}", "title"), (" worst", "dim")]
        if entry.rating is None:
            left = " ".join(map(str, entry.open))
            keys: list[StyledText] = [
                (" ", ""), (left, "key"), (" the next best   ", ""), ("=", "key"), (" shares the last rank   ", ""),
            ]  # fmt: skip
        else:
            given = "  ".join(
                f"{place} {level_named('quality', level).name}{_FLAG if place in entry.flagged else ''}"
                for place, level in enumerate(entry.qualities, 1)
            )
            first += [("   ", ""), (given, "")]
            flagged = entry.rating in entry.flagged
            keys = [(f" output {entry.rating}{' flagged' if flagged else ''}: ", "badge")]
            for label in QUALITY:
                keys += [(label.name[0].casefold(), "key"), (f" {label.name}  ", "")]
            keys += [(FLAG_KEY, "key"), (" unflag  " if flagged else f"{_FLAG}  ", "")]
        back = " takes back   " if entry.rating is None else " back  "
        keys += [("Backspace", "key"), (back, ""), ("Esc", "key"), (" leaves", "")]
        return [first, keys]

    def press(self, key: Key) -> bool:
        """A key of the entry; Esc leaves without anything being saved. Others go to the screen."""
        if key.said == "escape":
            self.back()
            return True
        after = self.entry.press(key.said)
        if after == self.entry:
            return key.said.isdigit() or key.said == "backspace"
        self.entry = after
        if after.phase == "done":
            self.give(after)
        elif after.rating is not None:
            self.look(after.rating)
        return True


class UnitHandlers(ActionHandlers):
    """Carries out actions on units of one kind."""

    _session: ReviewSession

    def _more(self) -> Mapping[str, Callable[[], None]]:
        return {
            "hallucination": self._another_span,
            "category": lambda: self._choose("category", self._take_category),
            "add": self._add,
            **{f"place_{place}": partial(self._rank, str(place)) for place in range(1, 10)},
        }

    def _decide(self, label: str) -> None:
        if self._session.asks.entry == "words" and label == EDITED:
            self._edit()
            return
        step = self._session.decide(label)
        if self._session.asks.entry == "spans" and label != "none" and not self._session.settles:
            self._mark(label, lambda: self._follow(step))
        else:
            self._follow(step)

    def _mark(self, level: str, done: Callable[[], None], wants_more: bool = False) -> None:
        """Ask for a span in the answer, of a context-conflict for both; ``done``: what comes then, or another span."""

        def marked(more: bool) -> None:
            if partner_for(level, self._session.own.spans):
                self._mark(level, done, more)
            elif more:
                self._another_span(done)
            else:
                done()

        self.show_text(RESPONSE)
        edit = self._session.default_span(RESPONSE)
        after, more = partial(marked, wants_more), partial(marked, True)
        self._spans.mark(level, RESPONSE, edit, after=after, back=done, more=more)

    def _another_span(self, done: Callable[[], None] | None = None) -> None:
        """Ask for the type of a further span, then for its words."""
        then = done or self._close
        if self._session.own.label in (None, "none"):
            raise UserError(f"Say first that the {self._session.asks.noun} has a hallucination, by its type.")
        levels = [level for level in self._session.asks.levels if level.level != "none"]
        self._stage.open(
            HallucinationDialog(self._session.full_name, lambda label: self._mark(label.level, then), then, levels)
        )

    # What other kinds of entry ask

    def _rank(self, key: str) -> None:
        """A digit begins the order; the step goes on with it."""
        units, view = self._session, self._session.view
        if view is None or len(view.numbers) < int(key):
            raise UserError(f"There are {len(view.numbers) if view else 0} outputs here.")

        def look(place: int) -> None:
            self._reading.shows_response = False
            units.show_text(view.documents[place - 1].key)

        def give(entry: RankingEntry) -> None:
            (_, order), *qualities = entry.labels
            self._follow(units.decide_order(order, qualities))

        entry = RankingEntry(view.numbers, rated=not units.settles).press(key)
        self._stage.open(RankingDialog(entry, look, give, self._close))

    def _edit(self) -> None:
        units = self._session
        text = units.own.words or (units.view.text if units.view else "")

        def finish(words: str) -> str:
            self._follow(units.decide_words(EDITED, words))
            return ""

        self._stage.open(LineInput(f"{units.asks.noun}:", LineEdit.of(text), "saves", finish, self._close))

    def _add(self) -> None:
        units = self._session

        def finish(text: str) -> str:
            if not text.strip():
                return "There are no words yet."
            self._choose("category", partial(take, text))
            return ""

        def take(text: str, category: str) -> None:
            self._close()
            units.add(text, category)

        label = f"own {units.asks.adds}:"
        self._stage.open(LineInput(label, LineEdit(), "goes on to its category", finish, self._close))

    def _choose(self, axis: str, take: Callable[[str], None]) -> None:
        self._stage.open(ChoiceDialog(f"{axis}?", AXES[axis], take, self._close))

    def _take_category(self, level: str) -> None:
        self._close()
        self._session.decide_also("category", level)

    def _parts_to_copy(self) -> Mapping[str, str]:
        view, document = self._session.view, self._session.document
        if view is None:
            return {}
        return {self._session.asks.noun: view.text, "title of the text": document.title if document else ""}
