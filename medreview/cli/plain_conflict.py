"""A conflict as lines: who said what, when and why, and what settled it."""

from medreview.cli.plain_words import wrapped
from medreview.review.adjudicating import Adjudicating
from medreview.words import in_words


def show_conflicts(session: Adjudicating) -> None:
    """Print the labels that differ on the unit on the screen."""
    found = session.conflicts
    if not found:
        print("Nobody differs here any more.")
    for conflict in found:
        axis = "" if conflict.axis == session.asks.axis else f" ({in_words(conflict.axis)})"
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
