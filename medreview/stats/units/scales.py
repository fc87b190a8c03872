"""On which labels what is said of a unit is compared, kind by kind, and what figures resample.

"Cannot judge" has no place on any scale: such a label is left out and counted.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from medreview.labels import AXES, FLAG_AXES
from medreview.stats.reports.label_scales import BINARY, LEVELS
from medreview.units.registry import KINDS
from medreview.words import in_words

CANNOT: Final = "cannot_judge"


class UnitScale(NamedTuple):
    """Labels in the protocol's order. ``folds``: by axis, which label of the axis is which of the scale; what is not
    in it has no place here. The axes stand in the order in which their labels count. ``ordered``: the labels are steps.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    folds: Mapping[str, Mapping[str, str]]
    ordered: bool = False


class KindScales(NamedTuple):
    """The scales of a kind by its axes. ``cluster``: what several units are from, in the singular; figures resample
    it."""

    cluster: str
    axes: Mapping[str, tuple[UnitScale, ...]]


def _whole(axis: str, title: str, *, ordered: bool = False) -> UnitScale:
    """A scale of all labels of an axis."""
    levels = tuple(label.level for label in AXES[axis] if label.level != CANNOT)
    return UnitScale(axis, title, levels, {axis: {level: level for level in levels}}, ordered)


def _two(name: str, title: str, axis: str, yes: tuple[str, ...], labels: tuple[str, str]) -> UnitScale:
    """A scale of two labels: ``yes`` are the levels of the axis that are the first of them."""
    levels = (label.level for label in AXES[axis] if label.level != CANNOT)
    return UnitScale(name, title, labels, {axis: {level: labels[level not in yes] for level in levels}})


def _binary() -> UnitScale:
    """Supported or not; "not supported" in a file of labels is no level, and has its place here only."""
    evidence = {level: BINARY.labels[level != "supported"] for level in LEVELS.labels}
    return UnitScale(BINARY.name, BINARY.title, BINARY.labels,
                     {"evidence": evidence, "support": {label: label for label in BINARY.labels}})  # fmt: skip


FOUND: Final = _two("found", "hallucinated or not", "hallucination", ("fact", "input", "context", "other"),
                    ("hallucinated", "none"))  # fmt: skip
"""Whether anything is hallucinated at all, as MedHalu counts it."""
TYPE: Final = _whole("hallucination", "type of hallucination")
RELEVANCE: Final = _whole("relevance", "relevance, 1 to 5", ordered=True)
QUALITY: Final = _whole("quality", "Good, Okay, Bad", ordered=True)
_ANSWERABLE: Final = _two(
    "answerable", "answerable or not", "answerability", ("answerable",), ("answerable", "not_answerable")
)
_KEPT: Final = _two("kept", "kept in some words or discarded", "suggestion", ("kept", "edited"), ("kept", "discarded"))
_PRESENT: Final = _two("present", "present or not", "presence", ("present", "both"), ("present", "absent"))
_CONTRADICTED: Final = _two("contradicted", "contradicted or not", "presence", ("contradicted", "both"),
                            ("contradicted", "not_contradicted"))  # fmt: skip
_LEVELS: Final = UnitScale("levels", LEVELS.title, LEVELS.labels, {"evidence": {one: one for one in LEVELS.labels}})
ALL_SUPPORTED: Final = _whole("all_supported", "all statements supported or not")

SUPPORTED: Final = _binary()
"""Of a pair: supported or not."""

REFERENCE: Final = _whole("reference", "four labels")
_ACCUSED: Final = _two("accused", "as described or not", "reference", ("match",), ("match", "accused"))

_SCALES: Final[Mapping[str, KindScales]] = {
    "pair": KindScales("response", {"evidence": (_LEVELS, SUPPORTED), "support": ()}),
    "response": KindScales("response", {"all_supported": (ALL_SUPPORTED,)}),
    "answer": KindScales("question", {"hallucination": (FOUND, TYPE)}),
    "qa": KindScales("passage", {"relevance": (RELEVANCE,), **{flag: (_whole(flag, flag),) for flag in FLAG_AXES}}),
    "question": KindScales("text", {"answerability": (_whole("answerability", "three labels"), _ANSWERABLE)}),
    "revision": KindScales("response", {"revision": (_whole("revision", "five labels"),)}),
    "suggestion": KindScales(
        "case",
        {
            "suggestion": (_whole("suggestion", "keep, discard or edit"), _KEPT),
            "category": (_whole("category", "category"),),
        },
    ),
    "fact": KindScales("case", {"presence": (_whole("presence", "four labels"), _PRESENT, _CONTRADICTED)}),
    "reference": KindScales("response", {"reference": (REFERENCE, _ACCUSED)}),
    "ranking": KindScales("ranking", {"rank": (), "quality": (QUALITY,)}),
}
"""By kind. Answers to one question, each with a hallucination of another type, are alike: the question is resampled."""


def scales_of(kind: str) -> KindScales:
    """Those of a kind; of one that has no entry here a scale of all labels of its axis, without order."""
    found = _SCALES.get(kind)
    if found is not None:
        return found
    axis = KINDS[kind].axis
    return KindScales("group", {axis: (_whole(axis, in_words(axis)),)})
