"""The judges' opinion in words: one or two rows, a list on a wide screen, or one judge in full; and the own label."""

from collections.abc import Sequence
from typing import Final

from medreview.labels import FALSE_QUOTES, level_named, quote_doubt_words
from medreview.next_step import command
from medreview.review.cell_width import fit, width
from medreview.review.judge_words import JudgeWords, Juror, jurors, listed, tally_words, together_words
from medreview.review.session import ReviewSession
from medreview.screens.review_rows import STYLE, VERDICT, glyph, own_words
from medreview.screens.widgets.painted import Row, StyledText, cells, wrapped
from medreview.text import in_words
from medreview.units.statement_view import Judgement, StatementView, judge_name, quote_status_words
from medreview.visible import visible

SPOKEN_ROWS: Final = 7
"""Rows that they take in one column at most: the text that was read keeps the rest."""


def confidence(sure: float | None) -> list[StyledText]:
    """Behind a label, how sure a machine is of it, if it says that: ``.87``."""
    return [] if sure is None else [(f" {sure:.2f}".replace(" 0.", " ."), "")]


def spoken_height(words: JudgeWords, columns: int) -> int:
    """Rows that they take in one column."""
    return min(SPOKEN_ROWS, len(_rows(words, columns)) + 1)


def spoken_rows(words: JudgeWords, place: int, count: int, columns: int, most: int) -> list[Row]:
    """Who of how many, label and confidence; page, model and prompt; quote and reason, in at most so many rows."""
    sign = f"{glyph(words.level)} " if words.level and glyph(words.level) != words.level else ""
    head: list[StyledText] = [("── ", "rule"), (f"judge {place + 1}/{count}  ", "title")]
    head.append((f"{sign}{visible(words.said).upper()}", f"{STYLE.get(words.level or '', '')} title".strip()))
    head += confidence(words.confidence)
    who = visible(words.judge)
    room = columns - cells(head) - 6
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
    said = (
        (" · ".join(filter(None, (words.page, words.state, f"by {by}" if by else ""))), "dim"),
        (f"quote {words.quoted}: “{words.quote}”", "badge" if words.false else "quote")
        if words.quote
        else ("no quote", "dim"),
        (f"reason: {words.reason}" if words.reason else "no reason given", ""),
    )
    return [row for text, style in said for row in wrapped(text, columns, style, lead="   ")]


_JUDGE_ROWS: Final = 4
"""Rows of the panel that my own labels leave to the judges: their heading, a verdict, two rows of its quote."""

_SEEN_BEFORE = "seen before: assisted"
"""Where they are hidden from a reviewer who knows them already."""

_MORE: Final = (" w reads all ──", " w ─")
"""Where there is more to read than the two rows hold: as many words as there is room for."""

_RULE_AFTER: Final = 2
"""Cells of the rule that ends the row, at least."""
_LEAST_NAME: Final = 8
"""Cells of a judge's name that are shown in any case."""

_TWO_WAY = {True: "✓", False: "✗", None: "-"}


def lead(session: ReviewSession) -> Judgement | None:
    """The judgement to show: the one whose words are read in full, else on the source that is open the one that the
    roll-up leads with if it is there."""
    item = session.item
    if item is None or not item.judgements:
        return None
    read = session.read_words.judgement if session.read_words else None
    for judgement in item.judgements:
        if judgement.judgement_id == read:
            return judgement
    return listed(item, session.snapshot)[0]


def judge_bar(session: ReviewSession, columns: int) -> list[Row]:
    """The judge rows of one column: two in open mode, one while the judges are hidden."""
    if not session.shows_judges:
        words = f"shared words underlined · judges hidden {session.hidden_until}"
        if session.knows_judges:
            words = f"judges hidden {session.hidden_until} · {_SEEN_BEFORE}"
        return [[("──", "rule"), (f" {words} ", "dim"), ("─", "rule fill")]]
    if session.read_words and session.reads is not None:
        return spoken_rows(session.read_words, session.reads, len(session.judge_words), columns, SPOKEN_ROWS)
    judgement = lead(session)
    if session.item is None or judgement is None:
        return [[("──", "rule"), (" no judge has looked at this statement ", "dim"), ("─", "rule fill")], []]
    row: list[StyledText] = [("── ", "rule"), ("judge  ", ""), *_verdict(judgement), ("  ", "")]
    named = len(row)
    row.append((f"{judge_name(judgement)} ", "dim"))
    jury = jurors(session.item)
    if len(jury) > 1 and session.item.verdict:
        row += [("── ", "rule"), (f"jury {_strip(jury)} {tally_words(session.item.verdict)} ", "")]
    quoted = _quote_status(session, session.item, judgement)
    if cells((*row, *quoted)) + 4 > columns:
        quoted = _quote_status(session, session.item, judgement, wide=False)
    row += [("── ", "rule"), *quoted, (" ", "")]
    # A long name gives way: what the jury says and what the quote is worth must be seen.
    over = cells(row) + _RULE_AFTER - columns
    name = visible(judge_name(judgement))
    row[named] = f"{fit(name, min(width(name), max(_LEAST_NAME, width(name) - over)))} ", "dim"
    conflict: list[StyledText] = [("── ", "rule"), ("sources conflict ", "badge")]
    taken = cells((*row, *conflict))
    if session.item.verdict and session.item.verdict.conflict and taken <= columns:
        row += conflict
    words = f"“{judgement.quote}”" if judgement.quote else judgement.reason
    words = visible(" ".join(words.split()))
    style = _quote_style(judgement) if judgement.quote else ""
    told = visible(together_words(session.item))
    together: Row = [(told, "title"), (" · ", "")] if told else []
    room = max(0, columns - 4 - cells(together))
    more = width(words) > room or bool(judgement.quote and judgement.reason) or len(session.judge_words) > 1
    row.append(("─", "rule fill"))
    taken = cells(row)
    told = next((words for words in _MORE if taken + width(words) <= columns), "")
    row += [(told, "title")] if more and told else []
    return [row, [("   ", ""), *together, (fit(words, min(width(words), room)), style)]]


