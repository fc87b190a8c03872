"""What the rows above the source say: which page it is, what kind of page, and where in it one is."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from medreview.cli.plain import review_plain
from medreview.config import Config
from medreview.judges.verdicts import refresh
from medreview.review.cell_width import width
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.screens.app import Workbench
from medreview.screens.source_rows import least, link_of, short_address, source_name
from medreview.screens.terminal_output import _change
from medreview.screens.widgets.document import DocumentView
from medreview.study import Study
from medreview.units.cited_source import Source
from tests.screens.sepsis_study import SEPSIS, make_study
from tests.support.study_builder import StudyBuilder, build
from tests.support.terminal import Terminal
from tests.support.workbench import (
    PLAIN,
    blind_workbench,
    on_screen,
    pane_text,
    press,
    put_in,
    review_screen,
    screen_text,
    workbench,
)

SIZES = {"80x24": (80, 24), "100x30": (100, 30), "160x50": (160, 50)}
each_size = pytest.mark.parametrize("size", list(SIZES.values()), ids=list(SIZES))


Made = Callable[..., Study]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    """Makes the study with what the fetch stage stores beside the sepsis page's text."""
    headings = [("Sepsis care in adults", 1), ("Recognise it early", 2), ("Initial resuscitation", 2)]
    headings += [("Vasoactive agents", 3)]
    outline = [[SEPSIS.index(words), SEPSIS.index(words) + len(words), level] for words, level in headings]
    with ExitStack() as stack:
        yield lambda **sepsis: stack.enter_context(
            make_study(tmp_path / "made.medreview", **{"outline": json.dumps(outline), **sepsis})
        )


def bar(app: Any) -> str:
    return str(pane_text(app, "bar"))


@each_size
async def test_the_heading_follows_the_highlight_and_the_top_of_the_pane(made: Made, size: tuple[int, int]) -> None:
    async with on_screen(workbench(made()), *size) as (app, pilot):
        await press(pilot, "j")
        if size[0] > 120:
            assert "Sepsis care in adults › Initial resuscitation" in bar(app)
        else:
            assert "Initial re" in bar(app)
        await press(pilot, "g")
        assert ("Initial" in bar(app)) == (size[1] > 24)  # the highlight is still in sight, or not
        await press(pilot, "G")
        assert "Vasoactiv" in bar(app)
        for fact in ("sepsis" if size[0] > 80 else "who.example", "ok", "kB", "9 Oct 2026", "100%"):
            assert fact in bar(app)


async def test_headings_are_drawn_as_headings(made: Made) -> None:
    app = workbench(made())
    async with app.run_test(size=(80, 24)):
        marked = app.screen.query_one("#source", DocumentView).marks.of_kind("heading")
        assert [SEPSIS[mark.start : mark.end] for mark in marked] == [
            "Sepsis care in adults",
            "Recognise it early",
            "Initial resuscitation",
            "Vasoactive agents",
        ]


async def test_the_whole_page_can_be_read_and_searched_but_not_marked(made: Made) -> None:
    study = made(full_text=f"Home  Menu  Log in\n{SEPSIS}\nFootnote: no dose for children is given here.")
    async with on_screen(workbench(study)) as (app, pilot):
        before, offset = screen_text(app), app.screen.query_one("#source", DocumentView).first_offset
        await press(pilot, "x")
        assert "whole page" in bar(app)
        await press(pilot, "g")
        assert "everything on the page" in screen_text(app)
        await press(pilot, "slash", *"Footnote", "enter")
        assert "Footnote: no dose for children" in screen_text(app)
        await press(pilot, "escape", "m")
        assert "Nothing is highlighted" in screen_text(app)

        await press(pilot, "x")
        assert screen_text(app) == before
        assert app.screen.query_one("#source", DocumentView).first_offset == offset

        await press(pilot, "x", "h", "1", "S")  # a span is set in the text that is judged
        assert "whole page" not in bar(app)
        await press(pilot, "enter")
    (span,) = study.reader.execute("SELECT payload FROM event WHERE kind = 'span_add'").fetchall()
    said = json.loads(span[0])
    assert SEPSIS[said["start"] : said["end"]] == said["exact"]


