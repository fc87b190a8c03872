"""Files and folders that come into place whole, and what becomes of the workplaces of killed commands."""

import errno
import os
import shutil
import stat
import subprocess
import sys
import textwrap
from contextlib import ExitStack
from pathlib import Path

import pytest

from medreview.atomic_output import atomic_outputs, create, new_file, new_files, replaced_folder, workplace, write_new
from medreview.errors import UserError
from tests.support.commands import ROOT


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def killed(folder: Path, script: str) -> None:
    """Run a script in the folder that kills itself."""
    head = """
        import os, signal
        from pathlib import Path
        from medreview import atomic_output as module
        from medreview.atomic_output import atomic_outputs, new_file, new_files, replaced_folder, write_new

        def die(*_):
            os.kill(os.getpid(), signal.SIGKILL)
        """
    source = textwrap.dedent(head) + textwrap.dedent(script)
    done = subprocess.run([sys.executable, "-c", source], cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == -9


def test_a_new_file_is_private_and_never_takes_the_place_of_another(tmp_path: Path) -> None:
    with new_file(tmp_path / "a.txt") as made:
        write_new(made, "whole")
        assert names(tmp_path) != ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "whole"
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o600

    with ExitStack() as stack:
        write_new(stack.enter_context(new_file(tmp_path / "b.txt")), "ours")
        (tmp_path / "b.txt").write_text("somebody else's, made meanwhile")
        with pytest.raises(FileExistsError):
            stack.close()
    assert (tmp_path / "b.txt").read_text() == "somebody else's, made meanwhile"
    assert names(tmp_path) == ["a.txt", "b.txt"]


def test_what_fails_leaves_nothing_and_nothing_is_made_outside_a_workplace(tmp_path: Path) -> None:
    def fail(made: Path) -> None:
        write_new(made, "half")
        raise RuntimeError

    with pytest.raises(RuntimeError), new_file(tmp_path / "a.txt") as made:
        fail(made)
    with pytest.raises(ValueError, match="outside a workplace"):
        create(tmp_path / "a.txt")
    assert names(tmp_path) == []


def test_a_link_stays_and_what_it_names_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "a.txt")
    with new_file(tmp_path / "link") as made:
        write_new(made, "whole")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "a.txt").read_text() == "whole"


def test_the_workplace_of_a_killed_command_goes_and_no_other(tmp_path: Path) -> None:
    killed(tmp_path, 'with new_file(Path("a.txt")) as made: write_new(made, "half"); die()')
    (left,) = names(tmp_path)
    assert left.startswith(".a.txt.partial-")

    (tmp_path / ".b.txt.partial-00000000").mkdir()
    (tmp_path / ".b.txt.partial-00000000" / "mine").write_text("no workplace: it has no lock")
    (tmp_path / ".c.txt.partial-00000000").write_text("a file of that name")
    (tmp_path / ".d.txt.partial-00000000").mkdir()
    (tmp_path / ".e.txt.partial-mine").mkdir()
    with workplace(tmp_path / "at-work.txt") as busy, new_file(tmp_path / "z.txt") as made:
        write_new(made, "whole")
        assert busy.is_dir()

    assert names(tmp_path) == [".b.txt.partial-00000000", ".c.txt.partial-00000000", ".e.txt.partial-mine", "z.txt"]


def test_files_that_belong_together_come_all_or_none(tmp_path: Path) -> None:
    with new_files(tmp_path / "b.jsonl") as place:
        for name in ("b-2.jsonl", "b.jsonl", "b.jsonl.manifest.json"):
            write_new(place / name, name)
    assert names(tmp_path) == ["b-2.jsonl", "b.jsonl", "b.jsonl.manifest.json"]

    (tmp_path / "c-3.jsonl").write_text("somebody else's")
    with ExitStack() as stack:
        place = stack.enter_context(new_files(tmp_path / "c.jsonl"))
        for name in ("c-2.jsonl", "c-3.jsonl", "c.jsonl"):
            write_new(place / name, name)
        with pytest.raises(FileExistsError):
            stack.close()
    assert [name for name in names(tmp_path) if name.startswith(("c", "."))] == ["c-3.jsonl"]


