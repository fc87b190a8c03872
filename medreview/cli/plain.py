"""The review as line prompts: for screen readers, dumb terminals and scripts. The same session as the workbench."""

import sys
import textwrap
from collections.abc import Callable, Iterator
from operator import methodcaller

from medreview.cli.output import one_line, say
from medreview.errors import NotSaved, UserError
from medreview.labels import (
    FLAGS,
    HALLUCINATION,
    LEFT_OUT_REASONS,
    REASONS,
    level_for_key,
    level_named,
    quote_doubt_words,
)
from medreview.review.jurors import jurors, jury_words
from medreview.review.reviewer_state import ReviewerState, remarks
from medreview.review.session import ReviewSession
from medreview.review.undo import brief
from medreview.review.verdict_flow import FollowUp
from medreview.units.statement_view import judge_name
from medreview.visible import visible, visible_line
from medreview.words import in_words

_AROUND = 300
_BRIEF = 60
_HELP = """\
1-5     my verdict: 1 supported, 2 partial, 3 contradicted, 4 not addressed, 5 cannot judge
a       agree with the judges            j, k    next, previous statement
h N     hallucination: 0 none, 1 fact, 2 input, 3 context, 4 other; marks the statement in the response
n TEXT  note, n alone reads it           t       next open statement
s       defer                            [ ]     previous, next source
D       delete a span you marked         r       blind: the judges, when the block is done
u U     undo, redo                       source  the whole source      response  the whole response
l       what of the response is no statement       l N     make number N of it one
draft   save the note that you began in the workbench      draft -   discard it
?       this help                        q       leave (everything is saved)
""" + "\n".join(f"{flag.key}       flag: {flag.definition} Again takes it back." for flag in FLAGS)


def review_plain(session: ReviewSession) -> None:
    """Prompt until ``q``, the end of input or an interrupt. Says each receipt; errors are one line, change nothing."""
    _spare_encoding()
    try:
        _show(session)
        for line in _lines():
            session.clock.touch()
            try:
                _carry_out(session, line)
            except NotSaved as error:
                print(visible_line(error.row))
            except UserError as error:
                print(visible_line(str(error)))
            if alert := session.alert():
                print(_wrapped(alert))
    except (EOFError, KeyboardInterrupt):
        print()
    finally:
        if sentence := session.leave():
            say(sentence)


def _lines() -> Iterator[str]:
    while (line := input("> ").strip()) != "q":
        yield line


