"""A graded score beside a label: the probability that a judge says "supported", by one rule.

By log probabilities where each answer that can be read has them (``llm.label_probability``), the mean over the samples;
else, of two samples or more, the share of them that say so. Of a source in several parts it is the highest of
them, since one that supports is enough. It is of the judge's word, whatever its quote proves.
"""

from collections import Counter
from collections.abc import Sequence

from medreview.judges.votes import mapped
from medreview.llm.call import ModelAnswer


def graded(answers: Sequence[ModelAnswer], samples: int) -> tuple[list[ModelAnswer], float | None]:
    """Of ``samples`` answers on each part, in order, the one that stands for each, and the score; ``None``: no score.

    It is the first with the label that most of them have, of equally many the one that came first. Those that cannot be
    read count nowhere, unless no other is there.
    """
    parts = [answers[at : at + samples] for at in range(0, len(answers), samples)]
    scores = [score for part in parts if (score := _score(part)) is not None]
    return [_standing(part) for part in parts], max(scores) if len(scores) == len(parts) else None


def _standing(part: Sequence[ModelAnswer]) -> ModelAnswer:
    read = [answer for answer in part if answer.status == "ok"]
    if not read:
        return part[0]
    ((label, _),) = Counter(_label(answer) for answer in read).most_common(1)
    return next(answer for answer in read if _label(answer) == label)


def _score(part: Sequence[ModelAnswer]) -> float | None:
    read = [answer for answer in part if answer.status == "ok"]
    if read and all(answer.label_probabilities for answer in read):
        sums = [sum(p for word, p in one.label_probabilities.items() if _supports(word)) for one in read]
        return min(1.0, sum(sums) / len(sums))
    return sum(_supports(_label(answer)) for answer in read) / len(read) if len(read) > 1 else None


def _label(answer: ModelAnswer) -> str:
    return str((answer.value or {}).get("label", ""))


def _supports(label: str) -> bool:
    return (mapped(label) or (None, None))[1] is True
