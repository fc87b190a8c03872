"""Line mode: filters, what I decided and noted, going there, the note in one's own editor."""

from collections.abc import Callable, Mapping
from typing import Final

from medreview.cli.plain_words import wrapped
from medreview.errors import UserError
from medreview.next_step import command
from medreview.review.deciding import Deciding
from medreview.review.history import History, Listed
from medreview.review.line_edit import MOST
from medreview.review.outside_text import write_outside
from medreview.review.queue_with import queue_with
from medreview.units.registry import unit_name
from medreview.units.unit_lookup import find_unit
from medreview.words import counted

_LINES: Final = 20

HELP: Final = """\
: FILTER     narrows the queue, : alone shows all of it
H WORDS      my last decisions, those with these words      notes WORDS   my notes
go NAME      to a unit of this queue by its name, as R07 S3    e   the note in my editor"""


def _filter(session: Deciding, text: str) -> bool:
    session.set_filter(text)
    return True


def _list(session: Deciding, listed: Listed, words: str) -> bool:
    found = History(session.study.reader, session.reviewer, listed, words)
    for place in range(min(_LINES, len(found))):
        act = found.act(place)
        replaced = " (replaced since)" if act.replaced else ""
        text = f": {act.text}" if act.text else ""
        print(wrapped(f"{act.when:%Y-%m-%d %H:%M} {act.name} {act.said}{replaced}{text}"))
    if len(found) > _LINES:
        print(f"and {len(found) - _LINES:,} more; words after the command narrow them")
    if not len(found):
        print("There is none.")
    if found.withheld:
        print(f"Left out, until decided again in your second pass: {counted(found.withheld, 'unit')}.")
    return False


def _go(session: Deciding, name: str) -> bool:
    reader = session.study.reader
    try:
        unit = find_unit(reader, name)
    except LookupError as error:
        raise UserError(f"Say go and a name, as R07 S3: {error}.") from None
    if unit in session.queue.units:
        return session.go(list(session.queue.units).index(unit))
    queue, blind = queue_with(session.study, session.reviewer, unit)
    there = command("review", session.study.path, "--plain", "--queue", queue, *(["--blind"] if blind else []))
    raise UserError(f"{unit_name(reader, unit)} is not in this queue; `{there}` opens one that has it.")


def _edit(session: Deciding, _rest: str) -> bool:
    if not session.unit:
        raise UserError(f"There is no {session.asks.noun} here to write a note on.")
    draft = session.draft
    back = write_outside(draft.text if draft else session.own.note, "note.txt", MOST)
    session.note_typed(back.text)
    session.drafts.keep()
    if back.fault:
        raise UserError(f"Not saved: {back.fault}. What it wrote is kept as a draft.")
    if back.text != session.own.note:
        session.note(back.text)
        print(wrapped(session.receipt))
    else:
        print("The note is as it was.")
    return False


FINDS: Final[Mapping[str, Callable[[Deciding, str], bool]]] = {
    ":": _filter,
    "H": lambda session, words: _list(session, "decisions", words),
    "notes": lambda session, words: _list(session, "notes", words),
    "go": _go,
    "e": _edit,
}
"""What is done by each word with the rest of its line; whether the unit is to be shown again."""
