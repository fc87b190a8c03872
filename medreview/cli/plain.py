"""The review as line prompts: for screen readers, dumb terminals and scripts. The same session as the workbench."""

import sys
from collections.abc import Callable, Iterator, Sequence
from operator import methodcaller

from medreview.cli.output import say
from medreview.cli.plain_sitting import (
    AXES_HELP,
    FINDING_HELP,
    FINDS,
    SITTING_HELP,
    begin,
    end_of_block,
    end_of_queue,
    end_of_sitting,
    own_label,
    own_tags,
    show_conflicts,
    words,
    wrapped,
)
from medreview.cli.plain_unit import Lines, say_card
from medreview.errors import NotSaved, UserError
from medreview.labels import FLAGS
from medreview.review.adjudicating import ConflictSession
from medreview.review.decision import FollowUp, likely_first
from medreview.review.open_session import CameFrom, Switch, cross, open_session, switch
from medreview.review.reviewer_state import ReviewerSpan, ReviewerState, remarks
from medreview.review.session import ReviewSession
from medreview.review.span_editing import SpanEdit
from medreview.units.kind import Asks
from medreview.units.statement import STATEMENT_ASKS
from medreview.visible import visible_line

_BESIDE_JUDGES = """\
a       accept the judges' verdict       s       defer
r       blind: the judges, when the block is done
"""
"""Help on words refused in settling conflicts."""
_HELP = """\
j, k    next, previous {noun}
n TEXT  note, n alone reads it           t       next open {noun}
[ ]     previous, next text
D       delete a span you marked         R WORDS  give it other words of its text
order   triage by your labels, or by the rules; say it again to switch back
P       to the pairs of a statement, and back; from a response to its statements
L       to the reference that names a source, and back
u U     undo, redo
draft   save the note that you began in the workbench      draft -   discard it
?       this help                        q       leave (everything is saved)
only on the screen: / search, y copy, i figures, o origin of a text, F8 attach a text, F1 what words mean
""" + "\n".join(f"{flag.key}       flag: {flag.definition} Again takes it back." for flag in FLAGS)


def review_plain(session: ReviewSession, *, learns: bool = True) -> None:
    """Prompt until ``q``, the end of input or an interrupt. Says each receipt; errors are one line, change nothing.

    ``learns``: as :func:`open_session` has it.
    """
    if (reconfigure := getattr(sys.stdout, "reconfigure", None)) is not None:
        reconfigure(errors="replace")  # without UTF-8 a question mark is shown, instead of ending the review
    came_from: CameFrom | None = None
    while (found := _sit(session, came_from)) is not None:
        came_from = found.came_from
        session = open_session(
            session.study, session.reviewer, found.queue, reveal=session.reveal, drafts=session.drafts, at=found.unit,
            learns=learns,
        )  # fmt: skip
        if found.text:
            session.show_text(found.text)


def _sit(session: ReviewSession, came_from: CameFrom | None) -> Switch | None:
    """One sitting; where it leads on to, if it does."""
    lines = Lines(session)
    found: Switch | None = None
    try:
        if not begin(session):
            return None
        _show(session, lines)
        for line in iter(lambda: input("> ").strip(), "q"):
            session.clock.touch()
            try:
                if (line == "P" and session.asks.leads_to) or (line == "L" and session.asks.crosses_to):
                    found = (switch if line == "P" else cross)(session, came_from)
                    break
                _carry_out(session, lines, line)
            except NotSaved as error:
                print(visible_line(error.row))
            except UserError as error:
                print(visible_line(str(error)))
            if alert := session.alert():
                print(wrapped(alert))
            if session.goal is not None and (reached := session.goal.reached()):
                print(wrapped(reached))
    except (EOFError, KeyboardInterrupt):
        print()
    finally:
        if found is None:
            end_of_sitting(session)
        if sentence := session.leave():
            say(sentence)
    return found


