"""Twelve annotators who err by a known rule, at the sizes of the papers, each in copies of their own.

    python -m tests.bench.team_at_size                     # 5,543 items, 45% twice; 400 answers to three each
    python -m tests.bench.team_at_size --part .1 --seed 7

Prints each command with its seconds and memory, how long the sittings took, and what the study says beside what the
rule comes to: counted from what everybody was to say, and as a closed form of the rates.
"""

import argparse
import json
import tempfile
import time
from itertools import combinations
from pathlib import Path

from medreview.study import Study
from tests.bench.papers_at_size.paper import PaperRun
from tests.support.commands import own_settings
from tests.support.simulated_team import (
    Annotator,
    Run,
    SimulatedTeam,
    batches,
    decide_batch,
    expected,
    lead_makes_the_study,
    settle,
    team_of,
)

FAILS = "annotator 11"
STUDY = "s.medreview"


def people() -> list[Annotator]:
    """Eleven who read, from good to fair, and one who presses keys."""
    careful = [Annotator(f"annotator {number:02d}", 0.02 + 0.01 * number, 0.05 + 0.02 * number) for number in range(11)]
    return [*careful, Annotator(FAILS, 0.5, 0.5, attentive=False)]


def by_rates(team: SimulatedTeam) -> tuple[float, float]:
    """The share of items that one annotator flags, and of pairs of labels that are the same: means over annotators and
    over pairs of them, from their rates and from how many items are wrong."""
    wrong = sum(team.items.values()) / len(team.items)
    rates = [(one.false_alarm, one.miss) for one in team.annotators]
    flags = [wrong * (1 - miss) + (1 - wrong) * alarm for alarm, miss in rates]
    same = [
        wrong * ((1 - m) * (1 - n) + m * n) + (1 - wrong) * ((1 - a) * (1 - b) + a * b)
        for (a, m), (b, n) in combinations(rates, 2)
    ]
    return sum(flags) / len(flags), sum(same) / len(same)


def beside(what: str, study: float, rule: float, more: str = "") -> None:
    """A figure of the study beside that of the rule."""
    print(f"{what}: study {study:.6g}, the rule {rule:.6g}{more}{'' if abs(study - rule) < 1e-9 else '  DIFFERS'}")


def run(part: float, seed: int, folder: Path) -> None:
    """From the lead's study to the table of labels."""
    bench = PaperRun(folder, "")

    def command(*words: object) -> str:
        return bench.run(*map(str, words))

    team = team_of(people(), round(5543 * part), round(2077 * part), seed)
    own_settings(folder, 'reviewer = "lead"\n')
    lead_makes_the_study(command, folder, team, f"seed {seed}", round(400 * part))
    draws = ("items", "answers")
    copies = [(f"{draw}-{one.name}.medreview", draw, one.name) for draw in draws for one in team.annotators]
    for copy, draw, who in copies:
        command("team", "package", STUDY, copy, "--batch", draw, "--for", who)
    began, done = time.monotonic(), 0
    for copy, _, who in copies:
        done += decide_batch(folder / copy, who, team)
    took = time.monotonic() - began
    print(f"{done:,} decisions in {len(copies)} sittings: {took:.1f} s, {1000 * took / done:.1f} ms each")
    command("team", "merge", STUDY, *(copy for copy, _, _ in copies))
    compare(folder, team, command)
    began = time.monotonic()
    settled = [settle(folder / STUDY, "eve", f"conflicts_{queue}", team) for queue in ("qa", "answers")]
    print(f"{sum(settled):,} units settled by a third person: {time.monotonic() - began:.1f} s")
    told = json.loads(command("stats", STUDY, "--unit", "qa", "--json"))["unit"]["family"]["rates"][0]
    shared = shared_out(folder)
    items = expected({who: {item: team.flags(who, item) for item in own} for who, own in shared["items"].items()})
    truth = (items.flagged - items.differ) | {item for item in items.differ if team.items[item]}
    beside("items flagged when all is settled", told["disputed"], len(truth), f"; wrong are {sum(team.items.values())}")
    command("export", STUDY, "out")
    command("check", STUDY)
    print(f"study of {(folder / STUDY).stat().st_size / 1e6:.1f} MB")


def shared_out(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Who has what, by the study."""
    with Study.open(folder / STUDY, read_only=True) as study:
        return batches(study)


def compare(folder: Path, whole: SimulatedTeam, command: Run) -> None:
    """Board and figures before conflicts are settled, with and without who fails the checks."""
    shared = shared_out(folder)
    print(command("plan", "show", STUDY))
    of_answers = json.loads(command("plan", "show", STUDY, "--json"))[1]["agreement"]
    kinds = expected({who: {one: whole.type_of(who, one) for one in own} for who, own in shared["answers"].items()})
    beside("answers, pairs of labels that are the same", of_answers["same_pairs"] / of_answers["pairs"],
           kinds.same / kinds.pairs)  # fmt: skip
    beside("answers, conflicts", of_answers["conflicts"], len(kinds.differ))
    for team, words in ((whole, ()), (whole.without(FAILS), ("--passed", "attention"))):
        names = {one.name for one in team.annotators}
        own = {who: items for who, items in shared["items"].items() if who in names}
        said = {who: {item: team.flags(who, item) for item in items} for who, items in own.items()}
        found, (flags, same) = expected(said), by_rates(team)
        document = json.loads(command("stats", STUDY, "--unit", "qa", "--json", *words))
        print("; ".join(f"left out: {one['reviewer']}, {one['right']} of {one['checks']} checks right"
                        for one in document["provenance"]["left_out"]))  # fmt: skip
        told = document["unit"]["family"]
        agreement = next(one for one in told["validity_agreement"] if one["name"] == "mean pairwise agreement")
        beside("items, pairs of labels that are the same", agreement["value"], found.same / found.pairs,
               f" ({agreement['low']:.3f} to {agreement['high']:.3f}), by the rates {same:.3f}")  # fmt: skip
        beside("items that anybody flags", told["rates"][0]["disputed"], len(found.flagged))
        beside("conflicts on a flag", told["rates"][0]["flags_open"], len(found.differ))
        axis = next(one for one in document["unit"]["axes"] if one["axis"] == "dispute")
        blind = {one["reviewer"]: one["labels"] for one in axis["labels"] if one["which"] == "first, blind"}
        shares = [labels.get("flagged", 0) / sum(labels.values()) for labels in blind.values()]
        ruled = [found.labels[who] / len(said[who]) for who in blind]
        beside("share that one annotator flags, mean", sum(shares) / len(shares), sum(ruled) / len(ruled),
               f", by the rates {flags:.3f}")  # fmt: skip


def main() -> None:
    """Run it in a folder that is deleted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", type=float, default=1.0, help="of the papers' sizes")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(chosen.part, chosen.seed, Path(folder))


if __name__ == "__main__":
    main()
