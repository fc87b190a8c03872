"""Make a large study of generated texts, rows straight into the file: material for measurements.

    python tests/bench/make_study.py big.medreview --responses 5600 --pairs 58000 --decided 20000

Every span, hash and event chain is true, so that every command works on it (``medreview check`` finds it whole). The
same arguments give the same study, event ids and times aside.
"""

import argparse
import json
import random
import time
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from medreview.judges.offline_stage import OFFLINE
from medreview.judges.runs import JudgeRun, add_run
from medreview.judges.verdicts import refresh
from medreview.review.audit import draw
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.study.rows import insert
from medreview.text import sha256

LEVELS = ("supported", "partial", "contradicted", "not_addressed")
SHARES = (0.62, 0.12, 0.06, 0.20)
MODELS = ("atlas-2", "borealis-1", "cedar-mini")
ORIGINS = ("forum", "clinician", "leaflet")
DRUGS = ("apixaban", "metformin", "amoxicillin", "lisinopril", "prednisolone", "methotrexate", "salbutamol", "warfarin")
GROUPS = ("adults", "children", "older people", "pregnant women", "people with an eGFR under 30")
VERBS = ("should take", "should not take", "may start with", "are monitored on", "stop before surgery")
BATCH = 5000


def sentence(rng: random.Random) -> str:
    """One made-up sentence with a dose; no medical meaning."""
    dose = rng.choice((5, 10, 20, 40, 125, 250, 500))
    return f"{rng.choice(GROUPS).capitalize()} {rng.choice(VERBS)} {rng.choice(DRUGS)} {dose} mg each day."


def pages(rng: random.Random, count: int, sentences: int) -> list[tuple[str, list[tuple[int, int]]]]:
    """Texts with the places of their sentences; one in twelve could not be had and is empty."""
    made = []
    for number in range(count):
        text, places = "", []
        for _ in range(sentences if number % 12 else 0):
            part = sentence(rng)
            places.append((len(text), len(text) + len(part)))
            text += part + "\n"
        made.append((text, places))
    return made


