"""Blind rules: what of the machine's opinion may be seen, and the record of what had been seen."""

from typing import NamedTuple

from medreview.review.queue_kinds import Mode
from medreview.review.reviewer_state import ReviewerState
from medreview.units.statement_view import StatementView
from medreview.units.view import Machines


def statement_mode(queue: Mode, own: ReviewerState) -> Mode:
    """How a unit is shown in a queue of a mode: blindness belongs to the unit, not only to the queue.

    One that this reviewer decided or put off blind stays blind wherever it comes up, until its judges were shown; one
    that is reserved for the audit, until it is decided and they were.
    """
    return "blind" if queue == "blind" or own.kept_blind else "open"


def judges_visible(mode: Mode, own: ReviewerState) -> bool:
    """Whether verdicts, quotes, jury, judges' highlights, badges and the model's name are shown.

    ``mode`` is that of :func:`statement_mode`. In blind mode they stay hidden until the reviewer has decided and the
    reveal was recorded.
    """
    return mode == "open" or own.revealed


def knows_judges(mode: Mode, own: ReviewerState) -> bool:
    """Whether the reviewer has seen what the judges say, here or at any time before: a first label is assisted then.

    Of decisions that were made the view ``reviewer_label`` says so, from the record.
    """
    return mode == "open" or own.saw_judges


class Told(NamedTuple):
    """What of the machines' opinion there is to be seen beside a unit: a verdict, a quote, several judges, the name of
    the model, a reason why it is in its queue."""

    verdict: bool
    quote: bool
    jury: bool
    model: bool
    badges: bool


def told_of_statement(item: StatementView) -> Told:
    """Of a statement."""
    return Told(
        verdict=bool(item.judgements),
        quote=any(judgement.quote for judgement in item.judgements),
        jury=len({judgement.judge for judgement in item.judgements if not judgement.offline}) > 1,
        model=bool(item.model),
        badges=bool(item.verdict and item.verdict.badges),
    )


def told_of_unit(machines: Machines, model: str) -> Told:
    """Of another unit."""
    return Told(
        verdict=bool(machines.opinions or machines.level),
        quote=any(opinion.passages for opinion in machines.opinions),
        jury=len({opinion.judge for opinion in machines.opinions}) > 1,
        model=bool(model),
        badges=bool(machines.badges),
    )


def exposure(told: Told, own: ReviewerState, mode: Mode) -> dict[str, str]:
    """What had been seen before this decision, by part: ``"before"`` or ``"no"``. Stored with every decision.

    A blind decision on a statement that was once seen with the judges' opinion is not a blind label. Totals of the
    judges (figures) and the name of the model, which another statement of the response has told, leave it blind. After
    another reviewer's label or note it may be blind, but is not independent of that reviewer.
    """
    saw = knows_judges(mode, own)
    parts = {
        "judge_verdict": saw and told.verdict,
        "judge_quote": saw and told.quote,
        "judge_highlight": saw and told.verdict,
        "jury": saw and told.jury,
        "model_name": (saw or own.knows_model) and told.model,
        "queue_reason": saw and told.badges,
        "judge_totals": own.read_totals,
        "own_previous": own.label is not None,
        "other_reviewer": own.saw_others,
    }
    return {part: "before" if seen else "no" for part, seen in parts.items()}
