"""The label set: every level of every axis, with its key, name and definition.

Axes are kept apart, never one list. A judge's raw label is always kept beside the level it maps to.
"""

import re
from typing import Final, Literal, NamedTuple

from medreview.text import in_words

LABEL_SET_VERSION: Final = "1"


class Label(NamedTuple):
    """One level of an axis.

    ``level`` is what is stored and exported, ``name`` what the screen says, ``key`` what the reviewer presses.
    """

    level: str
    key: str
    name: str
    definition: str


EVIDENCE: Final = (
    Label("supported", "1", "supported", "The source says this, wholly."),
    Label("partial", "2", "partial", "The source says a part of this, or says it less strongly."),
    Label("contradicted", "3", "contradicted", "The source says something that cannot be true together with this."),
    Label("not_addressed", "4", "not addressed", "The source says nothing on this, for or against."),
    Label("cannot_judge", "5", "cannot judge", "The text at hand lets nobody decide (page missing, unreadable)."),
)

EVIDENCE_ORDER: Final = ("supported", "partial", "not_addressed", "contradicted")
"""The evidence axis by how far the source says the statement: wholly, in part, not at all, the contrary. Weighted
coefficients count how many steps apart two labels stand; "cannot judge" has no place among them."""

HALLUCINATION: Final = (
    Label("none", "0", "none", "Nothing invented or wrong in the statement."),
    Label("fact", "1", "fact", "Fact-conflicting: against established knowledge (MedHalu section 2.1)."),
    Label("input", "2", "input", "Input-conflicting: departs from what was asked or said (MedHalu section 2.1)."),
    Label(
        "context", "3", "context", "Context-conflicting: against another part of the response (MedHalu section 2.1)."
    ),
    Label("other", "4", "other", "Invented or unverifiable in another way; say how in a note."),
)

SUPPORT: Final = (
    Label("supported", "1", "supported", "The source says this, wholly."),
    Label("not_supported", "2", "not supported", "The source does not say this, or only a part of it."),
)
"""A pair where only two answers were known, as in files of experts' labels: "not supported" is not a level of the
evidence axis, and must not become one."""

ALL_SUPPORTED: Final = (
    Label("yes", "1", "all supported", "Every statement of the response is supported by one of its sources."),
    Label("no", "2", "not all", "At least one statement is supported by none of them."),
    Label("cannot_judge", "5", "cannot judge", "The texts at hand let nobody decide (pages missing, unreadable)."),
)

RELEVANCE: Final = (
    Label("1", "1", "irrelevant", "Nothing that a general practitioner needs."),
    Label("2", "2", "hardly relevant", "Of use in rare cases only."),
    Label("3", "3", "somewhat relevant", "Of use now and then."),
    Label("4", "4", "relevant", "Of use in everyday practice."),
    Label("5", "5", "highly relevant", "What every general practitioner should know."),
)
"""Relevance to general practice, ordered (ClinIQLink's gp_relevance, 1-5; the words are ours)."""

QUALITY: Final = (
    Label("good", "1", "Good", "Correct, complete and clear enough to be used."),
    Label("okay", "2", "Okay", "Usable with reservations: something is missing or loose, nothing is dangerous."),
    Label("bad", "3", "Bad", "Wrong, misleading or useless."),
)
"""One output of a model, ordered from best to worst (ClinIQLink's Good / Okay / Bad)."""

HALLUCINATED: Final = (
    Label("flagged", "f", "hallucinated", "Made up or wrong, or not faithful to what was asked, in whole or in part."),
    Label("not_flagged", "n", "not flagged", "Nothing of that was seen by whoever rated the output."),
)
"""Whether one output of a model is hallucinated, beside its quality (ClinIQLink's flag on an output)."""

PRESENCE: Final = (
    Label("present", "1", "present", "The text says the fact, in whatever words."),
    Label("absent", "2", "absent", "The text does not say it."),
    Label("contradicted", "3", "contradicted", "The text says something that cannot be true together with it."),
    Label("both", "4", "present, contradicted", "The text says it in one place and contradicts it in another."),
    Label("cannot_judge", "5", "cannot judge", "The text lets nobody decide."),
)
"""A key fact in a text. The two questions put to a jury (MedFactEval) are both answered: a fact may be present and
contradicted too."""

