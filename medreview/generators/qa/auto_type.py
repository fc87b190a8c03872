"""Which type of question a passage calls for, by its content; where it calls for none, the other types take turns."""

import random
import re
from collections.abc import Mapping, Sequence
from typing import Final

from medreview.evidence.quantities import quantities
from medreview.evidence.segment import is_item
from medreview.evidence.sentence_analysis import analyse
from medreview.statements.sentences import sentence_spans

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
    this order; ``""`` where it is none of them. Of a very long passage the beginning counts."""
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
