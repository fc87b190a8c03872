"""Fit the weights of ranking and of triage on annotated cases; see what holds on a set that was not seen.

    python -m tests.bench.evidence_training CASES                     # table: all sets, and each left out
    python -m tests.bench.evidence_training CASES --leave-out wice    # one set left out
    python -m tests.bench.evidence_training CASES --write             # fit on all, write weights.toml

CASES is a folder of ``NAME.jsonl.gz``, one file a set, one case a line:

    id, statement, source_text   texts; all ranges count code points of source_text, the end not included
    label                        supported, or anything else (contradicted, partial, not_found)
    sentences                    ranges of the annotators' sentences, in order; sets of labels alone have none
    gold_sets                    lists of sentence numbers: each list is enough evidence by itself
    tasks                        "evidence": counts for ranking; "verdict": counts for triage, as without "tasks"

Lines without a statement are passed over. What is fitted:

- ranking: a passage's score is a sum of weights times features, so ``[ranking]`` is a conditional logit: the chance
  that the passage with the highest score is one that the annotators named. Every set weighs the same. Weights are drawn
  towards ``EXPECTED``: what a set cannot show (web pages have no results section) stays as a reader would have it.
- triage: ``[triage]`` is a logistic regression of "not supported", with an intercept for each set, so that no set's
  share of unsupported statements is learnt. A weight keeps its sign. Weights are drawn towards ``EXPECTED``, not to
  zero: a rare clash keeps its say.

Features of ranking are read by asking the package's own functions with one weight at a time. Nothing is drawn at
random: the same cases give the same weights.
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from medreview.evidence import passage_ranking as home
from medreview.evidence.passage_ranking import Weights
from tests.bench.evidence_fit.cases import Case, load
from tests.bench.evidence_fit.figures import figures, show
from tests.bench.evidence_fit.ranking import candidates, fit_ranking
from tests.bench.evidence_fit.triage import features, fit_triage


def fit(cases: Sequence[Case], start: Weights) -> Weights:
    """Ranking first, then triage on what that ranking finds."""
    ranked = fit_ranking(candidates(cases, start), start)
    verdicts = [case for case in cases if "verdict" in case.tasks]
    return fit_triage(verdicts, features(verdicts, ranked), ranked)


def write(chosen: Weights, path: Path) -> None:
    """Put the numbers into the file; its comments stay."""
    tables = {"ranking": chosen.ranking._asdict(), "ranking.sections": chosen.ranking.sections}
    tables["triage"] = chosen.triage._asdict()
    table, lines = "", []
    for line in path.read_text(encoding="utf-8").splitlines():
        head = re.match(r"\[([\w.]+)\]", line)
        table = head[1] if head else table
        entry = re.match(r"(\w+)( *= *)[-+.\deE]+( *)(#.*)?$", line)
        if entry and table in tables:
            name, comment = entry[1], entry[4]
            left = f"{name} = {float(tables[table][name])}"
            line = left + (" " * max(2, line.index("#") - len(left)) + comment if comment else "")
        lines.append(line)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--leave-out", metavar="SET")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    cases = load(options.cases)
    sets = sorted({case.name for case in cases})
    start = home.load()
    by_set = {name: [case for case in cases if case.name == name] for name in sets}
    if options.leave_out is None:
        fitted = fit(cases, start)
        show("weights of the file", {name: figures(by_set[name], start) for name in sets})
        show("fitted on all sets", {name: figures(by_set[name], fitted) for name in sets})
        if options.write:
            write(fitted, Path(home.__file__).with_name("weights.toml"))
            return
        print(f"\n{fitted}")
    left = [options.leave_out] if options.leave_out else sets
    held = {name: figures(by_set[name], fit([case for case in cases if case.name != name], start)) for name in left}
    show("fitted on the other sets", held)


if __name__ == "__main__":
    main()
