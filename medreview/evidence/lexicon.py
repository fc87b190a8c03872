"""Lexicons of English words that change the meaning of a sentence: negation, direction, modality, findings.

All entries are normalised (lower case, no hyphens) and matched as whole words.
"""

import re
from functools import lru_cache
from typing import Final

NEGATIONS: Final = frozenset(
    {
        "not", "no", "never", "without", "nor", "neither", "none", "cannot", "nobody", "nothing", "non", "dont",
        "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "cant", "couldnt", "shouldnt", "wont", "wouldnt",
        "mustnt", "hasnt", "havent", "hadnt", "lack", "lacks", "lacked", "lacking", "absence", "absent", "fail",
        "fails", "failed",
    }
)  # fmt: skip
"""Negation cues. ``without`` is one: ``with`` changed to ``without`` is an added negation."""

VERB_NEGATIONS: Final = frozenset(
    NEGATIONS - {"no", "without", "none", "nor", "neither", "non", "absence", "absent", "lack"}
)
"""Negations of the next verb or adjective. ``no`` and ``without`` negate a noun, which often changes little."""

NEGATED_NOUNS: Final = frozenset(
    {
        "evidence", "effect", "effects", "benefit", "benefits", "association", "associations", "relationship",
        "correlation", "role", "need", "increase", "increased", "decrease", "reduction", "improvement", "risk", "cure",
        "link", "impact", "change", "changes",
    }
)  # fmt: skip
"""Nouns that reverse the meaning of the sentence when ``no`` precedes them."""

NEGATIVE_PREFIXES: Final = ("un", "in", "im", "non", "dis", "il", "ir", "a")

PREPOSITIONS: Final = frozenset(
    {"in", "for", "at", "on", "by", "to", "from", "with", "of", "as", "than", "during", "among", "between", "after",
     "before"}
)  # fmt: skip
AUXILIARIES: Final = frozenset(
    {"be", "been", "being", "is", "are", "was", "were", "have", "has", "had", "do", "does", "did", "a", "an", "the",
     "any", "yet", "ever", "also", "even", "so", "clear", "good", "strong"}
)  # fmt: skip
"""Words that may be between a negation and the negated word."""

UP: Final = frozenset(
    {
        "increase", "increases", "increased", "increasing", "higher", "greater", "more", "raise", "raises", "raised",
        "raising", "elevate", "elevates", "elevated", "elevation", "rise", "rises", "rose", "risen", "rising",
        "larger", "longer", "faster", "grow", "grew", "upregulated", "enhance", "enhances", "enhanced",
        "above", "exceeded", "accelerated", "accelerate", "accelerates", "prolong", "prolongs", "prolonged",
    }
)  # fmt: skip
DOWN: Final = frozenset(
    {
        "decrease", "decreases", "decreased", "decreasing", "lower", "lowers", "lowered", "lowering", "less", "fewer",
        "reduce", "reduces", "reduced", "reducing", "reduction", "reductions", "decline", "declines", "declined",
        "declining", "smaller", "shorter", "slower", "drop", "drops", "dropped", "fall", "falls", "fell", "fallen",
        "downregulated", "diminish", "diminishes", "diminished", "below", "slowed", "slows", "shorten", "shortens",
        "shortened",
    }
)  # fmt: skip
BETTER: Final = frozenset(
    {
        "improve", "improves", "improved", "improving", "improvement", "improvements", "better", "superior", "benefit",
        "beneficial", "protective", "protects", "safe", "effective", "recommended", "indicated",
    }
)  # fmt: skip
WORSE: Final = frozenset(
    {
        "worsen", "worsens", "worsened", "worsening", "worse", "inferior", "harm", "harms", "harmful", "impaired",
        "impairs", "deteriorated", "unsafe", "ineffective", "contraindicated",
    }
)  # fmt: skip
OPPOSITES: Final = ((UP, DOWN), (BETTER, WORSE))

REQUIRED: Final = frozenset(
    {
        "must", "required", "requires", "require", "always", "mandatory", "essential", "necessary",
    }
)  # fmt: skip
POSSIBLE: Final = frozenset(
    {
        "may", "might", "could", "can", "consider", "considered", "optional", "possibly", "sometimes",
    }
)  # fmt: skip

NUMBER_WORDS: Final = {
    word: value
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
     "thousand": 1000, "million": 1_000_000, "half": 0.5, "third": 1 / 3, "quarter": 0.25}  # fmt: skip
"""Numbers in letters, with their value."""
AMBIGUOUS_NUMBERS: Final = frozenset({"one", "half", "third", "quarter"})
"""Of these the ones that often are no number."""

FINDING: Final = re.compile(
    r"\b(?:associated with\b|c(?:ompared (?:with|to)\b|i\b|onfidence interval|onclu(?:de|sion))"
    r"|d(?:iffer(?:ed|s|ence|ences)\b|ecreased\b)|h(?:azard ratio|igher\b)|i(?:ncreased|mproved)\b|lower\b|odds ratio"
    r"|p(?:\s?[<>=≤≥]|[- ]value)|r(?:(?:isk|ate) ratio|educed\b|esult(?:s|ed)\b)|significan|v(?:ersus|s)\b"
    r"|we (?:found|observed|show))"
)
"""Cues of sentences that report a finding, in a text in lower case, which is searched three times as fast as any case,
with one alternative for each first letter, which is a quarter faster than one for each cue;
``tests/bench/evidence_training.py`` fits their weight."""


def is_negation(word: str) -> bool:
    """Whether a normalised word is a negation cue."""
    return word in NEGATIONS


def negated_form(one: str, other: str) -> bool:
    """Whether one normalised word is the other with a negative prefix: ``effective``, ``ineffective``."""
    return other in negated_forms(one)


@lru_cache(maxsize=20_000)
def negated_forms(word: str) -> frozenset[str]:
    """The strings that are a normalised word with or without a negative prefix; most of them are not words."""
    stripped = {word.removeprefix(prefix) for prefix in NEGATIVE_PREFIXES if word.startswith(prefix)}
    longer = {prefix + word for prefix in NEGATIVE_PREFIXES} if len(word) > 3 else set()
    return frozenset(longer | {short for short in stripped if len(short) > 3})


def opposed(one: str, other: str) -> bool:
    """Whether two normalised words have opposite directions: ``increase``, ``reduces``."""
    return any((one in a and other in b) or (one in b and other in a) for a, b in OPPOSITES)
