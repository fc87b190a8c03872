"""The verdict card: why a unit is flagged, what its judges say together, what ``a`` would accept, then each of them.

Plain data in the order in which screens draw it and line mode says it. It is made only where the judges may be seen.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from medreview.judges.runs import NAME
from medreview.labels import level_named
from medreview.review.judge_words import by_rules, jurors, state_words, tally_words, together_words, worth_of_all
from medreview.review.why_flagged import Reason
from medreview.text import Span
from medreview.units.cited_source import Source
from medreview.units.kind import RULES, Machines, Opinion, UnitView
from medreview.units.statement_view import NO_EVIDENCE, Evidence, StatementView, judge_name, said_in_words

TIE: Final = "TIE"
RULES_ALONE: Final = "rules alone"


class Words(NamedTuple):
    """A text, and the places in it that are otherwise in the other text."""

    text: str = ""
    changed: tuple[Span, ...] = ()

    def marked(self) -> tuple[str, list[Span]]:
        """On one line, in quotation marks, or with a bracket around each change; the places of those."""
        if not self.changed:
            return f"“{' '.join(self.text.split())}”", []
        text, places, at = "", [], 0
        for start, end in sorted(self.changed):
            text += _one_line(self.text[at:start])
            begin = len(text)
            text += f"[{_one_line(self.text[start:end]).strip() or _NOTHING}]"
            places.append(Span(begin, len(text)))
            at = end
        return text + _one_line(self.text[at:]), places


_NOTHING: Final = "—"
"""In brackets where words of the other text are missing."""


def _one_line(text: str) -> str:
    return "".join(" " if sign.isspace() else sign for sign in text)


class JudgeLine(NamedTuple):
    """One judge: ``level`` on the unit's axis or ``None``, ``said`` in words, ``sure`` 0..1 as given.

    ``quoted``: what its quotes are worth, ``wrong``: one is not what stands there, or proves nothing; then in capitals.
    ``quote``: that one, or the first; ``page``: what stands there instead, of a quote that was changed. ``more``: the
    other quotes, with what they are (``the opposite``) where that is to be said. ``missing``: what of the unit is not
    on the page. ``by``: its model and prompt. ``two_way``: supported or not, where it said that.
    """

    judge: str
    level: str | None
    said: str
    sure: float | None = None
    quoted: str = ""
    wrong: bool = False
    quote: Words = Words()
    page: Words = Words()
    reason: str = ""
    by: str = ""
    two_way: bool | None = None
    more: tuple[tuple[str, Words], ...] = ()
    missing: str = ""


class JudgeGroup(NamedTuple):
    """What the judges say of one source, by its name; ``""`` for units whose judges speak of no source.

    ``remark``: what is to be known of its page beside."""

    name: str
    lines: tuple[JudgeLine, ...]
    remark: str = ""


class Together(NamedTuple):
    """What the judges say together.

    ``who``: ``judges``, ``one judge``, ``rules alone``; ``""``: nobody has a say. ``word`` and ``tally``: ``supported``
    and ``2-0``, ``TIE`` and ``1-1``. ``level``: what that is on the unit's axis. ``counts``: votes by level, the most
    first; ``None`` for no vote. ``accepts``: ``a`` takes it.
    """

    who: str = ""
    word: str = ""
    tally: str = ""
    level: str | None = None
    counts: tuple[tuple[str | None, int], ...] = ()
    accepts: bool = False


class VerdictCard(NamedTuple):
    """``here``: the judges on the source that is open, ``others`` on all others. ``beside``: what is said besides, of
    all sources together. ``rules``: what the offline rules say, in a row, and what of the statement they do not find on
    the page that is open."""

    reasons: tuple[Reason, ...] = ()
    together: Together = Together()
    here: JudgeGroup = JudgeGroup("", ())
    others: tuple[JudgeGroup, ...] = ()
    beside: tuple[str, ...] = ()
    rules: str = ""


def card_of_statement(
    view: UnitView,
    machines: Machines,
    here: Source | None,
    reasons: tuple[Reason, ...],
    other_work: Callable[[str], bool],
    evidence: Evidence = NO_EVIDENCE,
    *,
    accepts: bool,
) -> VerdictCard:
    """``here``: the source that is open; ``other_work``: whether a source is another work than the one printed;
    ``evidence``: what the rules, and a model of entailment, found in the source that is open."""
    item = view.statement
    assert item is not None
    groups = []
    for source in sorted(item.sources, key=lambda each: each is not here):
        of_source = (one for one in machines.opinions if one.about == source.source_id and not by_rules(one))
        lines = tuple(_line(one, view) for one in of_source)
        remarks = [state_words(source.state)] if source.state != "ok" else []
        remarks += ["another work"] if other_work(source.source_id) else []
        if lines:
            groups.append((source, JudgeGroup(source.bracketed, lines, ", ".join(remarks))))
    opened = bool(groups) and groups[0][0] is here
    return VerdictCard(
        reasons=reasons,
        together=_together(item, accepts),
        here=groups[0][1] if opened else JudgeGroup(here.bracketed if here else "", ()),
        others=tuple(group for _, group in groups[opened:]),
        beside=tuple(filter(None, (together_words(item), entailment_words(evidence)))),
        rules=_rules(item, evidence.lacking),
    )


def card_of_unit(
    view: UnitView, machines: Machines, reasons: tuple[Reason, ...], said: str, *, accepts: bool
) -> VerdictCard:
    """``said``: what they say together, in words."""
    offline = [one for one in machines.opinions if by_rules(one)]
    judges = [one for one in machines.opinions if one not in offline]
    together = _of_unit(machines, judges, offline, said)
    return VerdictCard(
        reasons=reasons,
        together=together._replace(accepts=accepts),
        here=JudgeGroup("", tuple(_line(one, view) for one in judges)),
        beside=tuple(words for words in (machines.words,) if words not in ("", f"judges {together.tally}")),
        rules="; ".join(f"{_rules_name(one.judge)}: {one.said}" for one in offline),
    )


def _of_unit(machines: Machines, judges: Sequence[Opinion], offline: Sequence[Opinion], said: str) -> Together:
    """With a tally where each judge has one word and it is a vote."""
    names = {one.judge for one in judges}
    if not judges:
        word = said or (offline[0].said if offline else "")
        return Together(RULES_ALONE if offline else "judges" if said else "", word, level=machines.level)
    votes = Counter(one.label for one in judges if one.counts and one.label)
    most, *others = [number for _, number in votes.most_common()] or [0]
    tied = machines.level is None and others[:1] == [most]
    tally = f"{most}-{sum(others)}" if len(judges) == len(names) > 1 and most else ""
    who = "judges" if len(names) > 1 else RULES if names == {RULES} else "one judge"
    word = TIE if tied and tally else said or "no verdict"
    return Together(who, word, tally, machines.level, tuple(votes.most_common()) if tally else ())


def _there(text: str, spans: Iterable[Span], there: Sequence[Span]) -> Words:
    """What stands on the page where a quote was changed, with the words that it does not have."""
    places = [*spans, *there]
    start, end = min(span.start for span in places), max(span.end for span in places)
    return Words(text[start:end], tuple(Span(span.start - start, span.end - start) for span in there))


def _line(one: Opinion, view: UnitView) -> JudgeLine:
    passage = next((it for it in one.passages if it.wrong), next(iter(one.passages), None))
    quote, page = Words(passage.quote if passage else ""), Words()
    document = view.document(passage.key) if passage else None
    if passage and document and passage.differences:
        quote = Words(passage.quote, tuple(here for here, _ in passage.differences))
        page = _there(document.text, passage.spans, [there for _, there in passage.differences])
    return JudgeLine(
        judge=one.judge,
        level=one.label,
        said=one.said,
        sure=one.confidence,
        quoted=worth_of_all(one.passages),
        wrong=bool(passage and passage.wrong),
        quote=quote,
        page=page,
        reason=one.reason,
        by=", ".join(filter(None, (one.model, one.prompt))),
        two_way=one.supported,
        more=tuple(
            ("the opposite" if each.opposes else "", Words(each.quote))
            for each in one.passages
            if each is not passage and each.quote
        ),
        missing="" if one.label == "not_addressed" else one.missing,  # of which all is missing
    )


def _together(item: StatementView, accepts: bool) -> Together:
    verdict, said = item.verdict, jurors(item)
    if verdict is None or not item.judgements:
        return Together()
    if not said:
        lead = next((each for each in item.judgements if each.judgement_id == verdict.judgement_id), None)
        word = said_in_words(lead) if lead else "unsure"
        return Together(RULES_ALONE, word, level=verdict.verdict, accepts=accepts)
    two_way = {True: "supported", False: "not supported", None: "no verdict"}[verdict.supported]
    word = level_named("evidence", verdict.verdict).name if verdict.verdict else two_way
    if verdict.tied:
        word = f"{word}, {TIE}" if verdict.verdict else TIE
    who, tally = ("judges", tally_words(verdict)) if len(said) > 1 else ("one judge", "")
    counts = Counter(word.verdict or _TWO_WAY[word.supported] for word in said.values())
    return Together(who, word, tally, verdict.verdict, tuple(counts.most_common()), accepts)


_TWO_WAY: Final = {True: "supported", False: "not_supported", None: None}


def entailment_words(evidence: Evidence) -> str:
    """``entailment model at NAME: contradicts .91``: a number of a model on the source that is open, and no verdict."""
    if evidence.contradicts is None:
        return ""
    told = f"{evidence.contradicts:.2f}".removeprefix("0")
    return f"entailment model {evidence.entailment}: contradicts {told}"


def _rules(item: StatementView, lacking: Sequence[Span]) -> str:
    """``rules (words only): contradicted [1], unsure [2] [3]; not on this page: Ibrutinib``. Where they find something
    comes first; where they find nothing, what the page does not have: the end of a row may be cut."""
    said: dict[str, list[str]] = {}
    offline = [each for each in item.judgements if each.offline]
    for source in sorted(item.sources, key=lambda source: source.place):
        for each in offline:
            if each.snapshot_id == source.snapshot_id:
                said.setdefault(said_in_words(each), []).append(source.bracketed)
    telling = {said_in_words(each) for each in offline if each.verdict in ("contradicted", "partial", "supported")}
    if not said:
        return ""
    ordered = sorted(said, key=lambda word: word not in telling)
    words = ", ".join(f"{word} {' '.join(said[word])}" for word in ordered)
    lacks = ", ".join(_one_line(item.text[start:end]) for start, end in lacking)
    parts = [words, *([f"not on this page: {lacks}"] if lacks else [])]
    return f"{_rules_name(judge_name(offline[0]))}: {'; '.join(parts if telling else parts[::-1])}"


def _rules_name(judge: str) -> str:
    return judge.replace(NAME, "rules", 1)
