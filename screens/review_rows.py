"""The rows around the texts of the review screen: header, own labels, pinned figures; and glyphs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from medreview.labels import is_order
from medreview.review.cell_width import fit, width
from medreview.review.reviewer_state import ReviewerState, remarks
from medreview.review.session import ReviewSession
from medreview.review.span_editing import still_missing
from medreview.review.why_flagged import APART, short
from medreview.screens.widgets.painted import Row, StyledText
from medreview.text import counted
from medreview.units.kind import Asks
from medreview.units.statement import STATEMENT_ASKS
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.review.live_agreement import GroupView


VERDICT: Final = {
    "supported": "✓",
    "partial": "~",
    "contradicted": "✗",
    "not_addressed": "○",
    "cannot_judge": "?",
    "yes": "✓",
    "no": "✗",
    "none": "✓",
    "fact": "✗",
    "input": "✗",
    "context": "✗",
    "other": "✗",
    "good": "✓",
    "okay": "~",
    "bad": "✗",
    "present": "✓",
    "absent": "○",
    "both": "≠",
    "kept": "✓",
    "discarded": "✗",
    "edited": "~",
    "answerable": "✓",
    "not_answerable": "✗",
    "not_self_contained": "~",
    "missing": "○",
    "not_contained": "✗",
    "not_supported": "✗",
    "meaning_lost": "~",
    "removal_right": "✓",
    "removal_wrong": "✗",
    "match": "✓",
    "mismatch": "~",
    "other_work": "✗",
    "not_found": "○",
}
"""A label's glyph; of scales whose levels are numbers or orders, those stand for themselves."""

STYLE: Final = {
    "supported": "says", "yes": "says", "none": "says", "good": "says", "present": "says", "answerable": "says",
    "contradicted": "against", "no": "against", "fact": "against", "input": "against", "context": "against",
    "bad": "against", "not_answerable": "against", "not_supported": "against", "removal_wrong": "against",
    "match": "says", "other_work": "against", "not_contained": "against",
}  # fmt: skip
"""The style of a verdict, for verdicts with a style."""


def glyph(level: str) -> str:
    """What stands before a label's word; an order of outputs has no glyph of its own."""
    return "#" if is_order(level) else VERDICT.get(level, level)


def verdict_words(level: str, asks: Asks = STATEMENT_ASKS) -> str:
    """A verdict as displayed everywhere: glyph and word."""
    name = asks.level_named(level).name
    return f"{glyph(level)} {name}" if glyph(level) != name else name


class Subject(NamedTuple):
    """What the second row of the narrow header says of the unit: its short ``name``, which stays when room is short;
    ``words``, the name with what may be said beside it; the id of its record; why it is in the queue."""

    name: str
    words: str
    record: str = ""
    badges: str = ""


class HeaderPiece(NamedTuple):
    """A part of a header. ``gives``: how it gives way where there is no room, each with a rank; what has the lowest
    rank of all pieces of the row gives way first. A number: it is cut, to so many cells at least; a text stands for it
    then, ``""`` for nothing.
    """

    text: str
    style: str
    gives: tuple[tuple[int, int | str], ...] = ()


_FIRST, _EARLY, _MIDDLE, _LATE, _LAST = range(0, 100, 20)
"""Ranks: the goal and the record go first; the study, the filter and the name of the unit last."""
_GAPS: Final = (3, 2)
"""Cells between the pieces: narrower before a piece gives way."""


def header_rows(session: ReviewSession, subject: Subject | None, title: str, columns: int) -> list[Row]:
    """The two rows of the narrow header."""
    badges = [*(["BLIND"] if hides_judges(session) else []), *_read_only(session)]
    return [
        fitted([*_place(session, title, badges)], _goal(session), columns),
        _subject(session, subject, columns),
    ]


def wide_header_rows(session: ReviewSession, title: str, columns: int, *, flagged: bool = False) -> list[Row]:
    """The one row of the wide header: place and counts, then mode, reviewer and filter.

    ``flagged``: with the reasons for a flag, where no queue stands beside the texts.
    """
    blind = hides_judges(session)
    right = [
        *_goal(session),
        *(HeaderPiece(word, "badge") for word in _read_only(session)),
        HeaderPiece("BLIND", "badge") if blind else HeaderPiece("judges shown", "dim", ((_EARLY + 1, ""),)),
        HeaderPiece(f"reviewer {visible(session.reviewer)}", "dim", ((_EARLY, ""),)),
        *_order(session),
        *_filter(session),
    ]
    *place, tally = _place(session, title, [])
    why = short(session.badges) if flagged else ""
    first = why.partition(APART)[0]
    flag = HeaderPiece(visible(why), "badge", ((_MIDDLE + 3, visible(first)), (_LATE - 1, 12)))
    return [fitted([*place, flag, tally], right, columns)]


