"""Changing the colours while the workbench runs: every screen follows at once; the settings keep what was chosen."""

import os
from typing import TYPE_CHECKING

from textual.filter import NoColor

from medreview.config import Config
from medreview.screens.environment import THEMES, theme_named
from medreview.screens.terminal_output import OutputApp
from medreview.screens.widgets.painted import Painted

if TYPE_CHECKING:
    from medreview.review.palette import PaletteEntry


class Themed(OutputApp, inherit_bindings=False):
    """The part of the workbench that wears a theme."""

    _config: Config
    worn = ""
    """The theme that is on, by our name."""
    kept = ""
    """The one that the reviewer chose."""

    @property
    def themes(self) -> list[str]:
        """What can be chosen; nothing where the environment allows no colour."""
        return [] if "NO_COLOR" in os.environ else list(THEMES)

    def start_in(self, name: str) -> None:
        """Begin in a theme; Textual knows no colour only from the environment."""
        self.worn = self.kept = "ansi-dark" if name == "ansi" else name
        if theme_named(name).mono and not self.no_color:
            self._filters.append(NoColor())
            self.no_color = True

    def wear(self, name: str) -> None:
        """Draw in the colours of a theme from now on."""
        if name == self.worn:
            return
        self.worn, theme = name, theme_named(name)
        self._filters = [each for each in self._filters if not isinstance(each, NoColor)]
        self._filters += [NoColor()] * theme.mono
        self.no_color = theme.mono
        self.ansi_color = theme.ansi or None
        self.theme = theme.name
        self.call_next(self._paint_anew)

    def _paint_anew(self) -> None:
        """Draw every line of every screen again: they are kept with their colours."""
        for screen in self.screen_stack:
            for painted in screen.children:
                if isinstance(painted, Painted):
                    painted.notify_style_update()
                    painted._lines.clear()
                    painted.refresh()
        self.screen.refresh()

    def preview(self, entry: "PaletteEntry | None") -> None:
        """Wear the theme of an entry that is pointed at; at any other, the one that is kept."""
        self.wear(entry.value if entry is not None and entry.does == "theme" else self.kept)

    def keep_theme(self, name: str) -> str:
        """Wear a theme from now on and keep it in the settings, in the file that has one already; a sentence on that.

        Raises :class:`~medreview.errors.UserError` where it cannot be kept.
        """
        from medreview.config_file import file_to_write, named, set_values

        self.wear(name)
        self.kept = name
        path = self._config.origins.get("theme", file_to_write(here=False))
        set_values(path, [(named("theme"), name)])
        return f"The theme “{name}” is kept in {path}."
