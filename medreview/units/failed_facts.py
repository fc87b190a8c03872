"""What a system omits and what it contradicts, by the majority of the judges, with what these say of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from medreview.judges.fact_votes import CONTRADICTION, PRESENCE, FactVote
from medreview.labels import TieRule
from medreview.study.ids import content_id
from medreview.units.held_facts import HeldFact, HeldFacts

Failure = Literal["omitted", "contradicted"]
LEAST: Final = 2
"""Facts, or statements, that make a theme."""
THEMES: Final = "themes"
"""The generator that makes themes of them; its report lists each theme's facts by :attr:`FailedFact.key`."""
_TASKS: Final[tuple[tuple[Failure, str, bool], ...]] = (
    ("omitted", PRESENCE, False), ("contradicted", CONTRADICTION, True),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FailedFact:
    """A fact that a text omits or contradicts by the majority, with the votes of the judges who say so."""

    failure: Failure
    held: HeldFact
    votes: tuple[FactVote, ...]

    @property
    def key(self) -> tuple[str, str, str]:
        """How it failed, in which response, which key fact."""
        return self.failure, self.held.text.response_id, self.held.fact.key_fact_id


def failed_facts(facts: HeldFacts, system: str, tie: TieRule) -> list[FailedFact]:
    """What a system omits, then what it contradicts, in the order of its texts. What has no text is no theme."""
    held = [one for one in facts.held if one.text.system == system and one.text.valid]
    found = []
    for failure, task, answer in _TASKS:
        for one in held:
            if one.jury(task, tie).answer is answer:
                votes = tuple(vote for vote in one.judged.of(task) if vote.answer is answer)
                found.append(FailedFact(failure, one, votes))
    return found


def failures_id(system: str, failed: Sequence[FailedFact]) -> str:
    """The same for the same failures with the same words of the judges: what themes were made of."""
    return content_id(
        "t",
        system,
        *([*one.key, one.held.fact.text, *(f"{vote.judge}: {vote.reason}" for vote in one.votes)] for one in failed),
    )
