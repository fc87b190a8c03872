"""What judges say on the screen: one or two rows, the verdict card on a wide one, or one judge in full; and mine.

Rows are shared out among the parts of the card: of too few, what matters least goes first; free ones go to what is cut.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from medreview.next_step import command
from medreview.review.cell_width import fit, fit_words, width
from medreview.review.judge_words import JudgeWords, missing_words, sure_words
from medreview.review.session import ReviewSession
from medreview.review.verdict_card import JudgeGroup, JudgeLine, VerdictCard, Words
from medreview.review.why_flagged import APART, beside_tally
from medreview.review.wrapping import prose_rows
from medreview.screens.review_rows import STYLE, VERDICT, glyph, said_by_me
from medreview.screens.widgets.painted import Row, StyledText, cells, wrapped
from medreview.units.kind import Asks
from medreview.visible import visible

SPOKEN_ROWS: Final = 7
"""Rows that they take in one column at most: the text that was read keeps the rest."""


def spoken_height(words: JudgeWords, columns: int) -> int:
    """Rows that they take in one column."""
    return min(SPOKEN_ROWS, len(_rows(words, columns)) + 1)


def spoken_rows(words: JudgeWords, place: int, count: int, columns: int, most: int) -> list[Row]:
    """Who of how many, label and confidence; page, model and prompt; quote and reason, in at most so many rows."""
    sign = f"{glyph(words.level)} " if words.level and glyph(words.level) != words.level else ""
    head: list[StyledText] = [("── ", "rule"), (f"judge {place + 1} of {count}  ", "title")]
    head.append((f"{sign}{visible(words.said).upper()}", f"{STYLE.get(words.level or '', '')} title".strip()))
    who = visible(words.judge)
    room = columns - cells(head) - 6
    head += [("  ", ""), (fit(who, min(width(who), max(4, room))), ""), (" ", "")]
    every = _rows(words, columns)
    rows = every[: max(0, most - 1)]
    if rows and len(rows) < len(every):
        last = rows.pop()
        told = " W all of it"
        text = "".join(piece for piece, _ in last)
        rows.append([(fit_words(f"{text} …", columns - width(told) - 2), last[-1][1]), (told, "dim")])
    return [[*head, ("─", "rule fill")], *rows]


def _rows(words: JudgeWords, columns: int) -> list[Row]:
    by = " · ".join(filter(None, (words.model, words.prompt)))
    sure = sure_words(words.confidence) if words.confidence is not None else ""
    said = (
        (" · ".join(filter(None, (words.page, words.state, sure, f"by {by}" if by else ""))), "dim"),
        *([(missing_words(words.missing, together=words.together), "badge")] if words.missing else []),
        *([(quote.whole, "badge" if quote.false else "quote") for quote in words.quotes] or [("no quote", "dim")]),
        (f"reason: {words.reason}" if words.reason else "no reason given", ""),
    )
    return [row for text, style in said for row in wrapped(text, columns, style, lead="   ")]


SEEN_BEFORE: Final = "seen before: assisted"
"""Where they are hidden from a reviewer who knows them already."""
_LEAST_QUOTE: Final = 24
"""Cells of a quote, with whose it is, that are worth having beside what is said besides."""
_RULE: Final[Row] = (("─", "rule fill"), (" ", ""))


def judge_bar(session: ReviewSession, columns: int, hidden: str) -> list[Row]:
    """The judge rows of one column: two in open mode; one, with the words ``hidden``, while the judges are hidden."""
    if not session.shows_judges:
        return [[("──", "rule"), (f" {fit_words(hidden, columns - 4)} ", "dim"), ("─", "rule fill")]]
    if session.read_words and session.reads is not None:
        return spoken_rows(session.read_words, session.reads, len(session.judge_words), columns, SPOKEN_ROWS)
    card = session.card
    if not card.together.who:
        why: list[StyledText] = _why(card, columns - 50)
        said = f"no judge has looked at this {session.asks.noun} "
        return [[("── ", "rule"), *why, (said, "dim"), ("─", "rule fill")], []]
    together = [*_together(card), (" · ", ""), *_accepts(card, "")]
    why = _why(card, columns - cells(together) - 6)
    row: list[StyledText] = [("── ", "rule"), *why, *together]
    worst = _worst(card)
    quoted = worst.quoted if worst else ""
    if quoted and not (worst and worst.wrong and why) and cells(row) + width(quoted) + 8 <= columns:
        row += [(" · ", ""), (quoted, "badge" if worst and worst.wrong else "")]
        quoted = ""
    row += [(" ", ""), ("─", "rule fill")]
    return [[*row, *_reading(card, columns - cells(row)), ("─", "rule")], _quoted(card, worst, columns, quoted)]


def _why(card: VerdictCard, room: int) -> list[StyledText]:
    """The reasons in a few words, as many as have room; that the judges differ is said behind them."""
    if not card.reasons:
        return []
    pieces: list[StyledText] = [("WHY ", "title")]
    for number, reason in enumerate(beside_tally(card.reasons)):
        left = room - cells(pieces) - 3
        words = next((words for words in (reason.brief, reason.short) if width(words) <= left), "")
        if not words and number:
            break
        pieces += [(words or fit(reason.short, max(1, left)), "badge"), (" · ", "")]
    return pieces


def _together(card: VerdictCard) -> list[StyledText]:
    """What the judges say together, with their votes: ``judges TIE ✓1 ✗1``, ``judges supported 2-0``."""
    together = card.together
    said = visible(together.word) if len(together.counts) > 1 else _worded(together.word, together.level)
    row: list[StyledText] = [(f"{together.who} ", ""), (said, _verdict_style(together.level))]
    if len(together.counts) < 2:
        return [*row, (f" {together.tally}", "")] if together.tally else row
    for level, votes in together.counts:
        sign, style = _sign_of(level)
        row += [(" ", ""), (f"{sign}{votes}", style)]
    return row


def _worst(card: VerdictCard) -> JudgeLine | None:
    """The judge whose quote is shown: one that is not true, else the first."""
    lines = card.here.lines
    return next((line for line in lines if line.wrong), lines[0] if lines else None)


def _quoted(card: VerdictCard, line: JudgeLine | None, columns: int, quoted: str) -> Row:
    """Whose quote, what it is worth where that is said nowhere yet (``quoted``), with what was changed in it and what
    the page has instead; else its reason."""
    row: list[StyledText] = [("   ", "")]
    for words in card.beside:
        room = columns - cells(row) - 1
        if width(words) + _LEAST_QUOTE > room:
            return [*row, (fit_words(visible(words), room), "")]
        row += [(visible(words), ""), (" · ", "")]
    if line is None:
        words = visible(card.rules)
        return [*row, (fit_words(words, max(0, columns - cells(row) - 1)), "dim")]
    name = visible(line.judge)
    row.append((f"{fit(name, min(width(name), columns // 3))}  ", "dim"))
    if line.missing and not line.wrong:
        words = visible(missing_words(line.missing))
        room = columns - cells(row) - 1
        if width(words) + _LEAST_QUOTE > room:
            return [*row, (fit_words(words, room), "badge")]
        row += [(words, "badge"), (" · ", "")]
    there = [line.page.text[start:end] for start, end in line.page.changed[:1]]
    after: list[StyledText] = [("  page ", "dim"), (f"[{visible(there[0])}]", "clash")] if there and there[0] else []
    room = columns - cells(row) - cells(after) - 1
    if quoted and line.quote.text and not line.wrong:
        row.append((f"{quoted}  ", ""))
        room -= width(quoted) + 2
    if not line.quote.text:
        words = visible(" ".join(line.reason.split()))
        return [*row, (fit_words(words, room), "")]
    style = (
        "" if line.page.changed else "badge" if line.wrong else "quote" if STYLE.get(line.level or "") == "says" else ""
    )
    (_, *pieces), *_ = quote_rows(line.quote, room, style, 1, "")
    return [*row, *pieces, *after]


def panel_rows(session: ReviewSession, columns: int, most: int, hidden: str) -> list[Row]:
    """The card and what I said as the middle pane lists them, in at most so many rows; ``hidden`` as in a bar."""
    mine = _mine(session, columns, max(1, most - _JUDGE_ROWS))
    room = max(2, most - len(mine))
    if not session.shows_judges:
        return [[(" ── judges ", "rule"), *_RULE], *wrapped(hidden, columns, "dim", 2), *mine]
    if session.read_words and session.reads is not None:
        said = spoken_rows(session.read_words, session.reads, len(session.judge_words), columns, room)
    else:
        said = card_rows(session.card, columns, room, session.asks)
    return [*said, *([[]] * (room - len(said))), *mine]


_JUDGE_ROWS: Final = 5
"""Rows of the panel that my own labels leave to the judges."""


def _mine(session: ReviewSession, columns: int, most: int) -> list[Row]:
    """What I said, before all else; what is to be done about a stale label; my note. In at most so many rows."""
    own, said = session.own, visible(said_by_me(session))
    style = "badge" if own.stale else "own" if own.label else ""
    begins: list[StyledText] = [(" ── ", "rule"), ("you: ", "")] if said else [(" ── nothing from you yet ", "rule")]
    rows: list[Row] = [[*begins, (said, style), (" " if said else "", ""), *_RULE]]
    if cells(begins) + width(said) + 4 > columns:
        rows = [[(" ── you ", "rule"), *_RULE], *wrapped(said, columns, style, min(2, max(1, most - 1)))]
    compare = command("diff", session.study.path)
    stale = f"Decide again: the page's text is another since; `{compare}` compares." if own.stale else ""
    for words in (stale, f"note: {own.note}" if own.note else ""):
        if words and len(rows) < most:
            rows += wrapped(words, columns, "", min(2, most - len(rows)))
    return rows


_WHY: Final = "WHY FLAGGED  "
_ASIDE: Final = " " * 17
"""Before what stands under the first reason."""
_AMPLE: Final = 99
"""As many rows as anything needs."""
_LEAST_NAME: Final = 8
"""Cells of a judge's name that are shown in any case."""


