"""What stands above a text: its bar, its reference, quotes that are not in it, sources in conflict; why it is empty."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from medreview.labels import SET_APART
from medreview.next_step import command
from medreview.review.above_page import AbovePage, AbsentQuote, ConflictSide
from medreview.review.cell_width import fit, fit_words, width
from medreview.review.judge_words import state_words
from medreview.review.session import ReviewSession
from medreview.review.wrapping import prose_rows
from medreview.screens.widgets.painted import LINK, Row, StyledText, cells, wrapped
from medreview.sources.ocr_pages import BY_OCR, NO_TEXT_BY_OCR, OCR_OFFER, pages_in_words, words_in_doubt
from medreview.sources.reading.text_structure import SetApart
from medreview.study.ids import STATEMENT
from medreview.text import counted
from medreview.units.cited_source import Source
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.units.checked_reference import SourceReference


_TAIL: Final = 10
"""Cells of an address behind its host that distinguish two pages."""


def source_name(sources: Sequence[Source], shown: Source) -> str:
    """The source as the answer names it, and of how many: ``[3] of 5``. Where its number is not its place, that too:
    ``[7] · 2 of 3``. Alone, without a number of them."""
    if len(sources) < 2:
        return shown.bracketed
    place = "" if shown.name == str(shown.place) else f" · {shown.place}"
    return f"{shown.bracketed}{place} of {len(sources)}"


def address_of(source: Source) -> str:
    """The address without scheme and ``www.``."""
    address = source.url.partition("://")[2] or source.url or source.domain
    return visible(address).rstrip("/").removeprefix("www.")


def host_of(source: Source) -> str:
    """The host as people say it."""
    return visible(source.domain).removeprefix("www.") or address_of(source)


def link_of(source: Source, shown: str) -> str:
    """The style of a link to a source whose address is ``shown``; ``""`` where its host is not, and for an address with
    anything but plain signs in it, which could steer a terminal or mislead the eye."""
    plain = source.url.isascii() and source.url.isprintable() and " " not in source.url
    web = source.url.startswith(("https://", "http://"))
    return f"{LINK}{source.url}" if plain and web and shown.startswith(host_of(source)) else ""


def shares_host(source: Source, sources: Sequence[Source]) -> bool:
    """Whether another page of the same host is among the sources."""
    return any(other.domain == source.domain and other is not source for other in sources)


def least(source: Source, sources: Sequence[Source]) -> int:
    """Cells that an address needs to distinguish the source from the others."""
    whole = width(address_of(source))
    return min(whole, width(host_of(source)) + (_TAIL if shares_host(source, sources) else 0))


def short_address(source: Source, sources: Sequence[Source], room: int, *, host_only: bool = False) -> str:
    """The address in at most ``room`` cells: whole, or cut at its end (``host_only``: without its path). Where another
    page of the host is among the sources, the host and that part of the path that only this page has."""
    address, host = address_of(source), host_of(source)
    if width(address) <= room:
        return address
    if not shares_host(source, sources):
        words = host if host_only else address
        return fit(words, min(room, width(words)))
    others = [address_of(other) for other in sources if other.domain == source.domain and other is not source]
    differs = max(_same(address, other) for other in others)
    start = address.rfind("/", 0, differs + 1) + 1
    kept = width(host) if width(host) * 2 <= room else room * 2 // 5
    tail = max(_TAIL, room - kept) - 2
    if differs - start >= tail - 3:
        start = differs - 3
    path = f"/…{fit(address[start:], min(tail, width(address[start:])))}"
    return fit(host, min(width(host), room - width(path))) + path


def _same(one: str, other: str) -> int:
    """How far two texts are the same from their start on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, its) in pairs if mine != its), min(len(one), len(other)))


IN_PANES: Final = 3
"""Rows that it takes where the source has a pane of its own."""

_KEY: Final = (" L both readings ──", " L ──")
"""How to see more of it, in as many words as have room."""


def reference_height(reference: "SourceReference | None", *, one: bool) -> int:
    """Rows that it takes above the source; none where all is well: the bar has a word for that."""
    return 0 if reference is None or not reference.worth_a_row else 1 if one else IN_PANES


