"""The list of the studies that were opened last: short, private, in order, and never in the way."""

import json
import stat
from pathlib import Path

import pytest

from medreview.study.recent_list import MOST, OpenedStudy, forget, list_file, note_opened, recent_list


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of its own, which is not there yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "medreview"


def written(*entries: object) -> None:
    list_file().parent.mkdir(parents=True, exist_ok=True)
    list_file().write_text(json.dumps({"studies": entries}))


def test_the_newest_stands_first_each_study_once_and_no_more_than_twenty(tmp_path, state):
    assert recent_list() == []
    for number in range(MOST + 3):
        note_opened(tmp_path / f"{number}.medreview", f"study {number}")
    note_opened(tmp_path / "9.medreview", "renamed", "anna")

    found = recent_list()

    assert [one.file.stem for one in found] == ["9", *(str(n) for n in range(MOST + 2, 2, -1) if n != 9)]
    assert (found[0].title, found[0].reviewer, found[1].reviewer) == ("renamed", "anna", "")
    assert stat.S_IMODE(list_file().stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


def test_a_path_is_kept_whole_whatever_its_name_is(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    odd = Path("link") / "a\n\udcff“b”.medreview"
    note_opened(odd, "odd")

    assert [one.file for one in recent_list()] == [tmp_path / "real" / odd.name]
    assert not forget(Path("other.medreview"))
    assert forget(odd)
    assert recent_list() == []


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"studies": 3}',
        '{"studies": [3, null, {"path": 1}]}',
        "\0\xff" * 50,
        '{"studies":' + "[" * 99_999,
    ],
)
def test_a_list_that_is_damaged_is_empty_and_is_made_anew(tmp_path, content):
    list_file().parent.mkdir(parents=True)
    list_file().write_bytes(content.encode("latin-1"))
    assert recent_list() == []

    note_opened(tmp_path / "a.medreview", "a")
    assert [one.title for one in recent_list()] == ["a"]


def test_what_of_the_list_can_be_read_is_kept():
    good = {"path": "/a.medreview", "opened_at": "2026-11-22T10:00:00+00:00", "later": "field"}
    written(
        {"path": "a.medreview", "opened_at": good["opened_at"]}, {"path": "/b.medreview", "opened_at": "yesterday"},
        {**good, "path": "/a\0b"},
        good, {**good, "opened_at": "2026-11-23T10:00:00+00:00"}, {**good, "title": []},
    )  # fmt: skip

    assert recent_list() == [OpenedStudy("/a.medreview", "2026-11-23T10:00:00+00:00")]


def test_where_no_list_can_be_kept_nobody_is_stopped(tmp_path):
    (tmp_path / "state").write_text("a file where the folder should be")

    note_opened(tmp_path / "a.medreview", "a")
    assert recent_list() == []