async def test_another_statement_or_source_leaves_the_whole_page(made: Made) -> None:
    async with on_screen(workbench(made(full_text=f"Home  Menu\n{SEPSIS}")), 160, 50) as (app, pilot):
        for key in ("j", "right_square_bracket"):
            await press(pilot, "x")
            assert "whole page" in bar(app)
            await press(pilot, key)
            assert "whole page" not in bar(app)
            await press(pilot, "k")


async def test_a_page_with_no_more_text_says_so(made: Made) -> None:
    async with on_screen(workbench(made())) as (app, pilot):
        await press(pilot, "x")
        assert "no more on this page" in screen_text(app)
        assert "whole page" not in bar(app)


async def test_moving_in_the_source_draws_only_its_pane_and_the_bar(made: Made) -> None:
    async with on_screen(workbench(made()), 160, 50) as (app, pilot):
        await press(pilot, "j", "g")
        drawn: list[str] = []
        for widget in app.screen.children:
            refresh = widget.refresh

            def noted(*regions: Any, _name: str = widget.id or "", _refresh: Any = refresh, **options: Any) -> Any:
                drawn.append(_name)
                return _refresh(*regions, **options)

            widget.refresh = noted  # type: ignore[method-assign]
        await press(pilot, "space")
        assert set(drawn) == {"source", "bar"}


@each_size
async def test_a_pdf_shows_its_pages(made: Made, size: tuple[int, int]) -> None:
    app = workbench(made(outline="[]", page_starts=json.dumps([0, SEPSIS.index("Section 1."), 2500])))
    async with app.run_test(size=size) as pilot:
        assert "p. 1/3 · " in bar(app)
        await press(pilot, "G")
        assert "p. 3/3 · 100%" in bar(app)
        assert "Sepsis care" in bar(app) or size[0] == 80


async def test_a_long_path_keeps_its_deepest_heading(made: Made) -> None:
    headings = [
        "Sepsis care in adults",
        "Recognise it early",
        "Vasoactive agents",
        "Section 9. Further reading on fluid",
    ]
    outline = [
        [SEPSIS.index(words), SEPSIS.index(words) + len(words), level] for level, words in enumerate(headings, 1)
    ]
    outline[2][2] = 2
    study = made(outline=json.dumps(outline))
    queue = open_queue(study, "responses", "kb")
    app = Workbench(study, Config(reviewer="kb"), PLAIN._replace(ascii_only=True), queue=queue)
    async with app.run_test(size=(160, 50)) as pilot:
        await press(pilot, "G")
        path = bar(app).splitlines()[1]
        assert path.strip().startswith("... > Vasoactive agents > ")
        assert "Recognise" not in path


@each_size
async def test_what_a_page_may_not_be_is_said_beside_it(made: Made, size: tuple[int, int]) -> None:
    told = "The record in PubMed with its abstract; the article itself was not read. It was retracted on 3 May 2021."
    async with on_screen(workbench(made(state_evidence=told)), *size) as (app, pilot):
        await press(pilot, "j")
        assert "RETRACTED · abstract only" in bar(app)
        assert "9 Oct 2026" in bar(app) or size[0] == 100
        await press(pilot, "g")
        source = app.screen.query_one("#source")
        top = " ".join(source.render_line(y).text.strip() for y in range(4))
        assert f"[medreview: {told}]" in top


async def test_blind_mode_says_the_same_for_every_statement(made: Made) -> None:
    async with on_screen(workbench(made(), "audit"), 160, 50) as (app, pilot):
        said = set()
        for _ in range(8):
            if "who.example" in bar(app):
                said.add(bar(app))
            await press(pilot, "j")
        assert len(said) == 1


async def test_sources_that_were_never_fetched_are_told_apart(study: Study) -> None:
    study.write(lambda connection: connection.execute("UPDATE source SET current_snapshot = NULL"))
    async with on_screen(workbench(study)) as (app, pilot):
        assert "https://who.example/sepsis-care" in screen_text(app)
        await press(pilot, "right_square_bracket")
        assert "https://gone.example/heart-failure-fluids" in screen_text(app)