def reference_rows(reference: "SourceReference", columns: int, most: int) -> list[Row]:
    """The verdict with what it is about, cut where there is one row for it; in further rows also why."""
    said = _one_line(reference.said)
    told = next((words for words in _KEY if width(words) + width(said) + 4 <= columns), _KEY[-1])
    room = columns - width(told) - 4
    first, *others = [_cut(reference, room)] if most == 1 else _wrapped(said, room)[:most]
    rows: list[Row] = [[("   ", ""), (first, "badge"), ("", "fill"), (told[:2], "key"), (told[2:], "rule")]]
    rows += ([("   ", ""), (line, "badge")] for line in others)
    more = _wrapped(_one_line(reference.more), columns - 4)
    left = most - len(rows)
    if len(more) > left > 0:
        more = [*more[: left - 1], f"{more[left - 1][: columns - 5]}…"]
    return [*rows, *([("   ", ""), (line, "dim")] for line in more[:left])]


def _cut(reference: "SourceReference", room: int) -> str:
    """What is said, with as much of what it is about as there is room for; the closing quotation mark stays."""
    verdict, about, year = (_one_line(part) for part in (reference.verdict, reference.about, reference.year))
    end = "”" if about.endswith("”") else ""
    left = room - width(verdict) - width(reference.year) - 2
    if width(about) > left:
        about = f"{fit(about, max(1, left - width(end)))}{end}"
    said = f"{verdict}{': ' if about else ''}{about}{' ' if year else ''}{year}"
    return fit(said, min(width(said), room))


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))


def _wrapped(text: str, columns: int) -> list[str]:
    return [text[start:end].rstrip() for start, end in prose_rows(text, 0, len(text), max(1, columns))] if text else []


def reference_fact(reference: "SourceReference | None") -> list[StyledText]:
    """A word in the bar for a reference that is fine."""
    return [(f" · {reference.said}", "dim")] if reference is not None and not reference.worth_a_row else []


NOTHING_TO_READ: Final = {
    "ok": "The page was read and holds no text.",
    "http_error": "The link is dead, or its server refuses: there was an error instead of the page.",
    "timeout": "The server did not send the page in time.",
    "blocked": "The address was not opened: it is not a public web address, or the site forbids programs.",
    "too_large": "The page is larger than medreview reads.",
    "unreadable": "The page came and could not be read: that took too long or too much memory, or broke down.",
    "not_text": "There is no text at this address (a picture, a film, a data file).",
    "pdf_scan": "This PDF is a scan: pictures of pages, without any text in them.",
    "pdf_encrypted": "This PDF is locked with a password.",
    "soft_404": "The server answered with a page that says: not found.",
    "cookie_wall": "Only a question about cookies came back, not the page.",
    "paywall": "The text lies behind a paywall; nothing of it could be read.",
    "js_only": "The page is put together by JavaScript in a browser; nothing of it came with the page itself.",
    "bot_check": "The site asked for proof of a human instead of showing the page.",
    "thin": "The page holds almost no text.",
    "redirected_home": "The address leads to the site's first page, not to the page that was cited.",
    "given_with_the_answer": "The text that came with the answer is empty.",
    "excerpt": "The passage that came with the answer is empty.",
    "given_by_reviewer": "The text that a reviewer gave is empty.",
}
"""For each page state, why there may be nothing on the screen to read."""

_WARNINGS: Final = (
    ("retract", "RETRACTED"),
    ("withdrawn", "WITHDRAWN"),
    ("expression of concern", "concern"),
    ("with its abstract", "abstract only"),
    ("was cut after", "cut short"),
    ("only the first", "cut short"),
)
"""What a page's evidence may say of a text that was read, and the word for it beside the page's state."""

_NOTICES: Final = 4_000
"""Code points at the top of a text among which its notices are looked for."""

_HEADING: Final = 24
"""Cells for a heading before the whole address is shown beside it."""

_SHORTEST: Final = 8
"""Fewer cells of a heading say nothing."""

_DOMAIN: Final = 12
"""Cells of the domain for which size and date give way."""

_NAMED: Final = 12
"""Cells of the name of a text that say which it is."""

_CITED: Final = (" · cited here", "")
"""Behind a source that the statement itself cites."""


class Where(NamedTuple):
    """A place in a source: in words (``p. 3/12 · 31%``), and the headings above it, the outermost first.

    ``by_ocr``: that the page there was read by OCR, and how sure that was (``read by OCR 93%``); else empty.
    """

    position: str = ""
    path: tuple[str, ...] = ()
    by_ocr: str = ""


