"""Themes in what a system omits and contradicts, from what the judges said of it (MedFactEval, step 3)."""

from collections.abc import Sequence
from functools import cached_property, partial
from typing import ClassVar, Final

from medreview.generators.ask import Ask, Item, Made, Work
from medreview.generators.generator import Generator
from medreview.generators.theme_checks import ThemeWords, Told, check_themes
from medreview.judges.ties import tie_rule
from medreview.labels import label_words
from medreview.units.failed_facts import LEAST, THEMES, FailedFact, failed_facts, failures_id
from medreview.units.held_facts import held_facts

_PROMPT: Final = "failure_themes"
_NAMED: Final = ThemeWords("facts", "fact", "failures")


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
        told = [Told(one.held.fact.text, tuple(vote.reason for vote in one.votes)) for one in failed]
        got = yield Ask("themes", self.prompts[_PROMPT], texts, partial(check_themes, told=told, named=_NAMED))
        if not got.valid:
            return Made(code="invalid")
        named, dropped = got.value
        made = [
            {"title": one.title, "about": one.about, "facts": [list(failed[place].key) for place in one.places]}
            for one in named
        ]
        return Made(dropped=dropped, report={"themes": made})

    @cached_property
    def _failed(self) -> dict[str, tuple[str, list[FailedFact]]]:
        facts, tie = held_facts(self.study.reader), tie_rule(self.study.reader)
        found = [(system, failed_facts(facts, system, tie)) for system in facts.systems]
        return {failures_id(system, failed): (system, failed) for system, failed in found}


def _line(number: int, one: FailedFact) -> str:
    said = "; ".join(" ".join(vote.reason.split()) for vote in one.votes if vote.reason.strip())
    category = label_words("category", one.held.fact.category)
    fact = " ".join(one.held.fact.text.split())
    return f"{number}. {one.failure} ({category}): {fact} | judges: {said or '(nothing)'}"