SUGGESTION: Final = (
    Label("kept", "1", "keep", "A good text on the case must say this, as it stands."),
    Label("discarded", "2", "discard", "It need not be said, or it is wrong."),
    Label("edited", "3", "edit", "It must be said, in the words that are given with the label."),
)

EDITED: Final = "edited"
"""The level of a suggestion whose label comes with words."""

CATEGORY: Final = (
    Label("diagnosis", "d", "diagnosis", "What the patient has, and how that was found."),
    Label("management", "m", "management", "What was done or changed, and why."),
    Label("follow_up", "f", "follow-up", "What is to be done, watched or waited for."),
    Label("other", "o", "other", "Another matter."),
)
"""What a key fact is about (MedFactEval)."""

ANSWERABILITY: Final = (
    Label("answerable", "1", "answerable", "The text alone answers the question, and the answer given is the text's."),
    Label("not_answerable", "2", "not answerable", "The text does not answer it, or gives another answer."),
    Label("not_self_contained", "3", "not self-contained", "Who has not seen the text cannot know what is asked."),
)

REVISION: Final = (
    Label("supported", "1", "supported now", "The source says the revised statement, wholly."),
    Label("not_supported", "2", "still not", "The source does not say the revised statement either."),
    Label("meaning_lost", "3", "meaning lost", "The source says it, but it is not what was meant any more."),
    Label("removal_right", "4", "removal right", "Nothing of the original could be kept."),
    Label("removal_wrong", "5", "removal wrong", "A part of the original is supported and should have been kept."),
)

REFERENCE: Final = (
    Label("match", "1", "match", "The work exists and is the one described; what differs misleads nobody."),
    Label("mismatch", "2", "mismatch", "The work exists and is described wrongly: first author, journal, year, title."),
    Label("other_work", "3", "other work", "The identifier exists and belongs to another work than the one described."),
    Label("not_found", "4", "not found", "Nothing that was looked into has such a work."),
    Label("cannot_judge", "5", "cannot judge", "What is at hand lets nobody decide, or there is nothing to look up."),
)
"""Whether a reference is real, and the work that it says it is."""

STATEMENT_LIST: Final = (
    Label("none", "0", "right", "Each statement is in the answer and clear without it, and the answer says no more."),
    Label("missing", "1", "missing", "The answer says something of medicine that no statement of the list says."),
    Label(
        "not_contained", "2", "not in the answer", "A statement is not said in the answer, or is said otherwise there."
    ),
    Label("not_self_contained", "3", "not self-contained", "A statement cannot be understood, or checked, by itself."),
)
"""What is wrong with the list of the statements of an answer (SourceCheckup, "Question generation and response
parser"); several may be, each with a place of its own."""

FLAGGED: Final = (
    Label("flagged", "1", "flagged", "The flag belongs on the unit."),
    Label("not_flagged", "2", "not flagged", "It does not; whoever decided the unit without it has said so."),
)
"""The axes of the two flags that are labels of their own: dispute and feedback. Reviewers can differ on them."""

AXES: Final[dict[str, tuple[Label, ...]]] = {
    "evidence": EVIDENCE,
    "support": SUPPORT,
    "hallucination": HALLUCINATION,
    "all_supported": ALL_SUPPORTED,
    "relevance": RELEVANCE,
    "rank": (),
    "quality": QUALITY,
    "hallucinated": HALLUCINATED,
    "presence": PRESENCE,
    "suggestion": SUGGESTION,
    "category": CATEGORY,
    "answerability": ANSWERABILITY,
    "revision": REVISION,
    "reference": REFERENCE,
    "statement_list": STATEMENT_LIST,
    "dispute": FLAGGED,
    "feedback": FLAGGED,
}
"""Every scale by name. ``rank`` has no levels: its labels are orders (:func:`is_order`)."""