def _carry_out(session: ReviewSession, lines: Lines, line: str) -> None:
    word, _, rest = line.partition(" ")
    before, aside = session.receipt, words(session)
    label = session.asks.level_for(word)
    if word in lines.words:
        unit = session.unit
        if lines.words[word](rest.strip()):
            _receipt(session)
        if session.unit != unit:
            _show(session, lines)
    elif word in lines.decides:
        _follow(session, lines, lines.decides[word](rest.strip()), before)
    elif word in aside:
        aside[word]()
    elif word in FINDS:
        if FINDS[word](session, rest.strip()):
            _show(session, lines)
    elif label is not None:
        step = session.decide(label.level)
        _follow(session, lines, step, session.receipt if lines.decided(label) else before)
    elif word == "a":
        _follow(session, lines, session.accept(), before)
    elif word == "r":
        _follow(session, lines, session.look_again(), before)
    elif word == "z":
        if own_label(session, rest):
            _receipt(session)
    elif word.startswith("#"):
        if own_tags(session, line):
            _receipt(session)
    elif word == "order":
        print(session.switch_order())
    elif word == "D":
        _delete_span(session)
    elif word == "R":
        _resize_span(session, rest.strip())
    elif word == "n" and not rest.strip():
        print(wrapped(f"note: {session.own.note}" if session.own.note else "There is no note yet; n TEXT writes it."))
    elif word == "n":
        session.note(rest.strip())
        _receipt(session)
    elif word == "draft":
        _draft(session, rest.strip())
    elif word == "s":
        _follow(session, lines, session.defer(), before)
    elif word in _ACTS:
        _ACTS[word](session)
        _receipt(session)
        if word in ("u", "U"):
            _show(session, lines)
    elif word in _MOVES:
        print("" if _MOVES[word](session) else "(there is no more)")
        _show(session, lines)
    else:
        print(_help(session, lines))


def _help(session: ReviewSession, lines: Lines) -> str:
    asks = session.asks
    digits = ", ".join(f"{label.key} {label.name}" for label in asks.levels)
    return (
        wrapped(f"{'settles it' if session.settles else 'my verdict'}: {digits}")
        + "\n"
        + ("" if session.settles else _BESIDE_JUDGES)
        + _HELP.format(noun=asks.noun)
        + "\n"
        + AXES_HELP
        + "\n"
        + FINDING_HELP
        + "\n"
        + SITTING_HELP
        + "\n"
        + lines.help
    )


_ACTS: dict[str, Callable[[ReviewSession], None]] = {
    **{flag.key: methodcaller("flag", flag.level) for flag in FLAGS},
    "u": methodcaller("undo"),
    "U": methodcaller("redo"),
}
_MOVES: dict[str, Callable[[ReviewSession], bool]] = {
    "j": methodcaller("next"),
    "k": methodcaller("previous"),
    "t": methodcaller("next_open"),
    "]": lambda session: session.turn_source(1),
    "[": lambda session: session.turn_source(-1),
}


def _draft(session: ReviewSession, rest: str) -> None:
    """Save the note that was begun in the workbench, or discard it."""
    draft = session.draft
    if draft is None:
        raise UserError("No note was begun here.")
    if rest == "-":
        session.discard_draft()
        print("The draft is discarded.")
    elif rest:
        raise UserError("Say draft to save it as the note, or draft - to discard it.")
    else:
        session.note(draft.text)
        _receipt(session)


def _receipt(session: ReviewSession) -> None:
    print(visible_line(session.receipt))


def _follow(session: ReviewSession, lines: Lines, step: FollowUp, said: str) -> None:
    """Say each new receipt (``said``: the one before) and ask what the session says is asked next, until it goes on."""
    place = session.position
    while True:
        if session.receipt != said:
            said = session.receipt
            _receipt(session)
        match step:
            case FollowUp.BLOCK_END:
                print(f"End of the block. {len(session.block.hidden) if session.block else 0} decided.")
                end_of_block(session, shown=False)
                offer = "The judges can be shown now: r shows them, Enter goes on blind: "
                shows = not session.has_no_judges and input(offer).strip() == "r"
                step = session.show_judges() if shows else FollowUp.ADVANCE
            case FollowUp.KEEP_OR_CHANGE:
                if session.position == place:
                    say_card(session)
                else:
                    place = session.position
                    _show(session, lines)
                label = session.asks.level_for(
                    input(f"Enter keeps your verdict, {session.asks.digits} changes it: ").strip()
                )
                step = session.keep_or_change(label.level if label else None)
            case FollowUp.REASON:
                step = _reason(session, lines)
            case FollowUp.BLOCK_DONE:
                end_of_block(session, shown=True)
                step = FollowUp.ADVANCE
            case FollowUp.ADVANCE:
                if session.finishes or not session.next():
                    end_of_queue(session)
                return _show(session, lines)


