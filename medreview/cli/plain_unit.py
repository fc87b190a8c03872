"""Units in line mode: what is printed of a statement or of another unit, and the words that only it has.

Labels that take more than a digit, and spans in an answer, are typed here.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from medreview.cli.plain_sitting import read, wrapped
from medreview.errors import UserError
from medreview.labels import (
    AXES,
    EDITED,
    HALLUCINATION,
    LEFT_OUT_REASONS,
    Label,
    label_words,
    level_for_key,
)
from medreview.review.decision import FollowUp
from medreview.review.judge_words import missing_words, state_words, sure_words
from medreview.review.session import ReviewSession
from medreview.review.span_editing import SpanEdit, partner_for
from medreview.review.statement_editing import exclude_event, join_event, split_event
from medreview.review.verdict_card import JudgeLine
from medreview.text import Span, counted
from medreview.units.kind import RESPONSE
from medreview.units.ranking import RankingEntry
from medreview.units.statement import STATEMENT_ASKS
from medreview.visible import visible_line

FINDINGS_HELP: Final = "F       what judges found in the response      F N   take number N over      F N x   reject it"
SPANS_HELP: Final = """\
h N WORDS        mark these words of the answer, with the type N
h N WORDS // WHY the same with a reason"""


def findings(session: ReviewSession, rest: str) -> bool:
    """List the findings that are open where the unit stands, or take over or reject one: an act."""
    session.open_finding()
    spans = [span for span in session.findings if span.here and span.standing == "open"]
    number, _, what = rest.partition(" ")
    if not number:
        for place, span in enumerate(spans, 1):
            finding = span.finding
            print(wrapped(f"{place} {finding.judge}: {finding.words} “{span.quote}” {finding.reason}".rstrip()))
        print("F and a number takes it over, with x behind it rejects it.")
        return False
    if not number.isdecimal() or not 1 <= int(number) <= len(spans) or what not in ("", "x"):
        raise UserError(f"Say F and a number from 1 to {len(spans)}, and x behind it to reject.")
    (session.reject_finding if what else session.take_finding)(spans[int(number) - 1])
    return True


def mark(session: ReviewSession, rest: str) -> bool:
    """Mark words of the answer with a type; of a repeated passage the first place that is not marked yet."""
    digit, _, typed = rest.partition(" ")
    words, _, why = (part.strip() for part in typed.partition("//"))
    label = next((label for label in session.asks.levels if label.key == digit and label.level != "none"), None)
    if label is not None and label.level in session.asks.numbered and session.own.label not in (None, "none"):
        session.mark_numbered(label.level, typed)
        return True
    if label is None or not words:
        types = ", ".join(f"{one.key} {one.name}" for one in session.asks.levels if one.level != "none")
        raise UserError(f"Say h, a number and the words to mark: {types}.")
    if session.own.label in (None, "none"):
        raise UserError(f"Say first what is wrong with the {session.asks.noun}: {session.asks.faults}.")
    place = _place_of_finding(session, words)
    session.add_span(RESPONSE, SpanEdit(session.response_text(), *place), label=label.level, reason=why)
    return True


def _place_of_finding(session: ReviewSession, words: str) -> Span:
    text, taken = session.response_text(), {mine.span for mine in session.own.spans if mine.target == RESPONSE}
    start = text.find(words)
    while start >= 0:
        place = Span(start, start + len(words))
        if place not in taken:
            return place
        start = text.find(words, start + 1)
    raise UserError(f"The {session.asks.noun} does not say that in these words, or they are marked already.")


def _example(session: ReviewSession) -> str:
    """How an order is typed; where a conflict is settled, without qualities, which are no matter of conflict."""
    return "rank 2>1=3" if session.settles else "rank 2>1=3 gob"


def _rank(session: ReviewSession, rest: str) -> FollowUp:
    entry = RankingEntry(session.view.numbers if session.view else (), rated=not session.settles)
    example = f"as in: {_example(session)}"
    for sign in rest.casefold():
        if sign in " >,:":
            continue
        after = entry.press(sign)
        if after == entry:
            raise UserError(f"{sign!r} does not fit here; {example}")
        entry = after
    if entry.phase != "done":
        left = " ".join(map(str, entry.open))
        missing = f"no rank yet: output {left}" if left else f"no quality yet: output {entry.rating}"
        raise UserError(f"There is {missing}; {example}")
    (_, order), *qualities = entry.labels
    return session.decide_order(order, qualities)


