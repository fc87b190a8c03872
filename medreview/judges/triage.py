"""Which statements to look at first, and why: the badges of the flagged queue.

Triage finds errors; it does not estimate how many there are. The order is that of how often such a flag turns out to
be an error and how much harm it does: invented and altered quotes first, then text that nobody sees and pages that
speak to judges, then what a source contradicts, then quotes that do not bear on their statement. A reference whose
identifier is another work's stands among the quotes that are not there. A reference that nobody has stands below all
faults of quotes: it may exist all the same.

A flag has a cause. Doubt of the rules is not a cause: such statements follow in the order of their doubt. Something
missing (a citation, a page that can be read, anything on it) is a cause only as long as few statements lack it: a queue
that flags everything flags nothing. The rules' own "contradicted" is no flag beside the clashes it is made of; those
count on the page that opens, the best of those that the statement cites. A difference only in words that OCR may have
read wrong is a cause, but behind what judges found: OCR makes most such differences, and a look at the page, not a
search for an error, settles one.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from medreview.judges.rollup import RollUp
from medreview.labels import CLASH_WORDS, GIVEN, GIVEN_BY_REVIEWER, OCR_IN_DOUBT
from medreview.references.verdict import ON_REFERENCE, Verdict
from medreview.text import in_words

_LOW_CONFIDENCE: Final = 0.6
RARE: Final = 0.15
"""Share of a study's statements up to which something that is missing is a reason to look at one of them first."""
FEW: Final = 3
"""So many may lack it in the smallest study."""
_TOGETHER: Final = "all together: "
_OF_ANSWERS: Final = (("opposed", 77, "judge says both"), ("part missing", 62, "part missing"))
"""What is wrong with the whole answer of a judge that says supported; see :data:`_FALSE_QUOTES`."""
_FALSE_QUOTES: Final[tuple[tuple[str, int, str], ...]] = (
    ("absent", 95, "quote absent"),
    ("altered", 90, "quote altered"),
    ("hidden text", 89, "hidden text"),
    ("off topic", 79, "quote off topic"),
    *_OF_ANSWERS,
)
"""What is wrong with a judge's quote for support, the weight of that, and its badge.

An honest paraphrase may share no word with its statement: ``off topic`` alone comes after what a judge contradicts. So
does support from a judge that says the opposite as well, or that names a part which the page does not state."""
_REFERENCES: Final[tuple[tuple[Verdict, int], ...]] = (("other_work", 93), ("not_found", 71), ("mismatch", 57))
"""What speaks against a reference that a statement cites, and the weight of that."""
_SAYS_LITTLE: Final = 42
"""The weight of a reference that was not found where that proves little."""
_RETRACTED: Final = 83
QUOTE_FAULTS: Final = tuple(fault for fault, _, _ in _FALSE_QUOTES)
"""What can be wrong with a quote for support (``votes.Vote.false_quote``), gravest first."""
_CLAIMED: Final = {"absent": 94, "altered": 88}
"""What is wrong with a passage that the answer itself shows as its proof, and the weight of that."""
_IN_DOUBT: Final = 44
"""The weight of a difference in words in doubt: after what judges do not find, before their own doubt."""


class Flag(NamedTuple):
    """One reason to look at a statement; ``weight`` 1-99 orders them.

    ``snapshot_id``: the page that the reason is about, ``None`` when it is about no page more than another.
    ``kind``: a ``cause``; a ``lack``, which is a cause where it is rare; a ``detail`` beside another flag.
    """

    weight: int
    badge: str
    snapshot_id: str | None = None
    kind: Literal["cause", "lack", "detail"] = "cause"


class CitedPages(NamedTuple):
    """What a statement can be judged by: the pages that its response cites; ``cited`` sources, fetched or not.

    A page that speaks to judges has the state ``instructions``. ``misled``: such a page on which a model found support.
    ``changed``: a page on which a judge spoke before its text changed, and not since; that word no longer counts.
    ``opens``: the page that opens first. ``nothing``: by the rules it has nothing on the statement. ``readable``: there
    is a text of a source that could be judged. ``own``, ``own_readable``: the same of what the statement cites
    itself. ``alone``: it cites nothing itself, and nearly all others of its response do.
    """

    cited: int
    states: Sequence[str]
    misled: str | None = None
    changed: str | None = None
    opens: str | None = None
    readable: bool = False
    nothing: bool = False
    own: int = 0
    own_readable: bool = False
    alone: bool = False


class CitedReference(NamedTuple):
    """A reference that a statement cites itself: what the rules say of it, or a reviewer in their place.

    ``snapshot_id``: the page of the source that it names. ``retracted``: the work was retracted or withdrawn.
    ``says_little``: that nobody has it would prove little.
    """

    verdict: Verdict
    snapshot_id: str | None = None
    retracted: bool = False
    says_little: bool = False


