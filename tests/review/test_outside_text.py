"""A text that is written in the reviewer's own editor."""

import stat
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.review.text_entry import editor_command, write_outside
from medreview.study.state_folder import state_folder


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))


def editor(tmp_path: Path, script: str) -> dict[str, str]:
    """An editor that is a shell script; the file is its ``$1``."""
    path = tmp_path / "my editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    return {"EDITOR": f"'{path}' --wait"}


def left_over() -> list[str]:
    return sorted(path.name for path in state_folder().iterdir())


def test_the_text_goes_to_the_editor_in_a_private_file_and_comes_back(tmp_path: Path) -> None:
    environ = editor(
        tmp_path, 'stat -c "%a %n" "$2" > "$HOME/seen"; cat "$2" >> "$HOME/seen"; printf "two\\r\\nlines\\n\\n" > "$2"'
    )
    back = write_outside("one", "note.txt", 100, environ)
    assert (back.text, back.fault) == ("two\nlines", "")
    mode, words = (tmp_path / "seen").read_text().split(maxsplit=1)
    assert mode == "600"
    assert words.endswith("note.txt\none\n")
    assert not left_over()
    assert stat.S_IMODE(state_folder().stat().st_mode) == 0o700


def test_visual_goes_before_editor_and_none_is_a_sentence() -> None:
    assert editor_command({"VISUAL": "code --wait", "EDITOR": "vi"}) == ["code", "--wait"]
    assert editor_command({"VISUAL": " ", "EDITOR": "vi"}) == ["vi"]
    with pytest.raises(UserError, match="set VISUAL or EDITOR"):
        editor_command({})
    with pytest.raises(UserError, match="open quotation mark"):
        editor_command({"EDITOR": "vi '"})
    with pytest.raises(UserError, match="'no-such-editor' cannot be started"):
        write_outside("", "note.txt", 100, {"EDITOR": "no-such-editor"})
    assert not left_over()


@pytest.mark.parametrize(
    ("script", "why"),
    [(r"printf 'caf\351' > \"$2\"", "not UTF-8"), (r"printf 'a\000b' > \"$2\"", "damaged"),
     ("head -c 500 /dev/zero | tr '\\0' x > \"$2\"", "longer than 100 characters"),
     ("head -c 101 /dev/zero | tr '\\0' x > \"$2\"", "longer than 100 characters")],
    ids=["latin-1", "nul", "far too long", "too long"],
)  # fmt: skip
def test_what_cannot_be_taken_stays_in_a_file_that_is_named(tmp_path: Path, script: str, why: str) -> None:
    for number in (1, 2):  # each stays
        with pytest.raises(UserError, match=why) as error:
            write_outside("one", "note.txt", 100, editor(tmp_path, script.replace('\\"', '"')))
        kept = state_folder() / f"not-taken-{number}-note.txt"
        assert str(kept) in str(error.value)
        assert kept.read_bytes()
    assert left_over() == ["not-taken-1-note.txt", "not-taken-2-note.txt"]


def test_an_editor_that_fails_gives_what_it_saved_with_how_it_ended(tmp_path: Path) -> None:
    assert write_outside("one", "n.txt", 100, editor(tmp_path, 'echo half > "$2"; exit 3')).fault == "the editor said 3"
    killed = write_outside("one", "n.txt", 100, editor(tmp_path, 'echo half > "$2"; kill -9 $$'))
    assert (killed.text, killed.fault) == ("half", "the editor was ended by signal 9")
    with pytest.raises(UserError, match="cannot be read"):
        write_outside("one", "n.txt", 100, editor(tmp_path, 'rm "$2"'))
