"""The verdict card in panes: why, what the judges say together, each judge with its quote, the rules last.

Rows are shared out among its parts: of too few, what matters least goes first; free ones go to what is cut.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from medreview.review.cell_width import fit, width
from medreview.review.judge_words import sure_words
from medreview.review.verdict_card import JudgeGroup, JudgeLine, VerdictCard
from medreview.review.why_flagged import APART, beside_tally
from medreview.screens.quote_rows import quote_rows
from medreview.screens.review_rows import STYLE, VERDICT
from medreview.screens.widgets.painted import Row, StyledText, cells, wrapped
from medreview.units.kind import Asks
from medreview.visible import visible

_WHY: Final = "WHY FLAGGED  "
_ASIDE: Final = " " * 17
"""Before what stands under the first reason."""
_AMPLE: Final = 99
"""As many rows as anything needs."""
_LEAST_NAME: Final = 8
"""Cells of a judge's name that are shown in any case."""


class _Part(NamedTuple):
    """Rows of the card: at ``least`` and at ``most`` so many. Of too many rows the parts with the highest rank go
    first, of free ones those with the lowest get them first."""

    least: int
    most: int
    rank: int
    draw: Callable[[int], list[Row]]


def card_rows(card: VerdictCard, columns: int, most: int, asks: Asks) -> list[Row]:
    """The verdict card in at most so many rows; free rows go to what is cut, the gravest first."""
    parts = [*_why_part(card, columns), _Part(1, 1, 0, lambda _: [_together_row(card, asks, columns)])]
    parts += [_part(1, 2, 5, partial(_beside_rows, words, columns)) for words in card.beside]
    parts += [part for number, line in enumerate(card.here.lines) for part in _line_parts(card, line, number, columns)]
    parts += _others_part(card, columns)
    if card.rules:
        parts.append(_part(1, 4, 9, lambda most: wrapped(card.rules, columns, "dim", most)))
    return [row for part, rows in zip(parts, _shares(parts, most), strict=True) if rows for row in part.draw(rows)]


def _beside_rows(words: str, columns: int, most: int) -> list[Row]:
    return wrapped(words, columns, "", most)


def _shares(parts: Sequence[_Part], most: int) -> list[int]:
    """How many rows each part gets."""
    shares = [part.least for part in parts]
    by_rank = sorted(range(len(parts)), key=lambda place: parts[place].rank)
    for place in reversed(by_rank):
        shares[place] -= min(shares[place], max(0, sum(shares) - most))
    for place in by_rank:
        if parts[place].least == 0 or shares[place]:
            shares[place] += min(parts[place].most - shares[place], max(0, most - sum(shares)))
    return shares


def _why_part(card: VerdictCard, columns: int) -> list[_Part]:
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

    return [_Part(1, len(draw(_AMPLE)), 1, draw)]


def _together_row(card: VerdictCard, asks: Asks, columns: int) -> Row:
    together = card.together
    if not together.who:
        return [(f" ── no judge has looked at this {asks.noun} ", "rule"), ("─", "rule fill"), (" ", "")]
    tally = f" {together.tally}" if together.tally else ""
    said = worded(together.word, together.level)
    row: list[StyledText] = []
    for all_words, digits in ((True, asks.digits), (True, ""), (False, "")):  # as many words as have room
        who = "judges together" if together.who == "judges" and all_words else together.who
        row = [(" ── ", "rule"), (f"{who}: ", ""), (said, verdict_style(together.level)), (tally, "")]
        row += [(" · ", ""), *accepts(card, digits)]
        if cells(row) + 3 <= columns:
            break
    row += [(" ", ""), ("─", "rule fill")]
    return [*row, *reading(card, columns - cells(row)), ("─", "rule"), (" ", "")]


