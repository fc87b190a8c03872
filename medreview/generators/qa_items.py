"""QA items made from passages (ClinIQLink): one of each, of the type that its content calls for or a given one.

Where a passage calls for no type, the other types take turns; an item that asks what another one asks is left out.
"""

import random
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

from medreview.errors import UserError
from medreview.evidence.quantities import quantities
from medreview.evidence.segment import is_item
from medreview.evidence.sentence_analysis import analyse
from medreview.generators.generator import Generator, InputResult, Item, ModelQuestion, Work
from medreview.generators.qa_checks import check_item, check_replacements, weak_options
from medreview.llm.settings import JudgeSettings
from medreview.statements.sentences import sentence_spans
from medreview.study import Study
from medreview.units.new_units import ImportRecord
from medreview.units.qa import TYPES, QAItem, folded, with_letters
from medreview.units.stored import NewPassage, NewUnit, load_passage

AUTO: Final = "auto"
IN_TURN: Final = ("true_false", "multiple_choice", "short_inverse", "multi_hop_inverse")
"""The types that no content calls for."""

_LONGEST: Final = 20_000
"""Characters."""

# Possessive throughout: a list of a thousand words would take for ever otherwise.
_WORD: Final = r"(?!(?:and|or)\s)[\w’'()/+-]++"
_ITEM: Final = rf"(?:{_WORD}\s(?!(?:and|or)\s)){{0,2}}+{_WORD}"
_ENUMERATION: Final = re.compile(rf"(?<![\w’'()/+-]){_WORD},\s(?:{_ITEM},\s){{0,8}}{_ITEM},?\s(?:and|or)\s{_ITEM}")
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|can|could|may|might|must|should|will|would|does|do|that|which|who|when|then|so|but"
    r"|it|they|not)\b",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(r"\(?\b(?:1|a|i)\).{3,200}\(?\b(?:2|b|ii)\).{3,200}\(?\b(?:3|c|iii)\)", re.DOTALL)
_DEFINES: Final = re.compile(
    r"\b(?:is|are)\s(?:defined\sas|called|known\sas|termed)\b|\brefers?\sto\b|\bis\sthe\s(?:name|term)\s(?:for|of)\b"
    r"|\b(?:is|are)\san?\s(?:[\w-]+\s){0,4}(?:in\swhich|that|of|caused\sby|characteri[sz]ed\sby|due\sto)\b",
    re.IGNORECASE,
)
_LINK: Final = re.compile(
    r"\b(?:because|therefore|thus|hence|consequently|so\sthat|as\sa\s(?:result|consequence)|in\sturn|which\s(?:then\s)?(?:causes"
    r"|leads|results|makes|means)|(?:causes?|leads?\sto|results?\sin)\b)",
    re.IGNORECASE,
)
_NO_AMOUNT: Final = frozenset({"", "p", "type", "grade", "stage", "class", "phase"})


def type_by_content(text: str) -> str:
    """``list`` of three parallel items, ``short`` of an amount or a definition, ``multi_hop`` of two linked facts, in
    this order; ``""`` for other texts. Of a very long passage the beginning counts."""
    text = text[:_LONGEST]
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    if _has_list(text, sentences):
        return "list"
    if any(amount.unit not in _NO_AMOUNT for amount in quantities(text)) or _DEFINES.search(text):
        return "short"
    return "multi_hop" if _has_linked_facts(sentences) else ""


def types_of(passages: Sequence[tuple[str, str]], wanted: str, seed: int) -> Mapping[str, str]:
    """The type for each passage, (id, text) in their order; ``wanted`` is one for all, or :data:`AUTO`.

    Passages that come later change nothing for those before.
    """
    if wanted != AUTO:
        return {passage_id: wanted for passage_id, _ in passages}
    turns = random.Random(f"types/{seed}").sample(IN_TURN, len(IN_TURN))
    found: dict[str, str] = {}
    taken = 0
    for passage_id, text in passages:
        by_content = type_by_content(text)
        found[passage_id] = by_content or turns[taken % len(turns)]
        taken += not by_content
    return found


