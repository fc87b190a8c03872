"""The programs that the page on Ray shows do what it says; with Ray, where it is there (the extra ``scale``)."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from medreview.evidence.jsonl_filter import serve
from medreview.judges.batch_in import read_batch
from medreview.judges.batch_out import write_batch
from medreview.judges.tasks.registry import task_for
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from tests.docs.test_pages import page, written
from tests.support.commands import PATIENCE
from tests.support.judge_endpoint import NOT_ADDRESSED, as_asked


def shown(name: str) -> str:
    """The text of a program that the page shows."""
    found = re.search(
        rf"<!-- {re.escape(name)} -->\n```python\n(.*?)^```", page("ray-programs.md"), re.MULTILINE | re.DOTALL
    )
    assert found
    return found[1]


def program(name: str) -> ModuleType:
    """The same as a module; neither imports Ray before it runs."""
    module = ModuleType(name)
    exec(compile(shown(name), name, "exec"), module.__dict__)
    return module


def cases() -> list[str]:
    """Lines for the filter: statements, quotes, and one that is no line."""
    lines = written("evidence-filter.md").splitlines()
    return [*lines, '{"statement": "Ü", "source_text": "ü – ”x”"}', '{"quote": 7, "source_text": "a"}']


def test_a_batch_of_lines_is_answered_as_the_filter_answers_them() -> None:
    assert program("scale_ray.py").answer({"text": cases()}) == {"text": list(serve(cases()))}


def test_over_ray_the_answers_are_those_of_one_process(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="the extra `scale` is not installed")
    lines = cases()[:-1] * 50  # a line that is none is counted within its batch
    (tmp_path / "scale_ray.py").write_text(shown("scale_ray.py"))
    (tmp_path / "cases.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "scale_ray.py", "cases.jsonl"], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == list(serve(lines))


def test_questions_become_what_the_engine_is_asked_and_its_answers_what_is_read(
    demo_file: Path, tmp_path: Path
) -> None:
    asked = program("scale_llm.py")
    settings = JudgeSettings("near", "m", "http://127.0.0.1:9/v1", params={"temperature": 0, "max_tokens": 300})
    with Study.open(Path(shutil.copy(demo_file, tmp_path / "demo.medreview"))) as study:
        task = task_for(study, settings)
        write_batch(task, tmp_path / "q.jsonl", limit=5)
        rows: list[dict[str, Any]] = [
            asked.question({"text": line}) for line in (tmp_path / "q.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        assert all(row["sampling_params"].keys() == {"temperature", "max_tokens", "structured_outputs"} for row in rows)
        assert "label" in rows[0]["sampling_params"]["structured_outputs"]["json"]["properties"]
        told = {
            "generated_text": json.dumps(as_asked(NOT_ADDRESSED)),
            "num_input_tokens": 4000,
            "num_generated_tokens": 40,
        }
        results = [asked.result(row | told)["text"] for row in rows]
        (tmp_path / "a.jsonl").write_text("\n".join(results))
        done = read_batch(task, [tmp_path / "a.jsonl"])
    assert (done.statuses, done.judged, done.foreign) == ({"ok": 5}, 5, 0)
