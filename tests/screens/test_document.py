from itertools import pairwise

import pytest
from rich.style import Style
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from medreview.review.highlight_index import LIT, Mark
from medreview.screens.widgets.document import DocumentView, Note
from medreview.study import Study
from tests.support.workbench import on_screen, press, review_screen, workbench

SENTENCE = "Begin with fluid: give thirty millilitres or more of a crystalloid by vein within the first three hours"
LONG = "\n".join(f"{SENTENCE[n % 7 * 6 :]} line{n}" for n in range(300))


class DocumentApp(App[None]):
    CSS = "DocumentView { width: 1fr; height: 1fr; }"

    def __init__(self, ascii_only: bool = False, gutter: int = 3) -> None:
        super().__init__(ansi_color=True)
        self.view = DocumentView(gutter=gutter)
        self.view.ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        yield self.view


def lines(view: DocumentView) -> list[str]:
    strips = [view.render_line(y) for y in range(view.size.height)]
    assert {strip.cell_length for strip in strips} == {view.size.width}
    assert {sum(segment.cell_length for segment in strip) for strip in strips} == {view.size.width}
    return [strip.text.rstrip() for strip in strips]


def styles(view: DocumentView, y: int) -> dict[str, Style]:
    return {segment.text: segment.style or Style() for segment in view.render_line(y)}


async def test_highlight_gutter_and_note() -> None:
    app = DocumentApp()
    text = "Initial resuscitation\n\nBegin with fluid: give 30 mL/kg or more of a\tcrystalloid."
    quote = text.index("give")
    async with app.run_test(size=(30, 8)):
        number = text.index("30")
        app.view.show(
            text, [Mark(quote, len(text), "says"), Mark(number, number + 2, "clash")], notes=[Note(number, "^^ 50")]
        )
        assert lines(app.view) == [
            "   Initial resuscitation",
            "",
            "✓│ Begin with fluid: give 30",
            "                       50 ^^",
            "✓│ mL/kg or more of a",
            "✓│ crystalloid.",
            "",
            "",
        ]
        app.view.activate((quote, len(text)))
        shown = lines(app.view)
        assert shown[2] == "✓▌ Begin with fluid: give 30"
        assert shown[3].lstrip() == "50 ^^"
        assert shown[4:6] == ["✓▌ mL/kg or more of a", "✓▌ crystalloid."]
        assert app.view.position == 100
        drawn = styles(app.view, 2)
        assert drawn["give "].bold
        assert not drawn[" Begin with fluid: "].bold
        assert drawn["30"].reverse


async def test_activate_places_the_highlight_at_a_third() -> None:
    app = DocumentApp()
    async with app.run_test(size=(60, 24)) as pilot:
        app.view.show(LONG, [Mark(0, len(LONG), "lexical")])
        assert lines(app.view)[0].strip().startswith("Begin with fluid:")
        start = LONG.index("line150")
        app.view.activate((start, start + 7))
        await pilot.pause()
        assert "line150" in lines(app.view)[8]
        assert lines(app.view)[8].startswith(" ▌ ")
        assert not lines(app.view)[7].startswith(" ▌ ")
        assert 50 <= app.view.position < 56
        assert app.view.active == (start, start + 7)
        app.view.activate(None)
        assert not [line for line in lines(app.view) if "▌" in line]


async def test_notes_above_a_highlight_do_not_move_it_from_its_place() -> None:
    app = DocumentApp()
    async with app.run_test(size=(140, 24)):
        notes = [Note(LONG.index(f"line{n}\n"), f"^^ {n}") for n in (10, 20, 30, 150, 151)]
        app.view.show(LONG, notes=notes)
        start = LONG.index("line150\n")
        app.view.activate((start, start + 7))
        shown = lines(app.view)
        assert "line150" in shown[8]
        assert shown[9].strip() == "^^ 150"
        assert shown[10].endswith("line151")
        assert shown[11].strip() == "^^ 151"
        app.view.to_end()
        assert lines(app.view)[-1].endswith("line299")


async def test_white_space_at_a_break_is_not_highlighted() -> None:
    app = DocumentApp(gutter=0)
    async with app.run_test(size=(12, 3)):
        app.view.show("give 30  mL/kg or more", [Mark(0, 22, "search")])
        assert [segment.text for segment in app.view.render_line(0)] == ["give 30", " " * 5]


async def test_scrolling_is_bounded_and_pages_overlap_by_one_row() -> None:
    app = DocumentApp()
    async with app.run_test(size=(60, 10)):
        app.view.show(LONG)
        app.view.page(-1)
        first = lines(app.view)
        app.view.page(1)
        assert lines(app.view)[0] == first[-1]
        app.view.page(-1)
        assert lines(app.view) == first
        app.view.to_end()
        assert lines(app.view)[-1].endswith("line299")
        assert app.view.position == 100
        app.view.scroll_rows(5)
        assert lines(app.view)[-1].endswith("line299")
        app.view.scroll_rows(-1)
        assert app.view.position == 99
        app.view.to_top()
        assert lines(app.view) == first