class _CardRows(NamedTuple):
    """Rows of the card: at ``least`` and at ``most`` so many. Of too many rows the parts with the highest rank go
    first, of free ones those with the lowest get them first."""

    least: int
    most: int
    rank: int
    draw: Callable[[int], list[Row]]


def card_rows(card: VerdictCard, columns: int, most: int, asks: Asks) -> list[Row]:
    """The verdict card in at most so many rows; free rows go to what is cut, the gravest first."""
    parts = [*_why_part(card, columns), _CardRows(1, 1, 0, lambda _: [_together_row(card, asks, columns)])]
    parts += [_part(1, 2, 5, partial(wrapped, words, columns, "")) for words in card.beside]
    parts += [part for number, line in enumerate(card.here.lines) for part in _line_parts(card, line, number, columns)]
    parts += _others_part(card, columns)
    if card.rules:
        parts.append(_part(1, 4, 9, lambda most: wrapped(card.rules, columns, "dim", most)))
    return [row for part, rows in zip(parts, _shares(parts, most), strict=True) if rows for row in part.draw(rows)]


def _shares(parts: Sequence[_CardRows], most: int) -> list[int]:
    """How many rows each part gets."""
    shares = [part.least for part in parts]
    by_rank = sorted(range(len(parts)), key=lambda place: parts[place].rank)
    for place in reversed(by_rank):
        shares[place] -= min(shares[place], max(0, sum(shares) - most))
    for place in by_rank:
        if parts[place].least == 0 or shares[place]:
            shares[place] += min(parts[place].most - shares[place], max(0, most - sum(shares)))
    return shares