@pytest.mark.parametrize("moved", [1, 2])
def test_a_move_of_several_files_that_was_killed_is_undone(tmp_path: Path, moved: int) -> None:
    killed(
        tmp_path,
        f"""
        rename, done = module.rename_new, []
        def once(made, place):
            if len(done) == {moved}:
                die()
            rename(made, place)
            done.append(made)
        module.rename_new = once
        with new_files(Path("b.jsonl")) as place:
            for name in ("b-2.jsonl", "b-3.jsonl", "b.jsonl"):
                write_new(place / name, name)
        """,
    )
    assert len(names(tmp_path)) == moved + 1
    assert "b.jsonl" not in names(tmp_path)
    if moved == 2:  # one of them is somebody's own by now
        (tmp_path / "b-3.jsonl").unlink()
        (tmp_path / "b-3.jsonl").write_text("mine")

    with new_file(tmp_path / "other.txt") as made:
        write_new(made, "whole")
    assert names(tmp_path) == (["b-3.jsonl", "other.txt"] if moved == 2 else ["other.txt"])


SIGN = b"ours"


def written_together(*places: Path, text: str) -> None:
    with atomic_outputs() as outputs:
        for place in places:
            with outputs.file(place, SIGN) as made:
                write_new(made, text)


def failing_replaces(monkeypatch: pytest.MonkeyPatch, *fails: int) -> None:
    """Let renamings onto other files of these numbers, from 1, find no room."""
    replace, done = os.replace, []

    def counted(made: Path, place: Path) -> None:
        done.append(place)
        if len(done) in fails:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(made, place)

    monkeypatch.setattr(os, "replace", counted)


@pytest.mark.parametrize("linked", [True, False], ids=["", "where links lead to another folder"])
@pytest.mark.parametrize("fails", [1, 2, 3])
def test_files_that_are_replaced_together_are_all_replaced_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: int, linked: bool
) -> None:
    first, fresh, last = (tmp_path / name for name in ("a.csv", "b.svg", "c.csv"))
    there = tmp_path / "there"
    there.mkdir()
    if linked:
        first.symlink_to(there / "a.csv")
    written_together(first, last, text="ours, of last week")
    before = names(tmp_path)
    with monkeypatch.context() as patch:
        failing_replaces(patch, fails)
        failed = (first, fresh, last)[fails - 1]
        with pytest.raises(UserError) as told:
            written_together(first, fresh, last, text="ours, of today")
    assert str(told.value) == f"{failed} could not be written (No space left on device)."
    assert first.read_text() == last.read_text() == "ours, of last week"
    assert names(tmp_path) == before

    written_together(first, fresh, last, text="ours, of today")
    assert first.read_text() == fresh.read_text() == last.read_text() == "ours, of today"
    assert names(tmp_path) == ["a.csv", "b.svg", "c.csv", "there"]
    assert names(there) == (["a.csv"] if linked else [])


@pytest.mark.parametrize("links", [True, False], ids=["", "on a file system without links"])
def test_one_of_several_files_that_cannot_be_made_leaves_the_others_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    first, last = tmp_path / "a.csv", tmp_path / "c.csv"
    written_together(first, text="ours, of last week")
    last.write_text("somebody else's")
    with pytest.raises(UserError, match="not an earlier result"):
        written_together(first, last, text="ours, of today")
    last.unlink()
    failing_replaces(monkeypatch, 2)
    with pytest.raises(UserError, match=r"c\.csv could not be written"):
        written_together(first, last, text="ours, of today")
    assert first.read_text() == "ours, of last week"
    assert names(tmp_path) == ["a.csv"]


