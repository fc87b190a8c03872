"""What judges say on the screen: one or two rows, the verdict card on a wide one, or one judge in full; and mine."""

from typing import Final

from medreview.next_step import command
from medreview.review.cell_width import fit, fit_words, width
from medreview.review.judge_words import JudgeWords, sure_words
from medreview.review.session import ReviewSession
from medreview.review.verdict_card import JudgeLine, VerdictCard
from medreview.review.why_flagged import beside_tally
from medreview.screens.card_rows import accepts, card_rows, reading, sign_of, verdict_style, worded
from medreview.screens.quote_rows import quote_rows
from medreview.screens.review_rows import STYLE, glyph, said_by_me
from medreview.screens.widgets.painted import Row, StyledText, cells, wrapped
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
        (f"{words.quoted or 'quote'}: “{words.quote}”", "badge" if words.false else "quote")
        if words.quote
        else ("no quote", "dim"),
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
    together = [*_together(card), (" · ", ""), *accepts(card, "")]
    why = _why(card, columns - cells(together) - 6)
    row: list[StyledText] = [("── ", "rule"), *why, *together]
    worst = _worst(card)
    quoted = worst.quoted if worst else ""
    if quoted and not (worst and worst.wrong and why) and cells(row) + width(quoted) + 8 <= columns:
        row += [(" · ", ""), (quoted, "badge" if worst and worst.wrong else "")]
        quoted = ""
    row += [(" ", ""), ("─", "rule fill")]
    return [[*row, *reading(card, columns - cells(row)), ("─", "rule")], _quoted(card, worst, columns, quoted)]


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
    said = visible(together.word) if len(together.counts) > 1 else worded(together.word, together.level)
    row: list[StyledText] = [(f"{together.who} ", ""), (said, verdict_style(together.level))]
    if len(together.counts) < 2:
        return [*row, (f" {together.tally}", "")] if together.tally else row
    for level, votes in together.counts:
        sign, style = sign_of(level)
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
