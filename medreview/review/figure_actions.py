"""The keys of the page of figures, as :mod:`medreview.review.actions` has those of the other screens."""

from collections.abc import Mapping
from typing import Final

from medreview.review.actions import OF_FIGURES, Action, remapped, unique

FIGURES: Final = unique(
    (
        Action("figures_next_group", ("tab",), "group", "The next group of labels: blind or assisted, drawn or not.",
               "Figures"),
        Action("figures_scale", ("space",), "scale", "All the labels, or only supported or not.", "Figures"),
        Action("figures_next_judge", ("right_square_bracket",), "judge", "The next judge alone, then all together.",
               "Figures"),
        Action("figures_previous_judge", ("left_square_bracket",), "judge", "The judge before.", "Figures"),
        Action("figures_down", ("j", "down"), "cell", "The cell below: another label of yours.", "Figures"),
        Action("figures_up", ("k", "up"), "cell", "The cell above.", "Figures"),
        Action("figures_right", ("right",), "cell", "The cell to the right: another label of the judges.",
               "Figures"),
        Action("figures_left", ("left",), "cell", "The cell to the left.", "Figures"),
        Action("figures_open", ("enter",), "items", "The items that the cell counts, as a queue; q comes back here.",
               "Figures"),
        Action("figures_pin", ("K",), "pin", "Keep these figures in sight while reviewing (never where it is blind); "
               "again takes them away.", "Figures"),
        Action("figures_help", ("question_mark", "f1"), "help", "The keys.", "Figures"),
        Action("figures_leave", ("q", "escape", "i"), "back", "Back to where you came from.", "Figures"),
    )
)  # fmt: skip
"""The keys of the page of figures."""


def figure_actions(keys: Mapping[str, str]) -> dict[str, Action]:
    """What can be done on the page of figures, by id, under the reviewer's own ``keys`` as in :func:`actions_for`."""
    own = {name: key for name, key in keys.items() if name.startswith(OF_FIGURES)}
    return {action.id: action for action in remapped(FIGURES, own)}
