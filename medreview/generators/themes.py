"""Themes in what a system omits and contradicts (MedFactEval, step 3), and in what a reviewer decides otherwise.

:func:`check_themes` has the rules for models that say what several statements or facts share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

from medreview.generators.answer_rules import numbers_missing, words
from medreview.generators.generator import (
    DroppedPart,
    Generator,
    InputResult,
    Item,
    ModelQuestion,
    ValidatorResult,
    Work,
)
from medreview.judges.rollup import tie_rule
from medreview.labels import REASONS, label_in, label_words
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.units.held_facts import FACT_THEMES, LEAST, FailedFact, failed_facts, failures_id, held_facts
from medreview.units.label_comparisons import (
    PROMPT,
    THEMES,
    OverriddenLabel,
    counting,
    overridden_id,
    reviewers_of_labels,
    tellable,
)
from medreview.units.statement_view import load_judgements

_TITLE: Final = (2, 12)
"""Words of a title, at least and at most."""
_LONGEST: Final = 40
"""Words of the sentence on it."""
_MOST: Final = 6


class ThemeInput(NamedTuple):
    """What themes are looked for in: a text, and what was said of it."""

    text: str
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ThemeWords:
    """How answers and codes name it: ``field`` has the numbers of ``one``, all of which are the ``every``."""

    field: str
    one: str
    every: str


def check_themes(
    value: Mapping[str, Any], inputs: Sequence[ThemeInput], named: ThemeWords, keys: Sequence[Any]
) -> ValidatorResult:
    """The themes that stand, as a report has them, and what was dropped; those of one are left out. ``keys``: what a
    report calls each of the texts. Invalid when no theme stands."""
    made: list[dict[str, Any]] = []
    dropped: list[DroppedPart] = []
    texts = {_folded(one.text) for one in inputs}
    whole = " ".join(" ".join((one.text, *one.said)) for one in inputs)
    for given in value["themes"]:
        title, about = (" ".join(given[name].split()) for name in ("title", "about"))
        numbers = given[named.field]
        known = [number for number in dict.fromkeys(numbers) if 1 <= number <= len(inputs)]
        dropped += [
            DroppedPart(f"unknown_{named.one}", f"{title}: {number}") for number in numbers if number not in known
        ]
        code = _code(title, about, whole, texts, [one["title"] for one in made], named)
        if not code and len(known) < LEAST:
            code = "theme_of_one"
        if not code and len(made) == _MOST:
            code = "beyond_six"
        if code:
            dropped.append(DroppedPart(code, title))
        else:
            made.append({"title": title, "about": about, named.field: [keys[number - 1] for number in known]})
    if not made:
        return ValidatorResult(("no_theme", *dict.fromkeys(one.code for one in dropped)))
    return ValidatorResult(value=(made, tuple(dropped)))


def _code(title: str, about: str, whole: str, texts: set[str], titles: Sequence[str], named: ThemeWords) -> str:
    """What is wrong with a theme by itself; ``""`` for nothing."""
    if not _TITLE[0] <= words(title) <= _TITLE[1]:
        return "title_length"
    if words(about) > _LONGEST:
        return "about_length"
    if _folded(title) in texts:
        return f"copies_a_{named.one}"
    if _folded(title) in map(_folded, titles):
        return "same_theme_twice"
    return f"number_not_in_{named.every}" if numbers_missing(f"{title}. {about}", whole) else ""


def _folded(text: str) -> str:
    return text.casefold().strip(" .")


_PROMPT: Final = "failure_themes"
_OF_FACTS: Final = ThemeWords("facts", "fact", "failures")


class ThemesGenerator(Generator):
    """``generate themes``: the inputs are systems; nothing is made to be reviewed, the report on key facts has them.

    They belong to just these failures: when a judge says more, or a label or the tie rule changes, they are made again.
    """

    name = FACT_THEMES
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
            return InputResult(code="too_few_failures")
        texts = {"failures": "\n".join(_failure_line(number, one) for number, one in enumerate(failed, 1))}
        inputs = [ThemeInput(one.held.fact.text, tuple(vote.reason for vote in one.votes)) for one in failed]
        check = partial(check_themes, inputs=inputs, named=_OF_FACTS, keys=[list(one.key) for one in failed])
        made, dropped = yield from self.put(ModelQuestion("themes", self.prompts[_PROMPT], texts, check))
        return InputResult(dropped=dropped, report={"themes": made})

    @cached_property
    def _failed(self) -> dict[str, tuple[str, list[FailedFact]]]:
        facts, tie = held_facts(self.study.reader), tie_rule(self.study.reader)
        found = [(system, failed_facts(facts, system, tie)) for system in facts.systems]
        return {failures_id(system, failed): (system, failed) for system, failed in found}


def _failure_line(number: int, one: FailedFact) -> str:
    said = "; ".join(" ".join(vote.reason.split()) for vote in one.votes if vote.reason.strip())
    category = label_words("category", one.held.fact.category)
    fact = " ".join(one.held.fact.text.split())
    return f"{number}. {one.failure} ({category}): {fact} | judges: {said or '(nothing)'}"


_T = TypeVar("_T")
_OF_STATEMENTS: Final = ThemeWords("statements", "statement", "statements")
MOST: Final = 200
"""Statements that a model is given of a reviewer: of more it is given so many, evenly over the answers."""


class OverrideThemesGenerator(Generator):
    """``generate override-themes``: the inputs are reviewers; nothing is made to be reviewed, the report has them.

    They belong to just these labels, verdicts, reasons and notes: when one changes, they are made again. ``to``: those
    who may be asking, who see nothing held back from them. ``reviewer``: only of this one.
    """

    name = THEMES
    noun = "reviewer"
    lacking = "No reviewer has decided against the judges on statements whose verdicts may be shown: review first."
    goes_out = "Statements, judges' words, and labels and notes of reviewers go"
    tells = True
    prompt_names: ClassVar[tuple[str, ...]] = (PROMPT,)

    def __init__(
        self,
        study: Study,
        model: JudgeSettings,
        prompts: Path | None = None,
        *,
        to: tuple[str, ...],
        reviewer: str | None = None,
    ) -> None:
        super().__init__(study, model, prompts)
        self._to = to
        self._reviewer = reviewer

    def items(self) -> Sequence[Item]:
        """The reviewers who differ from the judges on anything that may be shown."""
        return [Item(item_id, labels[0].reviewer) for item_id, labels in self._labels.items()]

    def work(self, item: Item) -> Work:
        """One question to the model."""
        labels = self._labels[item.item_id]
        if len(labels) < LEAST:
            return InputResult(code="too_few_statements")
        taken = [(one, self._told(one)) for one in _spread(labels, MOST)]
        prompt = self.prompts[PROMPT]
        while not self.fits(prompt, texts := {"statements": _lines(taken)}):
            if len(taken) <= LEAST:
                return InputResult(code="over_context")
            taken = _spread(taken, max(LEAST, len(taken) * 3 // 4))
        inputs = [ThemeInput(one.text, (*said, one.note)) for one, said in taken]
        ids = [one.statement_id for one, _ in taken]
        check = partial(check_themes, inputs=inputs, named=_OF_STATEMENTS, keys=ids)
        made, dropped = yield from self.put(ModelQuestion("themes", prompt, texts, check))
        return InputResult(dropped=dropped, report={"of": len(labels), "statements": ids, "themes": made})

    @cached_property
    def _labels(self) -> dict[str, list[OverriddenLabel]]:
        reader = self.study.reader
        every = (who for who in reviewers_of_labels(reader) if self._reviewer in (None, who))
        found = ((who, labels) for who in every if (labels := tellable(reader, who, self._to)))
        return {overridden_id(who, labels): labels for who, labels in found}

    def _told(self, one: OverriddenLabel) -> tuple[str, ...]:
        """What the judges of the verdict said for it."""
        judges = counting(load_judgements(self.study.reader, one.statement_id))
        said = (" ".join(judge.reason.split()) for judge in judges if judge.verdict == one.verdict)
        return tuple(dict.fromkeys(reason for reason in said if reason))


def _spread(every: Sequence[_T], most: int) -> list[_T]:
    """So many of them, evenly over the whole; all where they are fewer."""
    count = min(most, len(every))
    return [every[place * len(every) // count] for place in range(count)]


def _lines(taken: Sequence[tuple[OverriddenLabel, tuple[str, ...]]]) -> str:
    return "\n".join(_label_line(number, one, said) for number, (one, said) in enumerate(taken, 1))


def _label_line(number: int, one: OverriddenLabel, said: Sequence[str]) -> str:
    verdict, label = (label_words("evidence", level) for level in (one.verdict, one.label))
    reason = label_in(REASONS, one.reason).name if one.reason else "no reason given"
    note = f" | reviewer's note: {' '.join(one.note.split())}" if one.note.strip() else ""
    reasons = "; ".join(said) or "(nothing)"
    statement = " ".join(one.text.split())
    return f"{number}. judges {verdict}, reviewer {label} ({reason}): {statement} | judges: {reasons}{note}"
