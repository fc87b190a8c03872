"""Themes in what a reviewer decides otherwise than the judges, from both sides' words."""

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar, Final, TypeVar

from medreview.generators.ask import Ask, Item, Made, Work
from medreview.generators.generator import Generator
from medreview.generators.theme_checks import ThemeWords, Told, check_themes
from medreview.labels import REASONS, label_in, label_words
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.units.failed_facts import LEAST
from medreview.units.overridden_labels import (
    PROMPT,
    THEMES,
    OverriddenLabel,
    counting,
    overridden_id,
    reviewers_of_labels,
    tellable,
)
from medreview.units.statement_view import load_judgements

_T = TypeVar("_T")
_NAMED: Final = ThemeWords("statements", "statement", "statements")
MOST: Final = 200
"""Statements that a model is given of a reviewer: of more it is given so many, evenly over the answers."""


class OverrideThemes(Generator):
    """``generate override-themes``: the inputs are reviewers; nothing is made to be reviewed, the report has them.

    They belong to just these labels, verdicts, reasons and notes: when one changes, they are made anew. ``to``: whoever
    may be asking, from whom nothing is told that is held back. ``reviewer``: only of this one.
    """

    name = THEMES
    noun = "reviewer"
    lacking = "No reviewer has decided otherwise than the judges on statements that may be told: review first."
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
        """The reviewers who differ from the judges on anything that may be told."""
        return [Item(item_id, labels[0].reviewer) for item_id, labels in self._labels.items()]

    def work(self, item: Item) -> Work:
        """One question to the model."""
        labels = self._labels[item.item_id]
        if len(labels) < LEAST:
            return Made(code="too_few_statements")
        taken = [(one, self._told(one)) for one in _spread(labels, MOST)]
        prompt = self.prompts[PROMPT]
        while not self.fits(prompt, texts := {"statements": _lines(taken)}):
            if len(taken) <= LEAST:
                return Made(code="over_context")
            taken = _spread(taken, max(LEAST, len(taken) * 3 // 4))
        told = [Told(one.text, (*said, one.note)) for one, said in taken]
        got = yield Ask("themes", prompt, texts, partial(check_themes, told=told, named=_NAMED))
        if not got.valid:
            return Made(code="invalid")
        named, dropped = got.value
        ids = [one.statement_id for one, _ in taken]
        made = [
            {"title": one.title, "about": one.about, "statements": [ids[place] for place in one.places]}
            for one in named
        ]
        return Made(dropped=dropped, report={"of": len(labels), "statements": ids, "themes": made})

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
    return "\n".join(_line(number, one, said) for number, (one, said) in enumerate(taken, 1))


def _line(number: int, one: OverriddenLabel, said: Sequence[str]) -> str:
    verdict, label = (label_words("evidence", level) for level in (one.verdict, one.label))
    reason = label_in(REASONS, one.reason).name if one.reason else "no reason given"
    note = f" | reviewer's note: {' '.join(one.note.split())}" if one.note.strip() else ""
    told = "; ".join(said) or "(nothing)"
    statement = " ".join(one.text.split())
    return f"{number}. judges {verdict}, reviewer {label} ({reason}): {statement} | judges: {told}{note}"
