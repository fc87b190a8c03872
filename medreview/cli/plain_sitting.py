"""Line mode around the units: filters, notes, own axes and tags, conflicts, guidelines, the end of a sitting.

Text from outside is made visible and printed in lines of 78 columns.
"""

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Final

from medreview.cli.output import one_line
from medreview.errors import UserError
from medreview.labels import NONE_OF_THEM, OWN, axis_words
from medreview.next_step import command
from medreview.review.adjudicating import ConflictSession
from medreview.review.background import FIELDS, read_background, set_background
from medreview.review.consent import give_consent, must_consent
from medreview.review.guidelines import Guidelines, in_force, must_read, note_read, with_axes
from medreview.review.history import History, Listed
from medreview.review.resuming import queue_with
from medreview.review.session import ReviewSession
from medreview.review.sitting_report import SUMMED_UP_FROM, block_report, queue_report, sitting_report
from medreview.review.text_entry import MOST, write_outside
from medreview.review.wrapping import readable_markdown
from medreview.study.own_axes import OwnAxis
from medreview.study.study_acts import Background, background_of, is_asked
from medreview.text import counted, in_words
from medreview.units.registry import find_unit, unit_name
from medreview.visible import visible, visible_line

WIDTH: Final = 78
"""Columns of a line."""


def wrapped(text: str) -> str:
    """One thing that is said, in lines that fit. A line of its own within a reason could pass for a receipt."""
    return textwrap.fill(one_line(text), WIDTH)


def read(text: str) -> str:
    """A text that is read line by line: a source, a response."""
    return "\n".join(textwrap.fill(line, WIDTH) for line in visible(text).split("\n"))


def show_conflicts(session: ConflictSession) -> None:
    """Print the labels that differ on the unit on the screen."""
    found = session.conflicts
    if not found:
        print("Nobody differs here any more.")
    for conflict in found:
        axis = "" if conflict.axis == session.asks.axis else f" ({axis_words(conflict.axis)})"
        for given in conflict.labels:
            known = "" if given.independent else ", knew another's label"
            words = session.words_on(conflict.axis, given.label)
            print(wrapped(f"{given.reviewer}{axis}: {words}, {given.mode}{known}, "
                          f"{given.at_utc[:16].replace('T', ' ')}"))  # fmt: skip
            for name, words in (("reason", in_words(given.reason)), ("text", given.text), ("note", given.note)):
                if words:
                    print(wrapped(f"  {name}: {words}"))
        if (settled := conflict.settled) is not None:
            again = "" if settled.stands else ", open again: a label has changed since"
            words = session.words_on(conflict.axis, settled.label)
            print(wrapped(f"settled{axis}: {words}, by {settled.reviewer} ({in_words(settled.by)}){again}"))


_LINES: Final = 20

FINDING_HELP: Final = """\
: FILTER     narrows the queue, : alone shows all of it
H WORDS      my last decisions, those with these words      notes WORDS   my notes
go NAME      to a unit of this queue by its name, as R07 S3    e   the note in my editor"""


def _filter(session: ReviewSession, text: str) -> bool:
    session.set_filter(text)
    return True


def _list(session: ReviewSession, listed: Listed, words: str) -> bool:
    found = History(session.study.reader, session.reviewer, listed, words)
    for place in range(min(_LINES, len(found))):
        act = found.act(place)
        replaced = " (replaced since)" if act.replaced else ""
        text = f": {act.text}" if act.text else ""
        print(wrapped(f"{act.when:%Y-%m-%d %H:%M} {act.name} {act.said}{replaced}{text}"))
    if len(found) > _LINES:
        print(f"and {len(found) - _LINES:,} more; words after the command narrow them")
    if not len(found):
        print("Nothing was found.")
    if found.withheld:
        print(f"Left out, until decided again in your second pass: {counted(found.withheld, 'unit')}.")
    return False


def _go(session: ReviewSession, name: str) -> bool:
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


def _edit(session: ReviewSession, _rest: str) -> bool:
    if not session.unit:
        raise UserError(f"There is no {session.asks.noun} here to write a note on.")
    draft = session.draft
    back = write_outside(draft.text if draft else session.own.note, "note.txt", MOST)
    session.note_typed(back.text)
    session.drafts.keep()
    if back.fault:
        raise UserError(f"Not saved: {back.fault}. The text is kept as a draft.")
    if back.text != session.own.note:
        session.note(back.text)
        print(wrapped(session.receipt))
    else:
        print("The note is as it was.")
    return False


FINDS: Final[Mapping[str, Callable[[ReviewSession, str], bool]]] = {
    ":": _filter,
    "H": lambda session, words: _list(session, "decisions", words),
    "notes": lambda session, words: _list(session, "notes", words),
    "go": _go,
    "e": _edit,
}
"""What is done by each word with the rest of its line; whether the unit is to be shown again."""


SITTING_HELP = """\
guidelines   what the labels mean      B   say who you are      N   never mind who I am"""


def words(session: ReviewSession) -> Mapping[str, Callable[[], None]]:
    """What can be said at any time."""
    return {
        "guidelines": lambda: _guidelines(session, in_force(session.study.reader, session.asks.name)),
        "B": partial(_ask_background, session),
        "N": partial(_pass_over, session),
    }


