"""The examples of docs/developers/extending.md, applied to a copy of the program, do what the page says."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from medreview.study.migrations import NEWEST
from tests.docs.test_pages import ROOT, page

LOOK: Final = """
import csv
import io
import json
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path

from medreview import pipeline
from medreview.cli.main import main
from medreview.exchange.exports.export import export
from medreview.generators.registry import GENERATORS
from medreview.judges.tasks.registry import task_for
from medreview.llm.call import ModelAnswer
from medreview.llm.settings import JudgeSettings
from medreview.review.open_session import open_session
from medreview.review.overview import overview
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.screens.action_handlers import ActionHandlers
from medreview.screens.source_rows import NOTHING_TO_READ
from medreview.sources.fetching.network import Fetched
from medreview.sources.page import read_page
from medreview.study import Study
from medreview.study.check import check

told = {}
wall = b"<html><head><title>A</title></head><body><h1>Log in to continue</h1><p>A password, please.</p></body></html>"
state = read_page(Fetched("https://a.example/", "https://a.example/", (), 200, "", wall, "2026-01-01T00:00:00Z")).state
told["page state"] = state, state in NOTHING_TO_READ
said = "Rest helps. Drink enough."
source = {"link": "https://a.example/rest", "title": "Rest", "from": 0, "to": 11, "passage": "Rest helps people."}
log = {"ward_assistant": "ward-1", "asked": "What helps?", "said": said, "thought": "They ask.", "sources": [source]}
Path("ward.jsonl").write_text(json.dumps(log) + "\\n" + json.dumps({"ward_assistant": "ward-1", "said": ""}) + "\\n")
with Study.create(Path("ward.medreview")) as study:
    done = pipeline.bring_in(study, Path("ward.jsonl"), {})
    told["producer"] = done.producer, done.added, done.ranges, done.given, done.left, [one.reason for one in done.bad]
with Study.open(Path("demo.medreview")) as study:
    queue = open_queue(study, "conflict", "kb")
    told["queue"] = len(queue.units) > 0, [line.size for line in overview(study, "kb").queues][-1] == len(queue.units)
    session = ReviewSession(study, "kb", queue)
    session.go(1)

    class Host:
        def __getattr__(self, name):
            return None

    ActionHandlers(session, None, Host()).perform("first")
    told["action"] = session.position
    session.decide("supported")
    task = task_for(study, JudgeSettings("own", "own", "http://localhost:1/v1"), "question_answered")
    unit = task.unit(task.waiting()[0])
    text = study.reader.execute("SELECT text FROM response ORDER BY ordinal").fetchone()[0]
    value = {"quote": text[:60].rpartition(" ")[0], "reason": "", "answer": "yes"}
    answer = ModelAnswer("ok", value, "", "", 1, 1, 1, None, 1, "plain", False, "")
    task.store([(unit, [answer])])
    told["task"] = len(task.waiting()), study.reader.execute("SELECT answer FROM question_check").fetchone()[0]
    first = text[:60].rpartition(" ")[0]
    good = {"quote": first, "question": "How long may a patient go on with this medicine?"}
    bad = {**good, "quote": "This was never said by anybody."}
    tried = [{"for": "R01 / question", "attempt": at, "answer": value} for at, value in enumerate((bad, good), 1)]
    Path("recorded").mkdir()
    Path("recorded/next_question.jsonl").write_text("".join(json.dumps(one) + "\\n" for one in tried))
    writer = JudgeSettings("own", "own", "recorded:", recorded=Path("recorded"))
    generating = pipeline.Generating(GENERATORS["next-questions"], writer)
    counts = pipeline.generate(study, generating, limit=1).counts
    told["generator"] = counts.products, counts.codes, len(open_queue(study, "questions", "kb").units)
    nets = open_session(study, "kb", open_queue(study, "safety_nets", "kb"))
    nets.decide("missing")
    line = next(line for line in overview(study, "kb").units if line.kind.name == "safety_nets")
    told["unit"] = nets.asks.noun, line.open, line.size
    export(study, Path("out"))
    told["check"] = check(study.reader)
with Path("out/labels.csv").open(newline="") as labels, Path("out/question_checks.csv").open(newline="") as checks:
    told["column"] = [row["imported_from"] for row in csv.DictReader(labels)]
    told["file"] = [row["answer"] for row in csv.DictReader(checks)]
