"""What the offline judge is called, for all who only read what it said: the rules themselves take a while to load."""

from typing import Final

NAME: Final = "offline"
ENGINE: Final = "rules-3"
"""Name and version of the rules, stored with their results."""
