"""Majority vote over the labels that were given, with a stated rule for ties."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from medreview.labels import TieRule as StudyRule

TieRule = Literal["undecided", "positive", "negative"]

OF_STUDY: Final[dict[StudyRule, TieRule]] = {
    "undecided": "undecided", "supported": "positive", "not_supported": "negative",
}  # fmt: skip
"""What the tie rule of a study is for a yes or no: a key fact is present, or contradicted, as a source supports."""


class Majority(NamedTuple):
    """The winning label per item (``None``: undecided or nobody voted), and how many ties and empty ballots there were.

    A tie is counted as a tie whatever the rule makes of it.
    """

    labels: tuple[Hashable, ...]
    ties: int
    empty: int
    rule: TieRule


def majority_vote(
    votes: Sequence[Sequence[Hashable]],
    tie: TieRule = "undecided",
    *,
    positive: Hashable = None,
    negative: Hashable = None,
) -> Majority:
    """Plurality over the votes present (``None`` is a missing vote); ``votes`` is items by reviewers.

    Under ``positive`` or ``negative`` a tie that includes that label goes to it; any other tie stays undecided.
    Raises ``ValueError`` when the tie rule names a label that was not given.
    """
    preferred = {"undecided": None, "positive": positive, "negative": negative}[tie]
    if tie != "undecided" and preferred is None:
        raise ValueError(f"the tie rule {tie!r} needs the {tie} label")
    labels: list[Hashable] = []
    ties = empty = 0
    for ballot in votes:
        counts = Counter(vote for vote in ballot if vote is not None)
        if not counts:
            empty += 1
            labels.append(None)
            continue
        top = max(counts.values())
        winners = [label for label, count in counts.items() if count == top]
        if len(winners) == 1:
            labels.append(winners[0])
            continue
        ties += 1
        labels.append(preferred if preferred in winners else None)
    return Majority(tuple(labels), ties, empty, tie)


def yes_or_no(words: Iterable[bool | None], tie: StudyRule) -> tuple[bool | None, bool]:
    """What most say under the tie rule of a study, and whether they are even; ``None`` in ``words`` is an abstention.

    No answer when nobody says either, and for a tie that the rule leaves open.
    """
    said = list(words)
    return _of_counts(said.count(True), said.count(False), tie)


@lru_cache(maxsize=1024)  # a study asks it of every statement and source, and a jury is small
def _of_counts(ayes: int, noes: int, tie: StudyRule) -> tuple[bool | None, bool]:
    found = majority_vote([[True] * ayes + [False] * noes], OF_STUDY[tie], positive=True, negative=False)
    answer = found.labels[0]
    return answer if isinstance(answer, bool) else None, found.ties > 0
