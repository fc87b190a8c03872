"""The names of the signs of a pair (``pair_signs``), by themselves: whoever orders a queue by stored signs does without
the rules that find them."""

from typing import Final

GROUPS: Final = {
    "length": ("words",),
    "names": ("names", "names_lacking"),
    "numbers": ("numbers", "numbers_lacking"),
    "words not on the page": ("terms_lacking", "run_lacking"),
    "negation": ("negated", "negated_alone", "opposed"),
    "wording": ("hedged", "sweeping"),
    "page length": ("page_length", "page_passages"),
    "meaning": ("meaning",),
    "entailment": ("entailed", "contradicted"),
}
"""What the signs are about, in words for the reviewer."""
OF_MODELS: Final = (*GROUPS["meaning"], *GROUPS["entailment"])
"""Those that models give, where they are asked (``medreview.judges.semantic_stage``): stored behind the others."""
SIGNS: Final = tuple(name for names in GROUPS.values() for name in names if name not in OF_MODELS)
"""The names of those of the rules, in the order in which they are stored."""