def nothing_to_read(session: ReviewSession) -> str:
    """Why the main pane has no text, in a sentence or two."""
    if not of_statements(session):
        view, document = session.view, session.document
        if document is None:
            return view.missing if view and view.missing else "There is no text to read beside it."
        return document.state_words or NOTHING_TO_READ.get(document.state, "This text is empty.")
    source = session.source
    if source is None:
        return "The response cites no source, so there is nothing to read beside the statement."
    if source.snapshot_id is None:
        fetch = command("fetch", session.study.path)
        if not source.url:
            return f"{source.domain} has no address, and its text did not come with the answer. Give it with F8."
        return f"This source was not fetched yet; `{fetch}` gets it.\n\n{source.url}"
    sentence = NOTHING_TO_READ.get(source.state, "There is nothing to read here.")
    if source.state == "pdf_scan" and NO_TEXT_BY_OCR not in source.state_evidence:
        sentence += f" {OCR_OFFER}"
    found = f"\n\nFound by: {source.state_evidence}" if source.state_evidence else ""
    return f"{sentence}{found}\n\n{source.url}\n\n“5 cannot judge” says that the text at hand lets nobody decide."


WHOLE_PAGE: Final = "[medreview: everything on the page, to read and search; x goes back to what is judged and marked]"
"""Stands above the whole page."""


CLOSED: Final = ("hidden", "collapsed")
"""The kinds of text, of those that are set apart, that have a sign beside them in the source."""


_SIGNS: Final = {
    "hidden": "╳ is beside text that who looks at the page does not see.",
    "collapsed": "┊ is beside text that the page shows when a panel is opened.",
}


_NOTHING: Final = "No passage is like the statement, so nothing is lit."
_DOUBTFUL: Final = "? before a word: OCR may have read it wrong, look at the page."
"""What the sign says that the source pane draws before words in doubt."""


APART_NOTES: Final = {
    "alt": "words for a picture, not of the text",
    "boilerplate": "in a menu or a footer of the page",
}
"""Under a marked place that has no sign beside it and stands in such text: what the text is."""


def apart_words(parts: Sequence[SetApart]) -> str:
    """How much of a text does not stand open on its page: ``collapsed: 2 parts, 310 characters``; empty for none."""
    kinds = [(kind, [part.end - part.start for part in parts if part.kind == kind]) for kind in SET_APART]
    told = (f"{kind}: {counted(len(of), 'part')}, {counted(sum(of), 'character')}" for kind, of in kinds if of)
    return "; ".join(told)


def preface(session: ReviewSession, text: str, parts: Sequence[SetApart]) -> str:
    """Notices on the text that a session has, the one on the screen or the one ahead of it."""
    if of_statements(session):
        source, nothing = session.source, session.source_highlights().nothing
        return said_of_page(source, text, parts, nothing=nothing) if source else ""
    document = session.document
    return f"[medreview: {document.state_words}]" if document and document.state_words else ""


def said_of_page(source: Source, text: str, parts: Sequence[SetApart] = (), *, nothing: bool = False) -> str:
    """Notices on a page whose text can be read: why it may not be what was cited, what the signs beside it mean, that
    ``nothing`` in it is like the statement.

    The notices that a record's text begins with, such as a retraction, are not said twice.
    """
    kinds = {part.kind for part in parts}
    signs = [words for kind, words in _SIGNS.items() if kind in kinds]
    signs += [_DOUBTFUL] if words_in_doubt(source.by_ocr) else []
    said = source.state_evidence
    if source.state == "instructions":
        said = f"words that speak to judges: “{said}”"
    else:
        for line in text[:_NOTICES].split("\n"):
            if not line or not said.startswith(line):
                break
            said = said.removeprefix(line).lstrip()
    words = " ".join(filter(None, (said, *signs, _NOTHING if nothing else "")))
    return f"[medreview: {words}]" if words else ""


def of_statements(session: ReviewSession) -> bool:
    """Whether the units of a session are statements."""
    return session.asks.name == STATEMENT