def _has_list(text: str, sentences: Sequence[str]) -> bool:
    if sum(is_item(line.strip()) for line in text.split("\n") if line.strip()) >= 3 or _NUMBERED.search(text):
        return True
    return any(not _VERB.search(found[0]) for sentence in sentences for found in _ENUMERATION.finditer(sentence))


def _has_linked_facts(sentences: Sequence[str]) -> bool:
    """A sentence with a cause and its effect, and another one that shares a word of content with it."""
    content = [analyse(sentence).content for sentence in sentences]
    return any(
        _LINK.search(sentence) and any(content[at] & other for place, other in enumerate(content) if place != at)
        for at, sentence in enumerate(sentences)
    )


ALIKE: Final = 90
"""Token set similarity (0..100) from which on two questions are one, when their numbers are equal."""


def is_duplicate(question: str, others: Iterable[str]) -> bool:
    """Whether a question is one of the others, of which only words that say little and their order may differ."""
    from rapidfuzz import fuzz

    own, numbers = folded(question), _numbers(question)
    return any(_numbers(other) == numbers and fuzz.token_set_ratio(own, folded(other)) >= ALIKE for other in others)


def _numbers(text: str) -> frozenset[tuple[float, float, str]]:
    return frozenset((one.low, one.high, one.unit) for one in quantities(text))


_DISTRACTORS: Final = "qa_distractors"
_WITH_OPTIONS: Final = ("list", "multiple_choice")
_KEPT: Final = """SELECT p.passage_id, p.text FROM passage_feature AS f
JOIN passage AS p USING (passage_id) JOIN passage_run AS r USING (passage_run_id)
WHERE f.codes = '' AND r.rowid = (
    SELECT max(o.rowid) FROM passage_feature AS n JOIN passage_run AS o USING (passage_run_id)
    WHERE n.passage_id = f.passage_id)
GROUP BY p.passage_id ORDER BY min(f.rowid)"""
"""The newest choice that a paragraph was in says whether it is kept."""
_ALL: Final = "SELECT passage_id, text FROM passage ORDER BY rowid"
_OTHERS: Final = """SELECT text FROM unit
WHERE kind = 'qa' AND belongs_to = ? AND json_extract(content, '$.type') = ? ORDER BY ordinal"""


def passages_of(reader: sqlite3.Connection, *, every: bool = False) -> list[tuple[str, str]]:
    """The passages to ask about, (id, text): the chosen ones where some choice was made, else or with ``every`` all."""
    query = _KEPT if not every and _were_chosen(reader) else _ALL
    return [(row["passage_id"], row["text"]) for row in reader.execute(query)]


def _were_chosen(reader: sqlite3.Connection) -> bool:
    return bool(reader.execute("SELECT EXISTS (SELECT 1 FROM passage_run)").fetchone()[0])


