"""What each judge says of a unit: label, quote, reason and who it is; of a statement over all its sources.

Also the states of the pages that they read, in the reviewer's words.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from medreview.judges.rollup import SourceOpinion, each_judge
from medreview.judges.runs import NAME
from medreview.labels import FALSE_QUOTES, PROVEN_QUOTES, level_named, quote_doubt_words
from medreview.sources.ocr_pages import percent
from medreview.text import counted, in_words
from medreview.units.kind import DocumentPassage, Machines, Opinion, UnitView
from medreview.units.statement_view import StatementView, Verdict, vote_in_words


def jurors(item: StatementView) -> dict[str, SourceOpinion]:
    """The word of every judge that was asked, by name, in the order in which they first were; without the offline
    judge. One without ``verdict`` and ``supported`` abstained."""
    words = each_judge(said.vote for said in item.judgements)
    return {judge.name: word for judge, word in words.items() if not judge.offline}


def sure_words(confidence: float) -> str:
    """How sure a judge is, as given: ``69% sure``."""
    return f"{percent(confidence)} sure"


def tally_words(verdict: Verdict) -> str:
    """How the jury is divided: ``2-1, 1 abstained``."""
    silent = f", {verdict.abstained} abstained" if verdict.abstained else ""
    return f"{verdict.votes_for}-{verdict.votes_other}{silent}"


def together_words(item: StatementView) -> str:
    """What is said by all sources of the response together, by whom, and why: ``all together: supported (gpt)``."""
    if not item.merged or item.verdict is None:
        return ""
    word = {True: "supported", False: "not supported", None: "no verdict"}[item.verdict.merged_supported]
    if item.verdict.merged:
        word = level_named("evidence", item.verdict.merged).name
    who = item.merged[0].judge if len(item.merged) == 1 else f"{len(item.merged)} judges"
    said = next((each for each in item.merged if each.verdict == item.verdict.merged), None)
    missing = missing_words(said.missing, together=True) if said and said.verdict != "not_addressed" else ""
    head = ", ".join(filter(None, (f"all together: {word} ({who})", missing)))
    return ". ".join(filter(None, (head, said.reason if said else "")))


_WORTH: Final = {
    "none": "no quote",
    "absent": "quote NOT ON PAGE",
    "altered": "quote CHANGED",
    "other_source": "quote IN ANOTHER SOURCE",
    "too_short": "quote too short to place",
    "near": "quote nearly as on page",
}
"""What a quote is worth, by its status; those of others are on the page as they stand. What is wrong is in capitals."""
_DOUBTED: Final = {"off topic": "quote ON ANOTHER TOPIC", "hidden text": "quote IN HIDDEN TEXT"}
"""The same of one that is on the page and proves nothing."""


def passage_words(passage: DocumentPassage) -> str:
    """What a machine's quote is worth: ``quote on page``; what is wrong with it in capitals; ``""`` where nobody has
    looked."""
    return _worth(passage.status, passage.doubt, scanned=passage.scanned) if passage.status else ""


def _worth(status: str, doubt: str, *, scanned: bool = False) -> str:
    if status in PROVEN_QUOTES and doubt:
        return _DOUBTED.get(doubt, f"quote {doubt}")
    return "quote on a scanned page" if scanned else _WORTH.get(status, "quote on page")


def worth_of_all(passages: Sequence[DocumentPassage]) -> str:
    """What several quotes are worth: ``3 quotes on page``; those with a fault first: ``1 of 3 quotes NOT ON PAGE``."""
    if len(passages) < 2:
        return passage_words(passages[0]) if passages else ""
    words = [(one.wrong, passage_words(one).removeprefix("quote ")) for one in passages]
    if len(set(words)) == 1:
        return f"{len(words)} quotes {words[0][1]}"
    faults = Counter(worth for wrong, worth in words if wrong)
    if faults:
        return ", ".join(f"{number} of {len(words)} quotes {worth}" for worth, number in faults.items())
    return f"{len(words)} quotes: {', '.join(dict.fromkeys(worth for _, worth in words))}"


class SaidQuote(NamedTuple):
    """One quote: what it is worth in its text; ``false``: it is not what stands there; ``opposes``: it is quoted
    against the unit."""

    worth: str
    false: bool
    text: str
    opposes: bool = False

    @property
    def whole(self) -> str:
        """All of it: ``the opposite, quote on page: “...”``."""
        return f"{'the opposite, ' if self.opposes else ''}{self.worth or 'quote'}: “{self.text}”"


class JudgeWords(NamedTuple):
    """One machine's words. ``said`` is its label, or its own word if that is not ours; ``level`` is the level of the
    axis it comes to, if there is one; ``confidence`` 0..1 as given.

    ``page`` is what it read and ``state`` that page's state, empty for other texts. ``judgement`` names it,
    ``snapshot`` or ``document`` the text to be shown beside it. ``missing``: the part of the unit that the page does
    not state; ``opposes``: whether it says the opposite, ``None`` where that was not asked. ``together``: it read all
    pages at once.
    """

    judge: str
    model: str
    prompt: str
    said: str
    level: str | None
    confidence: float | None
    page: str
    quotes: tuple[SaidQuote, ...]
    reason: str
    judgement: str
    snapshot: str | None = None
    document: str | None = None
    state: str = ""
    missing: str = ""
    opposes: bool | None = None
    together: bool = False

    @property
    def quote(self) -> str:
        """Its quotes as one text."""
        return " … ".join(one.text for one in self.quotes)


def by_rules(opinion: Opinion) -> bool:
    """Whether it is that of the offline rules."""
    return opinion.judge.startswith(NAME)


def words_on_unit(view: UnitView, machines: Machines, here: str | None) -> tuple[JudgeWords, ...]:
    """Every opinion, those on the document with the key ``here`` first, the rules after all judges; then what is said
    of a statement by all sources together."""
    ordered = sorted(machines.opinions, key=lambda one: (by_rules(one), one.about != here))
    together = words_together(view.statement) if view.statement is not None else ()
    return (*(_words(view, opinion) for opinion in ordered), *together)


def _words(view: UnitView, opinion: Opinion) -> JudgeWords:
    key = opinion.about or next((passage.key for passage in opinion.passages), None)
    document = view.document(key) if key is not None else None
    quotes = (
        SaidQuote(
            f"{passage_words(one)} ({', '.join(one.kinds)})" if one.kinds else passage_words(one),
            one.wrong,
            one.quote,
            one.opposes,
        )
        for one in opinion.passages
        if one.quote
    )
    return JudgeWords(
        judge=opinion.judge,
        model=opinion.model,
        prompt=opinion.prompt,
        said=opinion.said,
        level=opinion.label,
        confidence=opinion.confidence,
        page=document.title if document else "",
        state=state_words(document.state) if document and document.state else "",
        quotes=tuple(quotes),
        reason=opinion.reason,
        judgement=opinion.opinion_id,
        document=key,
        missing=opinion.missing,
        opposes=opinion.opposes,
    )


def words_together(item: StatementView) -> tuple[JudgeWords, ...]:
    """Those by all sources of a response together."""
    return tuple(
        JudgeWords(
            judge=said.judge,
            model=said.model,
            prompt=said.prompt,
            said=vote_in_words(said.verdict, said.supported, said.raw_label),
            level=said.verdict,
            confidence=said.confidence,
            page=f"{counted(said.pages, 'page')} together",
            quotes=tuple(
                SaidQuote(
                    _worth(quote.status, doubt := quote_doubt_words(quote.doubt)),
                    quote.status in FALSE_QUOTES or bool(doubt),
                    quote.text,
                    quote.opposes,
                )
                for quote in said.quotes
            ),
            reason=said.reason,
            judgement=said.judgement_id,
            snapshot=next((quote.snapshot_id for quote in said.quotes if quote.snapshot_id), None),
            missing="" if said.verdict == "not_addressed" else said.missing,  # of which all is missing
            opposes=said.opposes,
            together=True,
        )
        for said in item.merged
    )


def missing_words(missing: str, *, together: bool = False) -> str:
    """What a judge does not find on the page, or on any where it read all ``together``; ``""`` for nothing."""
    where = "on no page" if together else "not on the page"
    return f"{where}: “{' '.join(missing.split())}”" if missing else ""


def opposite_words(opposes: bool | None) -> str:
    """Whether the page says the opposite, by a judge; ``""`` where it was not asked."""
    return "" if opposes is None else f"does the page say the opposite: {'yes' if opposes else 'no'}"


def read_in_full(words: tuple[JudgeWords, ...]) -> str:
    """All of it as one text to read."""
    blocks = []
    for place, said in enumerate(words, 1):
        confidence = f", {sure_words(said.confidence)}" if said.confidence is not None else ""
        by = " · ".join(filter(None, (said.model, said.prompt)))
        lines = [
            f"judge {place} of {len(words)}, {said.judge}: {said.said}{confidence}",
            f"by {by}" if by else "",
            "read " + ", ".join(filter(None, (said.page, said.state))) if said.page else "",
            missing_words(said.missing, together=said.together),
            *([quote.whole for quote in said.quotes] or ["no quote"]),
            opposite_words(said.opposes),
            f"reason: {said.reason}" if said.reason else "no reason",
        ]
        blocks.append("\n".join(line for line in lines if line))
    return "\n\n".join(blocks)


PAGE_WORDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "http_error": ("dead link", "the link is dead, or the server refused"),
        "timeout": ("page timed out", "the server did not send the page in time"),
        "blocked": ("page not opened", "the address is not public, or the site forbids programs"),
        "too_large": ("page too large", "the page is too large to read"),
        "unreadable": ("page unreadable", "the page came but could not be read"),
        "not_text": ("not a text", "there is no text at the address"),
        "pdf_scan": ("scanned PDF", "the PDF is a scan without text"),
        "pdf_encrypted": ("locked PDF", "the PDF is locked with a password"),
        "soft_404": ("page gone", "the server sent a page that says: not found"),
        "cookie_wall": ("cookie wall", "only a question about cookies came, not the page"),
        "paywall": ("paywall", "the text is behind a paywall"),
        "js_only": ("page needs a browser", "the text of the page appears only in a browser"),
        "bot_check": ("page behind a robot check", "the site asked for proof of a human"),
        "thin": ("page almost empty", "the page holds almost no text"),
        "redirected_home": ("link leads elsewhere", "the link leads to the site's first page, not to the page cited"),
        "excerpt": ("only an excerpt", "only a passage of the page came with the answer"),
        "not_fetched": ("page not fetched", "the page was not fetched yet"),
    }
)
"""By state of a page that could not be read, or not as it was cited: a few words, and a sentence."""


def state_words(state: str) -> str:
    """A page's state in a few words: ``dead link``; one of a page that could be read as it is called."""
    few, _ = PAGE_WORDS.get(state.replace(" ", "_"), ("", ""))
    return few or in_words(state)