def hides_judges(session: ReviewSession) -> bool:
    """Whether the header says that it is blind: not any more once the judges of the unit are shown."""
    return session.mode == "blind" and not session.shows_judges


def fitted(left: Sequence[HeaderPiece], right: Sequence[HeaderPiece], columns: int) -> Row:
    """Pieces from the left and from the right that never touch: where there is no room, one after the other gives way.

    ``right`` ends before the last column.
    """
    pieces = [piece for piece in (*left, *right) if piece.text]
    at_right = sum(1 for piece in right if piece.text)
    said = [piece.text for piece in pieces]
    steps = sorted((rank, place, to) for place, piece in enumerate(pieces) for rank, to in piece.gives)

    def over(gap: int) -> int:
        shown = [width(text) for text in said if text]
        return sum(shown) + gap * (len(shown) - 1) + 2 - columns

    gap = next((gap for gap in _GAPS if over(gap) <= 0), _GAPS[-1])
    for _, place, to in steps:
        if (more := over(gap)) <= 0:
            break
        here = width(said[place])
        if isinstance(to, str):
            said[place] = to
        elif here > to:
            said[place] = fit(said[place], max(to, here - more))
    row: list[StyledText] = []
    first = len(pieces) - at_right
    for place, (piece, text) in enumerate(zip(pieces, said, strict=True)):
        if place == first:
            row.append(("", "fill"))
        if text:
            row.append((f"{' ' * (gap if row and place != first else 1)}{text}", piece.style))
    return [*row, (" ", "")]


def said_by_me(session: ReviewSession) -> str:
    """What I said of the unit on the screen, in a few words; ``""`` for nothing yet."""
    mine = own_words(session.own, session.draft is not None, session.asks, session.order_words, session.also_words)
    return " · ".join(filter(None, (mine, *(f"note of {note.reviewer} (W)" for note in session.others_notes))))


def own_words(
    own: ReviewerState, draft: bool = False, asks: Asks = STATEMENT_ASKS, order: str = "", also: Sequence[str] = ()
) -> str:
    """What I said of a unit, in a few words, and whether I began a note; ``""`` for nothing yet.

    ``order``: a label that is an order, as the screen says it; ``also``: labels on further axes.
    """
    words = ["STALE: page changed"] if own.stale else []
    if own.label:
        first = f" (first {asks.level_named(own.first).name})" if own.first and own.first != own.label else ""
        words.append(f"{order or verdict_words(own.label, asks)}{first}")
        words += also
        words += [f"“{own.words}”"] if own.words else []
    elif own.deferred:
        words.append("deferred")
    words += remarks(own)
    if asks.entry == "spans" and own.label:
        missing = still_missing(own.label, own.spans)
        words += [missing] if missing else [counted(len(own.spans), "place")] if own.spans else []
    if own.note:
        words.append("note")
    if draft:
        words.append("draft of a note (n)")
    return " · ".join(words)


def _place(session: ReviewSession, title: str, badges: Sequence[str]) -> list[HeaderPiece]:
    """Study, queue, place in it, ``badges``, and counts that add up."""
    counts, size, queue = session.counts, len(session.queue.units), session.queue.kind.title
    position = session.position + 1 if size else 0
    tally = f"decided {counts.decided} · deferred {counts.deferred} · open {counts.open}"
    return [
        HeaderPiece(visible(title), "title", ((_FIRST + 1, 12), (_LATE + 2, 6), (_LAST, ""))),
        HeaderPiece(queue, "", ((_MIDDLE + 2, 12), (_LATE, ""))),
        HeaderPiece(f"{position} of {size}", "title", ((_LATE + 1, f"{position}/{size}"),)),
        *(HeaderPiece(word, "badge") for word in badges),
        HeaderPiece(tally, "dim", ((_MIDDLE, f"open {counts.open}"), (_MIDDLE + 1, ""))),
    ]