class QAItems(Generator):
    """``generate qa``: the inputs are passages; each product is a unit of the kind ``qa``.

    ``kind``: one of the seven types, or ``auto``. ``seed`` decides the turns of types and the order of options.
    ``distractors``: wrong options are replaced until they are hard to tell from the right ones. ``every``: all passages
    of the study, not only those that ``generate passages`` kept, where it was given.
    """

    name = "qa"
    noun = "passage"
    prompt_names: ClassVar[tuple[str, ...]] = (*(f"qa_{kind}" for kind in TYPES), _DISTRACTORS)
    deviations: ClassVar[tuple[str, ...]] = (
        "the sampling values are those of the model's settings, as are the 2,048 tokens of an answer "
        "(`max_tokens = 2048` in its `params`)",
        "the rules for the type, for what is valid and for wrong options (similarity 0.4 to 0.9) are ours",
    )

    def __init__(
        self,
        study: Study,
        model: JudgeSettings,
        prompts: Path | None = None,
        *,
        kind: str = AUTO,
        seed: int = 0,
        distractors: bool = False,
        every: bool = False,
    ) -> None:
        """Raises :class:`UserError` for a type that there is not, and a prompt that cannot be used."""
        if kind not in (AUTO, *TYPES):
            raise UserError(f"There is no type of question {kind!r}; there are {', '.join((AUTO, *TYPES))}.")
        super().__init__(study, model, prompts)
        asked = [f"qa_{one}" for one in TYPES if kind in (AUTO, one)] + [_DISTRACTORS] * distractors
        self.prompts = {name: self.prompts[name] for name in asked}
        self._kind, self._seed, self._distractors = kind, seed, distractors
        self._of = "kept" if not every and _were_chosen(study.reader) else "all"
        self._types = types_of(passages_of(study.reader, every=every), kind, seed)

    @property
    def options(self) -> Mapping[str, Any]:
        """Type, seed, whether wrong options are mended, and which passages the turns of types went through."""
        return {"type": self._kind, "seed": self._seed, "distractors": self._distractors, "passages": self._of}

    def items(self) -> Sequence[Item]:
        """The passages, as ``P1``, ``P2`` ... in the order in which they came."""
        return [Item(passage_id, f"P{number}") for number, passage_id in enumerate(self._types, 1)]

    def steps(self, item: Item) -> int:
        """Two where wrong options may have to be replaced."""
        return 1 + (self._distractors and self._types[item.item_id] in _WITH_OPTIONS)

    def work(self, item: Item) -> Work:
        """A draft, better wrong options where they are wanted, and the unit unless there is such an item already."""
        passage, kind = load_passage(self.study.reader, item.item_id), self._types[item.item_id]
        assert passage is not None
        prompt, texts = self.prompts[f"qa_{kind}"], {"passage": passage.text}
        report: dict[str, Any] = {"type": kind}
        draft = ModelQuestion("draft", prompt, texts, lambda value: check_item(kind, value, passage))
        made: QAItem = yield from self.put(draft, report)
        others = [row["text"] for row in self.study.reader.execute(_OTHERS, (item.item_id, kind))]
        if is_duplicate(made.question, others):
            return InputResult(code="duplicate", report=report)
        weak = weak_options(made, passage.text) if self._distractors and kind in _WITH_OPTIONS else []
        if weak:
            report["weak_options"] = len(weak)
            mended = yield self._ask_distractors(made, weak, passage)
            if not mended.valid:
                return InputResult(code="weak_options", report=report)
            made = mended.value
        made = replace(made, options=self._shuffled(made, item.item_id))
        by = {"prompt": "+".join([prompt.id, *([self.prompts[_DISTRACTORS].id] if weak else [])])}
        unit = NewUnit("qa", made.question, made.content(), origin="generated", belongs_to=item.item_id, made_by=by)
        return InputResult(ImportRecord(units=(unit,)), report=report)

    def _ask_distractors(self, made: QAItem, weak: Sequence[str], passage: NewPassage) -> ModelQuestion:
        texts = {
            "passage": passage.text,
            "question": made.question,
            "answers": "\n".join(made.answers),
            "kept": "\n".join(text for _, text in made.options if text not in weak and text not in made.answers),
            "rejected": "\n".join(weak),
        }
        return ModelQuestion(
            "distractors",
            self.prompts[_DISTRACTORS],
            texts,
            lambda value: check_replacements(value, made, weak, passage.text),
        )

    def _shuffled(self, made: QAItem, passage_id: str) -> tuple[tuple[str, str], ...]:
        """The options in an order drawn by seed and passage: models like to put the right one first."""
        texts = [text for _, text in made.options]
        return with_letters(random.Random(f"options/{self._seed}/{passage_id}").sample(texts, len(texts)))