def _reason(session: ReviewSession, lines: Lines) -> FollowUp:
    """Why not: a letter, a type, words of one's own, nothing; or a digit or ``a``, which is another verdict."""
    likely, theirs = session.likely_reason, session.judges_words
    choices = "  ".join(
        f"{reason.key} {reason.name}{'?' if reason.level == likely else ''}"
        for reason in likely_first(session.asks.reasons, likely)
    )
    mine = session.label_words(session.own.label or "")
    asked = f"Why not “{theirs}”?" if theirs else "No judge says so. Why?"
    print(wrapped(f"{session.full_name}: {mine}. {asked} {choices}"))
    types = "h N type, " if session.asks is STATEMENT_ASKS else ""
    while True:
        key, _, rest = (
            input(f"Enter no reason, {types}n TEXT note, {session.asks.digits} another verdict: ")
            .strip()
            .partition(" ")
        )
        label = session.asks.level_for(key)
        if label is not None:
            return session.decide(label.level, instead=True)
        if key == "a":
            return session.accept(instead=True)
        if types and key == "h":
            try:
                lines.words["h"](rest.strip())
            except NotSaved:
                raise
            except UserError as error:
                say(str(error))
                continue
            _receipt(session)
            return session.reason(None)
        if key == "n" and rest.strip():
            session.note(rest.strip())
            _receipt(session)
            return session.reason(None)
        reason = next((reason for reason in session.asks.reasons if reason.key == key), None)
        if reason is not None or not key:
            return session.reason(reason.level if reason else None)
        print("That is not one of the keys.")


def _delete_span(session: ReviewSession) -> None:
    if mine := _chosen_span(session, "deletes it"):
        session.delete_span(mine)
        _receipt(session)


def _resize_span(session: ReviewSession, words: str) -> None:
    """Give a span other words: where they stand nearest to it in its text."""
    if mine := _chosen_span(session, "takes it"):
        edit = session.span_to_resize(mine)
        found = [place for place in range(len(edit.text)) if words and edit.text.startswith(words, place)]
        if not found:
            raise UserError("Say R and the words that the span is to hold, as they stand in its text.")
        start = min(found, key=lambda place: abs(place - mine.span.start))
        session.resize_span(mine, SpanEdit(edit.text, start, start + len(words)))
        _receipt(session)


def _chosen_span(session: ReviewSession, does: str) -> ReviewerSpan | None:
    """The only span; of several, ask one after the other."""
    spans = session.spans_to_delete()
    place: int | None = 0
    while place is not None and len(spans) > 1:
        mine = spans[place]
        print(wrapped(f"span {place + 1} of {len(spans)}, in the {mine.target}: “{mine.exact}”"))
        key = input(f"Enter {does}, w next, b back, anything else none: ").strip()
        if not key:
            break
        place = (place + (1 if key == "w" else -1)) % len(spans) if key in ("w", "b") else None
    return None if place is None else spans[place]


def _show(session: ReviewSession, lines: Lines) -> None:
    if not session.unit:
        print("There is nothing in this queue.")
        return
    counts = session.counts
    narrowed = f", filter {session.queue.filter}" if session.queue.filter else ""
    print()
    ordered = f", {session.learned.words}" if session.learned is not None else ""
    place = f"{session.position + 1} of {len(session.queue.units)}"
    print(visible_line(f"{session.queue.kind.title}, {place}{narrowed}{ordered}"))
    aim = f"; this sitting {session.goal.words}" if session.goal is not None else ""
    print(f"decided {counts.decided}, deferred {counts.deferred}, open {counts.open}{aim}")
    lines.show()
    if isinstance(session, ConflictSession):
        show_conflicts(session)
    elif session.shows_judges:
        say_card(session)
    else:
        known = "; you saw them before: an assisted label" if session.knows_judges else ""
        print(f"The judges are hidden {session.hidden_until}{known}.")
    if words := "; ".join(_mine(session.own, session.asks, session.order_words, session.also_words)):
        print(wrapped(f"you: {words}"))
    for note in session.others_notes:
        print(wrapped(f"note of {note.reviewer}: {note.text}"))
    if draft := session.draft:
        print(wrapped(f"not saved, draft of {draft.time}: {draft.text} (draft saves it as the note)"))


def _mine(own: ReviewerState, asks: Asks, order: str, also: Sequence[str]) -> Iterator[str]:
    """What I said so far; ``order``: a label that is an order, ``also``: those on further axes, in words."""
    if own.stale:
        yield "STALE, the page has changed since, decide again"
    if own.label:
        yield order or asks.level_named(own.label).name
        yield from also
        if own.words:
            yield f"“{own.words}”"
    elif own.deferred:
        yield "deferred"
    yield from remarks(own)
    if own.note:
        yield "a note (n reads it)"