def test_what_cannot_be_put_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, last = tmp_path / "a.csv", tmp_path / "c.csv"
    written_together(first, last, text="ours, of last week")
    failing_replaces(monkeypatch, 2, 3)
    with pytest.raises(UserError) as told:
        written_together(first, last, text="ours, of today")
    assert str(told.value) == (
        f"{last} could not be written (No space left on device). "
        f"New all the same, since what was there could not be put back: {first}."
    )
    assert first.read_text() == "ours, of today"
    assert last.read_text() == "ours, of last week"


@pytest.mark.parametrize("moved", [1, 2, 3])
def test_a_replacement_of_several_files_that_was_killed_is_undone_unless_all_came(tmp_path: Path, moved: int) -> None:
    written_together(tmp_path / "a.csv", tmp_path / "c.csv", text="ours, of last week")
    killed(
        tmp_path,
        f"""
        replace, done = os.replace, []
        def once(made, place):
            replace(made, place)
            done.append(made)
            if len(done) == {moved}:
                die()
        os.replace = once
        with atomic_outputs() as outputs:
            for name in ("a.csv", "b.svg", "c.csv"):
                with outputs.file(Path(name), b"ours") as made:
                    write_new(made, "ours, of today")
        """,
    )
    with new_file(tmp_path / "other.txt") as made:
        write_new(made, "whole")
    (tmp_path / "other.txt").unlink()
    found = {file.name: file.read_text() for file in tmp_path.iterdir()}
    if moved == 3:
        assert found == dict.fromkeys(("a.csv", "b.svg", "c.csv"), "ours, of today")
    else:
        assert found == dict.fromkeys(("a.csv", "c.csv"), "ours, of last week")


def test_a_folder_changes_places_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("first", "second"):
        with replaced_folder(tmp_path / "export") as made:
            write_new(made / "labels.csv", text)
        assert (tmp_path / "export" / "labels.csv").read_text() == text
    assert names(tmp_path) == ["export"]

    # where the system cannot do that
    monkeypatch.setattr("medreview.atomic_output._system_call", lambda: lambda *_: errno.EINVAL)
    with replaced_folder(tmp_path / "export") as made:
        write_new(made / "labels.csv", "third")
    with new_file(tmp_path / "a.txt") as made:
        write_new(made, "whole")
    with pytest.raises(FileExistsError), new_file(tmp_path / "a.txt") as made:
        write_new(made, "again")
    assert (tmp_path / "export" / "labels.csv").read_text() == "third"
    assert names(tmp_path) == ["a.txt", "export"]


def test_a_folder_that_was_moved_aside_by_a_killed_command_comes_back(tmp_path: Path) -> None:
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "labels.csv").write_text("first")
    killed(
        tmp_path,
        """
        module.swap = lambda *_: False
        rename = os.rename
        def aside(made, place):
            rename(made, place)
            die()
        os.rename = aside
        with replaced_folder(Path("export")) as made:
            write_new(made / "labels.csv", "second")
        """,
    )
    assert not (tmp_path / "export").exists()
    with new_file(tmp_path / "a.txt") as made:
        write_new(made, "whole")
    assert (tmp_path / "export" / "labels.csv").read_text() == "first"
    assert names(tmp_path) == ["a.txt", "export"]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "labels.csv").write_text("first")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"), replaced_folder(tmp_path / "export") as made:
        write_new(made / "labels.csv", "second")
    with pytest.raises(OSError, match="No space left"), new_files(tmp_path / "b.jsonl") as place:
        write_new(place / "b.jsonl", "half")
    assert (tmp_path / "export" / "labels.csv").read_text() == "first"
    assert names(tmp_path) == ["export"]


def test_a_name_as_long_as_they_get_has_a_workplace(tmp_path: Path) -> None:
    name = "ä" * 127
    with replaced_folder(tmp_path / name) as made:
        write_new(made / "a", "whole")
    with replaced_folder(tmp_path / name) as made:
        write_new(made / "a", "again")
    assert (tmp_path / name / "a").read_text() == "again"
    shutil.rmtree(tmp_path / name)
    assert names(tmp_path) == []