OWN: Final = "own."
"""What the name of an axis begins with that a study has set for itself (``medreview.study.own_axes``), in the record
and in files: no axis of this program is ever called so."""
NONE_OF_THEM: Final = "none"
"""The label of an axis with many levels where none of them fits; several are joined by :data:`SEVERAL`."""
SEVERAL: Final = ";"
_OWN_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,23}")
_OWN_LABEL: Final = re.compile(r"[a-z0-9][a-z0-9_]{0,23}(;[a-z0-9][a-z0-9_]{0,23}){0,8}")

_TAG: Final = re.compile(r"[^\W_][\w-]{0,23}")

_ORDER: Final = re.compile(r"[1-9][0-9]*([>=][1-9][0-9]*)+")

OF_OUTPUTS: Final = ("quality", "hallucinated")
"""The scales of the outputs of a ranking: their axes name an output (``quality/3``)."""


def is_own(axis: str) -> bool:
    """Whether an axis is one that a study can have set for itself, by its name: ``own.harm``."""
    return axis.startswith(OWN) and _OWN_NAME.fullmatch(axis.removeprefix(OWN)) is not None


def could_be_own(label: object) -> bool:
    """Whether a label can be one of an axis of a study's own, by its form; which there are, the study says."""
    return isinstance(label, str) and _OWN_LABEL.fullmatch(label) is not None


def is_tag(text: object) -> bool:
    """Whether a text can be a tag: letters of any script, digits, ``_`` and ``-``, small, at most 24."""
    return isinstance(text, str) and _TAG.fullmatch(text) is not None and text == text.casefold()


def axis_words(axis: str) -> str:
    """An axis in words, as receipts and lists name it: ``all supported``, ``quality 3``, of ``own.harm`` ``harm``."""
    return in_words(axis.removeprefix(OWN)).replace("/", " ")


def scale_of(axis: str) -> str:
    """The scale of an axis: of ``quality/3``, the third output's, ``quality``."""
    return axis.partition("/")[0]


def is_label(axis: str, label: object) -> bool:
    """Whether a label is one of an axis."""
    scale, _, part = axis.partition("/")
    if scale not in AXES or not isinstance(label, str) or bool(part) != (scale in OF_OUTPUTS):
        return False
    if part and not (part.isascii() and part.isdigit()):
        return False
    return is_order(label) if scale == "rank" else label in [level.level for level in AXES[scale]]


def is_order(label: str) -> bool:
    """Whether a label is an order of outputs by their numbers, best first: ``2>1=4>3``, each once."""
    numbers = re.split("[>=]", label)
    return bool(_ORDER.fullmatch(label)) and len(set(numbers)) == len(numbers)


def same_label(axis: str, one: str, other: str) -> bool:
    """Whether two labels of an axis are the same; of orders, whether they place every output alike."""
    if axis != "rank":
        return one == other
    first, second = ([frozenset(place.split("=")) for place in order.split(">")] for order in (one, other))
    return first == second


REASONS: Final = (
    Label("number", "q", "quantity", "A number, dose, unit or range differs."),
    Label("population", "p", "population", "Another population (age, pregnancy, disease) is meant."),
    Label("negation", "g", "negation", "A negation was lost or added."),
    Label("direction", "d", "direction", "Increase and decrease, or benefit and harm, are swapped."),
    Label("stronger", "s", "stronger than source", "The statement is more certain or more general than the source."),
    Label("topic", "t", "other topic", "The source speaks about something else."),
    Label("quote", "c", "citation", "The judge's quote is not in the source, or was changed."),
    Label("old", "o", "old", "The source is outdated or was replaced."),
    Label("other", "x", "other", "Another reason; say which in a note."),
)
"""Why the reviewer differs from the judge: one letter each; digits are verdicts, everywhere."""

NOT_IN_ANSWER: Final = "not in the answer"
"""The badge of a statement that no sentence of its response says."""
IN_RESPONSE: Final = ("words", "reworded", "no")
"""How a response says a statement: in these words, in others, or not at all."""