def begin(session: ReviewSession) -> bool:
    """Consent, where the study asks for it; guidelines that the reviewer has not read, in full; who the reviewer is, if
    that was not asked. Whether the review goes on: without consent it ends."""
    if not session.study.writable or not session.unit:
        return True
    consent = must_consent(session.study.reader, session.reviewer)
    if consent is not None:
        print("Before you decide, read this:")
        print("\n".join(map(wrapped, consent.text.split("\n"))))
        if input("y: I have read this and consent. Anything else leaves: ").strip().casefold() not in ("y", "yes"):
            print("No label was saved. Open the study again to consent.")
            return False
        give_consent(session.study, session.reviewer, consent)
    new = must_read(session.study.reader, session.reviewer)
    if new is not None:
        print("New guidelines, to be read before you decide:")
        _guidelines(session, new)
    if not is_asked(session.study.reader, session.reviewer):
        print("Who decides? B says it (role, years, specialty, for the export); N never mind.")
    return True


def end_of_block(session: ReviewSession, *, shown: bool) -> None:
    """The block's report, with its judges once they are shown."""
    if shown:
        print("The block, with its judges:")
    _report(block_report(session, shown=shown))


def end_of_queue(session: ReviewSession) -> None:
    """What came of the queue, if it is no short one, and what is open in it."""
    session.finishes = False
    print("(end of the queue)")
    if len(session.queue.units) >= SUMMED_UP_FROM:
        _report(queue_report(session))
        if any(map(session.awaits, session.queue.units)):
            print("t goes to what is still open.")


def end_of_sitting(session: ReviewSession) -> None:
    """The sitting's report, if it is to be shown."""
    try:
        lines = sitting_report(session)
    except UserError as error:
        lines = [str(error)]
    if lines:
        print("The end of the sitting:")
        _report(lines)


def _report(lines: list[str]) -> None:
    for line in lines:
        lead = "  " if line.startswith(" ") else ""
        print("\n".join(lead + row for row in wrapped(line.strip()).split("\n")))


def _guidelines(session: ReviewSession, text: Guidelines) -> None:
    if text.number:
        note_read(session.study, session.reviewer, text)
    print(f"Guidelines, {text.name}" if text.number else "Guidelines: the definitions of the labels")
    print(readable_markdown(with_axes(session.study.reader, text.text, session.asks.name), WIDTH))


def _ask_background(session: ReviewSession) -> None:
    before = asdict(background_of(session.study.reader, session.reviewer))
    given = {}
    for name, asked in FIELDS:
        old = "" if before[name] is None else str(before[name])
        said = input(f"{asked}{f' [{visible_line(old)}]' if old else ''}: ").strip()
        given[name] = said or old
    set_background(session.study, session.reviewer, read_background(given))
    print("Saved.")


def _pass_over(session: ReviewSession) -> None:
    if not is_asked(session.study.reader, session.reviewer):
        set_background(session.study, session.reviewer, Background())
    print("It is not asked again.")


AXES_HELP: Final = """\
z       the study's own axes             z AXIS LEVEL  a label there, by key or name
#TAG    add or remove a tag; # alone lists them"""


def own_label(session: ReviewSession, rest: str) -> bool:
    """Give a label on one of the study's own axes; without words, list them. Whether something was saved.

    The name of the axis may be left out where there is one alone. Raises :class:`UserError` for what is no label.
    """
    if why := session.refusal("axes"):
        raise UserError(why)
    axes = session.own_axes_asked
    words = rest.split()
    if not words:
        for axis in axes.values():
            print(wrapped(_axis_words(axis, session.own.also)))
        return False
    if len(axes) == 1 and OWN + words[0] not in axes:
        words.insert(0, next(iter(axes.values())).name)
    name, *levels = words
    own = axes.get(OWN + name)
    if own is not None:
        if not levels:
            raise UserError(f"Say which: {_axis_words(own, session.own.also)}")
        levels = [_level(own, word) for word in levels if not (own.many and word == NONE_OF_THEM)]
    session.label(name, *levels)
    return True


def own_tags(session: ReviewSession, line: str) -> bool:
    """Put tags on, or take them off; without words, list them. Whether something was saved."""
    names = line.replace("#", " ").split()
    if not names:
        on = ", ".join(f"#{tag}" for tag in sorted(session.own.tags)) or "none"
        used = ", ".join(f"#{tag}" for tag in session.tags_used()) or "none"
        print(wrapped(f"tags here: {on}; tags that you have used: {used}"))
        return False
    for name in dict.fromkeys(names):
        session.tag(name)
    return True


def _level(axis: OwnAxis, word: str) -> str:
    """The level that a key or a name stands for; another word as it is, which the session refuses."""
    by_key = axis.level_for(word)
    return by_key.level if by_key is not None else word


def _axis_words(axis: OwnAxis, mine: Mapping[str, str]) -> str:
    levels = ", ".join(f"{level.key} {level.name}" for level in axis.levels)
    now = f"; you: {axis.words(mine[axis.axis])}" if axis.axis in mine else ""
    return f"z {axis.name}, {axis.title}{' (several)' if axis.many else ''}: {levels}{now}"