def panel_rows(session: ReviewSession, columns: int, most: int) -> list[Row]:
    """The judges and my own labels as the middle pane lists them, in at most so many rows."""
    mine = _mine(session, columns, max(2, most - _JUDGE_ROWS))
    judges = _judges(session, columns, most - len(mine))
    return [*judges, *mine]


def _judges(session: ReviewSession, columns: int, most: int) -> list[Row]:
    rows: list[Row] = [[(" ── judges ", "rule"), ("─", "rule fill"), (" ", "")]]
    if not session.shows_judges:
        told = _SEEN_BEFORE if session.knows_judges else "shared words are underlined"
        words = f"hidden {session.hidden_until}; {told}"
        return [*rows, *wrapped(words, columns, "dim", 2)]
    judgement = lead(session)
    item = session.item
    if item is None or judgement is None:
        return [*rows, [(" no judge has looked at this statement", "dim")]]
    if session.read_words and session.reads is not None:
        return [*rows, *spoken_rows(session.read_words, session.reads, len(session.judge_words), columns, most - 1)]
    together = _together(item, columns)
    room = max(1, most - 4 - len(together))
    every = listed(item, session.snapshot)
    for other in every[:room]:
        said: Row = [(" ", ""), *_verdict(other), ("  ", ""), *_quote_status(session, item, other), ("  ", "")]
        name = visible(judge_name(other))
        left = columns - cells(said) - 1
        rows.append([*said, (fit(name, min(width(name), left)), "dim")])
    if len(every) > room:
        rows.append([(f" … and {len(every) - room} more", "dim")])
    rows += together
    if judgement.quote:
        rows += wrapped(f"“{judgement.quote}”", columns, _quote_style(judgement), 2)
    if judgement.reason:
        rows += wrapped(judgement.reason, columns, "dim", max(1, most - len(rows)))
    return rows[:most]


def _together(item: StatementView, columns: int) -> list[Row]:
    """What is said by all sources together, and why, in two rows; none where nobody was asked."""
    told = together_words(item)
    if not told:
        return []
    reason = next((said.reason for said in item.merged if said.verdict == (item.verdict and item.verdict.merged)), "")
    return [*wrapped(told, columns, "title", 1), *(wrapped(reason, columns, "dim", 1) if reason else [])]


def _strip(jury: Sequence[Juror]) -> str:
    """The votes one by one, a glyph each; a dash is an abstention."""
    return "".join(VERDICT[juror.verdict] if juror.verdict else _TWO_WAY[juror.supported] for juror in jury)


def _mine(session: ReviewSession, columns: int, most: int) -> list[Row]:
    """What I said, before all else; what is to be done about a stale label; my note. In at most so many rows."""
    own = session.own
    style = "badge" if own.stale else "own" if own.label else "dim"
    rows: list[Row] = [[(" ── you ", "rule"), ("─", "rule fill"), (" ", "")]]
    rows += wrapped(own_words(own, session.draft is not None) or "nothing yet", columns, style, min(2, most - 1))
    compare = command("diff", session.study.path)
    stale = f"Decide again: the page's text is another since; `{compare}` compares." if own.stale else ""
    for words in (stale, f"note: {own.note}" if own.note else ""):
        if words and len(rows) < most:
            rows += wrapped(words, columns, "", min(2, most - len(rows)))
    return rows


def _verdict(judgement: Judgement) -> list[StyledText]:
    """Glyph, word and confidence; an unknown label in the judge's own word."""
    if judgement.verdict:
        level = judgement.verdict
        words = f"{VERDICT[level]} {level_named('evidence', level).name.upper()}"
        style = STYLE.get(level, "")
    elif judgement.supported is not None:
        words, style = ("✓ SUPPORTED", "says") if judgement.supported else ("✗ NOT SUPPORTED", "against")
    else:
        words, style = f"? {(judgement.raw_label or 'unsure').upper()}", ""
    return [(words, f"{style} title".strip()), *confidence(judgement.confidence)]


def _quote_style(judgement: Judgement) -> str:
    return "badge" if judgement.quote_status in FALSE_QUOTES or _doubt(judgement) else "quote"


def _quote_status(
    session: ReviewSession, item: StatementView, judgement: Judgement, *, wide: bool = True
) -> list[StyledText]:
    """``wide``: there is room to say that the page is another work than the one named, or was read by OCR."""
    source = item.source_of(judgement.snapshot_id)
    where = f" in {source.bracketed}" if source else ""
    if source and wide and session.is_other_work(source.source_id):
        where += ", another work"
    if judgement.quote_status == "none":
        return [(f"no quote{where}", "dim")]
    status = quote_status_words(judgement, source) if wide else in_words(judgement.quote_status)
    if judgement.quote_status in FALSE_QUOTES:
        kinds = f": {', '.join(judgement.difference_kinds)}" if judgement.difference_kinds else ""
        return [("quote ", ""), (status.upper(), "badge"), (f"{kinds}{where}", "")]
    if doubt := _doubt(judgement):
        return [("quote ", ""), (doubt.upper(), "badge"), (where, "")]
    return [(f"quote {status}{where}", "")]


def _doubt(judgement: Judgement) -> str:
    return quote_doubt_words(judgement.quote_doubt)
