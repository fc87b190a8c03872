"""Keys of the reviewer's own."""

import pytest

from medreview.errors import UserError
from medreview.review.actions import REVIEW, actions_for, figure_actions, remapped
from medreview.units.statement import STATEMENT_ASKS


def keys_of(name: str, told: dict[str, str]) -> tuple[str, ...]:
    return next(action.keys for action in remapped(REVIEW, told) if action.id == name)


@pytest.mark.parametrize(
    ("told", "key"),
    [("ö", "ö"), ("X", "X"), ("F6", "f6"), ("ä", "ä"), ("Enter", "enter"), ("enter", "enter"), (";", ";")],
)
def test_a_key_is_a_character_or_a_name(told: str, key: str) -> None:
    assert keys_of("defer", {"defer": told}) == (key,)


@pytest.mark.parametrize(("told", "key"), [("/", "slash"), ("slash", "slash"), ("PgDn", "pagedown"), ("↓", "down")])
def test_keys_may_be_written_as_the_help_shows_them(told: str, key: str) -> None:
    free = {"search": "ö", "page_down": "F3", "next": "j"}
    assert keys_of("defer", {**free, "defer": told}) == (key,)


def test_the_comma_can_be_a_key_and_several_are_parted_by_it() -> None:
    assert keys_of("hit_previous", {"hit_previous": ","}) == ("comma",)
    assert keys_of("defer", {"defer": "ö, F6"}) == ("ö", "f6")


@pytest.mark.parametrize("told", ["/", "slash", "F1", "Space", " q ", "["])
def test_a_key_of_another_action_is_refused_however_it_is_written(told: str) -> None:
    with pytest.raises(UserError, match="given to both"):
        remapped(REVIEW, {"defer": told})


def test_digits_are_for_verdicts_alone() -> None:
    assert keys_of("decide_partial", {"decide_partial": "7"}) == ("7",)
    with pytest.raises(UserError, match="digits are verdicts"):
        remapped(REVIEW, {"defer": "ö, 6"})


@pytest.mark.parametrize("told", ["", "foo", "[[[", "x,,y", "ctrl-x"])
def test_what_is_no_key_is_refused(told: str) -> None:
    with pytest.raises(UserError, match="which no terminal sends"):
        remapped(REVIEW, {"defer": told})


def test_the_keys_of_the_page_of_figures_are_remapped_beside_the_others() -> None:
    own = {"figures_pin": "ö", "figures": "I"}

    assert figure_actions(own)["figures_pin"].keys == ("ö",)
    assert actions_for(STATEMENT_ASKS, own)["figures"].keys == ("I",)
    with pytest.raises(UserError, match="digits are verdicts"):
        figure_actions({"figures_pin": "3"})
    with pytest.raises(UserError, match="is given to both"):
        figure_actions({"figures_pin": "j"})
    with pytest.raises(UserError, match="figures_fly"):
        figure_actions({"figures_fly": "z"})
