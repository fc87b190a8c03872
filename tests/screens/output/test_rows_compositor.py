"""Rows of widgets that lie side by side are taken as they are; where one lies over another, Textual decides."""

from typing import Any

import pytest
from textual._compositor import ChopsUpdate
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from medreview.screens.output.rows_compositor import RowsCompositor, RowsUpdate
from medreview.screens.widgets.painted import Painted


class Letters(Painted):
    """Rows of one letter."""

    def __init__(self, letter: str) -> None:
        super().__init__(id=letter)
        self.letter = letter

    def line(self, y: int) -> Strip:
        return self.paint([((self.letter, "title"))] * 3)


class Drawn(Screen[None]):
    def __init__(self) -> None:
        super().__init__()
        self._compositor = RowsCompositor()

    def compose(self) -> ComposeResult:
        yield from (Letters("a"), Letters("b"))


def app(style: str) -> App[None]:
    class Shown(App[None]):
        CSS = f"Screen {{ layout: horizontal; }} Letters {{ width: 4; height: 2; }} {style}"

        def get_default_screen(self) -> Screen[None]:
            return Drawn()

    return Shown()


def changed(screen: Screen[Any], *widgets: Widget) -> object:
    """What is rendered when the second row of each of the widgets is to be drawn again."""
    screen._compositor.update_widgets(set(screen.children))
    screen._compositor.render_update()
    for widget in widgets:
        widget.refresh(Region(0, 1, widget.outer_size.width, 1))
    screen._compositor.update_widgets(set(widgets))
    return screen._compositor.render_update()


async def test_only_rows_that_changed_are_rendered_where_widgets_lie_side_by_side() -> None:
    async with app("").run_test(size=(10, 4)) as pilot:
        screen = pilot.app.screen
        update = changed(screen, screen.query_one("#b"))
        assert isinstance(update, RowsUpdate)
        assert [(y, x, strip.text) for y, x, strip in update.rows] == [(1, 4, "bbb ")]
        assert update.render_segments(pilot.app.console).startswith("\x1b[2;5H")
        update = changed(screen, *screen.children)
        assert isinstance(update, RowsUpdate)
        assert sorted((y, x, strip.text) for y, x, strip in update.rows) == [(1, 0, "aaa "), (1, 4, "bbb ")]
        assert screen._compositor.render_update() is None


@pytest.mark.parametrize("style", ["#b { offset: -2 0; }", "#b { offset: 4 0; }"], ids=["over another", "cut off"])
async def test_textual_renders_what_lies_over_another_or_beyond_the_edge(style: str) -> None:
    async with app(style).run_test(size=(10, 4)) as pilot:
        screen = pilot.app.screen
        update = changed(screen, *screen.children)
        assert isinstance(update, ChopsUpdate)


async def test_a_widget_that_moves_is_rendered_where_it_is() -> None:
    async with app("").run_test(size=(10, 4)) as pilot:
        screen = pilot.app.screen
        assert changed(screen, screen.query_one("#b")) is not None
        screen.query_one("#a").styles.width = 6
        await pilot.pause()
        update = changed(screen, screen.query_one("#b"))
        assert isinstance(update, RowsUpdate)
        assert [(y, x) for y, x, _ in update.rows] == [(1, 6)]
