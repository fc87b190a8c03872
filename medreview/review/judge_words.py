"""What each judge says of a unit: label, quote, reason and who it is; of a statement over all its sources."""

from typing import NamedTuple

from medreview.judges.rollup import each_judge
from medreview.labels import FALSE_QUOTES, level_named, quote_doubt_words
from medreview.sources.ocr_pages import percent
from medreview.text import counted, in_words
from medreview.units.kind import Machines, UnitView
from medreview.units.statement_view import Judgement, StatementView, Verdict, judge_name, quote_status_words


class Juror(NamedTuple):
    """One judge and its word; without ``verdict`` and ``supported`` it abstained."""

    judge: str
    verdict: str | None
    supported: bool | None


def jurors(item: StatementView) -> tuple[Juror, ...]:
    """Every judge that was asked, in the order in which they first were; without the offline judge."""
    return tuple(
        Juror(judge.name, word.verdict, word.supported)
        for judge, word in each_judge(said.vote for said in item.judgements).items()
        if not judge.offline
    )


def sure_words(confidence: float) -> str:
    """How sure a judge is, as given: ``69% sure``."""
    return f"{percent(confidence)} sure"


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


class JudgeWords(NamedTuple):
    """One machine's words. ``said`` is its label, or its own word if that is not ours; ``level`` is the level of the
    axis it comes to, if there is one; ``confidence`` 0..1 as given.

    ``page`` is what it read and ``state`` that page's state, empty for other texts; ``quoted`` how true its quote is to
    that, ``false``: it is not what stands there. ``judgement`` names it, ``snapshot`` or ``document`` the text to be
    shown beside it.
    """

    judge: str
    model: str
    prompt: str
    said: str
    level: str | None
    confidence: float | None
    page: str
    quoted: str
    false: bool
    quote: str
    reason: str
    judgement: str
    snapshot: str | None = None
    document: str | None = None
    state: str = ""


def listed(item: StatementView, here: str | None) -> list[Judgement]:
    """Every judge on every source, in the order in which they are listed and read: those of the page ``here`` first,
    the one that the roll-up leads with before the others."""
    lead = item.verdict.judgement_id if item.verdict else None
    return sorted(item.judgements, key=lambda said: (said.snapshot_id != here, said.judgement_id != lead))


def words_on_statement(item: StatementView, here: str | None) -> tuple[JudgeWords, ...]:
    """All of them as :func:`listed`, then those by all sources together."""
    together = tuple(
        JudgeWords(
            judge=said.judge,
            model=said.model,
            prompt=said.prompt,
            said=_label(said.verdict, said.supported, said.raw_label),
            level=said.verdict,
            confidence=said.confidence,
            page=f"{counted(said.pages, 'page')} together",
            quoted=", ".join(in_words(quote.status) for quote in said.quotes),
            false=any(quote.status in FALSE_QUOTES for quote in said.quotes),
            quote=" … ".join(quote.text for quote in said.quotes),
            reason=said.reason,
            judgement=said.judgement_id,
            snapshot=next((quote.snapshot_id for quote in said.quotes if quote.snapshot_id), None),
        )
        for said in item.merged
    )
    return (*(_on_source(item, judgement) for judgement in listed(item, here)), *together)


def words_on_unit(view: UnitView, machines: Machines) -> tuple[JudgeWords, ...]:
    """Every opinion on another unit, in their order."""
    found = []
    for opinion in machines.opinions:
        keys = [passage.key for passage in opinion.passages]
        document = view.document(keys[0]) if keys else None
        found.append(
            JudgeWords(
                judge=opinion.judge,
                model=opinion.model,
                prompt=opinion.prompt,
                said=opinion.said,
                level=opinion.label,
                confidence=opinion.confidence,
                page=document.title if document else "",
                quoted=", ".join(passage.status_words for passage in opinion.passages if passage.status),
                false=any(passage.false for passage in opinion.passages),
                quote=" … ".join(passage.quote for passage in opinion.passages if passage.quote),
                reason=opinion.reason,
                judgement=opinion.opinion_id,
                document=keys[0] if keys else None,
            )
        )
    return tuple(found)


def read_in_full(words: tuple[JudgeWords, ...]) -> str:
    """All of it as one text to read."""
    blocks = []
    for place, said in enumerate(words, 1):
        confidence = f", confidence {said.confidence:g}" if said.confidence is not None else ""
        by = " · ".join(filter(None, (said.model, said.prompt)))
        lines = [
            f"{place}/{len(words)}  {said.judge}: {said.said}{confidence}",
            f"by {by}" if by else "",
            "read " + ", ".join(filter(None, (said.page, said.state))) if said.page else "",
            f"quote, {said.quoted}: “{said.quote}”" if said.quote else "no quote",
            f"reason: {said.reason}" if said.reason else "no reason",
        ]
        blocks.append("\n".join(line for line in lines if line))
    return "\n\n".join(blocks)


def _on_source(item: StatementView, judgement: Judgement) -> JudgeWords:
    source = item.source_of(judgement.snapshot_id)
    doubt = quote_doubt_words(judgement.quote_doubt)
    kinds = ", ".join(judgement.difference_kinds) or doubt
    status = quote_status_words(judgement, source) if judgement.quote else "none"
    return JudgeWords(
        judge=judge_name(judgement),
        model=judgement.model,
        prompt=judgement.prompt,
        said=_label(judgement.verdict, judgement.supported, judgement.raw_label),
        level=judgement.verdict,
        confidence=judgement.confidence,
        page=f"{source.bracketed} {source.domain}" if source else "",
        state=in_words(source.state) if source else "",
        quoted=f"{status} ({kinds})" if kinds else status,
        false=judgement.quote_status in FALSE_QUOTES or bool(doubt),
        quote=judgement.quote,
        reason=judgement.reason,
        judgement=judgement.judgement_id,
        snapshot=judgement.snapshot_id,
    )


def _label(verdict: str | None, supported: bool | None, raw: str) -> str:
    if verdict is not None:
        return level_named("evidence", verdict).name
    if supported is not None:
        return "supported" if supported else "not supported"
    return f"no vote ({raw or 'unsure'})"
