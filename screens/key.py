"""A key press, apart from the dialogs that take it: the first screen has keys and none of them."""

from typing import Final, NamedTuple

LEAVES_NOTHING: Final = ("escape", "ctrl+c")
"""Esc closes what is open; where nothing is, these keys only have it said which one leaves."""


class Key(NamedTuple):
    """A key press: Textual's name for it and the character it types, if any."""

    name: str
    character: str | None

    @property
    def said(self) -> str:
        """The character, or the name of a key that types none."""
        return self.character if self.character and self.character.isprintable() else self.name
