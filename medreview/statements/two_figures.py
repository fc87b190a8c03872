"""A sentence with two figures is two statements, where a rule can part it without changing what it says.

"It failed in 28.4% of men and 1.2% of women." says two things, and a source may bear out one of them. Only two forms
are parted, of which the halves are surely sentences: amount, preposition, group, "and", the same again, at the end of
the sentence; and "A and B were 5% and 7%, respectively" at its end.
"""

import re
from typing import Final

from medreview.statements.content import has_amount
from medreview.text import Span

_UNIT: Final = (
    r"(?:\s?(?:%|‰|°C)|\s(?:percent|per\scent)\b"
    r"|\s?(?:mcg|µg|μg|mg|kg|g|ml|mL|l|L|IU|units?|mmol/l|mmol/L|mg/dl|mg/dL|mmHg|mm|cm)(?:/\w+){0,2}\b"
    r"|\s(?:minutes?|hours?|days?|weeks?|months?|years?|times)\b)"
)
_NUMBER: Final = (
    r"(?:(?:about|around|approximately|only|nearly|up\sto|at\sleast|[<>≤≥~≈])\s?)?\d+(?:[.,]\d+)?"
    r"(?:\s?(?:[-–]|to)\s?\d+(?:[.,]\d+)?)?"
)
_GROUP: Final = (
    r"(?:(?!(?:and|or|but|that|which|who|while|whereas|is|are|was|were|has|have|had|may|can|than)\b)[^\W\d_][\w'’-]*)"
)
_SIDE_BY_SIDE: Final = re.compile(
    rf"""(?P<one>(?P<amount>{_NUMBER}(?P<unit>{_UNIT})(?:\s(?:daily|weekly|a\sday|per\sday))?)
        \s(?P<with>for|in|of|among)\s{_GROUP}(?:\s{_GROUP}){{0,5}})
      ,?\s and \s
      (?P<two>{_NUMBER}(?P=unit)(?:\s(?:daily|weekly|a\sday|per\sday))?\s(?P=with)\s{_GROUP}(?:\s{_GROUP}){{0,5}}\.?)\Z""",
    re.VERBOSE,
)
_RESPECTIVELY: Final = re.compile(
    rf"""(?P<first>{_GROUP})\sand\s(?P<second>{_GROUP}) (?P<verb>\s(?:of|was|were|is|are))
      \s(?P<one>{_NUMBER}(?:{_UNIT})?)\sand\s(?P<two>{_NUMBER}{_UNIT}),?\srespectively\.?\Z""",
    re.VERBOSE,
)
_UNSAFE: Final = re.compile(
    r"""\b(?:between|differ\w*|compar\w*|versus|vs|ratios?|both|either|neither|not|never|no|without|than|total\w*|together|combin\w*|sum|or
      |if|unless|from|increas\w*|decreas\w*|r[oi]se\w*|f[ae]ll\w*|drop\w*|chang\w*|respectively)\b|n['’]t\b|[;:"“()]""",
    re.IGNORECASE | re.VERBOSE,
)
_LEADS_TO_AMOUNT: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|in|of|to|at|by|as|reach(?:es|ed)|affect(?:s|ed)?|show(?:s|ed)?|averag(?:es?|ed)|equals?)\Z",
    re.IGNORECASE,
)
"""After anything else the figure may be the subject of what follows the second group: "28% of men and 12% of women
recovered"."""

_LEADS_TO_NAME: Final = re.compile(
    r"\b(?:the|an?|of|in|for|with|among|to|on|its|their|mean|median|average|overall|pooled|estimated|reported|respective)\Z",
    re.IGNORECASE,
)
"""After another word the first name may be part of a longer one: "diabetes mellitus and hypertension"."""

_LONGEST: Final = 400


def halves(text: str, span: Span) -> tuple[tuple[Span, ...], ...]:
    """The places of both halves of a sentence, each one or more ranges of ``text``; empty when it stays whole."""
    sentence = text[span.start : span.end]
    if len(sentence) > _LONGEST or "\n" in sentence:
        return ()
    return _side_by_side(sentence, span.start) or _respectively(sentence, span.start)


def _side_by_side(sentence: str, shift: int) -> tuple[tuple[Span, ...], ...]:
    found = _SIDE_BY_SIDE.search(sentence)
    if found is None:
        return ()
    head = sentence[: found.start()].rstrip()
    if not _LEADS_TO_AMOUNT.search(head) or _UNSAFE.search(head) or has_amount(head):
        return ()
    lead = Span(shift, shift + len(head))
    return (Span(shift, shift + found.end("one")),), (lead, _place(found, "two", shift))


def _respectively(sentence: str, shift: int) -> tuple[tuple[Span, ...], ...]:
    found = _RESPECTIVELY.search(sentence)
    if found is None:
        return ()
    head = sentence[: found.start()].rstrip()
    if (head and not _LEADS_TO_NAME.search(head)) or _UNSAFE.search(head) or has_amount(head) or " and " in head:
        return ()
    lead = (Span(shift, shift + len(head)),) if head else ()
    first = Span(shift, shift + found.end("first"))
    verb = Span(shift + found.start("verb") + 1, shift + found.end("verb"))
    last = Span(verb.start, shift + found.end("one"))
    return (first, last), (*lead, Span(shift + found.start("second"), verb.end), _place(found, "two", shift))


def _place(found: re.Match[str], group: str, shift: int) -> Span:
    return Span(shift + found.start(group), shift + found.end(group))
