"""The figures that the workbench shows on request: short lines, ready at once, without resampling."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Final

from medreview.next_step import command
from medreview.stats.formulas.estimate import Estimate, half_up, percent, show
from medreview.stats.formulas.fast_kappa import fast_kappa
from medreview.stats.formulas.intervals import proportion, wilson
from medreview.stats.formulas.linearised import linearised_share
from medreview.stats.formulas.thresholds import FEW_CLUSTERS, FEW_ITEMS, RARE
from medreview.stats.reports.label_scales import BINARY, LEVELS, JuryVerdict, Scale, judges_label, reviewers_label
from medreview.stats.reports.reviewer_labels import GROUPS, Group, ReviewerLabel, reviewer_labels
from medreview.study import Study
from medreview.study.counts import load_counts
from medreview.words import counted, in_words

WIDTH: Final = 76

_NOTHING: Final = "No label of yours meets a verdict of the judges yet."
_VERDICTS: Final = """
SELECT v.statement_id, v.verdict, v.supported, v.votes_for, v.votes_other, v.tied, r.kind
FROM verdict AS v JOIN judgement AS j ON j.judgement_id = v.judgement_id
JOIN judge_run AS r ON r.judge_run_id = j.judge_run_id
WHERE v.statement_id IN (SELECT unit FROM event WHERE reviewer = ? AND kind IN ('decide', 'revise'))"""


def agreement_lines(study: Study, reviewer: str, *, pass_no: int = 1) -> list[str]:
    """How far the reviewer is and how often the judges agree, in lines of ``WIDTH`` columns at most.

    Blind and assisted labels stand apart, and so do the random audit and what was chosen. A line that goes on from
    the one before is indented; group titles end in a colon. Everything is the program's own words.
    """
    reader = study.reader
    labels = reviewer_labels(reader, reviewer, pass_no)
    said = _said(reader, reviewer)
    lines = [*_folded(_progress(reader, reviewer, pass_no)), ""]
    for group in GROUPS:
        members = [label for label in labels.values() if label.group == group]
        if members:
            lines += [*_group(group, members, said), ""]
    if not labels:
        lines += [_NOTHING, ""]
    elif any(word.offline for word in said.values()):
        lines += _folded("Where only the offline judge spoke, this is triage by rules, not a verdict.")
    if labels:
        lines += ["Resampled intervals and every judge by name:", f"  {command('stats', study.path)}"]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _said(reader: sqlite3.Connection, reviewer: str) -> dict[str, JuryVerdict]:
    return {
        row["statement_id"]: JuryVerdict(
            row["verdict"],
            None if row["supported"] is None else bool(row["supported"]),
            row["votes_for"],
            row["votes_other"],
            bool(row["tied"]),
            row["kind"] == "offline",
        )
        for row in reader.execute(_VERDICTS, (reviewer,))
    }


def _progress(reader: sqlite3.Connection, reviewer: str, pass_no: int) -> str:
    counts = load_counts(reader, reviewer, pass_no)
    total = counted(counts.total, "statement")
    return f"{counts.decided:,} of {total} decided, {counts.deferred:,} deferred, {counts.open:,} open"


def _group(group: Group, members: Sequence[ReviewerLabel], said: dict[str, JuryVerdict]) -> Iterator[str]:
    yield f"{group.title.capitalize()} ({len(members)} of your labels):"
    levels = _compared(members, said, LEVELS)
    binary = _compared(members, said, BINARY)
    if not levels[0] and not binary[0]:
        yield from _folded(f"no figure: {_dropped(levels[2])}", "  ")
        return
    # A judge that only says "not found" gives no finer label: then only the two-way question has an answer.
    shown = [(LEVELS, levels)] if levels[0] else []
    if len(binary[0]) > len(levels[0]):
        shown.append((BINARY, binary))
    for scale, (pairs, clusters, dropped) in shown:
        yield from _folded(_agreement(scale, pairs, clusters), "  ")
        yield from _folded(_kappa(fast_kappa(pairs, clusters)), "  ")
        if dropped:
            yield from _folded(f"left out: {_dropped(dropped)}", "  ")
        yield from _folded(_too_few(pairs, clusters), "  ")


def _compared(
    members: Iterable[ReviewerLabel], said: dict[str, JuryVerdict], scale: Scale
) -> tuple[list[tuple[str, str]], list[str], Counter[str]]:
    """Pairs of labels (mine, the judges'), the response of each, and why others were dropped."""
    pairs, clusters = [], []
    dropped: Counter[str] = Counter()
    for member in members:
        mine, theirs = (
            reviewers_label(member.label, scale, stale=member.stale),
            judges_label(said.get(member.unit), scale),
        )
        if mine.label is None or theirs.label is None:
            dropped[mine.missing or theirs.missing] += 1
        else:
            pairs.append((mine.label, theirs.label))
            clusters.append(member.response_id)
    return pairs, clusters, dropped


def _agreement(scale: Scale, pairs: Sequence[tuple[str, str]], clusters: Sequence[str]) -> str:
    """The share of equal labels: over responses first, with statements taken as independent second."""
    hits = [mine == theirs for mine, theirs in pairs]
    k, n = sum(hits), len(hits)
    found = f"{scale.title}: {k} of {n} as the judges"
    if len(set(clusters)) == n:
        # One statement per response: there is nothing to cluster, and Wilson is the better interval.
        return f"{found}, {show(proportion('agreement', k, n, nothing=_NOTHING), as_percent=True)}, Wilson"
    clustered = linearised_share("agreement", hits, clusters)
    low, high = wilson(k, n) or (0.0, 1.0)
    how = f", {clustered.method}." if clustered.low is not None else f": {clustered.reason}"
    independent = f"Statements taken as independent: {percent(low)} to {percent(high)}, Wilson"
    return f"{found}, {show(clustered, as_percent=True)}{how} {independent}"


def _kappa(kappa: Estimate) -> str:
    if kappa.value is None:
        return f"no kappa: {kappa.reason}"
    if kappa.low is None or kappa.high is None:
        return f"kappa {half_up(kappa.value, 2)}, no interval: {kappa.reason}"
    return f"kappa {show(kappa, digits=2)}, {kappa.method}"


def _too_few(pairs: Sequence[tuple[str, str]], clusters: Sequence[str]) -> str:
    """What the numbers are too small for; ``""`` when they will do."""
    responses = len(set(clusters))
    if len(pairs) < FEW_ITEMS:
        return f"Too few labels to lean on: {len(pairs)}, and {FEW_ITEMS} or more are wanted."
    used: Counter[str] = Counter()
    for pair in pairs:
        used.update(set(pair))
    rare = [f"{count} {in_words(label)}" for label, count in used.items() if count < RARE]
    found = [f"Too few of one label for kappa: {', '.join(rare)}."] if rare else []
    if 1 < responses < FEW_CLUSTERS:
        found.append(f"Only {responses} responses: the intervals over responses can be too narrow.")
    return " ".join(found)


def _dropped(dropped: Counter[str]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in dropped.most_common())


def _folded(text: str, indent: str = "") -> list[str]:
    return wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ") if text else []
