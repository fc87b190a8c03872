"""Labels in line mode that take more than a digit: an order, words of one's own, a category, a fact that is added."""

from collections.abc import Callable, Mapping

from medreview.errors import UserError
from medreview.labels import AXES, EDITED, Label
from medreview.review.unit_session import UnitSession
from medreview.review.verdict_flow import FollowUp
from medreview.units.ranking_entry import RankingEntry


def deciding_words(session: UnitSession) -> Mapping[str, Callable[[str], FollowUp]]:
    """Words that give the unit its label, by what the kind asks."""
    if session.asks.entry == "order":
        return {"rank": lambda rest: _rank(session, rest)}
    if session.asks.entry == "words":
        edited = session.asks.level_named(EDITED)
        return {edited.key: lambda rest: session.decide_words(EDITED, rest)}
    return {}


def adding_words(session: UnitSession) -> Mapping[str, Callable[[str], bool]]:
    """Words for what the kind has beside its label; each an act, whose receipt is to be said."""
    found: dict[str, Callable[[str], bool]] = {}
    if "category" in session.asks.also:
        found["c"] = lambda rest: _categorise(session, rest)
    if session.asks.adds:
        found["+"] = lambda rest: _add(session, rest)
    return found


def entry_help(session: UnitSession) -> list[str]:
    """One line on each of these words."""
    lines = []
    if session.asks.entry == "order":
        also = "" if session.settles else ", then for output 1, 2, ... good, okay or bad"
        lines.append(f"{_example(session)}  outputs from best to worst{also}")
    if session.asks.entry == "words":
        lines.append(f"{session.asks.level_named(EDITED).key} TEXT  it must be said, in these words")
    letters = ", ".join(f"{label.key} {label.name}" for label in AXES["category"])
    if "category" in session.asks.also:
        lines.append(f"c LETTER  what it is about: {letters}")
    if session.asks.adds:
        lines.append(f"+ LETTER TEXT  a {session.asks.adds} of your own, with its category")
    return lines


def _example(session: UnitSession) -> str:
    """How an order is typed; where a conflict is settled, without qualities, which are no matter of conflict."""
    return "rank 2>1=3" if session.settles else "rank 2>1=3 gob"


def _rank(session: UnitSession, rest: str) -> FollowUp:
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


def _categorise(session: UnitSession, rest: str) -> bool:
    session.decide_also("category", _category(rest).level)
    return True


def _add(session: UnitSession, rest: str) -> bool:
    letter, _, text = rest.partition(" ")
    session.add(text, _category(letter).level)
    return True