async def test_a_notice_at_the_top_of_the_text_is_not_said_twice(made: Made) -> None:
    notices = ["This article was retracted: J Trials. 2020;11:300.", "A correction was published: J Trials. 2018."]
    only = "The record in PubMed with its abstract; the article itself was not read."
    text = "\n".join([*notices, "", SEPSIS])
    app = workbench(made(text=text, state_evidence=" ".join([*notices, only]), outline="[]"))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "g")
        shown = screen_text(app)
        assert "RETRACTED · abstract only" in bar(app)
        assert "[medreview: The record in PubMed" in shown
        assert shown.count("This article was retracted") == 1
        assert shown.index("[medreview") < shown.index("This article was retracted")


@each_size
async def test_a_page_with_nothing_to_read_has_no_place_in_it(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        assert "%" in bar(app)
        await press(pilot, "right_square_bracket")
        assert "dead link" in bar(app)
        assert "%" not in bar(app)


async def test_the_headings_are_put_in_order_once_for_a_page(made: Made) -> None:
    async with on_screen(workbench(made())) as (app, pilot):
        await put_in(pilot, "slash", text="sepsis")
        layers = [review_screen(app).source.marks._layers[kind] for kind in ("heading", "search")]
        await press(pilot, "j")
        assert [review_screen(app).source.marks._layers[kind] for kind in ("heading", "search")] == layers
        await press(pilot, "escape")
        assert "search" not in review_screen(app).source.marks._layers
        await press(pilot, "j")
        assert review_screen(app).source.marks._layers["heading"] is layers[0]
        assert "search" not in review_screen(app).source.marks._layers


COLLAPSED = "Look again often: pulse pressure, capillary refill, lactate."
UNSEEN = "Vasopressin is added when the dose rises"


@each_size
@pytest.mark.parametrize("ascii_only", [False, True])
async def test_what_does_not_stand_open_on_the_page_has_a_sign(
    made: Made, size: tuple[int, int], ascii_only: bool
) -> None:
    parts = [[SEPSIS.index(words), SEPSIS.index(words) + len(words), kind]
             for words, kind in ((COLLAPSED, "collapsed"), (UNSEEN, "hidden"))]  # fmt: skip
    study = made(set_apart=json.dumps(parts))
    look = PLAIN._replace(ascii_only=ascii_only)
    app = Workbench(study, Config(reviewer="kb"), look, queue=open_queue(study, "responses", "kb"))
    async with app.run_test(size=size) as pilot:
        view = app.screen.query_one("#source", DocumentView)
        await press(pilot, "g")
        shown: list[str] = []
        while not shown or view.position < 100:
            shown += [view.render_line(y).text for y in range(view.size.height)]
            await press(pilot, "space")
        told = " ".join(" ".join(shown).split())
        assert "is beside text that who looks at the page does not see." in told
        assert "is beside text that the page shows when a panel is opened." in told
        assert "hidden on the page" in told
        collapsed, hidden = (":", "x") if ascii_only else ("┊", "╳")
        assert {row[:3].strip() for row in shown if "Look again often" in row} == {collapsed}
        assert {row[:3].strip() for row in shown if "Vasopressin is" in row} == {hidden}
        assert {row[:3].strip() for row in shown if "Measure lactate" in row} == {""}
        await press(pilot, "slash", *"vasopressin", "enter", "escape")
        rows = [view.render_line(y).text for y in range(view.size.height)]
        assert {row[:3].strip() for row in rows if "Vasopressin is" in row} == {hidden}, "the search leaves the signs"


@pytest.mark.parametrize(("kind", "words"), [("alt", "words for a picture"), ("boilerplate", "in a menu or a footer")])
async def test_a_marked_place_in_text_that_is_not_the_pages_own_says_so(made: Made, kind: str, words: str) -> None:
    async with on_screen(workbench(made(set_apart=json.dumps([[0, len(SEPSIS), kind]])))) as (app, pilot):
        assert words in screen_text(app)
        await press(pilot, "i")
        assert f"not open on its page: {kind}: 1 part, {len(SEPSIS):,} characters" in " ".join(screen_text(app).split())


async def test_text_that_is_set_apart_and_holds_no_marked_place_has_no_note(made: Made) -> None:
    async with on_screen(workbench(made(set_apart=json.dumps([[0, 1, "alt"]])))) as (app, pilot):
        await press(pilot, "g")
        assert "words for a picture" not in screen_text(app)


HOST = "https://www.world-health.example/news-room/fact-sheets/detail"
in_each_size = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@pytest.fixture
def crowded(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "t.medreview", "sepsis") as made:
        build(made, _material)
        refresh(made)
        yield made


def _material(rows: StudyBuilder) -> None:
    text = "Give fluid early. Rest helps."
    more = [rows.source(f"m{number}") for number in range(20)]
    rows.page("one", "Fluid is given early in sepsis.", f"{HOST}/sepsis-in-adults")
    rows.page("two", "Fluid is given late in sepsis.", f"{HOST}/sepsis-in-children")
    cites = ("one", "two", *more)
    rows.response("r1", text, statements=text.split(". "), cites=cites, record_id="q007-atlas", model="atlas-2")
    for number, source in enumerate(("one", "m0", "two", "two", *more[1:]), 1):
        rows.own_number("r1", number, source)
    for number in (4, 1):
        rows.marker("r1.1", "two" if number == 4 else "one", number)
    rows.evidence("r1.1", "one@1", unsupported=0.2)
    rows.evidence("r1.1", "two@1", unsupported=0.1)
    rows.judgement("juror", "r1.1", "two@1", "supported", "Fluid is given early", "altered")


def bar_row(app: Any) -> str:
    return str(pane_text(app, "bar")).split("\n")[0]


@in_each_size
async def test_the_bar_names_the_shown_source_as_the_answer_does_and_marks_what_the_statement_cites(
    crowded: Study, size: tuple[int, int]
) -> None:
    async with on_screen(workbench(crowded), *size) as (app, pilot):
        first = bar_row(app)
        assert "[4]=[3] · 2 of 22" in first
        assert "cited here" in pane_text(app, "bar")
        assert "in-chi" in first
        assert "quote CHANGED" in screen_text(app) or "quote changed" in screen_text(app)
        await press(pilot, "right_square_bracket")
        assert "[1] of 22" in bar_row(app)
        assert "cited here" in pane_text(app, "bar")
        assert "in-adults" in bar_row(app)
        for _ in range(20):
            await press(pilot, "right_square_bracket")
            assert width(bar_row(app)) <= size[0]
        assert "[23] · 22 of 22" in bar_row(app)
        assert "cited here" not in pane_text(app, "bar")
        await press(pilot, "right_square_bracket")
        assert bar_row(app) == first


@in_each_size
async def test_a_record_is_found_by_the_start_of_its_id_which_the_screen_shows_while_the_model_may_be_known(
    crowded: Study, size: tuple[int, int]
) -> None:
    app = workbench(crowded, filter="id=Q007")
    async with app.run_test(size=size):
        assert "q007-atlas" in screen_text(app)
    hidden = blind_workbench(crowded, "responses")
    async with hidden.run_test(size=size):
        assert "q007-atlas" not in screen_text(hidden)


def test_the_line_prompts_name_the_sources_in_the_order_of_the_screen(
    crowded: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = iter(["]", "q"])
    monkeypatch.setattr("builtins.input", lambda _prompt="": next(lines))
    review_plain(ReviewSession(crowded, "kb", open_queue(crowded, "responses", "kb")))
    told = capsys.readouterr().out
    assert "record q007-atlas" in told
    assert "sources: 4=3 cited here, 1 cited here, 2, 5, 6," in told
    assert f"SOURCE4=3,citedhere:{HOST}/sepsis-in-children,ok" in "".join(told.split())
    assert told.index("SOURCE 4=3, cited") < told.index("SOURCE 1, cited")
    assert "source [4]=[3], juror by juror-model: supported" in told


def source(name: str, url: str = "", *, cited: bool = False) -> Source:
    url = url or f"https://{name}.example/page"
    host = url.partition("://")[2].partition("/")[0]
    return Source(1, (), name, cited, False, name, None, url, host, "", "ok", "", 0, "")


def test_a_source_is_called_as_the_answer_does_and_of_how_many_it_is_one():
    names = ("3=4", "7", "3")
    sources = [replace(source(name, cited=True), place=place) for place, name in enumerate(names, 1)]
    assert [source_name(sources, each) for each in sources] == ["[3]=[4] · 1 of 3", "[7] · 2 of 3", "[3] of 3"]
    assert source_name(sources[:1], sources[0]) == "[3]=[4]"


@pytest.mark.parametrize("room", [30, 40, 48])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://www.who.example/news/fact-sheets/detail/diabetes", "https://www.who.example/news/fact-sheets/detail/sepsis"),
        ("https://nih.example/books/NBK1234567890/diabetes/index.html", "https://nih.example/books/NBK1234567899/diabetes/index.html"),
        ("https://pub.example/a-very-long-name-of-an-article-part-1", "https://pub.example/a-very-long-name-of-an-article-part-2"),
        ("https://pub.example/read/article/view?identifier=100000017", "https://pub.example/read/article/view?identifier=100000018"),
        ("https://pub.example/deep/in/a/tree/of/many/folders/guideline", "https://pub.example/deep/in/a/tree/of/many/folders/guideline/2"),
    ],
)  # fmt: skip
def test_two_pages_of_one_host_never_look_the_same(one, other, room):
    sources = [source("1", one), source("2", other)]
    drawn = [short_address(it, sources, room, host_only=True) for it in sources]
    assert drawn[0] != drawn[1]
    assert all(width(words) <= room for words in drawn)
    assert all(least(it, sources) <= room for it in sources)