def _goal(session: ReviewSession) -> list[HeaderPiece]:
    """How far the goal of the sitting is, as much of it as has room."""
    words = session.goal.words if session.goal is not None else ""
    return [HeaderPiece(words, "title", ((_FIRST, words.partition(" · ")[0]), (_FIRST + 2, "")))] if words else []


def _subject(session: ReviewSession, subject: Subject | None, columns: int) -> Row:
    """What the unit is part of and why it is in the queue; on the right my own labels and the filter.

    The id of the record where it has room; ids often name the model, so that they are hidden as long as that is. My own
    labels are cut after the flag, whose words stand above the keys too.
    """
    if subject is None:
        return fitted([], _filter(session), columns)
    mine = said_by_me(session)
    name = visible(subject.name)
    left = [
        HeaderPiece(visible(subject.words), "", ((_EARLY, name),)),
        HeaderPiece(visible(subject.record), "dim", ((_FIRST, ""),)),
        HeaderPiece(visible(subject.badges), "badge", ((_EARLY, 16), (_EARLY + 2, ""))),
    ]
    said = [
        HeaderPiece(
            visible(f"you: {mine}") if mine else "",
            "badge" if session.own.stale else "own",
            ((_EARLY + 3, 32), (_MIDDLE + 1, 12), (_LATE + 1, "")),
        )
    ]
    return fitted(left, [*said, *_order(session), *_filter(session)], columns)


def _order(session: ReviewSession) -> list[HeaderPiece]:
    """From what the order of the queue was learned, as much of it as has room."""
    words = session.learned.words if session.learned is not None else ""
    return [HeaderPiece(words, "dim", ((_EARLY + 2, words.partition(":")[0]), (_MIDDLE + 1, "")))] if words else []


def _read_only(session: ReviewSession) -> list[str]:
    return [] if session.study.writable else ["READ-ONLY"]


def _filter(session: ReviewSession) -> list[HeaderPiece]:
    words = f"filter: {visible(session.queue.filter)}" if session.queue.filter else ""
    return [HeaderPiece(words, "title", ((_FIRST + 3, 40), (_LATE + 3, 12), (_LAST + 1, "")))]


_PANEL_ROWS: Final = 3
_COUNTING: Final = "your labels are being counted"


def pinned_height(*, one: bool) -> int:
    """How many rows they have, in one column or in panes."""
    return 1 if one else _PANEL_ROWS


def pinned_rows(view: "GroupView | None", columns: int, *, one: bool) -> list[Row]:
    """The figures, ``None`` while they are counted for the first time, in so many rows."""
    return [_bar(view, columns)] if one else _panel(view)


def _bar(view: "GroupView | None", columns: int) -> Row:
    """One row, drawn as a rule: the group, agreement, what of it is beyond chance, as far as that has room, and of how
    many labels."""
    parts = [_COUNTING] if view is None else [view.group.title, *_figures(view), _number(view)]
    while len(parts) > 2 and sum(map(width, parts)) + 2 * len(parts) + 3 > columns:
        parts.pop(-2)
    told = "  ".join(parts)
    return [("── ", "rule"), (fit(told, min(width(told), columns - 4)), ""), (" ", ""), ("─", "rule fill")]


def _panel(view: "GroupView | None") -> list[Row]:
    """The same in three rows."""
    title = "you and the judges" if view is None else view.group.title
    rows: list[Row] = [[(f" ── {title} ", "rule"), ("─", "rule fill"), (" ", "")]]
    if view is None:
        return [*rows, [(f" {_COUNTING}", "dim")], []]
    agreement, kappa, ac1 = _figures(view)
    return [*rows, [(f" {agreement}   {_number(view)}", "")], [(f" {kappa}   {ac1}", "")]]


def _figures(view: "GroupView") -> list[str]:
    from medreview.stats.formulas.estimate import brief

    return [f"agree {brief(view.agreement)}", f"beyond chance: kappa {brief(view.kappa)}", f"AC1 {brief(view.ac1)}"]


def _number(view: "GroupView") -> str:
    two = "" if len(view.scale.labels) > 2 else ", two-way"
    clusters = f" in {counted(view.kappa.clusters, view.kappa.cluster)}" if view.kappa.clusters else ""
    return f"n {view.agreement.n:,}{clusters}{two}"
