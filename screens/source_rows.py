"""A source in words: the bar above it, and the sentence that stands for a page with nothing to read."""

from datetime import datetime
from typing import Final

from medreview.review.cells import fit, width
from medreview.review.item import Source
from medreview.review.session import ReviewSession
from medreview.screens.widgets.painted import Piece, Row
from medreview.visible import visible

NOTHING_TO_READ: Final = {
    "ok": "The page was read and holds no text.",
    "http_error": "The link is dead, or its server refuses: there was an error instead of the page.",
    "timeout": "The server did not send the page in time.",
    "blocked": "The address was not opened: it is not a public web address, or the site forbids programs.",
    "too_large": "The page is larger than medreview reads.",
    "not_text": "What lies at this address is no text (a picture, a film, a data file).",
    "pdf_scan": "This PDF is a scan: pictures of pages, without any text in them.",
    "pdf_encrypted": "This PDF is locked with a password.",
    "soft_404": "The server answered with a page that says: not found.",
    "cookie_wall": "Only a question about cookies came back, not the page.",
    "paywall": "The text lies behind a paywall; nothing of it could be read.",
    "js_only": "The page is put together by JavaScript in a browser; nothing of it came with the page itself.",
    "bot_check": "The site asked for proof of a human instead of showing the page.",
    "thin": "The page holds almost no text.",
    "redirected_home": "The address leads to the site's first page, not to the page that was cited.",
}
"""For each page state, why there may be nothing on the screen to read."""


def nothing_to_read(session: ReviewSession) -> str:
    """Why the source pane has no text, in a sentence or two."""
    source = session.source
    if source is None:
        return "The response cites no source, so there is nothing to read beside the statement."
    if source.snapshot_id is None:
        return f"This source was not fetched yet; `medreview fetch STUDY` gets it.\n\n{source.url}"
    sentence = NOTHING_TO_READ.get(source.state, "There is nothing to read here.")
    found = f"\n\nFound by: {source.state_evidence}" if source.state_evidence else ""
    return f"{sentence}{found}\n\n{source.url}\n\n“5 cannot judge” says that the text at hand lets nobody decide."


def source_bar(session: ReviewSession, columns: int, position: str, hidden: int, search: str) -> Row:
    """One row: which source, from where, its state, size and date; on the right the place in it."""
    source = session.source
    if source is None:
        return [("── no source ", "rule"), ("─", "rule fill")]
    marks = [(f" · {hidden} hidden marked", "badge")] if hidden else []
    return _bar(session, source, columns, [*_state(source), *_facts(source), *marks], position, search)


def source_heading(session: ReviewSession, columns: int, position: str, hidden: int, search: str) -> list[Row]:
    """The three rows above the source where it has a pane of its own; the page's title has room there."""
    source = session.source
    if source is None:
        return [[(" no source", "dim")], [], [("─", "rule fill")]]
    below: list[Piece] = [*_facts(source)]
    title = visible(source.title)
    if hidden:
        words = f" · {hidden} hidden character{'s' if hidden > 1 else ''} shown as marks"
        fits = width(title) + sum(width(text) for text, _ in below) + len(words) + 4 <= columns
        below.append((words if fits else f" · {hidden} hidden marked", "badge"))
    room = columns - 4 - sum(width(text) for text, _ in below)
    title = fit(title, min(width(title), max(8, room)))
    if not title and below:
        below[0] = (below[0][0].removeprefix(" · "), below[0][1])
    return [
        _bar(session, source, columns, _state(source), position, search),
        [(f"   {title}", ""), *below],
        [("─", "rule fill")],
    ]


def _bar(
    session: ReviewSession, source: Source, columns: int, facts: list[Piece], position: str, search: str
) -> list[Piece]:
    right: list[Piece] = []
    if search:
        right += [
            (" ", ""),
            (fit(visible(search), min(width(visible(search)), columns // 3)), "search"),
            (" ─", "rule"),
        ]
    right.append((f" {position} ─────", "rule"))
    numbers = source_numbers(session)
    room = columns - sum(width(text) for text, _ in (*numbers, *facts, *right)) - 7
    place = visible(source.url.partition("://")[2] or source.url).rstrip("/")
    place = fit(place, min(width(place), max(12, room)))
    return [("── ", "rule"), *numbers, ("  ", ""), (place, "title"), *facts, (" ", ""), ("─", "rule fill"), *right]


def _state(source: Source) -> list[Piece]:
    return [(f" · {source.state.replace('_', ' ')}", "" if source.state == "ok" else "badge")]


def _facts(source: Source) -> list[Piece]:
    facts = [size_words(source.size)] if source.size else []
    facts += [date_words(source.fetched_at)] if source.fetched_at else []
    return [(f" · {fact}", "dim") for fact in facts]


def source_numbers(session: ReviewSession) -> list[Piece]:
    """The cited sources by number, the shown one in brackets; a range when there are many."""
    source = session.source
    count = len(session.item.sources) if session.item else 0
    if source is None:
        return []
    if count > 6:
        return [(f"[{source.number}]", "key"), (f" of {count}", "")]
    pieces: list[Piece] = []
    for number in range(1, count + 1):
        pieces.append((f"[{number}]", "key") if number == source.number else (str(number), ""))
        pieces.append((" ", ""))
    return pieces[:-1]


def size_words(size: int) -> str:
    """A size in bytes as people say it: ``14 kB``."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def date_words(stamp: str) -> str:
    """The day of a time stamp: ``9 Oct 2026``."""
    try:
        day = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp[:10]
    return f"{day.day} {day:%b %Y}"
