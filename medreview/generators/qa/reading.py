"""What a model wrote for an item of a type, cleaned, as an item."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from medreview.units.qa_item import QAItem, folded, spelled, with_letters

_MOST_LABELS: Final = 5
"""Around one text; more are no slip of a model."""
_FENCE: Final = re.compile(r"\A```[\w ]*\n?(.*?)\n?```\Z", re.DOTALL)
_LABEL: Final = re.compile(
    r"\A(?:[*_#>\s]*)(?:(?:correct|right|final|wrong|false|incorrect)\s)?"
    r"(?:(?:question|answer|statement|option|distractor|flaw|reasoning|step)(?:\s?(?:\d{1,2}|[A-H]))?|q|a"
    r"|true\sor\sfalse|t/f)[*_]{0,2}\s?[:.)–—-](?!\w)[*_]{0,2}\s*",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(r"\A[*_\s]*(?:\(?[A-Ha-h]\)|\(?\d{1,2}[.)]|[-*•])[*_]{0,2}\s+(?=\S)")
_LETTER_AND_POINT: Final = re.compile(r"\s*([A-Ha-h])\.\s+(?=\S)")
_LETTER_ALONE: Final = re.compile(r"\(?([A-Ha-h])[.)]")
_BOLD: Final = re.compile(r"\A(\*\*|__|[*_`\"“])(.+?)(\*\*|__|[*_`\"”])\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Draft:
    """An item as it was written, and the quotes that it rests on."""

    item: QAItem
    quotes: tuple[str, ...]


def draft_of(kind: str, value: Mapping[str, Any], passage_id: str) -> Draft:
    """The item of a type in an answer that satisfies the schema of its prompt: labels, letters and fences taken off."""
    options = with_letters(clean_list(value.get("options", ())))
    answers = [clean(_unlettered(answer, options)) for answer in value.get("answers", [value.get("answer", "")])]
    if kind == "true_false":
        answers = [answer.capitalize() for answer in answers]
    wrong = value.get("wrong_steps") or [value.get("wrong_reasoning", "")]
    item = QAItem(
        type=kind,
        question=clean(value["statement"] if kind == "true_false" else value["question"]),
        options=options,
        answers=tuple(dict.fromkeys(spelled(answer, options) for answer in answers if answer)),
        steps=clean_list(value.get("steps", ())),
        wrong_answer=clean(value.get("wrong_answer", "")),
        wrong_steps=clean_list(wrong),
        flaw=clean(value.get("flaw", "")),
        passage=passage_id,
    )
    quotes = value["quotes"] if "quotes" in value else [value["quote"]]
    return Draft(item, tuple(quote.strip() for quote in quotes))


def clean(text: str) -> str:
    """A text on one line without what a model puts around it: a code fence, ``Answer:``, ``B)``, ``**``."""
    found = _FENCE.sub(r"\1", text.strip())
    for _ in range(_MOST_LABELS):
        bare = _LABEL.sub("", _LETTER.sub("", " ".join(found.split()), count=1), count=1)
        inner = _BOLD.fullmatch(bare)
        bare = inner[2].strip() if inner and inner[1] not in inner[2] else bare
        if alone := _LETTER_ALONE.fullmatch(bare):
            return alone[1]
        if bare == found:
            break
        found = bare
    return found


def clean_list(texts: Sequence[str]) -> tuple[str, ...]:
    """Each of some texts, cleaned; empty ones are left out. Letters with a point go where they count all of them:
    ``E. coli`` alone is a name."""
    found = [_LETTER_AND_POINT.match(text) for text in texts]
    if texts and [one and one[1].upper() for one in found] == [letter for letter, _ in with_letters(texts)]:
        texts = [text[one.end() :] for text, one in zip(texts, found, strict=True) if one]
    return tuple(filter(None, map(clean, texts)))


def _unlettered(answer: str, options: Sequence[tuple[str, str]]) -> str:
    """An answer without the letter of its option and a point before it."""
    found = _LETTER_AND_POINT.match(answer)
    bare = answer[found.end() :] if found else answer
    return bare if folded(bare) in [folded(text) for _, text in options] else answer
