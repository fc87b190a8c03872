from textual.app import App, ComposeResult

from medreview.screens.widgets.lines import LinesView, RowsView
from medreview.screens.widgets.painted import Row

COUNT = 58_000


class ListApp(App[None]):
    CSS = "RowsView { width: 1fr; height: 1fr; } LinesView { width: 1fr; height: 3; }"

    def __init__(self, ascii_only: bool = False) -> None:
        super().__init__(ansi_color=True)
        self.asked: list[int] = []
        self.rows = RowsView()
        self.header = LinesView([[("study", "title"), ("", "fill"), ("R07", "")]])
        self.rows.ascii_only = self.header.ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        yield self.header
        yield self.rows

    def row(self, index: int) -> Row:
        self.asked.append(index)
        return [(f"R{index} ", "title"), ("quote altered" if index % 2 else "supported", "badge")]


def lines(view: RowsView | LinesView) -> list[str]:
    strips = [view.render_line(y) for y in range(view.size.height)]
    assert {strip.cell_length for strip in strips} == {view.size.width}
    return [strip.text.rstrip() for strip in strips]


async def test_only_rows_in_sight_are_read() -> None:
    app = ListApp()
    async with app.run_test(size=(40, 23)) as pilot:
        app.rows.show(COUNT, app.row, cursor=30_000)
        await pilot.pause()
        assert len(set(app.asked)) <= 20
        shown = lines(app.rows)
        assert " ▸R30000 supported" in shown
        assert sum("▸" in line for line in shown) == 1


async def test_moving_stays_in_sight_and_repaints_two_rows() -> None:
    app = ListApp()
    async with app.run_test(size=(40, 23)) as pilot:
        app.rows.show(COUNT, app.row)
        await pilot.pause()
        app.asked.clear()
        app.rows.move(1)
        await pilot.pause()
        assert set(app.asked) == {0, 1}
        app.rows.move(30)
        await pilot.pause()
        assert len(set(app.asked)) >= 20, "a scrolled list is drawn whole"
        app.rows.move_to(1)
        for by in (18, 1, 500, 20_000, 40_000, -1, -45_000, -99_999):
            app.rows.move(by)
            await pilot.pause()
            assert f" ▸R{app.rows.cursor} " in "\n".join(lines(app.rows))
        assert app.rows.cursor == 0
        app.rows.page(1)
        assert app.rows.cursor == 19
        app.rows.move_to(COUNT)
        assert app.rows.cursor == COUNT - 1
        assert lines(app.rows)[-1] == f" ▸R{COUNT - 1} quote altered"


async def test_the_row_that_the_cursor_belongs_to_is_marked() -> None:
    app = ListApp(ascii_only=True)
    async with app.run_test(size=(40, 12)) as pilot:
        app.rows.show(8, app.row, cursor=2, parent_of=lambda index: index // 4 * 4)
        await pilot.pause()
        assert [y for y, line in enumerate(lines(app.rows)) if line.startswith(" >")] == [0, 2]
        app.rows.move(3)
        await pilot.pause()
        assert [y for y, line in enumerate(lines(app.rows)) if line.startswith(" >")] == [4, 5]


async def test_resize_and_a_shorter_list_keep_the_cursor_in_sight() -> None:
    app = ListApp()
    async with app.run_test(size=(40, 33)) as pilot:
        app.rows.show(COUNT, app.row, cursor=29)
        await pilot.pause()
        app.asked.clear()
        await pilot.resize_terminal(30, 9)
        await pilot.pause()
        assert 29 in app.asked, "painted without being asked to"
        assert any("▸R29 " in line for line in lines(app.rows))
        app.rows.show(3, app.row, cursor=9)
        await pilot.pause()
        assert lines(app.rows)[:4] == ["  R0 supported", "  R1 quote altered", " ▸R2 supported", ""]
        app.rows.show(0, app.row)
        await pilot.pause()
        assert app.rows.cursor is None
        assert set(lines(app.rows)) == {""}


async def test_rows_are_safe_and_cut() -> None:
    app = ListApp()
    async with app.run_test(size=(12, 6)) as pilot:
        app.rows.show(1, lambda _index: [("a\x1b\tb\n[red]患者患者", "")])
        await pilot.pause()
        assert lines(app.rows)[0] == " ▸a\u241b b [red]"


async def test_lines_fill_and_repaint_what_differs() -> None:
    app = ListApp()
    async with app.run_test(size=(30, 9)) as pilot:
        assert lines(app.header) == ["study" + " " * 22 + "R07", "", ""]
        rows: list[Row] = [[("── [1] ", "rule"), ("─", "rule fill"), (" 31% ─", "rule")], [("\x07saved", "receipt")]]
        app.header.show(rows)
        await pilot.pause()
        assert lines(app.header) == ["── [1] " + "─" * 17 + " 31% ─", "\u2407saved", ""]
        painted: list[int] = []
        draw = app.header.render_line
        app.header.render_line = lambda y: painted.append(y) or draw(y)  # type: ignore[method-assign, func-returns-value]
        app.header.show([rows[0], [("saved #1234", "receipt")]])
        await pilot.pause()
        assert painted == [1]
        app.header.show([rows[0], [("saved #1234", "receipt")]])
        await pilot.pause()
        assert painted == [1]