def _spare_encoding() -> None:
    """Let an output without UTF-8 show a question mark for what it does not know, instead of ending the review."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def _carry_out(session: ReviewSession, line: str) -> None:
    word, _, rest = line.partition(" ")
    before = session.receipt
    label = level_for_key("evidence", word)
    if label is not None:
        _follow(session, session.decide(label.level), before)
    elif word == "a":
        _follow(session, session.accept(), before)
    elif word == "r":
        _follow(session, session.look_again(), before)
    elif word == "D":
        _delete_span(session)
    elif word == "h":
        _hallucination(session, rest.strip())
    elif word == "n" and not rest.strip():
        print(_wrapped(f"note: {session.own.note}" if session.own.note else "There is no note yet; n TEXT writes it."))
    elif word == "n":
        session.note(rest.strip())
        _receipt(session)
    elif word == "draft":
        _draft(session, rest.strip())
    elif word == "s":
        _follow(session, session.defer(), before)
    elif word in _ACTS:
        _ACTS[word](session)
        _receipt(session)
        if word in ("u", "U"):
            _show(session)
    elif word in _MOVES:
        print("" if _MOVES[word](session) else "(there is no more)")
        _show(session)
    elif word == "source":
        print(_read(_told(session) or "(nothing to read)"))
    elif word == "response":
        print(_read(_response(session)))
    elif word == "l":
        _left_out(session, rest.strip())
    else:
        print(_HELP)


_ACTS: dict[str, Callable[[ReviewSession], None]] = {
    **{flag.key: methodcaller("flag", flag.level) for flag in FLAGS},
    "u": ReviewSession.undo,
    "U": ReviewSession.redo,
}
_MOVES: dict[str, Callable[[ReviewSession], bool]] = {
    "j": ReviewSession.next,
    "k": ReviewSession.previous,
    "t": ReviewSession.next_open,
    "]": lambda session: session.turn_source(1),
    "[": lambda session: session.turn_source(-1),
}


def _response(session: ReviewSession) -> str:
    """The whole response; what of it is no statement is named as that."""
    item = session.item
    if item is None:
        return ""
    pieces, at = [], 0
    for part in item.left_out:
        pieces += [item.response[at : part.start], f"(left out: {part.text})"]
        at = part.end
    return "".join((*pieces, item.response[at:]))


def _left_out(session: ReviewSession, number: str) -> None:
    """List what of the response is no statement, or make a statement of one of these parts."""
    parts = session.item.left_out if session.item else ()
    if not number:
        for place, part in enumerate(parts, 1):
            print(_wrapped(f"{place} {LEFT_OUT_REASONS[part.reason]}: “{part.text}”"))
        print("l and a number makes a statement of it." if parts else "Everything in this response is a statement.")
        return
    if not number.isdecimal() or not 1 <= int(number) <= len(parts):
        raise UserError(f"Say l and a number from 1 to {len(parts)}." if parts else "Nothing is left out here.")
    from medreview import pipeline
    from medreview.config import load_config

    part = parts[int(number) - 1]
    done = pipeline.promote(
        session.study,
        session.reviewer,
        [part.left_out_id],
        queue=session.queue,
        pass_no=session.pass_no,
        synonyms=load_config().synonyms_file,
    )
    session.reopen(done.receipt, f"{brief(part.text)} is a statement now")
    _receipt(session)


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


def _advance(session: ReviewSession) -> None:
    if not session.next():
        print("(end of the queue)")
    _show(session)


def _follow(session: ReviewSession, step: FollowUp, said: str) -> None:
    """Say each new receipt (``said``: the one before) and ask what the session says is asked next, until it goes on."""
    place = session.position
    while True:
        if session.receipt != said:
            said = session.receipt
            _receipt(session)
        match step:
            case FollowUp.BLOCK_END:
                print(f"End of the block. {len(session.block.hidden) if session.block else 0} decided.")
                shows = input("The judges can be shown now: r shows them, Enter goes on blind: ").strip() == "r"
                step = session.show_judges() if shows else FollowUp.ADVANCE
            case FollowUp.KEEP_OR_CHANGE:
                if session.position == place:
                    _judges(session)
                else:
                    place = session.position
                    _show(session)
                label = level_for_key("evidence", input("Enter keeps your verdict, 1-5 changes it: ").strip())
                step = session.keep_or_change(label.level if label else None)
            case FollowUp.REASON:
                step = _reason(session)
            case FollowUp.ADVANCE:
                return _advance(session)


def _reason(session: ReviewSession) -> FollowUp:
    """Why not: a letter, words of one's own, nothing; or a digit or ``a``, which is another verdict."""
    choices = "  ".join(f"{reason.key} {reason.name}" for reason in REASONS)
    print(_wrapped(f"Why not as the judges? {choices}"))
    while True:
        key, _, rest = input("Enter no reason, n TEXT in words, 1-5 another verdict: ").strip().partition(" ")
        label = level_for_key("evidence", key)
        if label is not None:
            return session.decide(label.level, instead=True)
        if key == "a":
            return session.accept(instead=True)
        if key == "n" and rest.strip():
            session.note(rest.strip())
            _receipt(session)
            return session.reason(None)
        reason = next((reason for reason in REASONS if reason.key == key), None)
        if reason is not None or not key:
            return session.reason(reason.level if reason else None)
        print("That is none of them.")


def _delete_span(session: ReviewSession) -> None:
    """Delete the only span at once; of several, ask one after the other."""
    spans = session.spans_to_delete()
    place: int | None = 0
    while place is not None and len(spans) > 1:
        mine = spans[place]
        print(_wrapped(f"span {place + 1} of {len(spans)}, in the {mine.target}: “{mine.exact}”"))
        key = input("Enter deletes it, w next, b back, anything else none: ").strip()
        if not key:
            break
        place = (place + (1 if key == "w" else -1)) % len(spans) if key in ("w", "b") else None
    if place is not None:
        session.delete_span(spans[place])
        _receipt(session)


def _hallucination(session: ReviewSession, key: str) -> None:
    label = level_for_key("hallucination", key)
    if label is None:
        raise UserError("Say h and a number: " + ", ".join(f"{it.key} {it.name}" for it in HALLUCINATION) + ".")
    session.hallucination(label.level)
    if label.level != "none":
        session.add_span("response", session.default_span("response"))
    _receipt(session)