def _why_part(card: VerdictCard, columns: int) -> list[_CardRows]:
    """Each reason in rows of its own; without room for all, the gravest, and the others in a few words."""
    if not card.reasons:
        return []
    first, *others = beside_tally(card.reasons) or card.reasons
    room = columns - len(_ASIDE) - 1

    def title(words: str) -> Row:
        rule: Row = [(" ", ""), ("─", "rule fill"), (" ", "")] if width(words) + 2 <= room else []
        return [(" ── ", "rule"), (_WHY, "title"), (words, "badge"), *rule]

    def said(words: str, most: int) -> list[Row]:
        return wrapped(words, columns, "", most, lead=_ASIDE)

    def in_a_row() -> str:
        fitting = (words for words in (first.sentence, first.brief) if width(words) <= room)
        return next(fitting, first.short)

    def draw(rows: int) -> list[Row]:
        if rows == 1:
            told = in_a_row()
            for reason in others:
                told = told if width(f"{told}{APART}{reason.short}") > room else f"{told}{APART}{reason.short}"
            return [title(fit(told, min(width(told), room)))]
        lines = wrapped(first.sentence, columns, "badge", lead=_ASIDE)
        whole = len(lines) <= max(1, min(2, rows - len(others)))
        found = [title(lines[0][1][0]), *lines[1:]] if whole else [title(in_a_row())]
        for number, reason in enumerate(others):
            left = rows - len(found)
            if left == 1 and number < len(others) - 1:
                return [*found, *said(APART.join(each.short for each in others[number:]), 1)]
            share = min(2, max(1, left - len(others) + number + 1))
            words = reason.sentence if len(said(reason.sentence, _AMPLE)) <= share else reason.brief
            found += said(words, share) if left else []
        return found

    return [_CardRows(1, len(draw(_AMPLE)), 1, draw)]