@pytest.mark.parametrize("third", [True, False])
async def test_a_resize_keeps_the_place(third: bool) -> None:
    app = DocumentApp()
    offset = LONG.index("line200")
    async with app.run_test(size=(80, 24)) as pilot:
        app.view.show(LONG, anchor=offset)
        if third:
            app.view.activate((offset, offset + 7))
        else:
            app.view.scroll_rows(3)
        await pilot.pause()
        before = lines(app.view)
        anchor = app.view.first_offset
        for size in ((40, 24), (30, 12), (123, 40), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            if third:
                assert "line200" in lines(app.view)[size[1] // 3]
            else:
                assert app.view.first_offset <= anchor < app.view.first_offset + size[0]
        assert lines(app.view) == before


async def test_what_is_to_be_in_sight_stays_so_in_a_smaller_pane_until_the_reader_moves() -> None:
    app = DocumentApp()
    offset = LONG.index("line5\n")
    async with app.run_test(size=(80, 24)) as pilot:
        app.view.show(LONG)
        app.view.keep_in_sight(offset)
        assert app.view.first_offset == 0  # it is in sight: nothing moves
        await pilot.resize_terminal(80, 8)
        await pilot.pause()
        assert any(line.endswith("line5") for line in lines(app.view))
        app.view.to_top()
        await pilot.resize_terminal(80, 6)
        await pilot.pause()
        assert app.view.first_offset == 0


async def test_kinds_that_meet_in_a_pane_differ_without_colour() -> None:
    app = DocumentApp()
    kinds = ("search", "clash", "says", "evidence", "span")
    async with app.run_test(size=(30, 4)):
        looks = {
            (bool(style.bold), bool(style.underline), bool(style.reverse))
            for style in map(app.view.style_of, ("", *kinds))
        }
        assert len(looks) == 1 + len(kinds)
        colours = {app.view.style_of(kind).color for kind in kinds}
        assert len(colours) == len(kinds)
        assert all(colour is not None and colour.number is not None and colour.number < 16 for colour in colours)


@pytest.mark.parametrize("ascii_only", [False, True])
async def test_what_a_passage_means_is_said_by_a_sign_of_its_own_beside_it(ascii_only: bool) -> None:
    app = DocumentApp(ascii_only)
    text = "\n".join(f"passage {kind}" for kind in LIT)
    async with app.run_test(size=(40, 8)):
        marks = [Mark(text.index(f"passage {kind}"), text.index(kind) + len(kind), kind) for kind in LIT]
        app.view.show(text, marks, notes=[Note(marks[-1].end - 1, "the nearest", hangs=True)])
        shown = lines(app.view)
        assert len({line[0] for line in shown[: len(LIT)]}) == len(LIT)
        line, hangs = (".", "+") if ascii_only else ("│", "└")
        assert {row[1:3] for row in shown[: len(LIT)]} == {f"{line} "}
        assert shown[len(LIT)] == f" {hangs} the nearest"
        assert not ascii_only or all(row.isascii() for row in shown)


async def test_hostile_text_is_drawn_as_marks_and_marks_stay_on_their_words() -> None:
    app = DocumentApp()
    text = "\x1b]52;c;QQ==\x07 [red]give\u202e 5\u200b0 mg[/red]\r\x9b31m e" + "\u0301" * 20 + " end"
    start = text.index("give")
    async with app.run_test(size=(70, 4)):
        app.view.show(text, [Mark(start, start + 4, "search")], notes=[Note(start, "\x1b[31m^")])
        drawn = "".join(segment.text for y in range(4) for segment in app.view.render_line(y))
        assert not [char for char in drawn if ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u202e\u200b"]
        assert lines(app.view)[0].startswith(
            "   \u241b]52;c;QQ==\u2407 [red]give\ufffd 5\u00a60 mg[/red]\u240d\ufffd31m e"
        )
        assert styles(app.view, 0)["give"].reverse
        assert lines(app.view)[1].strip() == "\u241b[31m^"


async def test_wide_text_is_cut_at_cells() -> None:
    app = DocumentApp(gutter=1)
    async with app.run_test(size=(8, 5)):
        app.view.show("患者は 50 mg\n日本語日本語", [Mark(1, 2, "search")])
        assert lines(app.view)[:2] == [" 患者は", " 50 mg"]
        assert lines(app.view)[2:4] == [" 日本語", " 日本語"]


async def test_ascii_equivalents_and_replacing_one_kind() -> None:
    app = DocumentApp(ascii_only=True)
    async with app.run_test(size=(30, 4)):
        app.view.show("give\x1b 30 mL/kg", [Mark(6, 8, "quote")])
        app.view.activate((6, 8))
        assert lines(app.view)[0] == '"| give? 30 mL/kg'
        app.view.mark("search", [(0, 4)])
        assert styles(app.view, 0)["give"].reverse
        app.view.mark("search", [])
        assert styles(app.view, 0)[" give? "].reverse is None
        assert app.view.marks.next(-1).kind == "active"  # type: ignore[union-attr]


async def test_a_change_never_lays_out_again() -> None:
    app = DocumentApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await _settle(pilot)
        before = app.screen._layout_updates
        counted = app.view._layout_updates
        app.view.show(LONG, [Mark(5, 9, "quote")])
        app.view.activate((9_000, 9_040))
        app.view.page(1)
        app.view.show("short")
        await _settle(pilot)
        assert (app.screen._layout_updates, app.view._layout_updates) == (before, counted)
        assert lines(app.view)[0] == "   short"


async def test_shown_before_there_is_a_size() -> None:
    app = DocumentApp()
    app.view.show(LONG, anchor=LONG.index("line100"))
    assert app.view.position == 100
    async with app.run_test(size=(80, 24)):
        assert "line100" in " ".join(lines(app.view)[:2])


async def _settle(pilot: Pilot[None]) -> None:
    await pilot.pause()
    await pilot.pause()


TABLE = (
    "Doses\n"
    "| Age | Dose | Remarks |\n"
    "| 6 to 12 years | 300 micrograms | Once the airway is open, and again after 5 minutes if there is no better |\n"
    "| Adult | 50 mg | By vein |\n"
    "Next"
)


async def test_a_highlight_and_a_note_inside_a_cell_that_wraps() -> None:
    app = DocumentApp()
    async with app.run_test(size=(60, 12)) as pilot:
        minutes = TABLE.index("5 minutes")
        marks = [Mark(minutes, minutes + 9, "clash"), Mark(minutes - 6, minutes + 9, "against")]
        app.view.show(TABLE, marks, notes=[Note(minutes, "^^ 15 in the statement")])
        app.view.activate((minutes, minutes + 9))
        app.view.to_top()
        await pilot.pause()
        shown = lines(app.view)
        assert shown == [
            "   Doses",
            "   Age           │ Dose           │ Remarks",
            "   ──────────────┼────────────────┼─────────────────────────",
            "✗▌ 6 to 12 years │ 300 micrograms │ Once the airway is open,",
            "✗▌               │                │ and again after",
            "✗▌               │                │ 5 minutes if there is no",
            "                                    ^^ 15 in the statement",
            "✗▌               │                │ better",
            "   Adult         │ 50 mg          │ By vein",
            "   Next",
            *[""] * 2,
        ]
        assert styles(app.view, 5)["5 minutes"].reverse
        assert styles(app.view, 3)["300 micrograms"].color == app.view.style_of("against").color, (
            "all of the row is lit"
        )
        assert app.view.place == minutes


async def test_marks_and_search_hits_that_cross_cells() -> None:
    app = DocumentApp(ascii_only=True)
    async with app.run_test(size=(60, 6)):
        app.view.show("| a | b |\n| 50\u200b mg | by vein |")
        app.view.mark("search", [(12, 27)])
        assert lines(app.view)[:2] == ["   a      | b", "   50? mg | by vein"]
        reverse = [segment.text for segment in app.view.render_line(1) if segment.style and segment.style.reverse]
        assert reverse == ["50? mg", "by vei"]


@pytest.mark.parametrize("third", [True, False])
async def test_a_resize_keeps_the_place_inside_a_table(third: bool) -> None:
    app = DocumentApp()
    long = "\n".join(
        f"| {n} kg | give it slowly by vein, then look again and again, number{n} | {n} mL |" for n in range(200)
    )
    offset = long.index("number100 ")
    async with app.run_test(size=(80, 24)) as pilot:
        app.view.show(long, anchor=offset)
        if third:
            app.view.activate((offset, offset + 9))
        before = lines(app.view)
        for size in ((44, 24), (50, 12), (123, 40), (20, 20), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert "number100" in lines(app.view)[size[1] // 3 if third else 0]
        assert lines(app.view) == before


async def test_paging_and_the_position_in_a_table_of_rows_that_wrap() -> None:
    app = DocumentApp()
    async with app.run_test(size=(50, 10)):
        app.view.show("\n".join(f"| {n} | {SENTENCE} |" for n in range(40)))
        positions, seen = [], []
        for _ in range(100):
            positions.append(app.view.position)
            seen += lines(app.view)[:-1] if app.view.position < 100 else lines(app.view)
            if app.view.position == 100:
                break
            app.view.page(1)
        assert positions == sorted(positions)
        assert [line.split()[0] for line in seen if line[3:4].isdigit()][:39] == list(map(str, range(39)))


async def test_a_preface_stands_above_the_text_and_counts_as_no_text() -> None:
    app = DocumentApp()
    async with app.run_test(size=(40, 5)) as pilot:
        app.view.show(LONG, notes=[Note(0, "^^ first")], preface="[medreview: this article was retracted in May 2021.]")
        shown = lines(app.view)
        assert shown[:2] == ["   [medreview: this article was", "   retracted in May 2021.]"]
        assert shown[2].startswith("   Begin with fluid")
        assert shown[3].strip() == "^^ first"
        assert (app.view.first_offset, app.view.place) == (0, 0)
        start = LONG.index("line150")
        app.view.activate((start, start + 7))
        assert "line150" in lines(app.view)[5 // 3]
        app.view.to_end()
        assert lines(app.view)[-1].endswith("line299")
        assert app.view.position == 100
        app.view.to_top()
        assert lines(app.view) == shown
        await pilot.resize_terminal(80, 5)
        await pilot.pause()
        assert lines(app.view)[0].endswith("2021.]")
        app.view.show(LONG)
        assert lines(app.view)[0].startswith("   Begin")


async def test_neighbours_of_one_style_are_sent_as_one(study: Study) -> None:
    async with on_screen(workbench(study), 80, 40) as (app, pilot):
        await press(pilot, "j")
        view = review_screen(app).source
        rows = [view.render_line(y) for y in range(view.size.height)]
        plain = next(row for row in rows if "Fast breathing" in row.text)
        assert len(list(plain)) == 1
        assert all(one.style != other.style for row in rows for one, other in pairwise(row))
        assert {row.cell_length for row in rows} == {view.size.width}


async def test_what_was_prepared_is_drawn_only_where_just_that_is_shown() -> None:
    app = DocumentApp()
    other = LONG.replace("fluid", "water")
    async with app.run_test(size=(60, 24)) as pilot:
        app.view.show(LONG)
        app.view.show(other, [Mark(0, 5, "quote")], 2000, [Note(2010, "^^ 50")], at_third=True, beforehand=True)
        before, ahead = lines(app.view), app.view._ahead
        assert ahead is not None
        assert "fluid" in before[0]
        app.view.show(other, [Mark(0, 5, "quote")], 2000, [Note(2010, "^^ 50")], at_third=True)
        await pilot.pause()
        assert app.view._page is ahead
        assert {*map(id, map(app.view.render_line, range(24)))} <= {*map(id, ahead.strips.values())}
        shown = lines(app.view)
        assert any(row.lstrip() == "^^ 50" for row in shown)

        app.view.show(LONG)
        app.view.show(other, [Mark(0, 5, "quote")], 2000, [Note(2010, "^^ 50")], at_third=True)
        assert app.view._page is not ahead
        assert lines(app.view) == shown, "drawn when it is shown, it is the same"

        app.view.show(other, [Mark(0, 5, "quote")], beforehand=True)
        app.view.show(other, [Mark(0, 6, "quote")])
        assert app.view.marks.of_kind("quote") == [Mark(0, 6, "quote")]


async def test_what_was_prepared_for_another_width_is_laid_out_again() -> None:
    app = DocumentApp()
    async with app.run_test(size=(60, 24)) as pilot:
        app.view.show(LONG, beforehand=True)
        await pilot.resize_terminal(40, 24)
        await pilot.pause()
        app.view.show(LONG)
        narrow = lines(app.view)
        assert {len(row) <= 40 for row in narrow} == {True}
        app.view.show("")
        app.view.show(LONG)
        assert lines(app.view) == narrow


async def test_what_a_lit_row_of_a_table_is_stands_below_all_its_rows() -> None:
    app = DocumentApp()
    text = "| Vaccine | Type | When |\n| --- | --- | --- |\n| Hepatitis B vaccine | Inactivated | Any week |\nEnd."
    start = text.index("Hepatitis")
    async with app.run_test(size=(44, 12)):
        app.view.show(text, [Mark(start, start + 19, "evidence")], notes=[Note(start, "nearest passage", hangs=True)])
        drawn = lines(app.view)
        noted = next(row for row, line in enumerate(drawn) if "nearest passage" in line)
        assert "Hepatitis" in drawn[noted - 2]
        assert "vaccine" in drawn[noted - 1]
        assert "End." in drawn[noted + 1]