def text_bar(session: ReviewSession, columns: int, where: Where, hidden: int, search: str, *, one: bool) -> list[Row]:
    """Which text is in the main pane, its state, the place in it: one row, or three where it has a pane of its own, in
    which its headings have room, or the names of all texts."""
    if of_statements(session):
        if one:
            return [source_bar(session, columns, where, hidden, search)]
        return source_heading(session, columns, where, hidden, search)
    bar = _document_bar(session, columns, where, hidden, search)
    if one:
        return [bar]
    heading = visible(" › ".join(where.path))
    below: Row = [(f"   {fit(heading, min(width(heading), columns - 4))}", "")] if heading else _texts(session, columns)
    return [bar, below, [("─", "rule fill")]]


def _document_bar(session: ReviewSession, columns: int, where: Where, hidden: int, search: str) -> Row:
    view, document = session.view, session.document
    if view is None or document is None:
        return [("── no text ", "rule"), ("─", "rule fill")]
    place = f"{session.place + 1} of {len(view.documents)} " if len(view.documents) > 1 else ""
    left: list[StyledText] = [("── ", "rule"), (place, "dim"), (visible(document.title), "title")]
    state = state_words(document.state) if document.state not in ("", "ok") else ""
    left += [
        (f" · {words}", "badge") for words in (state, where.by_ocr, f"{hidden} hidden marked" * bool(hidden)) if words
    ]
    right: list[StyledText] = [(f" {visible(search)} ─", "search")] if search else []
    right.append((f" {where.position} ─────" if where.position else "──", "rule"))
    title, room = left[2][0], columns - cells([*left[:2], *left[3:]]) - cells(right) - 2
    left[2] = (fit(title, min(width(title), max(8, room))), "title")
    return [*left, (" ", ""), ("─", "rule fill"), *right]


def _texts(session: ReviewSession, columns: int) -> Row:
    """The texts to read beside the unit, where there is more than one."""
    view = session.view
    if view is None or len(view.documents) < 2:
        return []
    row: list[StyledText] = [("  ", "")]
    for number, document in enumerate(view.documents):
        if number < session.place - 1:
            continue
        words = f" {number + 1} {visible(document.title)} "
        room = columns - 1 - cells(row)
        if room < width(words) and room < width(words.strip().partition(" ")[0]) + _NAMED:
            row.append((" …" if room > 1 else "", "dim"))
            break
        row.append((fit_words(words, room), "title" if number == session.place else "dim"))
        if room < width(words):
            break
    return row


def source_bar(session: ReviewSession, columns: int, where: Where, hidden: int, search: str) -> Row:
    """One row: which source, from where, its state, size and date; on the right the heading and the place in it."""
    source = session.source
    if source is None:
        return [("── no source ", "rule"), ("─", "rule fill")]
    marks = [(f" · {hidden} hidden marked", "badge")] if hidden else []
    below = where.path[-1] if where.path else source.title
    facts = [*_state(source, where), *_facts(source), *reference_fact(session.reference), *marks]
    return _bar(session, source, columns, facts, where, search, visible(below))


def source_heading(session: ReviewSession, columns: int, where: Where, hidden: int, search: str) -> list[Row]:
    """The three rows above the source where it has a pane of its own: title and headings have room there."""
    source = session.source
    if source is None:
        return [[(" no source", "dim")], [], [("─", "rule fill")]]
    _, *warnings = _state(source, where)
    told = [*([_CITED] if source.cited else []), *warnings]
    known = reference_fact(session.reference)
    known += [(f" · {counted(hidden, 'hidden character')} shown as marks", "badge")] if hidden else []
    room = columns - cells(told) - cells(known) - 7
    choices: tuple[list[StyledText], ...] = (
        _facts(source, "fetched "),
        _facts(source, "fetched ")[1:],
        _facts(source)[1:],
        [],
    )
    facts = [*next(facts for facts in choices if cells(facts) <= room or not facts), *known]
    return [
        _bar(session, source, columns, _state(source, where)[:1], where, search, cited=False),
        [("   ", ""), *_title_and_path(visible(source.title), tuple(map(visible, where.path)), columns - 4)],
        [*_in_rule(told), ("─", "rule fill"), *_in_rule(facts)],
    ]


def _in_rule(facts: Sequence[StyledText]) -> list[StyledText]:
    """Facts with a rule on either side."""
    if not facts:
        return []
    (first, style), *others = facts
    return [("──", "rule"), (first.removeprefix(" ·"), style), *others, (" ──", "rule")]


