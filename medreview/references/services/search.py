"""One reference's way through the authorities, until an answer fits."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from medreview.references.comparing.check import can_be_searched, check_reference
from medreview.references.library import Library
from medreview.references.model import Asked, Identifier, Record, Reference, ReferenceCheck
from medreview.references.services.client import Answer, Client
from medreview.references.services.order import asked_by_citation, asked_for, is_superfluous

_By = Literal["identifier", "citation"]
_Outcome = Literal["found", "nothing", "failed"]
_OUTCOMES: Final[tuple[_Outcome, ...]] = ("nothing", "failed", "found")
"""What came of several questions to one authority, of which the last in this list counts."""


def _unknown(_: str) -> bool:
    return False


class Search:
    """What was asked about a reference so far, and what was found.

    ``unknown``: a client was not allowed to ask, and did not know the answer.
    """

    def __init__(self, reference: Reference, clients: Mapping[str, Client], library: Library | None) -> None:
        self._reference = reference
        self._clients = clients
        self._library = library
        self._known: Callable[[str], bool] = library.known if library is not None else _unknown
        self._by_identifier: dict[Identifier, list[Record]] = {}
        self._by_citation: dict[tuple[str, str], Record] = {}
        self._asked: dict[tuple[str, str], Asked] = {}
        self.unknown = False

    async def run(self) -> ReferenceCheck:
        """The check: of the first answers that fit, else of all.

        A work that an identifier leads to, and that is described wrongly, is not looked for elsewhere; one that an
        identifier does not lead to is.
        """
        self._ask_library()
        if (check := self._check()).verdict == "match":
            return check
        await self._ask_by_identifier()
        if self._led_to(check := self._check()):
            return check
        for step in asked_by_citation(self._reference.kind):
            client = self._clients.get(step.authority)
            if client is None or not (query := client.query(step.way, self._reference)):
                continue
            answer = await client.citation(step.way, query)
            self._note(client.name, "citation", answer)
            if answer is not None and answer.records:
                self._keep(answer)
                if self._fits():
                    break
        return self._check()

    def _ask_library(self) -> None:
        if self._library is None:
            return
        for identifier in self._reference.identifiers:
            answer = Answer(tuple(self._library.by_identifier(identifier)))
            self._note(self._library.name, "identifier", answer)
            self._hold(identifier, answer)
        if can_be_searched(self._reference) and self._check().verdict != "match":
            answer = Answer(tuple(self._library.by_citation(self._reference)))
            self._note(self._library.name, "citation", answer)
            self._keep(answer)

    async def _ask_by_identifier(self) -> None:
        """Ask about all identifiers at once, one authority after the other, until the answers fit."""
        chains = {identifier: list(asked_for(identifier)) for identifier in self._reference.identifiers}
        while questions := [(one, client) for one, chain in chains.items() if (client := self._next(one, chain))]:
            answers = await asyncio.gather(*(client.identifier(identifier) for identifier, client in questions))
            for (identifier, client), answer in zip(questions, answers, strict=True):
                self._note(client.name, "identifier", answer)
                if answer is not None and not answer.failure:
                    self._hold(identifier, answer)
            if any(answer is not None and answer.records for answer in answers) and self._check().verdict == "match":
                return

    def _next(self, identifier: Identifier, chain: list[str]) -> Client | None:
        while chain:
            name = chain.pop(0)
            has_it = bool(self._by_identifier.get(identifier))
            if name in self._clients and not is_superfluous(name, somebody_has_it=has_it):
                return self._clients[name]
        return None

    def _hold(self, identifier: Identifier, answer: Answer) -> None:
        self._by_identifier.setdefault(identifier, []).extend(answer.records)

    def _keep(self, answer: Answer) -> None:
        self._by_citation |= {(record.authority, record.record_id): record for record in answer.records}

    def _led_to(self, check: ReferenceCheck) -> bool:
        """Whether the work is one that an identifier of the reference leads to, described rightly or wrongly."""
        led = (record for records in self._by_identifier.values() for record in records)
        return check.verdict in ("match", "mismatch") and any(record is check.record for record in led)

    def _fits(self) -> bool:
        """Whether what was found by the words of the citation is the work, or leaves no doubt that several are."""
        bare = replace(self._reference, identifiers=(), url="")
        return self._compared(bare, {}).verdict in ("match", "ambiguous")

    def _check(self) -> ReferenceCheck:
        return self._compared(self._reference, self._by_identifier)

    def _compared(self, reference: Reference, led: Mapping[Identifier, Sequence[Record]]) -> ReferenceCheck:
        found, asked = tuple(self._by_citation.values()), tuple(self._asked.values())
        return check_reference(reference, led, found, asked, known=self._known)

    def _note(self, authority: str, by: _By, answer: Answer | None) -> None:
        if answer is None:
            self.unknown = True
            return
        outcome: _Outcome = "failed" if answer.failure else "found" if answer.records else "nothing"
        before = self._asked.get((authority, by))
        if before is None or _OUTCOMES.index(outcome) > _OUTCOMES.index(before.outcome):
            self._asked[authority, by] = Asked(authority, by, outcome, answer.failure)
