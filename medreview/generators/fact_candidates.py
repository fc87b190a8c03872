"""Key facts suggested for clinical cases (MedFactEval, step 1): five candidates from the text that a human wrote."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from medreview.evidence.clashes import clashes
from medreview.evidence.segment import segment
from medreview.generators.answer_rules import numbers_missing, points_at_its_text, quote_codes, words
from medreview.generators.generator import (
    DroppedPart,
    Generator,
    InputResult,
    Item,
    ModelQuestion,
    ValidatorResult,
    Work,
)
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.units.cases import case_of, suggested
from medreview.units.new_units import ImportRecord
from medreview.units.suggestion import GENERATOR, case_facts

PER_CASE: Final = 3
"""Facts of a case that the reviewer is asked to keep, when nothing else is said."""
CANDIDATES: Final = 5
_PROMPT: Final = "key_fact_suggestion"
_WORDS: Final = (4, 40)
"""Words of a fact, at least and at most."""
_POINTING: Final = frozenset({"it", "this", "that", "these", "those", "they", "such"})
"""First words of a fact that is not understood by itself."""
_ALIKE: Final = 0.8
"""The share of words in common, of all words of two facts, from which they say the same."""
_NONE: Final = "(none)"
_OWN: Final = """SELECT unit_id FROM unit JOIN generation_run AS run ON run.run_id = json_extract(made_by, '$.run')
WHERE kind = 'suggestion' AND (run.model_name, run.model) = (?, ?) AND json_extract(made_by, '$.prompt') = ?"""
"""The model does not see its earlier suggestions by this prompt: else it would be asked, and paid, for other facts
only because another number of them is to be kept."""


class FactCandidates(Generator):
    """``generate key-facts``: the inputs are the study's cases; the products are suggested key facts of theirs.

    ``per_case``: how many of each case are to be kept.
    """

    name = GENERATOR
    noun = "case"
    lacking = "The study has no case: name a file of cases."
    prompt_names: ClassVar[tuple[str, ...]] = (_PROMPT,)
    deviations: ClassVar[tuple[str, ...]] = (
        "candidates are checked by rules before a clinician sees them, and what fails is left out and counted",
    )

    def __init__(
        self, study: Study, model: JudgeSettings, prompts: Path | None = None, per_case: int = PER_CASE
    ) -> None:
        super().__init__(study, model, prompts)
        self._per_case = per_case

    @property
    def options(self) -> Mapping[str, Any]:
        """How many facts to keep; with fewer valid ones the model is asked again."""
        return {"per_case": self._per_case}

    def items(self) -> Sequence[Item]:
        """The cases of the study."""
        rows = self.study.reader.execute("SELECT case_id, ordinal, record_id FROM clinical_case ORDER BY ordinal")
        return [Item(row["case_id"], row["record_id"] or f"C{row['ordinal']:02d}") for row in rows]

    def work(self, item: Item) -> Work:
        """One question to the model."""
        case = case_of(self.study.reader, item.item_id)
        assert case is not None
        if not case.reference.strip():
            return InputResult(code="no_reference")
        system = (self.model.name, self.model.model, self.prompts[_PROMPT].id)
        own = {row["unit_id"] for row in self.study.reader.execute(_OWN, system)}
        known = [fact.text for fact in case_facts(self.study.reader, case.case_id) if fact.unit not in own]
        texts = {"reference": case.reference, "facts": "\n".join(known) or _NONE}
        check = partial(check_candidates, reference=case.reference, known=known, least=self._per_case)
        kept, dropped = yield from self.put(ModelQuestion("candidates", self.prompts[_PROMPT], texts, check))
        units = tuple(suggested(case, one["fact"], one["category"], one["quote"], "") for one in kept)
        return InputResult(ImportRecord(units=units), dropped=dropped)


def check_candidates(value: Mapping[str, Any], reference: str, known: Sequence[str], least: int) -> ValidatorResult:
    """The candidates that stand, and those that are left out; invalid when fewer than ``least`` stand, by every code.

    ``known``: facts that the case has already.
    """
    kept: list[dict[str, str]] = []
    dropped: list[DroppedPart] = []
    for given in value["candidates"]:
        one = {"fact": " ".join(given["fact"].split()), "quote": given["quote"].strip(), "category": given["category"]}
        codes = list(_codes(one["fact"], one["quote"], reference))
        if any(_alike(one["fact"], fact) for fact in known):
            codes.append("known_fact")
        if any(_alike(one["fact"], other["fact"]) for other in kept):
            codes.append("same_fact_twice")
        if not codes and len(kept) == CANDIDATES:
            codes.append("beyond_five")
        if codes:
            dropped += [DroppedPart(code, one["fact"]) for code in codes[:1]]
        else:
            kept.append(one)
    if len(kept) < least:
        return ValidatorResult(("too_few_facts", *dict.fromkeys(one.code for one in dropped)))
    return ValidatorResult(value=(kept, tuple(dropped)))


def _codes(fact: str, quote: str, reference: str) -> Sequence[str]:
    """What is wrong with one candidate by itself."""
    if not fact:
        return ("no_fact",)
    codes = []
    if not _WORDS[0] <= words(fact) <= _WORDS[1]:
        codes.append("fact_length")
    if ";" in fact or len(segment(fact)) > 1:
        codes.append("not_atomic")
    if fact.endswith("?") or fact.split()[0].casefold() in _POINTING or points_at_its_text(fact):
        codes.append("not_self_contained")
    codes += quote_codes(quote, reference)
    if numbers_missing(fact, quote):
        codes.append("number_not_in_quote")
    if clashes(fact, quote):
        codes.append("clashes_with_quote")
    if len(quote) >= len(reference) and len(segment(reference)) > 1:
        codes.append("quote_is_the_text")
    return codes


def _alike(one: str, other: str) -> bool:
    """Whether two facts say the same, as their words tell; with another number one says something else."""
    first, second = _folded(one), _folded(other)
    if {word for word in first ^ second if any(map(str.isdigit, word))}:
        return False
    return len(first & second) >= _ALIKE * len(first | second)


def _folded(text: str) -> frozenset[str]:
    return frozenset(word.strip(".,;:()'\"").casefold() for word in text.split()) - {""}
