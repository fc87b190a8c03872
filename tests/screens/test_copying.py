"""Where a copied text goes, and what is said of it."""

from pathlib import Path

import pytest

from medreview.screens.outside import copied, copy_file, takes_osc52
from medreview.study import Study
from tests.support.workbench import pane_text, press, workbench


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("TMUX", "STY", "TERM_PROGRAM", "KITTY_WINDOW_ID", "WT_SESSION", "ALACRITTY_WINDOW_ID"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("environ", "how", "said", "sent", "written"),
    [
        ({"TERM": "xterm-kitty"}, "auto", "sent to kitty", True, False),
        ({"TERM": "xterm-kitty"}, "both", "sent to kitty; in ", True, True),
        ({"TERM": "xterm-256color"}, "auto", "sent to the terminal, which need not take it; in ", True, True),
        ({"TERM": "xterm-256color"}, "terminal", "sent to the terminal, which need not take it", True, False),
        ({"TERM": "xterm-kitty"}, "file", "in ", False, True),
        ({"TERM": "tmux-256color", "TMUX": "/a,1,0", "TERM_PROGRAM": "tmux", "KITTY_WINDOW_ID": "1"}, "auto",
         "set -g set-clipboard on", True, True),
        ({"TERM": "screen", "STY": "1.a"}, "auto", "screen does not pass it on", True, True),
    ],
)  # fmt: skip
def test_it_says_where_the_text_went_and_nothing_that_nobody_knows(
    environ: dict[str, str], how: str, said: str, sent: bool, written: bool
) -> None:
    got: list[str] = []
    words = copied("30 mL/kg", how, got.append, environ)
    assert said in words
    assert "copied" not in words.replace("copied.txt", "")
    assert got == (["30 mL/kg"] if sent else [])
    assert copy_file().exists() == written
    assert (str(copy_file()) in words) == written


def test_the_next_text_takes_the_place_of_the_one_before_in_a_private_file() -> None:
    for text in ("a longer text", "b"):
        copied(text, "file", lambda _text: None, {})
    assert copy_file().read_text() == "b\n"
    assert copy_file().stat().st_mode & 0o777 == 0o600
    assert not takes_osc52({"TERM_PROGRAM": "Apple_Terminal", "TERM": "xterm-256color"})


async def test_the_last_row_says_it(study: Study) -> None:
    app = workbench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "y")
        assert "copied.txt" in " ".join(pane_text(app, "foot").split()).replace(" ", "")
    assert copy_file().read_text().strip()