with Path("out/unit_labels.csv").open(newline="") as labels:
    told["labels"] = [row["label_final"] for row in csv.DictReader(labels) if row["axis"] == "safety_net"]
for line in ("generate next-questions --help", "reviewers demo.medreview", "config explain clock --json"):
    sys.argv = ["medreview", *line.split()]
    with redirect_stdout(io.StringIO()) as said, suppress(SystemExit):
        main()
    told[line.split()[0]] = said.getvalue()
print(json.dumps(told))
"""


class Patch(NamedTuple):
    """A file of the program, and what is put in place of what; ``None``: the file is new."""

    path: str
    hunks: list[tuple[str | None, str]]


def patches() -> list[Patch]:
    found = []
    for block in re.findall(r"^```diff\n(.*?)^```$", page("extending.md"), re.MULTILINE | re.DOTALL):
        old, new, *lines = block.splitlines()
        path = new.removeprefix("+++ b/")
        if old == "--- /dev/null":
            found.append(Patch(path, [(None, "".join(f"{line[1:]}\n" for line in lines))]))
            continue
        parts = "\n".join(lines).split("@@\n")[1:]
        sides = [[part.splitlines(), part.splitlines()] for part in parts]
        hunks: list[tuple[str | None, str]] = [
            (
                "".join(f"{line[1:]}\n" for line in before if not line.startswith("+")),
                "".join(f"{line[1:]}\n" for line in after if not line.startswith("-")),
            )
            for before, after in sides
        ]
        found.append(Patch(path, hunks))
    return found


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with every example in it."""
    place = tmp_path_factory.mktemp("extended")
    # With the compiled files, which hold for what is not changed; not those that another worker is writing.
    shutil.copytree(ROOT / "medreview", place / "medreview", ignore=shutil.ignore_patterns("*.pyc.*"))
    for name in ("prompts", "sample_data"):
        shutil.copytree(ROOT / name, place / "medreview" / name)
    for path, hunks in patches():
        top = "" if path.startswith("medreview/") else "medreview/" if not path.startswith("tests/") else None
        file = ROOT / path if top is None else place / f"{top}{path}"
        for before, after in hunks:
            if before is None:
                file.write_text(after, encoding="utf-8")
                continue
            whole = file.read_text(encoding="utf-8")
            assert whole.count(before) == 1, f"{path} does not have, once:\n{before}"
            if top is not None:
                file.write_text(whole.replace(before, after), encoding="utf-8")
    _migrations(place / "medreview" / "study" / "migrations")
    return place


def _migrations(folder: Path) -> None:
    steps = (folder / "__init__.py").read_text(encoding="utf-8")
    found = re.findall(r"^```sql\n-- \S+/00NN_(\w+\.sql)\n(.*?)^```$", page("extending.md"), re.MULTILINE | re.DOTALL)
    assert found
    for number, (title, sql) in enumerate(found, NEWEST + 1):
        name = f"{number:04}_{title}"
        (folder / name).write_text(sql, encoding="utf-8")
        steps, times = re.subn(r"(?s)(_STEPS: Final = \(.*?),?\s*\)", rf'\1, "{name}")', steps, count=1)
        assert times == 1
    (folder / "__init__.py").write_text(steps, encoding="utf-8")


def run(place: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(place), "XDG_CONFIG_HOME": str(place / "config")}
    done = subprocess.run([sys.executable, *arguments], cwd=place, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_works(extended: Path, demo_file: Path) -> None:
    shutil.copy(demo_file, extended / "demo.medreview")

    told = json.loads(run(extended, "-c", LOOK))

    assert told["page state"] == ["login", True]
    assert told["producer"] == [
        "ward assistant", 1, 1, 1, {"reasoning": 1}, ["has no answer: the assistant said nothing"],
    ]  # fmt: skip
    assert told["queue"] == [True, True]
    assert told["action"] == 0
    assert told["task"] == [15, 1]
    assert told["generator"] == [{"question": 1}, {"quote_absent": 1}, 1]
    assert "a patient would ask next" in told["generate"]
    assert told["unit"] == ["response", 15, 16]
    assert told["labels"] == ["missing"]
    assert told["column"] == ["responses.jsonl"]
    assert told["file"] == ["1"]
    assert told["check"] == []
    assert told["reviewers"] == "kb\n"
    assert json.loads(told["config"])["default"] == "false"
