"""Line mode around the units: guidelines, who the reviewer is, the end of a block and of the sitting."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial

from medreview.cli.plain_words import WIDTH, wrapped
from medreview.errors import UserError
from medreview.review.background import FIELDS, read_background, set_background
from medreview.review.deciding import Deciding
from medreview.review.guidelines import Guidelines, in_force, must_read, note_read
from medreview.review.plain_markdown import readable_markdown
from medreview.review.sitting_report import block_report, sitting_report
from medreview.study.backgrounds import Background, background_of, is_asked
from medreview.visible import visible_line

HELP = """\
guidelines   what the labels mean      B   say who you are      N   never mind who I am"""


def words(session: Deciding) -> Mapping[str, Callable[[], None]]:
    """What can be said at any time."""
    return {
        "guidelines": lambda: _guidelines(session, in_force(session.study.reader, session.asks.name)),
        "B": partial(_ask_background, session),
        "N": partial(_pass_over, session),
    }


def begin(session: Deciding) -> None:
    """Guidelines that the reviewer has not read, in full; who the reviewer is, if that was not asked."""
    if not session.study.writable or not session.unit:
        return
    new = must_read(session.study.reader, session.reviewer)
    if new is not None:
        print("New guidelines, to be read before you decide:")
        _guidelines(session, new)
    if not is_asked(session.study.reader, session.reviewer):
        print("Who decides? B says it (role, years, specialty, for the export); N never mind.")


def end_of_block(session: Deciding, *, shown: bool) -> None:
    """What the block came to, with its judges once they are shown."""
    if shown:
        print("The block, with its judges:")
    _report(block_report(session, shown=shown))


def end_of_sitting(session: Deciding) -> None:
    """What the sitting came to, if that is to be told."""
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


def _guidelines(session: Deciding, text: Guidelines) -> None:
    if text.number:
        note_read(session.study, session.reviewer, text)
    print(f"Guidelines, {text.name}" if text.number else "Guidelines: the definitions of the labels")
    print(readable_markdown(text.text, WIDTH))


def _ask_background(session: Deciding) -> None:
    before = asdict(background_of(session.study.reader, session.reviewer))
    given = {}
    for name, asked in FIELDS:
        old = "" if before[name] is None else str(before[name])
        said = input(f"{asked}{f' [{visible_line(old)}]' if old else ''}: ").strip()
        given[name] = said or old
    set_background(session.study, session.reviewer, read_background(given))
    print("Saved.")


def _pass_over(session: Deciding) -> None:
    if not is_asked(session.study.reader, session.reviewer):
        set_background(session.study, session.reviewer, Background())
    print("It is not asked again.")
