"""Every command that writes a file or a folder, and what becomes of that when a blow falls on the command."""

import csv
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from medreview.exchange.files.export_folder import changed_files, read_manifest
from medreview.study import Study
from medreview.study.check import check
from tests.support.dying import KILLED, Blow, run
from tests.support.fact_study import FactStudy
from tests.support.ssh_keys import HAS_SSH, new_key

SETTINGS: Final = '[judges.atlas]\nmodel = "atlas-2"\nbase_url = "http://127.0.0.1:9/v1"\n'
RECENT: Final = json.dumps(
    {"studies": [{"path": f"/a/{name}.medreview", "opened_at": "2026-11-22T10:00:00+00:00"} for name in ("gone", "b")]}
)
ANSWER: Final = {
    "id": "a1",
    "question": "How is it taken?",
    "response": "Once daily. https://example.org/a",
    "model": "m",
}


def study_state(path: Path) -> object:
    """How many rows of what a study holds, when it is whole."""
    with Study.open(path, read_only=True) as study:
        assert check(study.reader) == []
        tables = ("response", "statement", "snapshot", "judgement", "verdict")
        return [study.reader.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]


def export_state(path: Path) -> object:
    """The rows of an export whose files are those of its manifest; its events have one more for every look at it."""
    manifest = read_manifest(path)
    files = manifest["files"] | manifest.get("database", {})
    assert changed_files(path, files) == []
    assert {file.name for file in path.iterdir()} == {*files, "manifest.json"}
    return {name: file.get("rows") for name, file in files.items() if "event" not in name}


def batch_state(path: Path) -> object:
    """The requests in the files of a batch, which its manifest knows."""
    manifest = json.loads(path.with_name(path.name + ".manifest.json").read_text())
    assert changed_files(path.parent, {file["file"]: file for file in manifest["files"]}) == []
    assert len(manifest["files"]) > 1
    return [file["requests"] for file in manifest["files"]]