def test_a_page_alone_on_its_host_gives_way_to_the_heading():
    sources = [source("1", "https://who.example/a/long/path/to/a/page"), source("2")]
    assert short_address(sources[0], sources, 20, host_only=True) == "who.example"
    assert short_address(sources[0], sources, 20) == "who.example/a/long/…"
    assert short_address(sources[0], sources, 60) == "who.example/a/long/path/to/a/page"


OPEN = """
import sys
from pathlib import Path
from medreview.config import Config
from medreview.review.queue import open_queue
from medreview.screens.app import run
from medreview.study import Study
with Study.open(Path(sys.argv[1])) as study:
    run(study, Config(reviewer="kb", links=sys.argv[2] == "on"), queue=open_queue(study, "responses", "kb"))
"""


@pytest.mark.parametrize("links", ["on", "off"])
def test_a_link_is_made_where_the_settings_say_so_and_of_plain_addresses_alone(study_path: Path, links: str) -> None:
    with Terminal([sys.executable, "-c", OPEN, str(study_path), links], 80, 24, None) as terminal:
        terminal.wait("? keys")
        terminal.type(":response=R02\r")
        terminal.wait("eGFR of 30")
        terminal.type("qq")
        assert terminal.finish() == 0
    opened = b"\x1b]8;;https://who.example/sepsis-care\x1b\\"
    assert (opened in terminal.output) == (links == "on")
    assert terminal.output.count(b"\x1b]8;;h") == terminal.output.count(b"\x1b]8;;\x1b\\")
    assert b"]8;;https://drug.example" not in terminal.output  # it has an escape sequence in it


def test_only_an_address_whose_host_is_shown_is_a_link() -> None:
    def link(url: str, domain: str, shown: str) -> str:
        source = object.__new__(Source)
        for name, value in (("url", url), ("domain", domain)):
            object.__setattr__(source, name, value)
        return link_of(source, shown)

    assert link("https://who.example/a", "who.example", "who.example/a") == "link:https://who.example/a"
    assert not link("https://who.example/a", "who.example", "who.exam…")
    assert not link("https://who.example@evil.example/a", "evil.example", "who.example@evil.example/a")
    assert not link("javascript:alert(1)", "who.example", "who.example")
    assert not link("https://who.example/\u202ea", "who.example", "who.example/a")
    assert not link("https://who.example/\x1b]0;x\x07", "who.example", "who.example/")


def test_a_link_alone_changes_no_style() -> None:
    assert _change("1|34|", "1|34||https://a.example") == "\x1b]8;;https://a.example\x1b\\"
    assert _change("1|34||https://a.example", "||") == "\x1b]8;;\x1b\\\x1b[m"
