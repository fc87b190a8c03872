"""Themes in what a system omits and contradicts, from what the judges said of it (MedFactEval, step 3)."""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar, Final

from medreview.generators.ask import Ask, Checked, Dropped, Item, Made, Work
from medreview.generators.checks import numbers_missing, words
from medreview.generators.generator import Generator
from medreview.judges.ties import tie_rule
from medreview.labels import label_words
from medreview.units.failed_facts import LEAST, THEMES, FailedFact, failed_facts, failures_id
from medreview.units.held_facts import held_facts

_PROMPT: Final = "failure_themes"
_TITLE: Final = (2, 12)
"""Words of a title, at least and at most."""
_LONGEST: Final = 40
"""Words of the sentence on it."""
_MOST: Final = 6


class Themes(Generator):
    """``generate themes``: the inputs are systems; nothing is made to be reviewed, the report on key facts has them.

    They belong to just these failures: when a judge says more, or a label or the tie rule changes, they are made anew.
    """

    name = THEMES
    noun = "system"
    lacking = "No system has been held against key facts so far: judge presence and contradiction first."
    prompt_names: ClassVar[tuple[str, ...]] = (_PROMPT,)

    def items(self) -> Sequence[Item]:
        """The systems of which texts are held against key facts."""
        return [Item(item_id, system or "(no name)") for item_id, (system, _) in self._failed.items()]

    def work(self, item: Item) -> Work:
        """One question to the model."""
        _, failed = self._failed[item.item_id]
        if len(failed) < LEAST:
            return Made(code="too_few_failures")
        texts = {"failures": "\n".join(_line(number, one) for number, one in enumerate(failed, 1))}
        if not self.fits(self.prompts[_PROMPT], texts):
            return Made(code="over_context")
        got = yield Ask("themes", self.prompts[_PROMPT], texts, partial(check_themes, failed=failed))
        if not got.valid:
            return Made(code="invalid")
        made, dropped = got.value
        return Made(dropped=dropped, report={"themes": made})

    @cached_property
    def _failed(self) -> dict[str, tuple[str, list[FailedFact]]]:
        facts, tie = held_facts(self.study.reader), tie_rule(self.study.reader)
        found = [(system, failed_facts(facts, system, tie)) for system in facts.systems]
        return {failures_id(system, failed): (system, failed) for system, failed in found}


def check_themes(value: Mapping[str, Any], failed: Sequence[FailedFact]) -> Checked:
    """The themes that stand, with the keys of their facts; those of one fact are left out. Invalid when none stands."""
    made: list[dict[str, Any]] = []
    dropped: list[Dropped] = []
    facts = {_folded(one.held.fact.text) for one in failed}
    told = " ".join(" ".join((one.held.fact.text, *(vote.reason for vote in one.votes))) for one in failed)
    for given in value["themes"]:
        title, about = (" ".join(given[name].split()) for name in ("title", "about"))
        numbers = [number for number in dict.fromkeys(given["facts"]) if 1 <= number <= len(failed)]
        dropped += [Dropped("unknown_fact", f"{title}: {number}") for number in given["facts"] if number not in numbers]
        code = _code(title, about, told, facts, [one["title"] for one in made])
        if not code and len(numbers) < LEAST:
            code = "theme_of_one"
        if not code and len(made) == _MOST:
            code = "beyond_six"
        if code:
            dropped.append(Dropped(code, title))
        else:
            made.append({"title": title, "about": about, "facts": [list(failed[number - 1].key) for number in numbers]})
    if not made:
        return Checked(("no_theme", *dict.fromkeys(one.code for one in dropped)))
    return Checked(value=(made, tuple(dropped)))


def _code(title: str, about: str, told: str, facts: set[str], titles: Sequence[str]) -> str:
    """What is wrong with a theme by itself; ``""`` for nothing."""
    if not _TITLE[0] <= words(title) <= _TITLE[1]:
        return "title_length"
    if words(about) > _LONGEST:
        return "about_length"
    if _folded(title) in facts:
        return "copies_a_fact"
    if _folded(title) in map(_folded, titles):
        return "same_theme_twice"
    return "number_not_in_failures" if numbers_missing(f"{title}. {about}", told) else ""


def _line(number: int, one: FailedFact) -> str:
    said = "; ".join(" ".join(vote.reason.split()) for vote in one.votes if vote.reason.strip())
    category = label_words("category", one.held.fact.category)
    fact = " ".join(one.held.fact.text.split())
    return f"{number}. {one.failure} ({category}): {fact} | judges: {said or '(nothing)'}"


def _folded(text: str) -> str:
    return text.casefold().strip(" .")
