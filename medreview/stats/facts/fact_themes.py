"""Themes in what a system omits and contradicts, from what the judges of the majority say of it (MedFactEval, step 3).

Without a model they go by what the fact is about and by how the passage that the judges quote differs from it, as the
evidence rules see that. A theme of one fact is none.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from medreview.evidence.clashes import clashes
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE, FactVote
from medreview.judges.triage import CLASH_WORDS
from medreview.labels import TieRule, label_words
from medreview.units.held_facts import HeldFact, HeldFacts

Failure = Literal["omitted", "contradicted"]
LEAST: Final = 2
"""Facts that make a theme."""

_TASKS: Final[tuple[tuple[Failure, str, bool], ...]] = (
    ("omitted", PRESENCE, False), ("contradicted", CONTRADICTION, True),
)  # fmt: skip
_UNSAID: Final = "nothing near it is said"
_PARTLY: Final = "said in part, or otherwise"


@dataclass(frozen=True, slots=True)
class FailedFact:
    """A fact that a text omits or contradicts by the majority, with the votes of the judges who say so."""

    failure: Failure
    held: HeldFact
    votes: tuple[FactVote, ...]


@dataclass(frozen=True, slots=True)
class Theme:
    """What several failures of one system have in common; ``about``: a sentence more, if there is one."""

    title: str
    about: str
    facts: tuple[FailedFact, ...]


@dataclass(frozen=True, slots=True)
class Themes:
    """The themes of one system, the largest first; ``by``: the model that made them, ``""`` for the rules.

    ``dropped``: themes of one fact only, ``alone``: failures that are in none.
    """

    system: str
    by: str
    themes: tuple[Theme, ...]
    dropped: int
    alone: int


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


def themes_by_rule(system: str, failed: Sequence[FailedFact]) -> Themes:
    """By failure, category of the fact, and how what is quoted differs from it."""
    groups: dict[tuple[str, str, str], list[FailedFact]] = {}
    for one in failed:
        groups.setdefault((one.failure, one.held.fact.category, _difference(one)), []).append(one)
    named = [
        Theme(f"{failure.capitalize()}: {label_words('category', category)}; {difference}", "", tuple(facts))
        for (failure, category, difference), facts in groups.items()
    ]
    return made_themes(system, "", named, failed)


def made_themes(system: str, by: str, named: Sequence[Theme], failed: Sequence[FailedFact]) -> Themes:
    """Those with enough facts, the largest first."""
    kept = [theme for theme in named if len(theme.facts) >= LEAST]
    inside = {_key(one) for theme in kept for one in theme.facts}
    return Themes(
        system=system,
        by=by,
        themes=tuple(sorted(kept, key=lambda theme: -len(theme.facts))),
        dropped=len(named) - len(kept),
        alone=sum(_key(one) not in inside for one in failed),
    )


def _key(one: FailedFact) -> tuple[str, str, str]:
    return one.failure, one.held.text.response_id, one.held.fact.key_fact_id


def _difference(one: FailedFact) -> str:
    """In words; the commonest of several quotes' differences, the first of equals."""
    quotes = [vote.quote for vote in one.votes if vote.quote.strip()]
    if not quotes:
        return _UNSAID
    found = Counter(words for quote in quotes for words in _differences(one.held.fact.text, quote))
    return found.most_common(1)[0][0] if found else _PARTLY


def _differences(fact: str, quote: str) -> Iterator[str]:
    yield from dict.fromkeys(CLASH_WORDS[clash.kind] for clash in clashes(fact, quote))
