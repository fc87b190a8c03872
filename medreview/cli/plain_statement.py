"""A statement in line mode: what is printed of it, and the words that only statements have."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from medreview.cli.plain_findings import FINDINGS_HELP, findings
from medreview.cli.plain_words import read, wrapped
from medreview.errors import UserError
from medreview.labels import HALLUCINATION, LEFT_OUT_REASONS, Label, level_for_key, quote_doubt_words
from medreview.review.jurors import jurors, jury_words, together_words
from medreview.review.session import ReviewSession
from medreview.review.statement_editing import exclude_event, join_event, split_event
from medreview.review.undo import brief
from medreview.review.verdict_flow import FollowUp
from medreview.units.quote_words import quote_status_words
from medreview.units.statement_view import judge_name
from medreview.visible import visible_line
from medreview.words import in_words

_AROUND: Final = 300
_BRIEF: Final = 60


class StatementLines:
    """Prints the statement of a session."""

    help = f"""\
h N     hallucination: 0 none, 1 fact, 2 input, 3 context, 4 other; marks the statement in the response
l       what of the response is no statement       l N     make number N of it one
E s WORDS  cut the statement before these words     E j  join it with the next     E x  exclude it, not medical
source  the whole source      response  the whole response
{FINDINGS_HELP}"""

    def __init__(self, session: ReviewSession) -> None:
        self._session = session
        self.words: Mapping[str, Callable[[str], bool]] = {
            "h": lambda rest: _hallucination(session, rest),
            "F": partial(findings, session),
            "l": lambda rest: _left_out(session, rest),
            "E": lambda rest: _edit(session, rest),
            "source": lambda _rest: _printed(_told(session) or "(nothing to read)"),
            "response": lambda _rest: _printed(_response(session)),
        }
        """What its words do; whether that was an act, whose receipt is to be said."""
        self.decides: Mapping[str, Callable[[str], FollowUp]] = {}
        """Words that give the label, beside the digits."""

    def show(self) -> None:
        """Question, statement, the source at its best place."""
        session, item = self._session, self._session.item
        if item is None:
            return
        badges = f"; {session.badges}" if session.badges else ""
        model = f" {item.model}" if session.shows_judges and item.model else ""
        model += f", record {item.record_id}" if session.shows_judges and item.record_id else ""
        print(visible_line(f"{item.response_name}{model}, statement {item.short_name[1:]} of {item.siblings}{badges}"))
        print(wrapped(f"asked: {item.question}"))
        print(wrapped(f"STATEMENT: {item.text}"))
        if item.beside:
            print(wrapped(f"({item.beside})"))
        _source(session)

    def decided(self, label: Label) -> bool:
        """Nothing more is asked."""
        return False

    def judges(self) -> None:
        """Each judge on each source, and the jury."""
        session, item = self._session, self._session.item
        if item is None:
            return
        for said in item.judgements:
            source = item.source_of(said.snapshot_id)
            verdict = in_words(said.verdict or said.raw_label or "no answer")
            if said.verdict is None and said.supported is None:
                verdict = f"no vote ({verdict})"
            faults = ", ".join(said.difference_kinds) or quote_doubt_words(said.quote_doubt)
            kinds = f" ({faults})" if faults else ""
            quote = f", quote {quote_status_words(said, source)}{kinds}: “{said.quote}”" if said.quote else ""
            number = source.name if source else "?"
            remarks = [in_words(source.state)] if source and source.state != "ok" else []
            remarks += ["another work"] if source and session.is_other_work(source.source_id) else []
            state = f" ({', '.join(remarks)})" if remarks else ""
            sure = f", confidence {said.confidence:g}" if said.confidence is not None else ""
            by = "" if said.offline else " by " + ", ".join(filter(None, (said.model, said.prompt)))
            who = f"judge {judge_name(said)}{by} on source {number}{state}"
            print(wrapped(f"{who}: {verdict}{sure}{quote}. {said.reason}"))
        if item.verdict and len(jurors(item)) > 1:
            print(wrapped(f"the jury: {jury_words(item.verdict)}"))
        if told := together_words(item):
            reasons = " ".join(f"{said.judge}: {said.reason}" for said in item.merged if said.reason)
            print(wrapped(f"{told}. {reasons}"))


def _printed(text: str) -> bool:
    print(read(text))
    return False


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


def _left_out(session: ReviewSession, number: str) -> bool:
    """List what of the response is no statement, or make a statement of one of these parts: an act."""
    parts = session.item.left_out if session.item else ()
    if not number:
        for place, part in enumerate(parts, 1):
            print(wrapped(f"{place} {LEFT_OUT_REASONS[part.reason]}: “{part.text}”"))
        print("l and a number makes a statement of it." if parts else "Everything in this response is a statement.")
        return False
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
    return True


def _edit(session: ReviewSession, told: str) -> bool:
    """Cut the statement, join it with the next, exclude it: acts, each taken back by ``u``."""
    from medreview import pipeline
    from medreview.config import load_config

    item, (act, _, words) = session.item, told.partition(" ")
    if item is None:
        raise UserError("There is no statement here to edit.")
    name, reader = session.name, session.study.reader
    match act:
        case "s" if words.strip() in item.text[1:] and words.strip():
            event, done_words = split_event(reader, session.unit, item.text.index(words.strip(), 1)), "cut in two"
        case "s":
            raise UserError("Say E s and the words, as they stand in the statement, before which it is cut.")
        case "j":
            event, done_words = join_event(reader, session.unit), "joined with the next"
        case "x":
            event, done_words = exclude_event(reader, session.unit), "excluded as not medical"
        case _:
            raise UserError("Say E s WORDS to cut the statement, E j to join it with the next, E x to exclude it.")
    done = pipeline.edit(
        session.study,
        session.reviewer,
        [event],
        queue=session.queue,
        mode=session.mode,
        pass_no=session.pass_no,
        synonyms=load_config().synonyms_file,
    )
    session.reopen(done.receipt, f"{name} {done_words}", done.statements)
    return True


def _hallucination(session: ReviewSession, key: str) -> bool:
    label = level_for_key("hallucination", key)
    if label is None:
        raise UserError("Say h and a number: " + ", ".join(f"{it.key} {it.name}" for it in HALLUCINATION) + ".")
    session.hallucination(label.level)
    if label.level != "none":
        session.add_span("response", session.default_span("response"))
    return True


def _source(session: ReviewSession) -> None:
    source = session.source
    if source is None:
        print("SOURCE: none is cited.")
        return
    sources = session.item.sources if session.item else ()
    if len(sources) > 1:
        print(wrapped("sources: " + ", ".join(f"{it.name}{' cited' if it.cited else ''}" for it in sources)))
    state = in_words(source.state)
    cited = ", cited by the statement" if source.cited else ""
    print(wrapped(f"SOURCE {source.name}{cited}: {source.url}, {state} {source.state_evidence}"))
    if source.title:
        print(wrapped(f"title: {source.title}"))
    if reference := session.reference:
        print(wrapped(f"{reference.said} (L opens it)"))
        if reference.worth_a_row:
            print(wrapped(reference.more))
    text, highlights = session.source_text(), session.source_highlights()
    opening = highlights.opening
    if text:
        _place(session, text, opening.start if opening else 0)
        start = max(0, opening.start - _AROUND) if opening else 0
        end = min(len(text), opening.end + _AROUND) if opening else 2 * _AROUND
        print(read(f"... {session.source_places().told(text, start, end)} ..."))
        for offset, remark in sorted(highlights.remarks.items()):
            print(wrapped(f"DIFFERS: “{' '.join(text[offset : offset + _BRIEF].split())} ...”: {remark}"))


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
        print(wrapped(f"under: {' > '.join(path)}"))
