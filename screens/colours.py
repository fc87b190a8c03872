"""The sixteen ANSI colours of the dark and the light theme, readable on their background, dimmed text included.

The widgets only name these sixteen (``widgets/painted``); the theme ``ansi`` leaves them to the terminal.
"""

from typing import Final

from rich.terminal_theme import TerminalTheme

DARK: Final = TerminalTheme(
    (18, 18, 18),
    (224, 224, 224),
    [
        (18, 18, 18),
        (255, 107, 107),
        (126, 211, 100),
        (240, 184, 80),
        (110, 170, 255),
        (214, 140, 255),
        (90, 205, 220),
        (208, 208, 208),
    ],
    [(140, 140, 140), *[(255, 255, 255)] * 7],
)
LIGHT: Final = TerminalTheme(
    (240, 240, 240),
    (30, 30, 30),
    [
        (30, 30, 30),
        (190, 20, 30),
        (20, 110, 30),
        (140, 80, 0),
        (20, 70, 180),
        (130, 30, 150),
        (0, 100, 115),
        (70, 70, 70),
    ],
    [(100, 100, 100), *[(30, 30, 30)] * 7],
)
