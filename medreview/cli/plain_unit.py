"""Any unit but a statement in line mode: its card, the text that is open, what machines say."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from medreview.cli.plain_entry import adding_words, deciding_words, entry_help
from medreview.cli.plain_findings import FINDINGS_HELP, SPANS_HELP, ask_spans, findings, mark
from medreview.cli.plain_words import read, wrapped
from medreview.labels import Label, label_words
from medreview.review.unit_session import UnitSession
from medreview.units.view import Passage

_SHOWN: Final = 1500
"""Characters of a text that are printed before ``source`` is asked for."""


class UnitLines:
    """Prints the unit of a session from its view. Knows no kind."""

    def __init__(self, session: UnitSession) -> None:
        self._session = session
        self.words: Mapping[str, Callable[[str], bool]] = {
            "source": self._source,
            "beside": self._beside,
            **adding_words(session),
        }
        """What its words do; whether that was an act, whose receipt is to be said."""
        self.decides = deciding_words(session)
        """Words that give the label, beside the digits."""
        told = ["source  the whole text      beside  the text beside it, or the whole card", *entry_help(session)]
        if session.asks.entry == "spans":
            told += [SPANS_HELP, FINDINGS_HELP]
            self.words = {**self.words, "h": partial(mark, session), "F": partial(findings, session)}
        self.help = "\n".join(told)

    def show(self) -> None:
        """Name, card, the document that is open, what I marked."""
        session, view = self._session, self._session.view
        if view is None:
            return
        model = f", {view.model}" if session.shows_judges and view.model else ""
        badges = f"; {session.machines.badges}" if session.machines.badges else ""
        print(wrapped(f"{view.name}{model}{badges}"))
        print(wrapped(session.kind.about))
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
        opening = session.source_highlights().opening
        start = max(0, opening.start - _SHOWN // 3) if opening and len(document.text) > _SHOWN else 0
        more = " ... (source prints all of it)" if len(document.text) > start + _SHOWN else ""
        print(read(document.text[start : start + _SHOWN] + more))
        for mine in session.own.spans if session.asks.entry == "spans" else ():
            why = f" ({mine.reason})" if mine.reason else ""
            print(wrapped(f"you marked “{mine.exact}”, {label_words(session.asks.axis, mine.label)}{why}"))

    def decided(self, label: Label) -> bool:
        """Where spans belong to a label, ask for them."""
        if self._session.asks.entry != "spans" or label.level == "none":
            return False
        ask_spans(self._session, label)
        return True

    def judges(self) -> None:
        """What each machine says, and all together."""
        machines = self._session.machines
        for opinion in machines.opinions:
            quotes = "".join(_quoted(passage) for passage in opinion.passages if passage.quote)
            print(wrapped(f"{opinion.judge}: {opinion.said}{quotes} {opinion.reason}".rstrip()))
        if machines.words:
            print(wrapped(machines.words))
        if not machines.opinions and not machines.words:
            print(f"No machine has a say on this {self._session.asks.noun}.")

    def _source(self, _rest: str) -> bool:
        print(read(self._session.source_text() or "(nothing to read)"))
        return False

    def _beside(self, _rest: str) -> bool:
        print(read(self._session.beside_text()))
        return False


def _quoted(passage: Passage) -> str:
    """A machine's quotation, and how true it is to its text where that was looked at."""
    return f", quote {passage.status_words}: “{passage.quote}”" if passage.status else f" “{passage.quote}”"
