"""The version of the rules for markers, apart from the rules: what is asked of every study that is opened."""

from typing import Final

MARKED_BY: Final = "markers-2"
"""Name and version of these rules, stored with every response that they were applied to."""