def flags(
    result: RollUp,
    clash_kinds: Iterable[str],
    pages: CitedPages,
    together: RollUp | None = None,
    findings: Collection[str] = (),
    references: Iterable[CitedReference] = (),
    doubtful_kinds: Iterable[str] = (),
    false_claims: Iterable[tuple[str, str]] = (),
) -> list[Flag]:
    """Why a statement should be looked at, gravest first; empty when nothing speaks against the judges' verdict.

    ``clash_kinds`` are those of the page that opens first; ``together``: what judges say by all sources at once;
    ``findings``: types of hallucination that judges of the whole response found where the statement stands;
    ``references``: those that it cites; ``doubtful_kinds``: of clashes on the page that opens which rest on words in
    doubt, read by OCR; ``false_claims``: status and page of passages that the answer itself shows as its proof, and
    that are not what the page says. What is missing is among the flags: see :func:`worth_flagging`.
    """
    found = [*_of_references(references)]
    found += [Flag(_CLAIMED[status], f"cited text {status}", page) for status, page in dict(false_claims).items()]
    found += [Flag(72, f"finding: {in_words(kind)}") for kind in sorted(findings)]
    lead = result.lead.snapshot_id if result.lead else None
    for fault, weight, badge in _FALSE_QUOTES:
        if fault in result.false_quotes:
            found.append(Flag(weight, badge, lead))
    if result.verdict == "contradicted" and not result.by_rules:
        found.append(Flag(80, "contradicted", lead))
    words = {CLASH_WORDS[kind] for kind in clash_kinds}
    found += [Flag(75 if "number" in word or "unit" in word else 65, word, pages.opens) for word in sorted(words)]
    unsure = {CLASH_WORDS[kind] for kind in doubtful_kinds} - words
    found += [Flag(_IN_DOUBT, word + OCR_IN_DOUBT, pages.opens) for word in sorted(unsure)]
    if pages.misled:
        found.append(Flag(85, "page: instructions", pages.misled))
    if pages.changed:
        found.append(Flag(58, "page changed", pages.changed))
    if result.conflict and not result.by_rules:
        found.append(Flag(70, "sources conflict", result.against))
    if result.votes_other:
        found.append(Flag(60, f"jury {result.votes_for}-{result.votes_other}"))
    found += _unsupported(result, pages)
    found += _together(result, together) if together else []
    if not result.by_rules and result.lowest_confidence is not None and result.lowest_confidence < _LOW_CONFIDENCE:
        found.append(Flag(40, "low confidence"))
    if result.supported is not True:
        # A page that could not be read explains a doubt; it is no flag when other pages settled the matter.
        known = {"ok", GIVEN, GIVEN_BY_REVIEWER, *(("instructions",) if pages.misled else ())}
        bad = sorted(set(pages.states) - known)
        found += [Flag(30, f"page: {in_words(state)}", kind="detail") for state in bad]
    return sorted(found, key=lambda flag: -flag.weight)


def _of_references(references: Iterable[CitedReference]) -> Iterator[Flag]:
    """Each kind of fault once, of the first reference that has it."""
    told: set[str] = set()
    for reference in references:
        weights = dict(_REFERENCES)
        said = [(weights[reference.verdict], in_words(reference.verdict))] if reference.verdict in weights else []
        if reference.verdict == "not_found" and reference.says_little:
            said = [(_SAYS_LITTLE, in_words(reference.verdict))]
        said += [(_RETRACTED, "retracted")] if reference.retracted else []
        for weight, words in said:
            if words not in told:
                told.add(words)
                yield Flag(weight, f"{ON_REFERENCE}{words}", reference.snapshot_id)


def _together(result: RollUp, together: RollUp) -> list[Flag]:
    """What no source says alone and all say together, and what all together contradict.

    Support that is put together from several pages is easily put together wrongly: before what merely is not there. A
    judge that says both, or names a part that no page states, is flagged as it is of a single source.
    """
    if together.verdict == "contradicted":
        return [] if result.verdict == "contradicted" else [Flag(78, "all together: contradicted")]
    if result.supported:
        return []
    found = [Flag(56, "all together: supported")] if together.supported else []
    found += [Flag(weight, _TOGETHER + badge) for fault, weight, badge in _OF_ANSWERS if fault in together.false_quotes]
    return found


def _unsupported(result: RollUp, pages: CitedPages) -> list[Flag]:
    if not pages.cited:
        return [Flag(55, "no source cited", kind="lack")]
    if result.supported and not result.by_rules:
        return []
    found = [Flag(53, "cites nothing itself", kind="lack")] if pages.alone else []
    if pages.own and not pages.own_readable and pages.readable:
        found.append(Flag(50, "cited page not readable", kind="lack"))
    if result.lead is None:
        unread = Flag(50, "no readable source", kind="lack")
        return [*found, Flag(50, "not judged yet", kind="detail") if pages.readable else unread]
    if result.by_rules:
        return [*found, Flag(45, "nothing on the page", pages.opens, kind="lack")] if pages.nothing else found
    if result.verdict in ("not_addressed", "partial"):
        found.append(Flag(50 if result.verdict == "not_addressed" else 45, in_words(result.verdict)))
    elif result.verdict is None and result.supported is False:
        found.append(Flag(50, "not supported"))
    return found


def common_lacks(statements: Sequence[Iterable[Flag]]) -> frozenset[str]:
    """The badges of what so many statements lack that it is no reason to look at one of them before the others."""
    found = Counter(flag.badge for flags_of_one in statements for flag in flags_of_one if flag.kind == "lack")
    most = max(FEW, RARE * len(statements))
    return frozenset(badge for badge, times in found.items() if times > most)


def worth_flagging(found: Iterable[Flag], common: Collection[str]) -> list[Flag]:
    """The flags without what is common; none where only details are left."""
    kept = [flag for flag in found if flag.kind != "lack" or flag.badge not in common]
    return kept if any(flag.kind != "detail" for flag in kept) else []


def cause(found: Iterable[Flag]) -> str | None:
    """The page that the gravest flag about a page is about."""
    return next((flag.snapshot_id for flag in found if flag.snapshot_id), None)


def priority(found: Sequence[Flag], doubt: float = 0.0) -> int:
    """0 when nothing is flagged; else the gravest flag, ties broken by more flags, then by doubt. Higher = sooner."""
    return found[0].weight * 100 + min(9, len(found) - 1) * 10 + round(9 * doubt) if found else 0
