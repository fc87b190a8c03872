"""The top of the review screen in words: study, queue, place, counts; the subject, badges, own labels, filter."""

from collections.abc import Sequence
from typing import NamedTuple

from medreview.review.deciding import Deciding
from medreview.review.layout.cells import fit, width
from medreview.review.reviewer_state import ReviewerState, remarks
from medreview.review.span_rules import still_missing
from medreview.screens.glyphs import verdict_words
from medreview.screens.widgets.painted import Row, StyledText
from medreview.units.asks import STATEMENT, Asks
from medreview.visible import visible
from medreview.words import counted


class Subject(NamedTuple):
    """What the second row of the narrow header says of the unit: its short ``name``, which stays when room is short;
    ``words``, the name with what may be said beside it; the id of its record; why it is in the queue."""

    name: str
    words: str
    record: str = ""
    badges: str = ""


def header_rows(session: Deciding, subject: Subject | None, title: str, columns: int) -> list[Row]:
    """The two rows of the narrow header."""
    return [_place(session, title, columns), _subject(session, subject, columns)]


def wide_header_rows(session: Deciding, title: str, columns: int) -> list[Row]:
    """The one row of the wide header: place and counts, then mode, reviewer and filter."""
    blind = session.mode == "blind"
    right = [
        *[(f"{word}   ", "badge") for word in _read_only(session)],
        ("BLIND" if blind else "judges shown", "badge" if blind else "dim"),
        (f"   reviewer {session.reviewer}", "dim"),
        *_filter(session, "   "),
        (" ", ""),
    ]
    room = columns - sum(width(visible(text)) for text, _ in right)
    return [[*_place(session, title, room, mode=False), *right]]


def said_by_me(session: Deciding) -> str:
    """What I said of the unit on the screen, in a few words; ``""`` for nothing yet."""
    mine = own_words(session.own, session.draft is not None, session.asks, session.order_words, session.also_words)
    return " · ".join(filter(None, (mine, *(f"note of {note.reviewer} (W)" for note in session.others_notes))))


def own_words(
    own: ReviewerState, draft: bool = False, asks: Asks = STATEMENT, order: str = "", also: Sequence[str] = ()
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


def _place(session: Deciding, title: str, columns: int, mode: bool = True) -> Row:
    counts = session.counts
    size = len(session.queue.units)
    position = f"{session.position + 1 if size else 0} of {size}"
    tally = f"decided {counts.decided} · deferred {counts.deferred} · open {counts.open}"
    blind: list[str] = ["BLIND"] if mode and session.mode == "blind" else []
    if mode:
        blind += _read_only(session)
    fixed = [session.queue.kind.title, position, *blind, tally]
    title = visible(title)
    taken = sum(map(width, fixed)) + 1
    goal = _goal(session, columns - taken - 2 * len(fixed))
    columns -= sum(width(text) for text, _ in goal)
    gap = 3 if taken + 3 * len(fixed) + width(title) <= columns else 2
    room = columns - taken - gap * len(fixed)
    pieces: list[StyledText] = [(" ", "")]
    if room >= min(6, width(title)):
        pieces.append((fit(title, min(room, width(title))) + " " * gap, "title"))
    else:
        gap = 2
    pieces.append((session.queue.kind.title + " " * gap, ""))
    pieces.append((position + " " * gap, "key"))
    pieces += [(word + " " * gap, "badge") for word in blind]
    return [*pieces, (tally, "dim"), ("", "fill"), *goal]


def _goal(session: Deciding, room: int) -> list[StyledText]:
    """How far the goal of the sitting is, as much of it as has room."""
    words = session.goal.words if session.goal is not None else ""
    fitting = (text for text in (words, words.partition(" · ")[0]) if text and width(text) + 1 <= room)
    return [(f"{text} ", "key") for text in fitting][:1]


def _subject(session: Deciding, subject: Subject | None, columns: int) -> Row:
    """What the unit is part of and why it is in the queue; on the right my own labels and the filter.

    The id of the record where it has room; ids often name the model, so that they are hidden as long as that is.
    """
    if subject is None:
        return [("", "fill"), *_filter(session, ""), (" ", "")]
    name, badges = subject.words, subject.badges
    mine = said_by_me(session)
    narrowed = _filter(session, "  " if mine else "")
    room = columns - width(visible(subject.name)) - 4 - sum(width(visible(text)) for text, _ in narrowed)
    mine = fit(f"you: {mine}", min(width(mine) + 5, max(12, room))) if mine else ""
    right: list[StyledText] = [(mine, "badge" if session.own.stale else "good"), *narrowed]
    room = columns - 2 - sum(width(visible(text)) for text, _ in right)
    left: list[StyledText] = [(f" {_named(visible(subject.name), visible(name), room // 2)}", "")]
    room -= width(left[0][0]) + 5
    record = visible(subject.record)
    if record and width(record) + 3 <= room - width(badges):
        left.append((f" · {record}", "dim"))
    if badges and room > 8:
        left.append(("   " + fit(badges, min(width(badges), room)), "badge"))
    return [*left, ("", "fill"), *right, (" ", "")]


def _named(name: str, words: str, room: int) -> str:
    """The name with as much of what may be said beside it as has room; the name is never cut."""
    return fit(words, min(width(words), room)) if room > width(name) + 1 else name


def _read_only(session: Deciding) -> list[str]:
    return [] if session.study.writable else ["READ-ONLY"]


def _filter(session: Deciding, before: str) -> list[StyledText]:
    return [(f"{before}filter: {session.queue.filter}", "key")] if session.queue.filter else []
