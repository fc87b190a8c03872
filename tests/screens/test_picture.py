"""Pictures of the workbench: what stands on the screen, in the colours of a theme, and nothing that is loaded."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from medreview.config import Config
from medreview.errors import UserError
from medreview.review.queue import open_queue
from medreview.screens.picture import THEMES, Screenshot, Theme, copied, keys_of, picture, size_of, svg
from medreview.study import Study
from medreview.study.check import check_study
from tests.support.commands import Program
from tests.support.workbench import events, screen_text, workbench

CELL, LINE = 9.0, 18
SVG = "{http://www.w3.org/2000/svg}"


def drawn(path: Path, tmp_path: Path, size: tuple[int, int] = (80, 24), theme: Theme = "dark", keys: str = "") -> str:
    folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
    folder.mkdir()
    with copied(path, folder) as study:
        queue = open_queue(study, "flagged", "kb")
        return picture(study, Config(reviewer="kb"), queue, size=size, theme=theme, keys=keys_of(keys))


def as_read(image: str, size: tuple[int, int]) -> str:
    """The rows of a picture, from the places of its texts and lines."""
    rows = [[" "] * size[0] for _ in range(size[1])]
    for element in ElementTree.fromstring(image).iter():
        if element.tag == f"{SVG}text":
            left, top = round(float(element.attrib["x"]) / CELL), (int(element.attrib["y"]) - 14) // LINE
            text = element.text or ""
            assert float(element.attrib["textLength"]) == len(text) * CELL
            rows[top][left : left + len(text)] = text
        elif element.tag == f"{SVG}path":
            x, y, way, by = re.fullmatch(r"M([\d.]+) ([\d.]+)([hv])([\d.]+)", element.attrib["d"]).groups()  # type: ignore[union-attr]
            left, top, cells = int(float(x) // CELL), int(float(y) // LINE), round(float(by) / CELL)
            rows[top][left : left + (cells if way == "h" else 1)] = "─" * cells if way == "h" else "│"
    return "\n".join("".join(row).rstrip() for row in rows)


async def test_a_picture_has_every_word_at_its_place(study: Study, study_path: Path, tmp_path: Path) -> None:
    for size in ((80, 24), (160, 50)):
        app = workbench(study, "flagged")
        async with app.run_test(size=size):
            rows = app.screen._compositor.render_strips()
            shown = screen_text(app)
            image = svg([Screenshot(rows, app.ansi_theme)])
        assert as_read(image, size) == shown


def test_a_picture_is_of_the_study_and_loads_nothing(study_path: Path, tmp_path: Path) -> None:
    before = study_path.read_bytes()
    for theme in THEMES:
        image = drawn(study_path, tmp_path, theme=theme)
        assert "answer 2 boreal" in as_read(image, (80, 24))
        assert not re.search(r"url\(|href|@import|@font-face|<script|<image|<foreignObject", image)
        assert image == drawn(study_path, tmp_path, theme=theme)
    assert study_path.read_bytes() == before


def test_without_colours_there_are_shades_of_one(study_path: Path, tmp_path: Path) -> None:
    image = drawn(study_path, tmp_path, theme="mono")
    colours = set(re.findall(r"#[0-9a-f]{6}", image))
    assert all(len({colour[at : at + 2] for at in (1, 3, 5)}) == 1 for colour in colours)
    assert len(set(re.findall(r"#[0-9a-f]{6}", drawn(study_path, tmp_path)))) > len(colours)


def test_keys_are_pressed_on_a_copy(study_path: Path, tmp_path: Path) -> None:
    first, decided = (as_read(drawn(study_path, tmp_path, keys=keys), (80, 24)) for keys in ("", "5 j 5 k"))
    assert "saved #" not in first
    assert "saved #" in decided
    with Study.open(study_path) as study:
        assert events(study, "decide") == []


def test_what_is_shown_of_the_judges_is_noted_in_the_study(study_path: Path, tmp_path: Path) -> None:
    Program(study_path.parent)(
        "review", study_path.name, "--picture", tmp_path / "p.svg", "--keys", "j 5", "--reviewer", "new"
    )
    with Study.open(study_path) as study:
        seen = study.reader.execute("SELECT unit, mode FROM event WHERE kind = 'shown' AND reviewer = 'new'").fetchall()
        assert len({row["unit"] for row in seen}) == 2
        assert {row["mode"] for row in seen} == {"open"}
        assert events(study, "decide") == []
        assert check_study(study).faults == []


@pytest.mark.parametrize("keys", ["q q", "j q q"])
def test_keys_that_leave_are_refused(study_path: Path, tmp_path: Path, keys: str) -> None:
    with pytest.raises(UserError, match="leaves the workbench"):
        drawn(study_path, tmp_path, keys=keys)


@pytest.mark.parametrize("told", ["160", "axb", "10x10", "9000x50", "160x50x2", ""])
def test_a_size_that_is_none_is_named(told: str) -> None:
    with pytest.raises(UserError, match=r"160x50|40x10"):
        size_of(told)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["p.svg", "--keys", "j Hyper"], "'Hyper'"),
        (["p.svg", "--theme", "pink"], "dark, light, mono"),
        (["p.png"], "ends in .svg"),
        (["p.svg", "--queue", "none"], "none"),
        (["p.svg", "--queue", "stale"], "stale"),
        (["taken.svg"], "is not an earlier result"),
    ],
)
def test_the_command_refuses_in_a_sentence(study_path: Path, tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "taken.svg").write_text("mine")
    told = Program(tmp_path)("review", study_path, "--picture", *words, check=2)
    assert said in told.stderr
    assert not (tmp_path / "p.svg").exists()


def test_the_command_writes_the_picture_and_says_where(study_path: Path, tmp_path: Path) -> None:
    medreview = Program(tmp_path)
    told = medreview(
        "review", study_path, "--picture", "p.svg", "--size", "80x24", "--queue", "first", "--theme", "light"
    )
    assert "p.svg: 80x24, the first screen" in told.stdout
    assert "triage: flagged" in as_read((tmp_path / "p.svg").read_text(), (80, 24))
    medreview("review", study_path, "--picture", "p.svg", "--size", "60x20")
    assert [file.name for file in tmp_path.iterdir() if "partial" in file.name or file.name == "copy"] == []


def test_several_screens_take_turns() -> None:
    from rich.segment import Segment
    from textual.strip import Strip

    from medreview.screens.environment import DARK

    image = svg([Screenshot([Strip([Segment(word.ljust(9))])], DARK) for word in ("one <1>", "two", "three")], 1.5)
    groups = ElementTree.fromstring(image).findall(f".//{SVG}g[@class='s']")
    assert [group.findtext(f"{SVG}text") for group in groups] == ["one <1>", "two", "three"]
    assert "4.5s" in image