def database_state(path: Path) -> object:
    """The rows of a copy."""
    with closing(sqlite3.connect(path)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return copy.execute("SELECT count(*) FROM event").fetchone()[0]


def pages_state(path: Path) -> object:
    """What stands in the folder: whole pages, and whole lines on them."""
    lines = [json.loads(line) for line in (path / "manifest.jsonl").read_text().splitlines()]
    assert all((path / line["file"]).is_file() for line in lines if "file" in line)
    return {file.name: file.read_bytes() for file in path.iterdir() if not file.name.startswith(".")}


def seal_state(path: Path) -> object:
    """The lines of a signed text, whose signature is there; not when it was made."""
    assert path.with_name(f"{path.name}.sig").read_text().endswith("-----END SSH SIGNATURE-----\n")
    return [line.split()[0] for line in path.read_text().splitlines()]


def headings(path: Path) -> object:
    """The headings and the last line of a Markdown file; not when it was made."""
    lines = path.read_text().splitlines()
    return [line for line in lines if line.startswith("#")], lines[-1]


def figure_names(path: Path) -> object:
    """The figures of a file, and their values; not when it was made."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [(row["path"], row["statistic"], row["value"]) for row in csv.DictReader(file)]


@dataclass(frozen=True)
class Writer:
    """A command, the name under which it writes, and what stands there when it is whole."""

    arguments: tuple[str, ...]
    name: str
    state: Callable[[Path], object] = Path.read_bytes
    before: str = ""
    """What it replaces: ``same`` for an earlier result of its own, or the text of one."""
    grows: bool = False
    """Whether what it writes grows in place: a part of it is no half result, but can be gone on with."""


WRITERS: Final[dict[str, tuple[Writer, ...]]] = {
    "study/study.py": (
        Writer(("demo", "--no-open"), "demo.medreview", study_state),
        Writer(("import", "new.medreview", "answers.jsonl"), "new.medreview", study_state, grows=True),
    ),
    "study/backup.py": (Writer(("backup", "study.medreview", "copy.medreview"), "copy.medreview", database_state),),
    "cli/commands/review.py": (
        Writer(
            ("review", "study.medreview", "--picture", "p.svg", "--size", "60x20"), "p.svg", before="<svg of last week"
        ),
    ),
    "exchange/files/export_folder.py": (
        Writer(("export", "study.medreview", "labels"), "labels", export_state),
        Writer(("export", "study.medreview", "labels", "--sqlite", "labels.db"), "labels", export_state, before="same"),
    ),
    "judges/batch_out.py": (
        Writer(("judge", "study.medreview", "--judge", "atlas", "--batch-out", "b.jsonl"), "b.jsonl", batch_state),
    ),
    "exchange/exports/label_table.py": (
        Writer(("export", "study.medreview", "--table", "l.csv"), "l.csv", before="same"),
        Writer(("export", "study.medreview", "--table", "l.csv"), "l.csv"),
    ),
    "exchange/exports/citation_rows.py": (
        Writer(("citations", "answers.jsonl", "--csv", "c.csv"), "c.csv", before="same"),
        Writer(("citations", "answers.jsonl", "--csv", "c.csv"), "c.csv"),
    ),
    "cli/reports/facts.py": (
        Writer(("report", "ward.medreview", "--tradeoff", "t.csv"), "t.csv", before="same"),
        Writer(("report", "ward.medreview", "--tradeoff", "t.csv"), "t.cost.svg"),
    ),
    "cli/reports/page.py": (
        Writer(
            ("citations", "answers.jsonl", "--html", "c.html"),
            "c.html",
            before="<!DOCTYPE html>\n<!-- medreview citations -->\nof last week",
        ),
    ),
    "cli/reports/study_page/written.py": (
        Writer(
            ("report", "ward.medreview", "--markdown", "ward.md"),
            "ward.md",
            headings,
            before="<!-- medreview report -->\n# Earlier",
        ),
    ),
    "cli/reports/study_page/fact_pages.py": (
        Writer(("report", "ward.medreview", "--systems", "pages"), "pages/system-01-atlas.html", headings),
        Writer(
            ("report", "ward.medreview", "--systems", "pages"), "pages/case-01-case-one.html", headings, before="same"
        ),
    ),
    "exchange/files/csv_file.py": (
        Writer(("references", "works.ris", "--library", "works.ris", "--csv", "r.csv"), "r.csv", before="same"),
        Writer(("papers", "reproduce", "--csv", "r.csv"), "r.csv", before="same"),
        Writer(("team", "conflicts", "study.medreview", "--csv", "conflicts.csv"), "conflicts.csv", before="same"),
        Writer(("stats", "study.medreview", "--replicates", "99", "--csv", "f.csv"), "f.csv", figure_names, "same"),
        Writer(("papers", "assisted", "study.medreview", "--csv", "assisted.csv"), "assisted.csv", before="same"),
    ),
    "sources/saved/pages_folder.py": (
        Writer(("fetch", "study.medreview", "--save-pages", "pages"), "pages", pages_state, grows=True),
    ),
    "config_file.py": (Writer(("config", "set", "theme", "light", "--here"), "medreview.toml", before=SETTINGS),),
    "study/recent_list.py": (
        Writer(("review", "--recent", "--forget", "/a/gone.medreview"), "state/medreview/recent.json", before=RECENT),
    ),
    "cli/commands/seal.py": (
        Writer(("seal", "study.medreview", "--key", "key", "--out", "a.seal"), "a.seal", seal_state),
    )
    * HAS_SSH,
    "settings_files.py": (Writer(("config", "trust", "--yes"), "config/medreview/trusted.json"),),
}
"""By the module that opens the workplace: commands that come to it."""


@dataclass(frozen=True)
class Bench:
    """Folders that a command can be tried in, each with all that it needs."""

    ready: Path
    base: Path

    def fresh(self) -> Path:
        """A folder as before the command."""
        folder = self.base / "folder"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.ready, folder)
        return folder

    def run(self, writer: Writer, folder: Path, *given: Any) -> tuple[int, str, int]:
        """The command, with settings of its own."""
        return run(
            writer.arguments,
            folder,
            {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_STATE_HOME": str(folder / "state"), "COLUMNS": "100"},
            *given,
        )


def bench_of(sample: Path, base: Path) -> Bench:
    """A bench in an empty folder, on a sample study."""
    ready = base / "ready"
    ready.mkdir()
    shutil.copy(sample, ready / "study.medreview")
    (ready / "answers.jsonl").write_text(json.dumps(ANSWER) + "\n")
    (ready / "works.ris").write_text("TY  - JOUR\nTI  - An invented work\nER  - \n")
    (ready / "medreview.toml").write_text(SETTINGS)
    with Study.create(ready / "ward.medreview") as study:
        facts = FactStudy(study)
        facts.case("one", ("An X-ray is due.", "follow_up"))
        facts.votes("juror", facts.text("atlas", "one"), "Y")
        facts.made("atlas-one", "m", "brief", (0.02, 900))
    return Bench(ready, base)


def states(writer: Writer, bench: Bench) -> tuple[object, object, int]:
    """What stands under the name before and after the command, and its steps; the bench is as before it."""
    if writer.arguments[0] == "seal":
        new_key(bench.ready / "key")
        assert bench.run(Writer(("plan", "declare", "study.medreview", "--data", "None."), ""), bench.ready)[0] == 0
    folder = bench.fresh()
    place = folder / writer.name
    if writer.arguments[0] == "judge":
        assert bench.run(Writer(("config", "trust", "--yes"), ""), folder)[0] == 0
        shutil.copytree(folder / "config", bench.ready / "config")
    if writer.before == "same":
        code, told, _ = bench.run(writer, folder)
        assert code == 0, told
        for file in folder.iterdir():
            if file.is_file() and not (bench.ready / file.name).exists():
                shutil.copy(file, bench.ready)
        if (held := place if place.is_dir() else place.parent) != folder:
            shutil.copytree(held, bench.ready / held.name)
    elif writer.before:
        (bench.ready / writer.name).parent.mkdir(parents=True, exist_ok=True)
        (bench.ready / writer.name).write_text(writer.before)
    folder = bench.fresh()
    before = writer.state(place) if writer.before else None
    code, told, steps = bench.run(writer, folder)
    assert code == 0, told
    return before, writer.state(place), steps


def strike(writer: Writer, bench: Bench, step: int, blow: Blow, before: object, after: object) -> int:
    """One blow at one step, and the command once more; asserts what must hold of both. The exit code of the first."""
    folder = bench.fresh()
    place = folder / writer.name
    code, told, _ = bench.run(writer, folder, step, blow)
    assert "Traceback" not in told
    assert code in ((KILLED,) if blow == "kill" else (0, 2)), told
    now = None if writer.grows or not place.exists() else writer.state(place)
    if not writer.grows:
        assert now in (before, after), (step, told)
    if blow != "kill":
        assert writer.grows or now == (after if code == 0 else before), (step, told)
        assert leftovers(folder) == []
    again, told, _ = bench.run(writer, folder)
    if now == after and again == 2:
        assert "exists already" in told  # it was whole, and is not written twice
    else:
        assert again == 0, told
    assert writer.state(place) == after
    if now == before:
        assert leftovers(folder) == []
    return code


def leftovers(folder: Path) -> list[str]:
    """What commands that broke off left in a folder."""
    return [path.name for path in folder.rglob("*.partial-*")]