def _show(session: ReviewSession) -> None:
    item = session.item
    if item is None:
        print("There is nothing in this queue.")
        return
    counts = session.counts
    narrowed = f", filter {session.queue.filter}" if session.queue.filter else ""
    print()
    print(visible_line(f"{session.queue.kind.title}, {session.position + 1} of {len(session.queue.units)}{narrowed}"))
    print(f"decided {counts.decided}, deferred {counts.deferred}, open {counts.open}")
    badges = f"; {item.verdict.badges}" if session.shows_judges and item.verdict and item.verdict.badges else ""
    model = f" {item.model}" if session.shows_judges and item.model else ""
    model += f", record {item.record_id}" if session.shows_judges and item.record_id else ""
    print(visible_line(f"{item.response_name}{model}, statement {item.ordinal} of {item.siblings}{badges}"))
    print(_wrapped(f"asked: {item.question}"))
    print(_wrapped(f"STATEMENT: {item.text}"))
    _source(session)
    if session.shows_judges:
        _judges(session)
    else:
        known = "; you saw them before: an assisted label" if session.knows_judges else ""
        print(f"The judges are hidden {session.hidden_until}{known}.")
    if words := "; ".join(_mine(session.own)):
        print(_wrapped(f"you: {words}"))
    if draft := session.draft:
        print(_wrapped(f"not saved, draft of {draft.time}: {draft.text} (draft saves it as the note)"))


def _mine(own: ReviewerState) -> Iterator[str]:
    """What I said so far."""
    if own.stale:
        yield "STALE, the page has changed since, decide again"
    if own.label:
        yield level_named("evidence", own.label).name
    elif own.deferred:
        yield "deferred"
    yield from remarks(own)
    if own.note:
        yield "a note (n reads it)"


def _source(session: ReviewSession) -> None:
    source = session.source
    if source is None:
        print("SOURCE: none is cited.")
        return
    sources = session.item.sources if session.item else ()
    if len(sources) > 1:
        print(_wrapped("sources: " + ", ".join(f"{it.name}{' cited' if it.cited else ''}" for it in sources)))
    state = in_words(source.state)
    cited = ", cited by the statement" if source.cited else ""
    print(_wrapped(f"SOURCE {source.name}{cited}: {source.url}, {state} {source.state_evidence}"))
    if source.title:
        print(_wrapped(f"title: {source.title}"))
    text, highlights = session.source_text(), session.source_highlights()
    opening = highlights.opening
    if text:
        _place(session, text, opening.start if opening else 0)
        start = max(0, opening.start - _AROUND) if opening else 0
        end = min(len(text), opening.end + _AROUND) if opening else 2 * _AROUND
        print(_read(f"... {session.source_places().told(text, start, end)} ..."))
        for offset, remark in sorted(highlights.remarks.items()):
            print(_wrapped(f"DIFFERS: “{' '.join(text[offset : offset + _BRIEF].split())} ...”: {remark}"))


def _told(session: ReviewSession) -> str:
    """The whole source, with what does not stand open on the page in brackets."""
    text = session.source_text()
    return session.source_places().told(text, 0, len(text))


def _place(session: ReviewSession, text: str, offset: int) -> None:
    """Where in the source a place is, in words."""
    places = session.source_places()
    page = places.page(offset)
    if page:
        print(f"page {page[0]} of {page[1]}")
    if path := places.path(text, offset):
        print(_wrapped(f"under: {' > '.join(path)}"))


def _judges(session: ReviewSession) -> None:
    item = session.item
    if item is None:
        return
    for said in item.judgements:
        source = item.source_of(said.snapshot_id)
        verdict = in_words(said.verdict or said.raw_label or "no answer")
        if said.verdict is None and said.supported is None:
            verdict = f"no vote ({verdict})"
        faults = ", ".join(said.difference_kinds) or quote_doubt_words(said.quote_doubt)
        kinds = f" ({faults})" if faults else ""
        quote = f", quote {in_words(said.quote_status)}{kinds}: “{said.quote}”" if said.quote else ""
        number = source.name if source else "?"
        print(_wrapped(f"judge {judge_name(said)} on source {number}: {verdict}{quote}. {said.reason}"))
    if item.verdict and len(jurors(item)) > 1:
        print(_wrapped(f"the jury: {jury_words(item.verdict)}"))


def _wrapped(text: str) -> str:
    """One thing that is said, in lines that fit. A line of its own within a reason could pass for a receipt."""
    return textwrap.fill(one_line(text), 78)


def _read(text: str) -> str:
    """A text that is read line by line: a source, a response."""
    return "\n".join(textwrap.fill(line, 78) for line in visible(text).split("\n"))
