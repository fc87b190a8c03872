"""What it takes to split a study, judge its shards and merge them: material for docs/explanation/validation.md.

    python -m tests.bench.make_study big.medreview --responses 20000 --pairs 200000 --sources 10000 --judges 0
    python -m tests.bench.shards big.medreview 8

Every shard gets what one model said of each of its pairs, by a rule, with its call: a row of 60 words and one of the
answer. The words and costs are made up. Prints a line for each step; each runs in a process of its own.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from medreview.judges.runs import JudgeRun, add_run
from medreview.pipeline import roll_up
from medreview.study import Study
from medreview.study.rows import insert
from medreview.text import sha256

RUN = JudgeRun("elsewhere", "recorded", "a-model", "by rule", "", {"seed": 1})
LEVELS = ("supported", "partial", "contradicted", "not_addressed")
REASON = " ".join(["The page says the same of this drug, group and dose."] * 6)
BATCH = 5000


def judge(path: Path) -> None:
    """Store what the model says of all pairs that are in a shard."""
    rng = random.Random(sha256(path.name))
    with Study.open(path) as study:
        study.write(lambda connection: add_run(connection, RUN))
        pairs = study.reader.execute("SELECT statement_id, snapshot_id FROM evidence ORDER BY 1, 2").fetchall()
        for start in range(0, len(pairs), BATCH):
            said = [_said(rng, *pair) for pair in pairs[start : start + BATCH]]
            study.write(lambda connection, said=said: _store(connection, said))  # type: ignore[misc]
        roll_up(study)


def _said(rng: random.Random, statement: str, page: str) -> tuple[dict[str, Any], dict[str, Any]]:
    label = rng.choice(LEVELS)
    answer = json.dumps({"label": label, "reason": REASON})
    about = {"judge_run_id": RUN.judge_run_id, "statement_id": statement, "snapshot_id": page}
    judgement = about | {
        "judgement_id": f"e-{statement}-{page}", "raw_label": label, "verdict": label, "quote": "", "reason": REASON,
        "supported": int(label == "supported"), "confidence": 0.8, "quote_status": "none", "quote_start": None,
        "quote_end": None, "differences": "[]", "raw_output": answer, "error": "",
    }  # fmt: skip
    call = {
        "cache_key": sha256(f"{statement} {page}"), "judge": RUN.judge, "model": RUN.model, "host": "elsewhere",
        "task": "source_verification", "prompt_sha256": "", "at_utc": "2026-11-30T00:00:00+00:00", "status": "ok",
        "rung": "json_schema", "tries": 1, "latency_ms": 900, "prompt_tokens": 1530, "completion_tokens": 250,
        "cost": 0.005, "error": "", "raw_output": answer,
    }  # fmt: skip
    return judgement, call


def _store(connection: Any, said: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    insert(connection, "judgement", (judgement for judgement, _ in said))
    insert(connection, "llm_call", (call for _, call in said))


def timed(what: str, *command: object) -> None:
    """Run a command and print its time, processor time and memory."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, "-m", *map(str, command)], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{what}: {time.perf_counter() - began:.1f} s, {worked:.1f} s of processor time, at most "
          f"{after.ru_maxrss / 1024:.0f} MB so far", flush=True)  # fmt: skip
    print("".join(f"    {line}\n" for line in done.stdout.splitlines()), end="", flush=True)


def main() -> None:
    """Read the arguments, and do it all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=Path)
    parser.add_argument("count", type=int, help="how many shards; 0: judge the file itself")
    wanted = parser.parse_args()
    study, count = wanted.study, wanted.count
    if not count:
        judge(study)
        return
    shards = [study.with_name(f"{study.stem}-{number}-of-{count}{study.suffix}") for number in range(1, count + 1)]
    print(f"{study}: {study.stat().st_size / 1e6:,.0f} MB")
    timed("split", "medreview", "team", "split", study, count)
    for shard in shards:
        timed(f"judge {shard.name}", "tests.bench.shards", shard, 0)
        print(f"    {shard.stat().st_size / 1e6:,.0f} MB")
    timed("merge", "medreview", "team", "merge", study, *shards)
    timed("merge again", "medreview", "merge", study, *shards)
    timed("check", "medreview", "check", study)
    print(f"{study}: {study.stat().st_size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
