"""Replay papers at their size: models on a local server answer by a seeded rule, people err at a known rate.

    python -m tests.bench.papers_at_size                          # every paper at its size
    python -m tests.bench.papers_at_size medhalu --part .1 --seed 7

Prints each command with its seconds and memory, and what is in the table of which the rule says the right value: the
paper's figure, the study's, and that value; at the end all papers in one table. Times are of this machine, with the
server on it.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.bench.papers_at_size.cliniqlink import cliniqlink
from tests.bench.papers_at_size.paper import FoundFigure, Paper, PaperRun
from tests.bench.papers_at_size.statements import cds, sourcecheckup
from tests.bench.papers_at_size.units import medfacteval, medhalu
from tests.support.commands import own_settings
from tests.support.http_server import Exchange
from tests.support.judge_endpoint import JudgeEndpoint, says
from tests.support.misbehaving import read_request

PAPERS: Mapping[str, Callable[[float, int], Paper]] = {
    "sourcecheckup": sourcecheckup, "medhalu": medhalu, "cds": cds, "medfacteval": medfacteval,
    "cliniqlink": cliniqlink,
}  # fmt: skip
_EQUAL = 5e-4
"""Figures that differ by less are printed alike."""


def run(name: str, part: float, seed: int, folder: Path) -> list[str]:
    """Make the material, replay the paper, print its table beside the rule's figures; its cells in the last table."""
    paper = PAPERS[name](part, seed)
    requests = 0

    def route(exchange: Exchange) -> None:
        nonlocal requests
        with server.lock:
            requests += 1
            server.received.clear()  # tens of thousands of prompts
        if exchange.command != "POST":
            return paper.page(exchange)
        body = json.loads(exchange.body)
        asked = read_request(body)
        return says(json.dumps(paper.reply(body["model"], asked)), usage=(len(asked.prompt) // 3, 60))(exchange)

    with JudgeEndpoint(route) as server:
        names = [*paper.judges, *paper.models]
        own_settings(folder, "".join(server.table(one, model=one, timeout=60.0, concurrency=8) for one in names))
        bench = PaperRun(folder, server.base)
        size = f"{sum(len(held) for _, held in paper.files):,} records"
        print(f"# {name}: {size}, {len(names)} models, seed {seed}", flush=True)
        for number, (command, held) in enumerate(paper.files, 1):
            file = f"{number}.jsonl"
            (folder / file).write_text("".join(json.dumps(one) + "\n" for one in held), encoding="utf-8")
            bench.run(*command.split(), "s.medreview", file)
        if paper.work:
            paper.work(bench)
        document = json.loads(bench.run(*paper.replay(name)))
        rows = [FoundFigure(row | {"name": row["figure"]}, row["of"], row["paper"]) for row in document["figures"]]
        rows += paper.found(bench)
        print(f"{requests:,} requests; study of {(folder / 's.medreview').stat().st_size / 1e6:.1f} MB")
    return [f"{name}, {size}, {requests:,} requests", *_compared(paper, rows, bench)]


def _compared(paper: Paper, rows: Sequence[FoundFigure], bench: PaperRun) -> list[str]:
    """Print each figure beside the rule's; the cells of the paper in the last table."""
    expected, differences = paper.expected(), []
    for figure, of, printed in rows:
        if (rule := expected.get((figure["name"], of))) is not None:
            print(" | ".join((figure["name"], of, printed, _figure(figure), f"the rule {rule:.3f}")))
            differences.append(float("inf") if figure["value"] is None else abs(figure["value"] - rule))
    took = [f"`{one.command}` {one.seconds:.0f} s ({one.busy:.0f}), {one.memory:.0f} MB" for one in bench.took]
    equal = sum(one < _EQUAL for one in differences)
    return ["; ".join(took), f"{equal} of {len(differences)}; {max(differences):.1g}"]


def _figure(row: Mapping[str, Any]) -> str:
    if row["value"] is None:
        return str(row.get("missing") or row.get("reason"))
    ends = "" if row.get("low") is None else f" ({row['low']:.3f} to {row['high']:.3f})"
    return f"{row['value']:.3f}{ends}" + (f", n {row['n']:,}" if row.get("n") else "")


def main() -> None:
    """Replay the papers that are named, or all."""
    parser = argparse.ArgumentParser(
        "papers_at_size", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("papers", nargs="*", choices=[*PAPERS, []], metavar="PAPER")
    parser.add_argument("--part", type=float, default=1.0, help="of the paper's size")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    cells = [["paper", "commands: seconds (of processor), memory", "figures as the rule has them; largest difference"]]
    for name in chosen.papers or PAPERS:
        with tempfile.TemporaryDirectory() as folder:
            cells.append(run(name, chosen.part, chosen.seed, Path(folder)))
    cells.insert(1, ["---"] * 3)
    print(*(f"| {' | '.join(row)} |" for row in cells), sep="\n")


if __name__ == "__main__":
    main()