def _category(letter: str) -> Label:
    found = next((label for label in AXES["category"] if label.key == letter), None)
    if found is None:
        letters = ", ".join(f"{label.key} {label.name}" for label in AXES["category"])
        raise UserError(f"Name a category by its letter: {letters}.")
    return found


def _categorise(session: ReviewSession, rest: str) -> bool:
    session.decide_also("category", _category(rest).level)
    return True


def _add(session: ReviewSession, rest: str) -> bool:
    letter, _, text = rest.partition(" ")
    session.add(text, _category(letter).level)
    return True


_MOST_LIT: Final = 20
_SHOWN: Final = 1500
"""Characters of a text that are printed before ``source`` is asked for."""


_STATEMENT_HELP: Final = f"""\
h N     hallucination: 0 none, 1 fact, 2 input, 3 context, 4 other; marks the statement in the response
l       what of the response is not a statement       l N     make number N of it one
E s WORDS  cut the statement before these words     E j  join it with the next     E x  exclude it, not medical
source  the whole source      m  every place in it that the screen lights      response  the whole response
{FINDINGS_HELP}"""


class Lines:
    """Prints the unit of a session, and has the words of its kind."""

    def __init__(self, session: ReviewSession) -> None:
        self._session, asks = session, session.asks
        self.words: dict[str, Callable[[str], bool]] = {
            "source": lambda _rest: _printed(_whole_text(session) or "(nothing to read)"),
            "m": lambda _rest: _printed(_lit(session)),
        }
        """What its words do; whether that was an act, whose receipt is to be said."""
        self.decides: dict[str, Callable[[str], FollowUp]] = {}
        """Words that give the label, beside the digits."""
        if asks is STATEMENT_ASKS:
            self.help = _STATEMENT_HELP
            self.words |= {
                "h": partial(_hallucination, session),
                "F": partial(findings, session),
                "l": partial(_left_out, session),
                "E": partial(_edit, session),
                "response": lambda _rest: _printed(_response(session)),
            }
            return
        self.words["beside"] = lambda _rest: _printed(session.beside_text())
        lines = ["source  the whole text      m  every place in it that the screen lights"]
        lines.append("beside  the text beside it, or the whole card")
        if asks.entry == "order":
            self.decides["rank"] = lambda rest: _rank(session, rest)
            rated = ", then for output 1, 2, ... good, okay or bad, f before it: hallucinated"
            also = "" if session.settles else rated
            lines.append(f"{_example(session)}  outputs from best to worst{also}")
        if asks.entry == "words":
            edited = asks.level_named(EDITED).key
            self.decides[edited] = lambda rest: session.decide_words(EDITED, rest)
            lines.append(f"{edited} TEXT  it must be said, in these words")
        if "category" in asks.also:
            self.words["c"] = lambda rest: _categorise(session, rest)
            letters = ", ".join(f"{label.key} {label.name}" for label in AXES["category"])
            lines.append(f"c LETTER  what it is about: {letters}")
        if asks.adds:
            self.words["+"] = lambda rest: _add(session, rest)
            lines.append(f"+ LETTER TEXT  a {asks.adds} of your own, with its category")
        if asks.entry == "spans":
            self.words |= {"h": partial(mark, session), "F": partial(findings, session)}
            lines += [SPANS_HELP, *([FINDINGS_HELP] if asks.axis == "hallucination" else [])]
            lines += [f"h {label.key} 3 5  mark what has these numbers as {label.name}" for label in asks.levels
                      if label.level in asks.numbered]  # fmt: skip
        self.help = "\n".join(lines)

    def show(self) -> None:
        """The unit and its text at its best place."""
        (_show_statement if self._session.asks is STATEMENT_ASKS else _show_unit)(self._session)

    def decided(self, label: Label) -> bool:
        """Where spans belong to a label just given, ask for them; whether receipts were said, that of the label too."""
        session = self._session
        if session.asks.entry != "spans" or label.level == "none":
            return False
        print(visible_line(session.receipt))
        while True:
            other = ", the other place" if partner_for(label.level, session.own.spans) else ""
            asked = f"Words of the answer to mark as {label.name}{other} (// and why), Enter none: "
            if label.level in session.asks.numbered:
                asked = f"Numbers of what is {label.name}, Enter none: "
            if not (typed := input(asked).strip()):
                return True
            try:
                mark(session, f"{label.key} {typed}")
                print(visible_line(session.receipt))
            except UserError as error:
                print(visible_line(str(error)))