def _together_row(card: VerdictCard, asks: Asks, columns: int) -> Row:
    together = card.together
    if not together.who:
        return [(f" ── no judge has looked at this {asks.noun} ", "rule"), ("─", "rule fill"), (" ", "")]
    tally = f" {together.tally}" if together.tally else ""
    said = _worded(together.word, together.level)
    row: list[StyledText] = []
    for all_words, digits in ((True, asks.digits), (True, ""), (False, "")):  # as many words as have room
        who = "judges together" if together.who == "judges" and all_words else together.who
        row = [(" ── ", "rule"), (f"{who}: ", ""), (said, _verdict_style(together.level)), (tally, "")]
        row += [(" · ", ""), *_accepts(card, digits)]
        if cells(row) + 3 <= columns:
            break
    row += [(" ", ""), ("─", "rule fill")]
    return [*row, *_reading(card, columns - cells(row)), ("─", "rule"), (" ", "")]


def _reading(card: VerdictCard, room: int) -> Row:
    """The key that leads to every judge in full, with as many words as have room."""
    spoken = card.here.lines or card.others or card.beside or card.rules
    told = next((words for words in (" reads all ", " ") if spoken and width(words) + 4 <= room), None)
    return [] if told is None else [(" w", "key"), (told, "")]


def _accepts(card: VerdictCard, digits: str) -> list[StyledText]:
    """Whether ``a`` takes what the judges say; else that it does not, and the ``digits`` that do, if they are given."""
    if card.together.accepts:
        return [("a", "key"), (" accepts it", "")]
    return [("no ", ""), ("a", "key"), (f", press {digits}" if digits else "", "")]


def _part(least: int, most: int, rank: int, draw: Callable[[int], list[Row]]) -> _CardRows:
    """A part that needs no more rows than what it has to say."""
    return _CardRows(least, len(draw(most)), rank, draw)