def _title_and_path(title: str, path: tuple[str, ...], room: int) -> list[StyledText]:
    """The headings, after the title where there is room for both; of a path too long, the deepest headings."""
    if not path:
        return [(fit(title, min(width(title), room)), "")]
    below = path[1:] if path[0] in title else path
    if title and width(title) + sum(width(heading) + 3 for heading in below) <= room:
        return [(title, "dim" if below else ""), *((f" › {heading}", "") for heading in below)]
    for first in range(len(path)):
        words = ("… › " if first else "") + " › ".join(path[first:])
        if width(words) <= room:
            return [(words, "")]
    return [(fit(path[-1], room), "")]


def _bar(
    session: ReviewSession,
    source: Source,
    columns: int,
    facts: list[StyledText],
    where: Where,
    search: str,
    below: str = "",
    *,
    cited: bool = True,
) -> list[StyledText]:
    """``below``: the heading or title to put into the rule, if the address can give way to its domain for it;
    ``cited``: whether it says that the statement cites the source."""
    right: list[StyledText] = []
    if search:
        right += [
            (" ", ""),
            (fit(visible(search), min(width(visible(search)), columns // 3)), "search"),
            (" ─", "rule"),
        ]
    right.append((f" {where.position} ──{'' if below else '───'}" if where.position else "──", "rule"))
    sources = session.item.sources if session.item else (source,)
    enough = min(least(source, sources), max(_DOMAIN, columns // 3))
    own = [_CITED] if source.cited and cited else []
    start = [("── ", "rule"), (source_name(sources, source), "title"), *own, ("  ", "")]

    def room() -> int:
        return columns - cells((*start, *facts, *right)) - 2

    while room() < enough and (lesser := [fact for fact in facts if fact[1] == "dim"]):
        facts = [fact for fact in facts if fact is not lesser[0]]
    if room() < enough:
        start = [piece for piece in start if piece not in own]
    left = max(_DOMAIN, room())
    heading: list[StyledText] = []
    if below:
        address = short_address(source, sources, max(enough, left - _HEADING - 3), host_only=True)
        if (most := left - width(address) - 3) >= _SHORTEST:
            heading = [("─ ", "rule"), (fit(below, min(width(below), most)), ""), (" ", "")]
    if not heading:
        address = short_address(source, sources, left)
    return [
        *start,
        (address, f"title {link_of(source, address)}".rstrip()),
        *facts,
        (" ", ""),
        *heading,
        ("─", "rule fill"),
        *right,
    ]


def _state(source: Source, where: Where) -> list[StyledText]:
    """The page's state in a word or two, and what else its evidence warns of; that the page one is at was read by OCR,
    or which others were."""
    evidence = source.state_evidence.lower()
    state = (f" · {state_words(source.state)}", "" if source.state == "ok" else "badge")
    warnings = [word for sign, word in _WARNINGS if sign in evidence]
    if source.by_ocr:
        warnings.insert(0, where.by_ocr or f"{pages_in_words(source.by_ocr)} {BY_OCR}")
    elif source.state == "ok" and evidence and not warnings:
        warnings = ["see top"]
    return [state, *((f" · {word}", "badge") for word in warnings)]


def _facts(source: Source, fetched: str = "") -> list[StyledText]:
    facts = [size_words(source.size)] if source.size else []
    facts += [f"{fetched}{date_words(source.fetched_at)}"] if source.fetched_at else []
    return [(f" · {fact}", "dim") for fact in facts]


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


_BESIDE_FROM: Final = 90
"""Columns from which two sources stand side by side where the page has a pane of its own."""
_QUOTE_ROWS: Final = 3
"""Of a quote, or of a passage, in a pane of its own."""
_FEW_QUOTES: Final = 2
_SAYS: Final = {"supported": ("✓ supports", "says"), "contradicted": ("✗ contradicts", "against")}


def strip_rows(above: AbovePage, shown: str | None, columns: int, *, one: bool, tall: bool) -> list[Row]:
    """All of it; in one column one quote, or the two sources side by side, in few rows where it is not ``tall``.
    ``shown``: the source on the screen."""
    rows: list[Row] = []
    margin: list[StyledText] = [] if one else [(" ", "")]
    room = columns - len(margin)
    for quote in above.absent[: 1 if one else _FEW_QUOTES]:
        rows += _absent_rows(quote, above.nearest, room, _QUOTE_ROWS if tall or not one else 1)
    if above.conflict and not (one and rows):
        beside = one or columns >= _BESIDE_FROM
        rows += (_side_by_side if beside else _stacked)(
            above.conflict, shown, room, _QUOTE_ROWS if tall or not one else 2
        )
    return [[*margin, *row] for row in rows]


def _absent_rows(said: AbsentQuote, nearest: bool, columns: int, most: int) -> list[Row]:
    """A box: whose quote is not here, its words, and how often the telling ones are."""
    first, *others = said.hits or (None,)
    facts = [f"{first.words}: {counted(first.times, 'hit')}"] if first else []
    facts += [f"{one.words}: {one.times}" for one in others if one]
    last: list[StyledText] = [("nearest: ", ""), ("m", "key")] if nearest else [("nothing is like it", "")]
    while facts and cells([(" · ".join((*facts, "")), ""), *last]) > columns - 4:
        facts.pop()
    rows = _passage(f"“{said.quote}”", columns - 4, most)
    return [
        _edge("┌", [(f" {visible(said.whose)} is NOT on this page ", "badge")], "┐", columns),
        *([("│ ", "rule"), (row, ""), ("", "fill"), (" │", "rule")] for row in rows),
        _edge("└", [(f" {visible(' · '.join((*facts, '')))}", ""), *last, (" ", "")], "┘", columns),
    ]


def _edge(first: str, told: Sequence[StyledText], last: str, columns: int) -> Row:
    room = columns - 2
    kept = [(fit(text, min(width(text), room)), style) for text, style in told]
    return [(first, "rule"), *kept, ("─", "rule fill"), (last, "rule")]


def _stacked(sides: Sequence[ConflictSide], shown: str | None, columns: int, most: int) -> list[Row]:
    """One below the other."""
    rows: list[Row] = []
    for place, side in enumerate(sides):
        corners = "┌┐" if place == 0 else "├┤"
        rows.append([(corners[0], "rule"), *_side_heading(side, shown, columns - 2), (corners[1], "rule")])
        style = _SAYS[side.verdict][1]
        passage = _passage(side.passage, columns - 4, most)
        rows += ([("│ ", "rule"), (row, style), ("", "fill"), (" │", "rule")] for row in passage)
    return [*rows, [("└", "rule"), ("─", "rule fill"), ("┘", "rule")]]


def _side_by_side(sides: Sequence[ConflictSide], shown: str | None, columns: int, most: int) -> list[Row]:
    """Side by side: as many rows as the longer passage has."""
    left = (columns - 3) // 2
    rooms = left, columns - 3 - left
    passages = [_passage(side.passage, room - 2, most) for side, room in zip(sides, rooms, strict=True)]
    first, second = (_side_heading(side, shown, room) for side, room in zip(sides, rooms, strict=True))
    rows: list[Row] = [[("┌", "rule"), *first, ("┬", "rule"), *second, ("┐", "rule")]]
    for number in range(max(map(len, passages))):
        row: list[StyledText] = [("│", "rule")]
        for side, passage, room in zip(sides, passages, rooms, strict=True):
            text = passage[number] if number < len(passage) else ""
            row += [(" ", ""), (text, _SAYS[side.verdict][1]), (" " * (room - 1 - width(text)), ""), ("│", "rule")]
        rows.append(row)
    return [*rows, [("└", "rule"), ("─" * left, "rule"), ("┴", "rule"), ("─", "rule fill"), ("┘", "rule")]]


def _side_heading(side: ConflictSide, shown: str | None, room: int) -> list[StyledText]:
    """The source and what it does, in exactly so many cells."""
    words, style = _SAYS[side.verdict]
    name = f" {side.source.bracketed} {visible(side.source.title) or host_of(side.source)} "
    left = room - width(words) - 4
    name = fit(name, min(width(name), max(1, left)))
    named = "title" if side.source.source_id == shown else ""
    rule = "─" * (room - width(name) - width(words) - 3)
    return [(name, named), (rule, "rule"), (f" {words} ", style), ("─", "rule")]


def _passage(text: str, columns: int, most: int) -> list[str]:
    """A text in at least one and at most so many rows."""
    return [words for _, (words, _) in wrapped(text, columns + 1, "", most, lead="")] or [""]
