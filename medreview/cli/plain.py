"""The review as line prompts: for screen readers, dumb terminals and scripts. The same session as the workbench."""

import textwrap
from collections.abc import Callable

from medreview.errors import UserError
from medreview.labels import HALLUCINATION, REASONS, level_for_key, level_named
from medreview.review.session import ReviewSession
from medreview.visible import visible

_AROUND = 300
_HELP = """\
1-5     my verdict: 1 supported, 2 partial, 3 contradicted, 4 not addressed, 5 cannot judge
a       agree with the judges            j, k    next, previous statement
h N     hallucination: 0 none, 1 fact, 2 input, 3 context, 4 other; marks the statement in the response
n TEXT  note                             t       next open statement
s       defer                            [ ]     previous, next cited source
d f p   flags: dispute, feedback, badly parsed
u U     undo, redo                       source  the whole source      response  the whole response
?       this help                        q       leave (everything is saved)"""


def review_plain(session: ReviewSession) -> None:
    """Prompt until ``q`` or the end of input. Says each receipt; errors are one line and change nothing."""
    _show(session)
    while True:
        try:
            line = input("> ").strip()
        except EOFError:
            break
        session.clock.touch()
        if line == "q":
            break
        try:
            _carry_out(session, line)
        except UserError as error:
            print(visible(str(error)))
    session.leave()


def _carry_out(session: ReviewSession, line: str) -> None:
    word, _, rest = line.partition(" ")
    label = level_for_key("evidence", word)
    if label is not None:
        _decided(session, session.decide(label.level))
    elif word == "a":
        _decided(session, session.accept())
    elif word == "h":
        _hallucination(session, rest.strip())
    elif word == "n":
        session.note(rest.strip())
        print(session.receipt)
    elif word in _ACTS:
        _ACTS[word](session)
        print(session.receipt)
        if word in "suU":
            if word == "s":
                session.next()
            _show(session)
    elif word in _MOVES:
        print("" if _MOVES[word](session) else "(there is no more)")
        _show(session)
    elif word == "source":
        print(_wrapped(session.source_text() or "(nothing to read)"))
    elif word == "response":
        print(_wrapped(session.item.response if session.item else ""))
    else:
        print(_HELP)


_ACTS: dict[str, Callable[[ReviewSession], None]] = {
    "s": ReviewSession.defer,
    "d": lambda session: session.flag("dispute"),
    "f": lambda session: session.flag("feedback"),
    "p": lambda session: session.flag("badly_parsed"),
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


def _decided(session: ReviewSession, settled: bool) -> None:
    print(session.receipt)
    if not settled and session.queue.mode == "blind":
        _judges(session)
        key = input("Enter keeps your verdict, 1-5 changes it: ").strip()
        label = level_for_key("evidence", key)
        if label is not None:
            settled = session.decide(label.level)
            print(session.receipt)
    if not settled:
        choices = "  ".join(f"{reason.key} {reason.name}" for reason in REASONS)
        key = input(f"Why not as the judges? {choices}  Enter no reason: ").strip()
        found = next((reason for reason in REASONS if reason.key == key), None)
        if found is not None:
            session.reason(found.level)
            print(session.receipt)
    if not session.next():
        print("(end of the queue)")
    _show(session)


def _hallucination(session: ReviewSession, key: str) -> None:
    label = level_for_key("hallucination", key)
    if label is None:
        raise UserError("Say h and a number: " + ", ".join(f"{it.key} {it.name}" for it in HALLUCINATION) + ".")
    session.hallucination(label.level)
    if label.level != "none":
        session.add_span("response", session.default_span("response"))
    print(session.receipt)


def _show(session: ReviewSession) -> None:
    item = session.item
    if item is None:
        print("There is nothing in this queue.")
        return
    counts = session.counts
    print(f"\n{session.queue.kind.title}, {session.position + 1} of {len(session.queue.units)}")
    print(f"decided {counts.decided}, deferred {counts.deferred}, open {counts.open}")
    badges = f"; {item.verdict.badges}" if session.judges and item.verdict and item.verdict.badges else ""
    model = f" {item.model}" if session.judges else ""
    print(visible(f"{item.response_name}{model}, statement {item.ordinal} of {item.siblings}{badges}"))
    print(_wrapped(f"asked: {item.question}"))
    print(_wrapped(f"STATEMENT: {item.text}"))
    _source(session)
    if session.judges:
        _judges(session)
    if session.own.label:
        print(f"you: {level_named('evidence', session.own.label).name}")


def _source(session: ReviewSession) -> None:
    source = session.source
    if source is None:
        print("SOURCE: none is cited.")
        return
    print(visible(f"SOURCE {source.number}: {source.domain}, {source.state} {source.state_evidence}"))
    text, opening = session.source_text(), session.source_highlights().opening
    if text:
        start = max(0, opening.start - _AROUND) if opening else 0
        end = min(len(text), opening.end + _AROUND) if opening else 2 * _AROUND
        print(_wrapped(f"... {text[start:end]} ..."))


def _judges(session: ReviewSession) -> None:
    item = session.item
    for said in item.judgements if item else ():
        source = item.source_of(said.snapshot_id) if item else None
        verdict = (said.verdict or said.raw_label).replace("_", " ")
        quote = f", quote {said.quote_status}: {said.quote}" if said.quote else ""
        number = source.number if source else "?"
        print(_wrapped(f"judge {said.judge} on source {number}: {verdict}{quote}. {said.reason}"))


def _wrapped(text: str) -> str:
    lines = visible(text).splitlines() or [""]
    return "\n".join(textwrap.fill(line, 78) for line in lines)