def _line_parts(card: VerdictCard, line: JudgeLine, number: int, columns: int) -> list[_CardRows]:
    """A judge on the source that is open: who, its verdict and what its quote is worth; the quote; why."""
    lead = f" {card.here.name if number == 0 else ' ' * width(card.here.name)}  " if card.here.name else " "
    indent = " " * (width(lead) + 2)
    wide = max(width(visible(each.judge)) for each in card.here.lines)
    said = max(width(_verdict_words(each)) for each in card.here.lines)
    parts = [_part(1, 2, 2, lambda rows: _head(line, lead, wide, said, columns, rows))]
    if line.page.changed:
        parts += [
            _part(1, 3, 2, lambda rows: quote_rows(line.quote, columns, "", rows, f"{indent}judge  ")),
            _part(1, 3, 2, lambda rows: quote_rows(line.page, columns, "", rows, f"{indent}page   ")),
        ]
    elif line.wrong and line.quote.text:
        parts.append(_part(1, 3, 2, lambda rows: quote_rows(line.quote, columns, "badge", rows, indent)))
    elif line.quote.text:
        style = "quote" if STYLE.get(line.level or "") == "says" else ""
        parts.append(_part(0, 2, 6, lambda rows: quote_rows(line.quote, columns, style, rows, indent)))
    if line.missing:
        missing = missing_words(line.missing)
        parts.append(_part(1, 2, 3, lambda rows: wrapped(missing, columns, "badge", rows, lead=indent)))
    for what, quote in line.more:
        lead_of = f"{indent}{what}  " if what else indent
        parts.append(_part(0, 2, 8, partial(quote_rows, quote, columns, "", lead=lead_of)))
    if line.reason:
        parts.append(_part(0, 2, 7, lambda rows: wrapped(line.reason, columns, "dim", rows, lead=indent)))
    return parts


def _head(line: JudgeLine, lead: str, wide: int, said: int, columns: int, most: int) -> list[Row]:
    """Name, verdict, what the quote is worth; in two rows where the name would be cut in one and there are two."""
    name, verdict, style = visible(line.judge), _verdict_words(line), _verdict_style(line.level, line.two_way)
    sure = f"  {sure_words(line.sure)}" if line.sure is not None else ""
    mark = "badge" if line.wrong else ""
    room = columns - width(lead) - 3
    if min(wide, width(name)) + said + width(line.quoted) + 4 > room and most > 1:
        sure = sure if width(f"{verdict}{sure}{line.quoted}") + 2 <= room else ""
        below: Row = [(" " * width(lead), ""), (verdict, style), (sure, "dim"), ("  ", ""), (line.quoted, mark)]
        return [[(lead, "title"), (fit(name, min(width(name), room)), "")], below]
    short = line.quoted.removeprefix("quote ").replace(" quotes ", ": ")
    # Where the name would be cut, what says the least goes first: of a true quote that it is.
    choices = ((said, line.quoted), (width(verdict), line.quoted), (width(verdict), short if line.wrong else ""))
    fitting = (each for each in choices if min(wide, width(name)) + each[0] + width(each[1]) + 4 <= room)
    said, quoted = next(fitting, choices[-1])
    column = min(wide, max(_LEAST_NAME, room - said - width(quoted) - 4))
    sure = sure if column + said + width(sure) + width(quoted) + 4 <= room else ""
    row: Row = [(lead, "title"), (fit(name, column), ""), ("  ", ""), (verdict.ljust(said), style), (sure, "dim")]
    return [[*row, ("  ", ""), (quoted, mark)]]


def _others_part(card: VerdictCard, columns: int) -> list[_CardRows]:
    """What is said of the other sources: a row each with a glyph for each judge; in one row the glyphs alone."""
    groups = card.others
    if not groups:
        return []

    def draw(rows: int) -> list[Row]:
        if rows >= len(groups):
            return [_by_name(group, columns) for group in groups]
        row: list[StyledText] = []
        for group in groups:
            row += [(f" {group.name} ", "title"), *(_sign(line) for line in group.lines), ("  ", "")]
        return [row]

    return [_CardRows(1, len(groups), 4, draw)]


