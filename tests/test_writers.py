"""Whatever a command writes appears whole or not at all: killed or out of space at any step, and given again.

``WRITERS`` has every module that uses ``medreview.atomic_output``, and nothing else writes: both are read from the
code. Here one step of each command is tried; ``python -m tests.bench.kill_rounds`` tries every one.
"""

import ast
import random
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.support.commands import ROOT
from tests.support.dying import KILLED, NEVER, run
from tests.support.writers import WRITERS, Writer, bench_of, database_state, leftovers, states, strike, study_state

CASES: Final = [
    pytest.param(one, id=f"{' '.join(one.arguments)} {one.before[:4]}") for of in WRITERS.values() for one in of
]


@pytest.mark.parametrize("writer", CASES)
def test_a_blow_at_any_step_leaves_the_old_or_the_whole_new_and_the_command_works_again(
    writer: Writer, demo_file: Path, tmp_path: Path
) -> None:
    bench = bench_of(demo_file, tmp_path)
    before, after, steps = states(writer, bench)
    assert steps > 2
    luck = random.Random(" ".join(writer.arguments))
    strike(writer, bench, luck.randrange(1, steps), luck.choice(("kill", "full")), before, after)


FILLED: Final = """
from pathlib import Path
from medreview.errors import UserError
from medreview.study import Study
def fill(study):
    study.write(lambda connection: connection.execute("INSERT INTO study VALUES ('much', ?)", ("x" * 2_000_000,)))
try:
    Study.create(Path("filled.medreview"), fill=fill).close()
except UserError:
    raise SystemExit(2)
"""
"""What `demo` does, with a text in place of the sample: beginning the file is one write, and SQLite makes the rest."""
DATABASES: Final = {
    "a study, begun": (Writer(("-c", FILLED), "filled.medreview", study_state), 400_000),
    "a study, filled": (Writer(("-c", FILLED), "filled.medreview", study_state), 1_000_000),
    "a backup": (WRITERS["study/backup.py"][0], 400_000),
}
"""Files that SQLite writes: it meets a full disk by itself, too."""


@pytest.mark.parametrize(("writer", "size"), DATABASES.values(), ids=DATABASES)
def test_a_full_disk_that_sqlite_meets_leaves_nothing(
    writer: Writer, size: int, demo_file: Path, tmp_path: Path
) -> None:
    bench = bench_of(demo_file, tmp_path)
    before, after, _ = states(writer, bench)
    assert strike(writer, bench, size, "limit", before, after) == 2


TOGETHER: Final = (
    (("citations", "answers.jsonl", "--csv", "c.csv"), {"c.csv", "c.citations.csv"}),
    (("report", "ward.medreview", "--tradeoff", "t.csv"), {"t.csv", "t.cost.svg", "t.latency.svg"}),
)
"""Commands that write several files beside each other, and these."""


@pytest.mark.parametrize(("arguments", "files"), TOGETHER, ids=[arguments[0] for arguments, _ in TOGETHER])
def test_a_full_disk_leaves_all_files_of_a_command_or_none(
    arguments: tuple[str, ...], files: set[str], demo_file: Path, tmp_path: Path
) -> None:
    """At each of the last steps, in which they take their places: with one of them from last week, two are new."""
    bench, writer = bench_of(demo_file, tmp_path), Writer(arguments, "")
    folder = bench.fresh()
    assert bench.run(writer, folder)[0] == 0
    (kept, *_) = sorted(files)
    (bench.ready / kept).write_bytes((folder / kept).read_bytes() + b"of last week\n")
    before = (bench.ready / kept).read_text()
    code, _, steps = bench.run(writer, bench.fresh())
    assert code == 0
    for step in range(steps - 2 * len(files), steps + 1):
        folder = bench.fresh()
        code, told, _ = bench.run(writer, folder, step, "full")
        assert code in (0, 2)  # 0: the names in the folder could not be flushed, as on a system without that
        found = {file.name for end in ("csv", "svg") for file in folder.glob(f"*.{end}")}
        assert found == ({kept} if code else files), (step, told)
        assert (folder / kept).read_text() == before if code else "of last week" not in (folder / kept).read_text()
        assert leftovers(folder) == []


RESCUED: Final = """
import os, pathlib
from medreview.errors import UserError
from medreview.review.decision import decide_in_script
from medreview.study import Study
path = pathlib.Path("study.medreview")
try:
    with Study.open(path) as study:
        statement = study.reader.execute("SELECT statement_id FROM statement").fetchone()[0]
        decide_in_script(study, "kb", statement, "supported")
        {happens}
        decide_in_script(study, "kb", statement, "partial")
except UserError as error:
    raise SystemExit(2)
"""
HAPPENS: Final = {"moved": 'path.rename("moved.medreview")', "emptied": "os.truncate(path, 0)"}


