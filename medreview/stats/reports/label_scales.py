"""What judges said about a statement, and how it is set beside a reviewer's label: on which scale, or why not."""

from typing import Final, NamedTuple

from medreview.labels import EVIDENCE, EVIDENCE_ORDER

NO_JUDGEMENT: Final = "no judgement"
TIED: Final = "jury tied"
UNSURE: Final = "judge cannot judge"
TOGETHER: Final = "the judges together"
"""What the jury is called, beside the names of judges."""

COARSE: Final = "judge only says supported or not"
REVIEWER_UNSURE: Final = "reviewer cannot judge"
STALE: Final = "stale: the page has changed since the label"

OFFLINE_IS_TRIAGE: Final = "triage by rules, not a verdict"
"""What the word of the offline judge is, where no other spoke."""

_CANNOT: Final = "cannot_judge"


class Scale(NamedTuple):
    """The labels that two opinions are compared on, in the protocol's order.

    ``order``: the same labels from one end to the other, where their distance means something; weighted coefficients
    are of it. Empty where it does not, and for two labels, on which a weight changes nothing.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    order: tuple[str, ...] = ()


LEVELS: Final = Scale(
    "levels", "four labels", tuple(label.level for label in EVIDENCE if label.level != _CANNOT), EVIDENCE_ORDER
)
BINARY: Final = Scale("binary", "supported or not", ("supported", "not_supported"))
SCALES: Final = (LEVELS, BINARY)


class JuryVerdict(NamedTuple):
    """The word of one judge or of all on a statement, rolled up (``medreview.judges.rollup``).

    ``votes_for`` and ``votes_other`` count verdicts; ``tied``: votes were even, whatever the tie rule made of it;
    ``offline``: nobody but the offline judge spoke.
    """

    verdict: str | None
    supported: bool | None
    votes_for: int
    votes_other: int
    tied: bool
    offline: bool


class ScaleLabel(NamedTuple):
    """A label of the scale; without one, ``missing`` says why."""

    label: str | None
    missing: str = ""


def reviewers_label(level: str, scale: Scale, *, stale: bool = False) -> ScaleLabel:
    """A reviewer's evidence label on a scale; a stale one was given on another text than anything else is said of."""
    if stale:
        return ScaleLabel(None, STALE)
    if level == _CANNOT:
        return ScaleLabel(None, REVIEWER_UNSURE)
    return ScaleLabel(level if scale is LEVELS else BINARY.labels[level != "supported"])


def judges_label(said: JuryVerdict | None, scale: Scale) -> ScaleLabel:
    """What judges said on a scale. "Not found" has no place among the four labels, but is "not supported"."""
    if said is None:
        return ScaleLabel(None, NO_JUDGEMENT)
    if scale is BINARY:
        if said.supported is not None:
            return ScaleLabel(BINARY.labels[not said.supported])
        # Even votes with a word among them; else nobody could tell, or on one of the sources not.
        told = said.votes_for and (said.verdict != _CANNOT or said.votes_other)
        return ScaleLabel(None, TIED if said.tied and told else UNSURE)
    if said.verdict == _CANNOT:
        return ScaleLabel(None, UNSURE)
    if said.verdict is not None:
        return ScaleLabel(said.verdict)
    if said.votes_for:
        return ScaleLabel(None, TIED)
    return ScaleLabel(None, UNSURE if said.supported is None else COARSE)
