"""Themes in what a system omits and contradicts, from what the judges of the majority say of it (MedFactEval, step 3).

Without a model they go by what the fact is about and by how the passage that the judges quote differs from it, as the
evidence rules see that. A theme of one fact is none.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from medreview.judges.triage import CLASH_WORDS
from medreview.labels import label_words
from medreview.units.failed_facts import LEAST, THEMES, FailedFact, failures_id

_MADE: Final = """SELECT g.report, r.model FROM generation_current AS g JOIN generation_run AS r USING (run_id)
WHERE r.generator = ? AND g.item_id = ? AND g.code = '' ORDER BY r.ordinal DESC LIMIT 1"""
_UNSAID: Final = "nothing near it is said"
_PARTLY: Final = "said in part, or otherwise"


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


def themes_of(reader: sqlite3.Connection, system: str, failed: Sequence[FailedFact]) -> Themes:
    """Those that a model made of just these failures, by the newest such run; else by rule."""
    row = reader.execute(_MADE, (THEMES, failures_id(system, failed))).fetchone()
    if row is None:
        return themes_by_rule(system, failed)
    by_key = {one.key: one for one in failed}
    made: list[dict[str, Any]] = json.loads(row["report"])["themes"]
    named = [Theme(one["title"], one["about"], tuple(by_key[tuple(key)] for key in one["facts"])) for one in made]
    return _made(system, row["model"], named, failed)


def themes_by_rule(system: str, failed: Sequence[FailedFact]) -> Themes:
    """By failure, category of the fact, and how what is quoted differs from it."""
    groups: dict[tuple[str, str, str], list[FailedFact]] = {}
    for one in failed:
        groups.setdefault((one.failure, one.held.fact.category, _difference(one)), []).append(one)
    named = [
        Theme(f"{failure.capitalize()}: {label_words('category', category)}; {difference}", "", tuple(facts))
        for (failure, category, difference), facts in groups.items()
    ]
    return _made(system, "", named, failed)


def _made(system: str, by: str, named: Sequence[Theme], failed: Sequence[FailedFact]) -> Themes:
    """Those with enough facts, the largest first."""
    kept = [theme for theme in named if len(theme.facts) >= LEAST]
    inside = {one.key for theme in kept for one in theme.facts}
    return Themes(
        system=system,
        by=by,
        themes=tuple(sorted(kept, key=lambda theme: -len(theme.facts))),
        dropped=len(named) - len(kept),
        alone=sum(one.key not in inside for one in failed),
    )


def _difference(one: FailedFact) -> str:
    """In words; the commonest of several quotes' differences, the first of equals."""
    quotes = [vote.quote for vote in one.votes if vote.quote.strip()]
    if not quotes:
        return _UNSAID
    found = Counter(words for quote in quotes for words in _differences(one.held.fact.text, quote))
    return found.most_common(1)[0][0] if found else _PARTLY


def _differences(fact: str, quote: str) -> Iterator[str]:
    from medreview.evidence.clashes import clashes

    yield from dict.fromkeys(CLASH_WORDS[clash.kind] for clash in clashes(fact, quote))
