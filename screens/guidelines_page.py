"""The guidelines as a page; where the study can be written, the editor opens on them."""

from collections.abc import Callable

from medreview.errors import UserError
from medreview.screens.key import Key
from medreview.screens.page import PageScreen
from medreview.visible import visible


class GuidelinesPage(PageScreen):
    """``edit`` opens the editor, ``None`` where nothing can be saved; it raises what went wrong."""

    def __init__(
        self, title: str, text: Callable[[int], str], edit: Callable[[], None] | None, *, ascii_only: bool = False
    ) -> None:
        super().__init__(title, text, ascii_only=ascii_only)
        self._edit = edit
        self._said = ""

    def paint(self) -> None:
        """The text, and below it the keys or what there is to say."""
        super().paint()
        edits = [("   ", ""), ("e", "key"), (" edit", "")] if self._edit is not None else []
        if self._said:
            self._foot.show([[("─", "rule fill")], [(f" {visible(self._said)}", "key")]])
        else:
            self._foot.show([[("─", "rule fill")], [*self.KEYS, *edits]])

    def answer(self, key: Key) -> bool:
        """``e`` edits; everything else moves or closes."""
        self._said = ""
        if key.said != "e" or self._edit is None:
            return super().answer(key)
        try:
            self._edit()
        except UserError as error:
            self._said = str(error)
        return False