def reading(card: VerdictCard, room: int) -> Row:
    """The key that leads to every judge in full, with as many words as have room."""
    spoken = card.here.lines or card.others or card.beside or card.rules
    told = next((words for words in (" reads all ", " ") if spoken and width(words) + 4 <= room), None)
    return [] if told is None else [(" w", "key"), (told, "")]


def accepts(card: VerdictCard, digits: str) -> list[StyledText]:
    """Whether ``a`` takes what the judges say; else that it does not, and the ``digits`` that do, if they are given."""
    if card.together.accepts:
        return [("a", "key"), (" accepts it", "")]
    return [("no ", ""), ("a", "key"), (f", press {digits}" if digits else "", "")]


def _part(least: int, most: int, rank: int, draw: Callable[[int], list[Row]]) -> _Part:
    """A part that needs no more rows than what it has to say."""
    return _Part(least, len(draw(most)), rank, draw)


def _line_parts(card: VerdictCard, line: JudgeLine, number: int, columns: int) -> list[_Part]:
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
    if line.reason:
        parts.append(_part(0, 2, 7, lambda rows: wrapped(line.reason, columns, "dim", rows, lead=indent)))
    return parts


def _head(line: JudgeLine, lead: str, wide: int, said: int, columns: int, most: int) -> list[Row]:
    """Name, verdict, what the quote is worth; in two rows where the name would be cut in one and there are two."""
    name, verdict, style = visible(line.judge), _verdict_words(line), verdict_style(line.level, line.two_way)
    sure = f"  {sure_words(line.sure)}" if line.sure is not None else ""
    mark = "badge" if line.wrong else ""
    room = columns - width(lead) - 3
    if min(wide, width(name)) + said + width(line.quoted) + 4 > room and most > 1:
        sure = sure if width(f"{verdict}{sure}{line.quoted}") + 2 <= room else ""
        below: Row = [(" " * width(lead), ""), (verdict, style), (sure, "dim"), ("  ", ""), (line.quoted, mark)]
        return [[(lead, "title"), (fit(name, min(width(name), room)), "")], below]
    short = line.quoted.removeprefix("quote ")
    # Where the name would be cut, what says the least goes first: of a true quote that it is.
    choices = ((said, line.quoted), (width(verdict), line.quoted), (width(verdict), short if line.wrong else ""))
    fitting = (each for each in choices if min(wide, width(name)) + each[0] + width(each[1]) + 4 <= room)
    said, quoted = next(fitting, choices[-1])
    column = min(wide, max(_LEAST_NAME, room - said - width(quoted) - 4))
    sure = sure if column + said + width(sure) + width(quoted) + 4 <= room else ""
    row: Row = [(lead, "title"), (fit(name, column), ""), ("  ", ""), (verdict.ljust(said), style), (sure, "dim")]
    return [[*row, ("  ", ""), (quoted, mark)]]


def _others_part(card: VerdictCard, columns: int) -> list[_Part]:
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

    return [_Part(1, len(groups), 4, draw)]


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


def sign_of(level: str | None, two_way: bool | None = None) -> StyledText:
    """A verdict as its glyph; a dash is an abstention."""
    if level in VERDICT:
        return VERDICT[level], STYLE.get(level, "")
    return {True: ("✓", "says"), False: ("✗", "against"), None: ("-", "")}[two_way]


def _sign(line: JudgeLine) -> StyledText:
    return sign_of(line.level, line.two_way)


def worded(word: str, level: str | None, two_way: bool | None = None) -> str:
    """A verdict with its glyph before it."""
    sign = sign_of(level, two_way)[0] if level in VERDICT or two_way is not None else ""
    return " ".join(filter(None, (sign, visible(word))))


def _verdict_words(line: JudgeLine) -> str:
    return worded(line.said, line.level, line.two_way)


def verdict_style(level: str | None, two_way: bool | None = None) -> str:
    """The style of a verdict's word."""
    if level is None:
        return {True: "says", False: "against", None: "title"}[two_way]
    return STYLE.get(level, "title")