LEFT_OUT_REASONS: Final = {
    "heading": "a title, or the introduction of a list",
    "disclaimer": "a courtesy, or advice to consult somebody and nothing more",
    "question": "a question",
    "citation_list": "a list of sources, or a mere reference to one",
    "fragment": "no sentence: a single word, or a thing in a list of things",
    "not_medical": "a statement that a reviewer excluded as not medical",
    "other_parser": "the rules of today make a statement of it, an earlier version, a judge or the file did not",
}
"""Why a part of a response is not a statement, and its meaning."""

Invalid = Literal["", "empty", "incomplete"]
INVALID: Final[dict[Invalid, str]] = {
    "empty": "the model gave no text",
    "incomplete": "the model's answer broke off, or cannot be used as one",
}
"""Why a response is invalid (SourceCheckup, question answering). It is kept without statements and citations, and
counts as a response in every figure that has responses for its items."""


def invalid_as(text: str, told: Invalid = "") -> Invalid:
    """Why a response with this text is invalid, ``""`` when it is not; ``told``: the reason that was recorded."""
    return told if text.strip() else "empty"


FLAGS: Final = (
    Label("dispute", "d", "dispute", "A factual error, whatever the source says."),
    Label("feedback", "f", "feedback", "An obvious hallucination."),
    Label("badly_parsed", "p", "badly parsed", "A statement that was cut out wrongly."),
)
"""The flags that a reviewer may set on a statement, and take back. A flag is not a verdict."""

FLAG_AXES: Final = tuple(flag.level for flag in FLAGS if flag.level in AXES)
"""The flags that are axes on which reviewers are compared; ``badly_parsed`` is not one of them."""

Mode = Literal["blind", "assisted"]
"""How a label was given: before anything of the judges' opinion had been seen, or after."""

Via = Literal["digit", "accept", "reveal", "script", "file"]
"""How a decision was given: by its key, by accepting the judges' verdict, by changing it beside theirs, from Python; in
a file of labels that was imported."""
VIAS: Final[tuple[Via, ...]] = ("digit", "accept", "reveal", "script", "file")

AdjudicatedBy = Literal["third", "agreement"]
"""Who settled a difference of two reviewers' labels: another reviewer, or the two together."""
ADJUDICATED_BY: Final[tuple[AdjudicatedBy, ...]] = ("third", "agreement")

Reveal = Literal["block", "each"]
"""When a blind decision shows the judges: at the end of its block, or at once."""
REVEALS: Final[tuple[Reveal, ...]] = ("block", "each")

QUOTE_STATUSES: Final = (
    "exact", "normalised", "near", "altered", "absent", "other_source", "too_short", "none",
)  # fmt: skip
"""How true a quotation is to the snapshot; definitions in ``medreview.evidence.grounding``."""

PROVEN_QUOTES: Final = ("exact", "normalised", "near")
"""Statuses that prove: the passage is in the source and says what the quote says. The truest first."""

SAME_WORDS: Final = ("exact", "normalised")
"""Of these the ones with the quote's own words and numbers."""

FALSE_QUOTES: Final = ("absent", "altered")
"""Statuses that mean: the judge's quote is not what the source says. The gravest first."""

PAGE_STATES: Final = (
    "ok", "http_error", "timeout", "blocked", "too_large", "unreadable", "not_text", "pdf_scan", "pdf_encrypted",
    "soft_404", "cookie_wall", "paywall", "js_only", "bot_check", "thin", "redirected_home",
    "given_with_the_answer", "excerpt", "given_by_reviewer",
)  # fmt: skip
"""What kind of page a snapshot is: shown beside the verdict, never the same as "not supported"."""

GIVEN: Final = "given_with_the_answer"
"""The text of a source came in the answer's own record: it can be read and judged, but its address was not asked."""
EXCERPT: Final = "excerpt"
"""Only a passage of the source came with the answer, so the page itself is still to be fetched."""
GIVEN_BY_REVIEWER: Final = "given_by_reviewer"
"""A reviewer gave the text of the source, as a file or pasted."""
NOT_ASKED: Final = (GIVEN, EXCERPT, GIVEN_BY_REVIEWER)
"""The states in which a text is here although nobody asked its address."""