@pytest.mark.parametrize("happens", HAPPENS.values(), ids=HAPPENS)
def test_a_rescue_file_is_whole_or_not_there(happens: str, demo_file: Path, tmp_path: Path) -> None:
    """The study's path no longer names what is open, and the program is killed while it writes that down."""
    ready, folder = tmp_path / "ready", tmp_path / "folder"
    ready.mkdir()
    shutil.copy(demo_file, ready / "study.medreview")

    def rescued(step: int) -> tuple[int, int, list[object]]:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(ready, folder)
        environ = {"XDG_STATE_HOME": str(folder / "state")}
        code, told, steps = run(("-c", RESCUED.format(happens=happens)), folder, environ, step)
        assert "Traceback" not in told
        return code, steps, [database_state(path) for path in folder.glob("*.rescue-*.medreview")]

    code, steps, whole = rescued(NEVER)
    assert code == 2
    assert whole in ([1], [2])  # the decision that met the loss has no receipt
    for step in random.Random(len(happens)).sample(range(steps // 2, steps + 1), 3):
        code, _, found = rescued(step)
        assert code == KILLED
        assert found in ([], [1], [2])


WRITING: Final = frozenset(
    {
        "write_text", "write_bytes", "mkdir", "makedirs", "symlink_to", "hardlink_to", "link", "symlink",
        "rename", "renames", "replace_file", "mkstemp", "mkdtemp", "copyfile", "copy2", "copytree", "fdopen",
        "ftruncate", "truncate", "pwrite", "NamedTemporaryFile", "TemporaryDirectory", "TemporaryFile",
    }
)  # fmt: skip
"""Functions that make or change a file, wherever they come from."""
ALLOWED: Final = {
    "medreview/atomic_output.py": {"mkdir", "open", "fdopen", "rename", "replace", "link", "copy2"},  # the one home
    "medreview/study/lock.py": {"open", "ftruncate", "pwrite"},  # who has the study open; no result
    "medreview/study/writer.py": {"ftruncate"},  # the log of a study that is no longer under its name
    "medreview/study/state_folder.py": {"mkdir"},
    "medreview/study/signed_seals.py": {"TemporaryDirectory", "write_text"},  # what ssh-keygen takes as files
    "screens/ending.py": {"open", "fdopen"},  # the log of what ended the workbench, which grows by entries
    "screens/picture.py": {"mkdir"},  # in a workplace
    "medreview/study/connection.py": {"connect"},  # the study itself: transactions
    "medreview/study/backup.py": {"connect", "mkdir"},  # of a file in a workplace; the folder of the copies
    "medreview/exchange/exports/sqlite_file.py": {"connect"},  # of a file in a workplace
    "medreview/exchange/files/export_folder.py": {"mkdir"},  # the folders above
    "medreview/cli/reports/study_page/fact_pages.py": {"mkdir"},  # the folder that the pages come into
    "medreview/settings_files.py": {"mkdir"},
    "medreview/llm/batch_server.py": {"truncate"},  # of a file in a workplace
    "medreview/sources/saved/pages_folder.py": {"mkdir", "open", "ftruncate"},  # the list, which grows by whole lines
    "medreview/cli/main.py": {"open"},  # /dev/null
    "medreview/cli/opening.py": {"open", "fdopen"},  # the terminal, after answers came on standard input
    "medreview/cli/importing.py": {"TemporaryDirectory", "open"},  # of what came on standard input or was pasted
    "medreview/exchange/exports/label_table.py": {"truncate"},  # of a text in memory
    "medreview/cli/commands/papers.py": {
        "TemporaryDirectory"
    },  # of a dry run without a study; nobody keeps what is in it
}
"""What may be called where, beside reading."""


HOME: Final = frozenset({"workplace", "new_file", "new_files", "atomic_output", "atomic_outputs", "replaced_folder"})
NAMES: Final = re.compile(rf"\b({'|'.join(sorted({*WRITING, *HOME, 'open', 'os.replace', 'sqlite3.connect'}))})\b")


@cache
def calls() -> dict[Path, list[ast.Call]]:
    """What each module calls, of those whose text has a name that is asked about at all."""
    texts = {path: path.read_text() for folder in ("medreview", "screens") for path in (ROOT / folder).rglob("*.py")}
    return {
        path: [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        for path, text in texts.items()
        if NAMES.search(text)
    }


def named(call: ast.Call) -> tuple[str, str]:
    """The name of what is called, and of what it is a part."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr, function.value.id if isinstance(function.value, ast.Name) else ""
    return (function.id, "") if isinstance(function, ast.Name) else ("", "")


def writes(call: ast.Call) -> bool:
    """Whether a call may make or change a file."""
    name, owner = named(call)
    if name == "open" and owner == "os":
        return "O_RDONLY" not in ast.unparse(call)
    if name == "open":
        mode = [ast.unparse(it) for it in call.args] + [
            ast.unparse(it.value) for it in call.keywords if it.arg == "mode"
        ]
        return any(it.strip("'") in ("w", "wb", "a", "ab", "x", "xb", "r+", "rb+", "r+b", "w+", "wb+") for it in mode)
    if name == "connect" and ":memory:" in ast.unparse(call):
        return False
    if name in ("replace", "connect"):
        return (owner, name) in (("os", "replace"), ("sqlite3", "connect"))
    return name in WRITING


def test_nothing_is_written_but_through_the_one_home() -> None:
    found: dict[str, set[str]] = {}
    for path, called in calls().items():
        if names := {named(call)[0] for call in called if writes(call)}:
            found[path.relative_to(ROOT).as_posix()] = names
    found = {place: names for place, names in found.items() if not place.startswith("medreview/screens")}
    assert found == ALLOWED


def test_every_user_of_the_home_is_tried() -> None:
    users = {
        path.relative_to(ROOT / "medreview").as_posix()
        for path, called in calls().items()
        if path.is_relative_to(ROOT / "medreview") and path.name != "atomic_output.py"
        if any(named(call)[0] in HOME for call in called)
    }
    # The test of a rescue file has the first two; of the third only what an editor left and nobody could read stays;
    # the fourth leaves nothing there, and tests/pipeline/test_batches.py kills it at every step. What the last keeps is
    # made again where it is not whole, which tests/study/test_kept_counts.py has.
    tried_elsewhere = {
        "study/backup.py", "study/writer.py", "review/text_entry.py", "pipeline/batches.py", "study/state_folder.py",
    }  # fmt: skip
    assert users == {*WRITERS, *tried_elsewhere}
