"""Why a unit is flagged, in a clinician's words: the one table from badges, which are stored, to what is shown.

A badge (:mod:`medreview.judges.triage`, and those of other units) is what filters and exports know. Screens, line mode
and the glossary say a :class:`Reason` instead: a few words where room is short, a sentence where there is more, and in
it the values at hand (:class:`FlagFacts`).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from medreview.labels import CLASH_WORDS, FALSE_QUOTES, OCR_IN_DOUBT, level_named
from medreview.references.verdict import ON_REFERENCE
from medreview.review.judge_words import PAGE_WORDS, jurors, sure_words
from medreview.text import Span, counted, in_words, lazy_pattern
from medreview.units.cited_source import NamedBy
from medreview.units.kind import Machines, UnitView
from medreview.units.statement_view import ClashMark, Judgement, StatementView

APART: Final = " · "
"""Between the badges of a unit, and between reasons in a row."""
_PAGE: Final = "page: "
_FINDING: Final = "finding: "
_JURY: Final = lazy_pattern(r"jury (\d+)-(\d+)")
_AMOUNT: Final = lazy_pattern(r"\d[\d.,/ \u2013-]*")
_UNIT: Final = lazy_pattern(r"[ \u00a0]?[^\s,;:.()]+")
_LONGEST: Final = 28
"""Characters of a value within a sentence."""
_BRIEF: Final = 14
"""Characters of a value within a few words."""
_MOST_VALUES: Final = 2
_MISREAD: Final = ", but the scan may have been misread"

_SAYS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "quote absent": ("quote not on page", "the quote given as proof is not on the page"),
        "quote altered": ("quote changed", "the quote given as proof differs from the page"),
        "hidden text": ("quote in hidden text", "the quote stands where a reader of the page would not look"),
        "quote off topic": ("quote on another topic", "the quote is on the page, but is about something else"),
        "judge says both": ("a judge says both", "a judge says supported, and also that the page says the opposite"),
        "part missing": (
            "a part is missing",
            "a judge says supported, and also that the page does not state all of it",
        ),
        "cited text absent": ("answer's quote not on page", "the passage that the answer quotes is not on the page"),
        "cited text altered": ("answer's quote changed", "the passage that the answer quotes differs from the page"),
        "contradicted": ("judges: contradicted", "the judges say that the source contradicts it"),
        "partial": ("judges: only partly", "the judges say that the sources support only a part of it"),
        "not addressed": ("judges: nothing on it", "the judges found nothing about it in the sources"),
        "not supported": ("judges: not supported", "the judges say that no source supports it"),
        "all together: contradicted": (
            "together: contradicted",
            "the sources read together contradict it, though none does alone",
        ),
        "all together: supported": (
            "only together: supported",
            "no source supports it alone, only all read together",
        ),
        "all together: judge says both": (
            "together: says both",
            "a judge that read all sources together says supported, and also that one of them says the opposite",
        ),
        "all together: part missing": (
            "together: a part missing",
            "a judge says that all sources together support it, and also that they do not state all of it",
        ),
        "sources conflict": ("sources conflict", "the sources contradict each other"),
        "low confidence": ("judges unsure", "the judges are not sure of their verdict"),
        "page: instructions": ("page steers judges", "the page holds text written to steer AI judges"),
        "page changed": (
            "page changed since",
            "a page has changed since it was judged, so that verdict no longer counts",
        ),
        "no source cited": ("no source cited", "the answer cites no source"),
        "cites nothing itself": ("no citation here", "it cites nothing, though most of the answer does"),
        "cited page not readable": ("cited page unreadable", "the page that it cites could not be read"),
        "no readable source": ("no page to read", "none of the pages cited could be read"),
        "not judged yet": ("not judged yet", "no judge has looked at it yet"),
        "nothing on the page": ("nothing like it on page", "no passage of the page has words like it"),
        "reference: other work": ("another work cited", "the reference leads to another work than the one printed"),
        "reference: not found": (
            "reference not found",
            "the reference was found nowhere, which does not prove that it is invented",
        ),
        "reference: mismatch": ("reference inaccurate", "the work exists, but the answer describes it wrongly"),
        "reference: retracted": ("retracted work cited", "the work that it cites was retracted or withdrawn"),
        "reference: ambiguous": ("several works fit", "several works fit the reference"),
        "reference: not checkable": ("nothing to look up", "the reference gives nothing to look up"),
        "RETRACTED": ("work retracted", "the work was retracted"),
        "WITHDRAWN": ("work withdrawn", "the work was withdrawn"),
        "jury tied": ("judges tied", "the judges are tied"),
        "jury split": ("judges split", "the judges disagree"),
        "false quote": ("quote not in text", "the quote given as proof is not in the text"),
    }
)
"""By badge: a few words, and a sentence without values."""

OF_SEVERAL: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "quote absent": ("has a quote that is not on its page", "have quotes that are not on their page"),
        "quote altered": ("has a quote that was changed", "have quotes that were changed"),
        "quote off topic": ("has a quote on another topic", "have quotes on another topic"),
        "contradicted": ("is contradicted, say the judges", "are contradicted, say the judges"),
        "sources conflict": ("has sources in conflict", "have sources in conflict"),
        "reference: other work": ("cites another work than the one printed", "cite another work than the one printed"),
        "reference: not found": ("cites a work that was not found", "cite works that were not found"),
        "reference: retracted": ("cites a retracted work", "cite retracted works"),
        "not addressed": ("finds nothing in its sources", "find nothing in their sources"),
    }
)
"""By the gravest badges: what is said of one of many flagged statements, and of several."""

_DIFFERS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "numbers differ": ("number differs", "the page gives another number"),
        "units differ": ("unit differs", "the page gives another unit"),
        "comparison differs": ("comparison differs", "the page says another comparison (more, less, at least)"),
        "direction differs": ("direction differs", "the page says the opposite direction (rise, fall)"),
        "negation differs": ("“not” differs", "one of the two says “not”, the other does not"),
        "significance differs": ("significance differs", "the page differs on statistical significance"),
        "population differs": ("other patients", "the page is about other patients"),
        "words of opposite meaning": ("opposite words", "the page uses a word of opposite meaning"),
        "side differs": ("other side", "the page says another side of the body"),
        "route differs": ("other route", "the page gives another route"),
        "severity differs": ("other severity", "the page says another severity"),
        "order differs": ("other order", "the page says another order of steps"),
        "how many or how often differs": ("how often differs", "the page says another share or frequency"),
        "wording is stronger or weaker": ("stronger or weaker", "the page is more or less certain"),
        "who does what differs": ("who does what differs", "the page says another person or thing does it"),
        "medicine differs": ("other medicine", "the page is about another medicine"),
    }
)
"""The same for what the rules found to differ on the page."""

_FOUND: Final[Mapping[str, str]] = MappingProxyType(
    {
        "fact": "it conflicts with established facts",
        "input": "it conflicts with the question",
        "context": "it conflicts with another part of the answer",
        "other": "it is invented or cannot be verified",
    }
)
"""By type of hallucination, what a judge of the whole answer says of the place."""


class Reason(NamedTuple):
    """One reason: the ``badge`` that filters know; ``short``, a few words; ``brief``, the same with its values where
    they are short (``quote changed 50/30``); ``sentence``, for a reader, without capital and full stop."""

    badge: str
    short: str
    brief: str
    sentence: str


class FlagFacts(NamedTuple):
    """What sentences on a statement are filled in with.

    ``clashes`` are those of the page that opens first, ``page`` its snapshot; ``text_of`` reads the text of a snapshot;
    ``references`` as :attr:`~medreview.review.session.ReviewSession.references`.
    """

    item: StatementView
    clashes: tuple[ClashMark, ...]
    page: str | None
    text_of: Callable[[str], str]
    references: Mapping[str, NamedBy]


def badges_in(badges: str) -> list[str]:
    """The single badges of a unit, the gravest first."""
    return badges.split(APART) if badges else []


def short(badges: str) -> str:
    """All badges of a unit in a few words each, the gravest first."""
    return APART.join(_words(badge)[0] for badge in badges_in(badges))


def reasons(badges: str, facts: FlagFacts | None = None) -> tuple[Reason, ...]:
    """A reason for each badge, the gravest first; with values where there are ``facts``, each values once."""
    found: list[Reason] = []
    said: set[str] = set()
    for reason in (_reason(badge, facts) for badge in badges_in(badges)):
        values = reason.brief.removeprefix(reason.short)
        if values and values in said:
            reason = Reason(reason.badge, reason.short, reason.short, f"{reason.short} in the same way")
        said.add(values)
        found.append(reason)
    return tuple(found)


def beside_tally(found: Sequence[Reason]) -> tuple[Reason, ...]:
    """Those to be said where it is said anyway how the judges are divided."""
    return tuple(reason for reason in found if not _JURY.fullmatch(reason.badge))


def reasons_of_unit(machines: Machines, view: UnitView) -> tuple[Reason, ...]:
    """The same of another unit than a statement, with whose quote it is that is not true."""
    return tuple(_of_unit(reason, machines, view) for reason in reasons(machines.badges))


def every_reason() -> Iterator[Reason]:
    """One for each badge that there can be, as far as a badge has no number of its own."""
    badges = (
        *_SAYS,
        *_DIFFERS,
        *(f"{_FINDING}{in_words(kind)}" for kind in _FOUND),
        *(f"{_PAGE}{in_words(state)}" for state in PAGE_WORDS),
        "jury 1-1",
        "jury 2-1",
    )
    return (_reason(badge, None) for badge in badges)


def _reason(badge: str, facts: FlagFacts | None) -> Reason:
    few, sentence = _words(badge)
    brief, sentence = (_filled_in(badge, facts) if facts else None) or (few, sentence)
    return Reason(badge, few, brief, sentence)


_UNTRUE: Final = {"quote absent": ("absent",), "quote altered": ("altered",), "false quote": FALSE_QUOTES}


def _of_unit(reason: Reason, machines: Machines, view: UnitView) -> Reason:
    untrue = _UNTRUE.get(reason.badge, ())
    for one in machines.opinions:
        for passage in one.passages:
            document = view.document(passage.key)
            if passage.status == "altered" and reason.badge == "quote altered" and passage.differences and document:
                brief, sentence = _changed(reason.short, passage.quote, document.text, passage.differences)
                return reason._replace(brief=brief, sentence=sentence)
            if passage.status in untrue:
                return reason._replace(sentence=_whose(reason.sentence, one.judge))
    return reason


def _whose(sentence: str, judge: str) -> str:
    quote = f"{judge}'s quote"
    return sentence.replace("the quote given as proof", quote).replace("the quote", quote)


def _words(badge: str) -> tuple[str, str]:
    """A few words and a sentence; of a badge that is not known, itself."""
    if badge in _SAYS:
        return _SAYS[badge]
    if badge.endswith(OCR_IN_DOUBT):
        few, sentence = _words(badge.removesuffix(OCR_IN_DOUBT))
        return f"{few} (scan?)", f"{sentence}{_MISREAD}"
    if badge in _DIFFERS:
        return _DIFFERS[badge]
    if votes := _JURY.fullmatch(badge):
        few = _split(int(votes[1]), int(votes[2]), tied=votes[1] == votes[2])
        return few, few
    if badge.startswith(_PAGE):
        state = badge.removeprefix(_PAGE)
        few, sentence = PAGE_WORDS.get(state.replace(" ", "_"), (badge, state))
        return few, sentence
    if badge.startswith(_FINDING):
        kind = badge.removeprefix(_FINDING)
        said = _FOUND.get(kind, kind)
        return f"hallucination: {kind}", f"a judge of the whole answer marks a hallucination: {said}"
    return badge, badge


def _split(most: int, others: int, *, tied: bool) -> str:
    return f"judges {'tied' if tied else 'split'} {most}-{others}"


def _filled_in(badge: str, facts: FlagFacts) -> tuple[str, str] | None:
    """A few words with values, and the sentence; ``None`` where there are no values to fill in."""
    few, plain = _words(badge)
    if badge.removesuffix(OCR_IN_DOUBT) in _DIFFERS:
        return _clashing(badge, few, facts)
    if badge == "quote altered":
        said = _with_fault(facts, "altered")
        changed = [one for one in said.quotes if one.status == "altered" and one.differences] if said else []
        if said is None or not changed:
            return None
        return _changed(few, changed[0].text, facts.text_of(said.snapshot_id), changed[0].differences)
    if _JURY.fullmatch(badge):
        sentence = _jury(badge, facts.item)
    elif badge in _FAULTS:
        sentence = _faulty(_FAULTS[badge], plain, facts)
    elif badge.startswith(ON_REFERENCE):
        sentence = _reference(badge, facts)
    elif badge.startswith(_PAGE):
        sentence = _unread(badge, plain, facts.item)
    else:
        sentence = _OF_JUDGES[badge](facts.item) if badge in _OF_JUDGES else ""
    return (few, sentence) if sentence else None


_FAULTS: Final = {
    "quote absent": "absent", "hidden text": "hidden text", "quote off topic": "off topic",
    "judge says both": "opposed", "part missing": "part missing",
}  # fmt: skip
_OUT_OF_SIGHT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "instructions": "in text written to steer AI judges",
        "hidden": "in text that the page hides from its readers",
        "alt": "in the description of a picture",
        "boilerplate": "in a menu or footer of the page",
        "collapsed": "in a part of the page that is closed at first",
    }
)


def _with_fault(facts: FlagFacts, fault: str) -> Judgement | None:
    return next((said for said in facts.item.judgements if said.vote.false_quote == fault), None)


def _faulty(fault: str, plain: str, facts: FlagFacts) -> str:
    said = _with_fault(facts, fault)
    if said is None:
        return ""
    if fault == "absent" and not said.quote:
        return f"{said.judge} says supported and gives no quote"
    if said.quote_status == "other_source":
        return f"{said.judge}'s quote is not on this page, but in another source"
    if where := _OUT_OF_SIGHT.get(said.quote_doubt or ""):
        return f"{said.judge}'s quote stands {where}"
    if fault == "opposed":
        return plain.replace("a judge", said.judge)
    if fault == "part missing":
        return f"{said.judge} says supported, but not on the page: {_shown(' '.join(said.missing.split()))}"
    several = f"one of {said.judge}'s {len(said.quotes)} quotes"
    return plain.replace("the quote given as proof", several) if len(said.quotes) > 1 else _whose(plain, said.judge)


def _changed(few: str, quote: str, page: str, differences: Sequence[tuple[Span, Span]]) -> tuple[str, str]:
    pairs = [(_value(quote, here), _value(page, there)) for here, there in differences[:_MOST_VALUES]]
    changes = "; ".join(_against(here, there) for here, there in pairs)
    return _brief(few, *pairs[0]), f"{few}: {changes}"


def _clashing(badge: str, few: str, facts: FlagFacts) -> tuple[str, str] | None:
    kind = badge.removesuffix(OCR_IN_DOUBT)
    clash = next((clash for clash in facts.clashes if CLASH_WORDS.get(clash.kind) == kind), None)
    if clash is None or facts.page is None:
        return None
    here, there = _value(facts.item.text, clash.statement), _value(facts.text_of(facts.page), clash.source)
    return _brief(few, here, there), f"{_words(kind)[0]}: {_against(here, there)}{_MISREAD if kind != badge else ''}"


def _against(here: str, there: str) -> str:
    if not there:
        return f"{_shown(here)} is added"
    if not here:
        return f"{_shown(there)} is left out"
    amount, unit = _parted(there)
    if amount and amount != _parted(here)[0] and unit == _parted(here)[1]:
        there = amount
    return f"{_shown(here)}, the page has {_shown(there)}"


def _parted(value: str) -> tuple[str, str]:
    """The amount that a value begins with, and the rest, its unit."""
    found = _AMOUNT.match(value)
    amount = found[0].strip(" ,.") if found else ""
    return amount, value.removeprefix(amount).strip()


def _shown(value: str) -> str:
    """A value within a sentence: an amount as it is, words in quotation marks."""
    cut = value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1].rstrip()}…"
    return cut if any(sign.isdigit() for sign in value) else f"“{cut}”"


def _brief(few: str, here: str, there: str) -> str:
    """``number differs 50/30``, and other short values: ``unit differs: 500 mg, page 500 micrograms``."""
    numbers = [_parted(value)[0] for value in (here, there)]
    if all(numbers) and numbers[0] != numbers[1]:
        return f"{few} {numbers[0]}/{numbers[1]}"
    return f"{few}: {here}, page {there}" if here and there and max(len(here), len(there)) <= _BRIEF else few


def _value(text: str, span: Span) -> str:
    words = text[span.start : span.end]
    if _AMOUNT.fullmatch(words) and (unit := _UNIT.match(text, span.end)):
        words += unit[0]
    return " ".join(words.split())


def _jury(badge: str, item: StatementView) -> str:
    verdict = item.verdict
    if verdict is None or badge != f"jury {verdict.votes_for}-{verdict.votes_other}":
        return ""
    said = Counter(word.verdict for word in jurors(item).values() if word.verdict)
    by_level = ", ".join(f"{votes} {level_named('evidence', level).name}" for level, votes in said.most_common())
    split = _split(verdict.votes_for, verdict.votes_other, tied=verdict.tied)
    return f"{split}: {by_level}" if by_level else split


def _reference(badge: str, facts: FlagFacts) -> str:
    """With the source that the reference names, of those that the statement cites first."""
    verdict = badge.removeprefix(ON_REFERENCE).replace(" ", "_")
    found = [
        source
        for source in facts.item.sources
        if (named := facts.references.get(source.source_id)) and named.verdict == verdict
    ]
    sentence = _OF_SOURCE.get(verdict)
    return f"source {found[0].name} {sentence}" if found and sentence else ""


_OF_SOURCE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "other_work": "is another work than the one printed",
        "not_found": "was found nowhere, which does not prove that it is invented",
        "mismatch": "exists, but the answer describes it wrongly",
    }
)


def _unread(badge: str, plain: str, item: StatementView) -> str:
    state = badge.removeprefix(_PAGE)
    found = [source.name for source in item.sources if in_words(source.state) == state]
    return f"{_named(found)}: {plain}" if found else ""


def _named(names: Sequence[str]) -> str:
    return f"source{'s' if len(names) > 1 else ''} {_listed(names)}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _saying(item: StatementView, verdict: str, judge: str = "") -> list[str]:
    """The sources of which a judge says so, or the one that is named; by name."""
    pages = {
        said.snapshot_id
        for said in item.judgements
        if said.verdict == verdict and not said.offline and judge in ("", said.judge)
    }
    return [source.name for source in item.sources if source.snapshot_id in pages]


def _contradicted(item: StatementView) -> str:
    who = [judge for judge, word in jurors(item).items() if word.verdict == "contradicted"]
    where = _saying(item, "contradicted")
    if not who or not where:
        return ""
    of_each = [_saying(item, "contradicted", judge) for judge in who]
    where = [name for name in where if all(name in names for names in of_each)] or where
    judges = f"{who[0]} says" if len(who) == 1 else f"{counted(len(who), 'judge')} say"
    return f"{judges} that {_named(where)} contradict{'' if len(where) > 1 else 's'} it"


def _conflict(item: StatementView) -> str:
    """By the first judge that sees both; others may differ over one source."""
    for judge in jurors(item):
        one, other = _saying(item, "supported", judge), _saying(item, "contradicted", judge)
        if one and other:
            ends = ["" if len(names) > 1 else "s" for names in (one, other)]
            sides = f"{_listed(one)} support{ends[0]}, {_listed(other)} contradict{ends[1]}"
            return f"the sources contradict each other: {sides}"
    return ""


def _unsure(item: StatementView) -> str:
    level = item.verdict.verdict if item.verdict else None
    sure = [
        (said.confidence, said.judge)
        for said in item.judgements
        if not said.offline and said.confidence is not None and level in (None, said.verdict)
    ]
    return f"{min(sure)[1]} is only {sure_words(min(sure)[0])}" if sure else ""


_OF_JUDGES: Final[Mapping[str, Callable[[StatementView], str]]] = MappingProxyType(
    {"contradicted": _contradicted, "sources conflict": _conflict, "low confidence": _unsure}
)
