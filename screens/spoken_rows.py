"""One machine's words in full, in the rows where its label and a part of its quote stand otherwise."""

from typing import Final

from medreview.review.judge_words import JudgeWords
from medreview.review.layout.cells import fit, width
from medreview.review.layout.prose import prose_rows
from medreview.screens.glyphs import STYLE, glyph
from medreview.screens.widgets.painted import Row, StyledText
from medreview.visible import visible

SPOKEN_ROWS: Final = 7
"""Rows that they take in one column at most: the text that was read keeps the rest."""


def spoken_height(words: JudgeWords, columns: int) -> int:
    """Rows that they take in one column."""
    return min(SPOKEN_ROWS, len(_rows(words, columns)) + 1)


def spoken_rows(words: JudgeWords, place: int, count: int, columns: int, most: int) -> list[Row]:
    """Who of how many, label and confidence; page, model and prompt; quote and reason, in at most so many rows."""
    sign = f"{glyph(words.level)} " if words.level and glyph(words.level) != words.level else ""
    head: list[StyledText] = [("── ", "rule"), (f"judge {place + 1}/{count}  ", "key")]
    head.append((f"{sign}{visible(words.said).upper()}", f"{STYLE.get(words.level or '', '')} key".strip()))
    if words.confidence is not None:
        head.append((f" {words.confidence:.2f}".replace(" 0.", " ."), ""))
    who = visible(words.judge)
    room = columns - sum(width(text) for text, _ in head) - 6
    head += [("  ", ""), (fit(who, min(width(who), max(4, room))), ""), (" ", "")]
    every = _rows(words, columns)
    rows = every[: max(0, most - 1)]
    if rows and len(rows) < len(every):
        last = rows.pop()
        told = "… W all of it"
        text = "".join(piece for piece, _ in last)
        rows.append([(fit(text, min(width(text), columns - width(told) - 2), ""), last[-1][1]), (told, "dim")])
    return [[*head, ("─", "rule fill")], *rows]


def _rows(words: JudgeWords, columns: int) -> list[Row]:
    by = " · ".join(filter(None, (words.model, words.prompt)))
    read = " · ".join(filter(None, (words.page, words.state)))
    rows = _wrapped(" · ".join(filter(None, (read, f"by {by}" if by else ""))), columns, "dim")
    if words.quote:
        rows += _wrapped(f"quote {words.quoted}: “{words.quote}”", columns, "badge" if words.false else "quote")
    else:
        rows += _wrapped("no quote", columns, "dim")
    return [*rows, *_wrapped(f"reason: {words.reason}" if words.reason else "no reason given", columns, "")]


def _wrapped(text: str, columns: int, style: str) -> list[Row]:
    shown = visible(" ".join(text.split()))
    lines = prose_rows(shown, 0, len(shown), max(1, columns - 4)) if shown else []
    return [[("   ", ""), (shown[start:end].rstrip(), style)] for start, end in lines]