Finish = Literal["", "complete", "truncated", "refused", "filtered", "error", "tool_call"]
FINISHES: Final[dict[Finish, str]] = {
    "complete": "the model ended it",
    "truncated": "it was cut off at the limit of its length, or its stream broke off",
    "refused": "the model refused to answer",
    "filtered": "a safety filter stopped it",
    "error": "the service reported an error",
    "tool_call": "the model asked for a tool instead of answering",
}
"""How a response ended, as its file says; "" where the file does not say."""

SET_APART: Final = ("hidden", "alt", "boilerplate", "collapsed")
"""Why a part of a page's text does not stand open on the page, the gravest first: seen by no reader (off the screen,
white on white, closed without a control); the words for an image; a menu or a footer; behind a control that opens it
(an accordion, a tab)."""

QUOTE_DOUBTS: Final = (
    "none", "off_topic", "instructions", "hidden", "alt", "opposed", "part_missing", "boilerplate", "collapsed",
)  # fmt: skip
"""What speaks against a quote that is in the page, as a proof of support, after ``none`` the gravest first; definitions
in ``medreview.judges.quote_grounding``."""

DISPROVING_DOUBTS: Final = ("off_topic", "instructions", "hidden", "alt", "opposed")
"""Of these the ones that let a quote prove nothing."""


CLASH_WORDS: Final = {
    "number": "numbers differ",
    "unit": "units differ",
    "range": "numbers differ",
    "comparison": "comparison differs",
    "direction": "direction differs",
    "negation": "negation differs",
    "significance": "significance differs",
    "population": "population differs",
    "opposite": "words of opposite meaning",
    "side": "side differs",
    "route": "route differs",
    "severity": "severity differs",
    "order": "order differs",
    "quantifier": "how many or how often differs",
    # kinds that the rules found up to rules-3 and that studies still hold
    "modality": "wording is stronger or weaker",
    "roles": "who does what differs",
    "medicine": "medicine differs",
}
"""What the evidence rules call a difference, in words."""

OCR_IN_DOUBT: Final = " (OCR in doubt)"
"""How the badge of such a difference ends where it is one in words that OCR may have read wrong."""


def quote_doubt_words(doubt: str | None) -> str:
    """A quote's doubt as badges and screens say it; empty for none, and where nobody has looked."""
    if doubt in SET_APART:
        return "hidden text"
    if doubt in ("opposed", "part_missing"):
        return doubt.replace("_", " ")
    return "off topic" if doubt in DISPROVING_DOUBTS else ""


def level_named(axis: str, level: str) -> Label:
    """The label of an axis by its level; raises ``KeyError`` for a level that the axis does not have."""
    return label_in(AXES[scale_of(axis)], level)


def label_words(axis: str, level: str) -> str:
    """A label as the screen says it; an order as it stands, of a study's own axis its levels. Raises ``KeyError`` for a
    level that an axis of this program has not."""
    if is_own(axis):
        return ", ".join(map(in_words, level.split(SEVERAL)))
    return level if axis == "rank" else level_named(axis, level).name


def label_in(labels: tuple[Label, ...], level: str) -> Label:
    """One of some labels (an axis, ``REASONS``, ``FLAGS``) by its level; raises ``KeyError`` if none has it."""
    for label in labels:
        if label.level == level:
            return label
    raise KeyError(f"{level!r} is not one of {', '.join(label.level for label in labels)}")


def level_for_key(axis: str, key: str) -> Label | None:
    """The label that a key stands for on an axis, or ``None``."""
    return next((label for label in AXES[axis] if label.key == key), None)


TieRule = Literal["undecided", "supported", "not_supported"]
"""What a tie gives. ``undecided``: no verdict. ``supported``: a tie that supported is part of goes to it.
``not_supported``: a tie of supported with one other verdict goes to the other. Any other tie stays undecided."""
TIE_RULES: Final[tuple[TieRule, ...]] = ("undecided", "supported", "not_supported")