def _by_name(group: JudgeGroup, columns: int) -> Row:
    row: list[StyledText] = [(f" {group.name}  ", "title")]
    row += [(group.remark, "badge"), ("  ", "")] if group.remark else []
    for number, line in enumerate(group.lines):
        name, (sign, style) = visible(line.judge), _sign(line)
        if number and cells(row) + width(name) + 4 > columns - 4:
            return [*row, (f"… {len(group.lines) - number} more", "dim")]
        room = columns - cells(row) - 4
        row += [(fit(name, min(width(name), room)), ""), (" ", ""), (sign, style), ("   ", "")]
    return row


def _sign_of(level: str | None, two_way: bool | None = None) -> StyledText:
    """A verdict as its glyph; a dash is an abstention."""
    if level in VERDICT:
        return VERDICT[level], STYLE.get(level, "")
    return {True: ("✓", "says"), False: ("✗", "against"), None: ("-", "")}[two_way]


def _sign(line: JudgeLine) -> StyledText:
    return _sign_of(line.level, line.two_way)


def _worded(word: str, level: str | None, two_way: bool | None = None) -> str:
    """A verdict with its glyph before it."""
    sign = _sign_of(level, two_way)[0] if level in VERDICT or two_way is not None else ""
    return " ".join(filter(None, (sign, visible(word))))


def _verdict_words(line: JudgeLine) -> str:
    return _worded(line.said, line.level, line.two_way)


def _verdict_style(level: str | None, two_way: bool | None = None) -> str:
    """The style of a verdict's word."""
    if level is None:
        return {True: "says", False: "against", None: "title"}[two_way]
    return STYLE.get(level, "title")


_BEFORE: Final = 3
"""The part of a row, as 1 / so much, that stands before a change where what is before it must be cut."""


def quote_rows(words: Words, columns: int, style: str, most: int, lead: str) -> list[Row]:
    """A quote in at most so many rows: the first behind ``lead``, the others behind as many spaces.

    What was changed is in brackets, in the style of a clash. Without changes the quote has quotation marks.
    """
    marked, places = words.marked()
    text, changed = visible(marked), [(start, end) for start, end in places]
    room = max(8, columns - width(lead) - 1)
    if changed and width(text) > room * most:
        text, changed = _around_change(text, changed, room)
    lines = list(prose_rows(text, 0, len(text), room)) or [(0, 0)]
    rows: list[Row] = []
    for number, (start, end) in enumerate(lines[:most]):
        line = text[start:end].rstrip()
        if number == most - 1 and len(lines) > most:
            line = fit_words(f"{line} …", room)
        head: StyledText = (lead if number == 0 else " " * width(lead), "dim")
        rows.append([head, *_pieces(line, start, changed, style)])
    return rows


def _around_change(text: str, changed: list[tuple[int, int]], room: int) -> tuple[str, list[tuple[int, int]]]:
    """The text from a word before the first change on."""
    start = text.find(" ", max(0, changed[0][0] - room // _BEFORE)) + 1
    if changed[0][0] < room // 2 or not 0 < start <= changed[0][0]:
        return text, changed
    shift = start - 2
    return f"… {text[start:]}", [(here - shift, there - shift) for here, there in changed]


def _pieces(line: str, start: int, changed: Sequence[tuple[int, int]], style: str) -> list[StyledText]:
    pieces: list[StyledText] = []
    at = 0
    for here, there in ((max(0, first - start), last - start) for first, last in changed):
        if here < len(line) and there > at:
            pieces += [(line[at:here], style), (line[here:there], "clash")]
            at = there
    return [piece for piece in (*pieces, (line[at:], style)) if piece[0]]