def make(
    path: Path, *, responses: int, pairs: int, decided: int, sources: int = 2000, judges: int = 2,
    reviewer: str = "anna", page_sentences: int = 120, seed: int = 1,
) -> None:  # fmt: skip
    """Write the study. Two sources a response; statements so many that pairs of statement and source come out."""
    rng = random.Random(seed)
    texts = pages(rng, sources, page_sentences)
    counts = _spread(pairs // 2, responses)
    with Study.create(path, "generated") as study:
        study.write(lambda connection: _sources(connection, texts))
        runs = study.write(
            lambda connection: [
                add_run(connection, run) for run in (OFFLINE, *(JudgeRun(f"judge {n}", "recorded", f"model-{n}")
                                                                for n in range(1, judges + 1)))
            ]
        )  # fmt: skip
        plan = _plan(rng, counts, texts)
        while part := list(islice(plan, 500)):
            study.write(lambda connection, part=part: _responses(connection, part, texts, runs, rng))
        refresh(study)
        draw(study, reviewer, size=min(decided, 500))
        _decide(study, reviewer, decided, rng)


def _spread(statements: int, responses: int) -> list[int]:
    """So many statements over so many responses, unevenly (1, 2, 3, ... and round again), exact in total."""
    mean = statements / responses
    counts, given = [], 0
    for number in range(responses):
        due = round((number + 1) * mean) - given
        counts.append(max(1, due + (number % 3 - 1 if due > 1 else 0)))
        given += counts[-1]
    return counts


def _sources(connection: Any, texts: list[tuple[str, list[tuple[int, int]]]]) -> None:
    rows, snapshots = [], []
    for number, (text, _) in enumerate(texts):
        url = f"https://site{number % 40}.example/page/{number}"
        key = {"source_id": f"u{number:06}", "key": f"url:{url}", "kind": "url", "value": url, "url": url}
        rows.append(key | {"domain": f"site{number % 40}.example"})
        body = text.encode()
        snapshots.append(
            {
                "snapshot_id": f"p{number:06}", "source_id": f"u{number:06}", "version": 1,
                "fetched_at": "2026-10-09T08:00:00Z", "page_state": "ok" if text else "http_error",
                "state_evidence": "", "status": 200 if text else 404, "content_type": "text/html", "final_url": url,
                "chain": "[]", "title": f"Page {number}", "extractor": "generated", "raw_size": len(body),
                "raw_sha256": sha256(body), "text_sha256": sha256(text), "text": text, "full_text": "",
                "body": zlib.compress(body, 1),
            }
        )  # fmt: skip
    insert(connection, "source", rows)
    insert(connection, "snapshot", snapshots)
    connection.executemany(
        "UPDATE source SET current_snapshot = ? WHERE source_id = ?",
        [(page["snapshot_id"], page["source_id"]) for page in snapshots],
    )


def _plan(
    rng: random.Random, counts: list[int], texts: list[tuple[str, list[tuple[int, int]]]]
) -> Iterator[tuple[int, list[str], list[int]]]:
    for number, count in enumerate(counts, 1):
        yield number, [sentence(rng) for _ in range(count)], rng.sample(range(len(texts)), 2)


def _responses(
    connection: Any, part: list[tuple[int, list[str], list[int]]], texts: list[tuple[str, list[tuple[int, int]]]],
    runs: list[str], rng: random.Random,
) -> None:  # fmt: skip
    tables: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("response", "statement", "citation", "evidence", "judgement")
    }
    for number, statements, cited in part:
        response_id, text = f"r{number:06}", " ".join(statements)
        tables["response"].append(
            {
                "response_id": response_id, "ordinal": number, "record_id": f"q{number}",
                "model": MODELS[number % len(MODELS)], "origin": ORIGINS[number // 3 % len(ORIGINS)],
                "imported_at": "2026-10-09T07:00:00Z", "imported_from": "generated", "cited": 1, "parser": "generated",
                "text_sha256": sha256(text), "question": f"Question {number}?", "text": text,
            }
        )  # fmt: skip
        for ordinal, source in enumerate(cited, 1):
            url = f"https://site{source % 40}.example/page/{source}"
            row = {"response_id": response_id, "ordinal": ordinal, "source_id": f"u{source:06}", "kind": "url"}
            tables["citation"].append(row | {"value": url, "start": None, "end": None})
        start = 0
        for ordinal, words in enumerate(statements, 1):
            statement_id = f"s{number:06}-{ordinal}"
            span = {"start": start, "end": start + len(words)}
            start += len(words) + 1
            row = {"statement_id": statement_id, "response_id": response_id, "ordinal": ordinal, **span}
            tables["statement"].append(row | {"text_sha256": sha256(words), "text": words})
            for source in cited:
                if texts[source][1]:
                    _pair(tables, statement_id, source, texts[source], runs, rng)
    for table, rows in tables.items():
        insert(connection, table, rows)


def _pair(
    tables: dict[str, list[dict[str, Any]]], statement_id: str, source: int,
    page: tuple[str, list[tuple[int, int]]], runs: list[str], rng: random.Random,
) -> None:  # fmt: skip
    text, places = page
    best = sorted(rng.sample(places, min(3, len(places))))
    key = {"statement_id": statement_id, "snapshot_id": f"p{source:06}"}
    tables["evidence"].append(
        key
        | {
            "engine": "generated", "unsupported": round(rng.random(), 3), "highlights": json.dumps(best),
            "lexical": json.dumps(best), "clashes": "[]",
        }
    )  # fmt: skip
    truth = rng.choices(LEVELS, SHARES)[0]
    for place, run in enumerate(runs):
        label = truth if rng.random() < 0.85 else rng.choice(LEVELS)
        start, end = best[place % len(best)]
        tables["judgement"].append(
            {
                "judgement_id": f"g{place}-{statement_id}-{source}", "judge_run_id": run, **key, "raw_label": label,
                "verdict": label, "supported": label == "supported", "confidence": round(rng.uniform(0.4, 1), 2),
                "quote_status": "exact", "quote_start": start, "quote_end": end, "differences": "[]",
                "quote": text[start:end], "reason": "The source speaks of the same drug and group.",
                "raw_output": "", "error": "",
            }
        )  # fmt: skip


def _decide(study: Study, reviewer: str, count: int, rng: random.Random) -> None:
    """Labels for the audit, blind, then for the first statements in order, with the judges shown."""
    rows = study.reader.execute(
        """SELECT s.statement_id, v.verdict, a.number IS NOT NULL AS drawn, j.snapshot_id, p.text_sha256
           FROM statement AS s JOIN response AS r USING (response_id) LEFT JOIN verdict AS v USING (statement_id)
           LEFT JOIN judgement AS j USING (judgement_id) LEFT JOIN snapshot AS p ON p.snapshot_id = j.snapshot_id
           LEFT JOIN audit_item AS a USING (statement_id)
           ORDER BY a.number IS NULL, a.number, r.ordinal, s.ordinal LIMIT ?""",
        (count,),
    ).fetchall()
    recorder = Recorder(reviewer)

    def write(connection: Any, part: list[Any]) -> None:
        for row in part:
            said = row["verdict"] if row["verdict"] and rng.random() < 0.85 else rng.choice(LEVELS)
            block, mode, seen = ("audit", "blind", "no") if row["drawn"] else ("responses", "open", "before")
            payload = {"axis": "evidence", "label": said, "via": "digit", "judge_verdict": row["verdict"] or ""}
            payload |= {"exposure": {"judge_verdict": seen}, "active_ms": rng.randrange(4_000, 60_000), "keys": 2}
            payload |= {"snapshot_sha256": row["text_sha256"] or ""}
            unit, page = row["statement_id"], row["snapshot_id"]
            events = [NewEvent("shown", unit, {}, page), NewEvent("decide", unit, payload, page)]
            if mode == "blind":
                events.append(NewEvent("reveal", row["statement_id"]))
            for event in events:
                recorder.append(connection, event, block=block, mode=mode)

    for start in range(0, len(rows), BATCH):
        study.write(lambda connection, start=start: write(connection, rows[start : start + BATCH]))


def main() -> None:
    """Read the arguments and make the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=Path)
    parser.add_argument("--responses", type=int, default=5600)
    parser.add_argument("--pairs", type=int, default=58_000, help="statement and source pairs, two sources a statement")
    parser.add_argument("--decided", type=int, default=20_000)
    parser.add_argument("--sources", type=int, default=2000)
    parser.add_argument("--judges", type=int, default=2, help="recorded judges beside the offline one")
    parser.add_argument("--reviewer", default="anna")
    parser.add_argument("--page-sentences", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    wanted = vars(parser.parse_args())
    began = time.perf_counter()
    make(wanted.pop("study"), **wanted)
    print(f"made in {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