def _show_unit(session: ReviewSession) -> None:
    """Name, card, the document that is open, what I marked."""
    view = session.view
    if view is None:
        return
    model = f", {view.model}" if session.shows_judges and view.model else ""
    print(wrapped(f"{view.name}{model}"))
    print(wrapped(session.asks.about))
    for part in view.parts:
        label = part.label.upper() if part.main else part.label
        print(wrapped(f"{label}: {part.text}" if label else part.text))
    document = session.document
    if document is None:
        print(view.missing or "There is no text to read beside it.")
        return
    count = len(view.documents)
    number = f" {session.place + 1} of {count}" if count > 1 else ""
    state = f" ({document.state})" if document.state and document.state != "ok" else ""
    print(wrapped(f"TEXT{number}: {document.title}{state}"))
    _above(session)
    opening = session.source_highlights().opening
    start = max(0, opening.start - _SHOWN // 3) if opening and len(document.text) > _SHOWN else 0
    more = " ... (source prints all of it)" if len(document.text) > start + _SHOWN else ""
    print(read(document.text[start : start + _SHOWN] + more))
    for mine in session.own.spans if session.asks.entry == "spans" else ():
        why = f" ({mine.reason})" if mine.reason else ""
        print(wrapped(f"you marked “{mine.exact}”, {label_words(session.asks.axis, mine.label)}{why}"))


def _show_statement(session: ReviewSession) -> None:
    """Question, statement, the source at its best place."""
    item = session.item
    if item is None:
        return
    model = f" {item.model}" if session.shows_judges and item.model else ""
    model += f", record {item.record_id}" if session.shows_judges and item.record_id else ""
    of = f"answer {int(item.response_name[1:])} ({item.response_name}){model}"
    print(visible_line(f"{of}, statement {item.short_name[1:]} of {item.siblings}"))
    print(wrapped(f"asked: {item.question}"))
    print(wrapped(f"STATEMENT: {item.text}"))
    if item.beside:
        print(wrapped(f"({item.beside})"))
    _source(session)


def say_card(session: ReviewSession) -> None:
    """Why the unit is flagged, what its judges say together, each of them, the rules last: in the screen's order."""
    card = session.card
    for number, reason in enumerate(card.reasons):
        print(wrapped(f"{'WHY FLAGGED' if number == 0 else 'also'}: {reason.sentence}"))
    together = card.together
    if not together.who:
        print(f"No judge has looked at this {session.asks.noun}.")
    else:
        who = "judges together" if together.who == "judges" else together.who
        takes = "a accepts it" if together.accepts else f"no a, say {session.asks.digits}"
        print(wrapped(f"{' '.join(filter(None, (f'{who}: {together.word}', together.tally)))}; {takes}"))
    for words in card.beside:
        print(wrapped(words))
    for group in (card.here, *card.others):
        remark = f" ({group.remark})" if group.remark else ""
        for line in group.lines:
            print(wrapped(f"{f'source {group.name}{remark}, ' if group.name else ''}{_of_judge(line)}"))
    if card.rules:
        print(wrapped(card.rules))


def _of_judge(line: JudgeLine) -> str:
    by = f" by {line.by}" if line.by else ""
    sure = f", {sure_words(line.sure)}" if line.sure is not None else ""
    quote = f". {line.quoted or 'quote'}: {line.quote.marked()[0]}" if line.quote.text else ""
    page = f" page: {line.page.marked()[0]}" if line.page.changed else ""
    more = "".join(f". {what or 'also'}: {words.marked()[0]}" for what, words in line.more)
    missing = f". {missing_words(line.missing)}" if line.missing else ""
    return f"{line.judge}{by}: {line.said}{sure}{quote}{page}{more}{missing}. {line.reason}".rstrip()


_AROUND: Final = 300
_BRIEF: Final = 60


def _printed(text: str) -> bool:
    print(read(text))
    return False


def _response(session: ReviewSession) -> str:
    """The whole response; parts that are not statements are marked."""
    item = session.item
    if item is None:
        return ""
    pieces, at = [], 0
    for part in item.left_out:
        pieces += [item.response[at : part.start], f"(left out: {part.text})"]
        at = part.end
    return "".join((*pieces, item.response[at:]))


def _left_out(session: ReviewSession, number: str) -> bool:
    """List parts of the response that are not statements, or make one of them a statement: an act."""
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

    pipeline.promote_here(session, parts[int(number) - 1], load_config().synonyms_file)
    return True


def _edit(session: ReviewSession, typed: str) -> bool:
    """Cut the statement, join it with the next, exclude it: acts, each taken back by ``u``."""
    from medreview import pipeline
    from medreview.config import load_config

    item, (act, _, words) = session.item, typed.partition(" ")
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
    pipeline.edit_here(session, event, f"{name} {done_words}", load_config().synonyms_file)
    return True


def _hallucination(session: ReviewSession, key: str) -> bool:
    label = level_for_key("hallucination", key)
    if label is None:
        raise UserError("Say h and a number: " + ", ".join(f"{it.key} {it.name}" for it in HALLUCINATION) + ".")
    session.decide_also("hallucination", label.level)
    if label.level != "none":
        session.add_span(RESPONSE, session.default_span(RESPONSE, label.level))
    return True


_SAYS: Final = {"supported": "supports", "contradicted": "contradicts"}


def _above(session: ReviewSession) -> None:
    """Quotes that are not in the text, and two sources in conflict."""
    above = session.above_page
    for absent in above.absent:
        hits = "; ".join(f"{one.words}: {counted(one.times, 'hit')}" for one in absent.hits)
        print(wrapped(f"{absent.whose} is NOT on this page: “{absent.quote}”{f' ({hits})' if hits else ''}"))
    for side in above.conflict:
        print(wrapped(f"SOURCES CONFLICT: {side.source.bracketed} {_SAYS[side.verdict]}: “{side.passage}”"))


def _source(session: ReviewSession) -> None:
    source = session.source
    if source is None:
        print("SOURCE: none is cited.")
        return
    sources = session.item.sources if session.item else ()
    if len(sources) > 1:
        print(wrapped("sources: " + ", ".join(f"{it.name}{' cited here' if it.cited else ''}" for it in sources)))
    state = state_words(source.state)
    cited = ", cited here" if source.cited else ""
    print(wrapped(f"SOURCE {source.name}{cited}: {source.url or source.domain}, {state} {source.state_evidence}"))
    if source.title:
        print(wrapped(f"title: {source.title}"))
    if reference := session.reference:
        print(wrapped(f"{reference.said} (L opens it)"))
        if reference.worth_a_row:
            print(wrapped(reference.more))
    text, highlights = session.source_text(), session.source_highlights()
    opening = highlights.opening
    _above(session)
    if text and highlights.nothing:
        print("No passage of this page is like the statement.")
    if text:
        _place_of_marker(session, text, opening.start if opening else 0)
        start = max(0, opening.start - _AROUND) if opening else 0
        end = min(len(text), opening.end + _AROUND) if opening else 2 * _AROUND
        print(read(f"... {session.source_places().told(text, start, end)} ..."))
        if session.shows_judges and len(highlights.stops) > 1:
            print(f"({len(highlights.stops)} places of this page are lit on the screen; m reads each)")
        for offset, remark in sorted(highlights.remarks.items()):
            print(wrapped(f"DIFFERS: “{' '.join(text[offset : offset + _BRIEF].split())} ...”: {remark}"))


def _lit(session: ReviewSession) -> str:
    """Every place of the text to which ``m`` leads on the screen, in order."""
    text, highlights = session.source_text(), session.source_highlights()
    said = session.source_places().told if session.item is not None else _between
    stops = highlights.stops[:_MOST_LIT]
    rows = [
        f"{number} of {len(highlights.stops)}: {' '.join(said(text, *stop).split())}"
        for number, stop in enumerate(stops, 1)
    ]
    more = len(highlights.stops) - len(stops)
    return "\n".join([*rows, *([f"and {more} more"] if more else [])]) or "No place of this text is lit."


def _between(text: str, start: int, end: int) -> str:
    return text[start:end]


def _whole_text(session: ReviewSession) -> str:
    """The whole text; of a source of a statement with what does not stand open on the page in brackets."""
    text = session.source_text()
    return session.source_places().told(text, 0, len(text)) if session.item is not None else text


def _place_of_marker(session: ReviewSession, text: str, offset: int) -> None:
    """Where in the source a place is, in words."""
    places = session.source_places()
    page = places.page(offset)
    if page:
        print(f"page {page[0]} of {page[1]}")
    if path := places.path(text, offset):
        print(wrapped(f"under: {' > '.join(path)}"))
