"""The jury of one statement: what each judge says of it, over all its sources."""

from typing import NamedTuple

from medreview.judges.rollup import each_judge
from medreview.labels import level_named
from medreview.units.statement_view import StatementView, Verdict


class Juror(NamedTuple):
    """One judge and its word; without ``verdict`` and ``supported`` it abstained."""

    judge: str
    verdict: str | None
    supported: bool | None


def jurors(item: StatementView) -> tuple[Juror, ...]:
    """Every judge that was asked, in the order in which they first were; the offline judge is none."""
    return tuple(
        Juror(judge.name, word.verdict, word.supported)
        for judge, word in each_judge(said.vote for said in item.judgements).items()
        if not judge.offline
    )


def tally_words(verdict: Verdict) -> str:
    """How the jury is divided: ``2-1, 1 abstained``."""
    silent = f", {verdict.abstained} abstained" if verdict.abstained else ""
    return f"{verdict.votes_for}-{verdict.votes_other}{silent}"


def jury_words(verdict: Verdict) -> str:
    """What the jury says together, in words: ``supported, 2-1, 1 abstained``; of even votes also that they are."""
    two_way = {True: "supported", False: "not supported", None: "no verdict"}[verdict.supported]
    word = level_named("evidence", verdict.verdict).name if verdict.verdict else two_way
    return f"{word}, {tally_words(verdict)}{', tied' if verdict.tied else ''}"


def together_words(item: StatementView) -> str:
    """What is said by all sources of the response together, and by whom: ``all together: supported (gpt)``."""
    if not item.merged or item.verdict is None:
        return ""
    word = {True: "supported", False: "not supported", None: "no verdict"}[item.verdict.merged_supported]
    if item.verdict.merged:
        word = level_named("evidence", item.verdict.merged).name
    who = item.merged[0].judge if len(item.merged) == 1 else f"{len(item.merged)} judges"
    return f"all together: {word} ({who})"
