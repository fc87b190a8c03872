"""The names of the signs of a pair (``pair_signs``), by themselves: whoever orders a queue by stored signs does without
the rules that find them."""

from typing import Final

GROUPS: Final = {
    "length": ("words",),
    "names": ("names", "names_lacking"),
    "numbers": ("numbers", "numbers_lacking"),
    "words not on the page": ("terms_lacking", "run_lacking"),
    "polarity": ("negated", "negated_alone", "opposed"),
    "wording": ("hedged", "sweeping"),
    "size of the page": ("page_length", "page_passages"),
}
"""What the signs are about, in words for the reviewer."""
SIGNS: Final = tuple(name for names in GROUPS.values() for name in names)
"""The names of the signs, in the order in which they are stored."""
