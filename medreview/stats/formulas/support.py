"""How well responses are supported by the sources they cite (SourceCheckup, statement and response level)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion

if TYPE_CHECKING:
    from medreview.stats.formulas.bootstrap import Resampling


class _Share(NamedTuple):
    """A share: what its items are as a ``whole``, and why it is undefined: without items, or with incomplete ones."""

    key: str
    name: str
    whole: str
    nothing: str
    incomplete: str


_URLS: Final = _Share(
    "url_validity", "source URL validity", "valid", "No response cites a URL.", "Nothing was fetched yet."
)
_JUDGED: Final = (
    _Share(
        "own_support", "statement-level support, own citations", "supported",
        "No statement cites a source itself.", "No statement has a verdict on a source that it cites yet.",
    ),
    _Share(
        "statement_support", "statement-level support", "supported", "There is no statement.",
        "No statement has a verdict yet.",
    ),
    _Share(
        "response_support", "response-level support", "supported", "No response has statements.",
        "In no response has every statement a verdict.",
    ),
    _Share(
        "unused_source_share", "unused sources", "unused", "No response cites a source.",
        "No source has a verdict on every statement of its response.",
    ),
)  # fmt: skip
_SHARES: Final = (_URLS, *_JUDGED)
SHARE_NAMES: Final[Mapping[str, str]] = {share.key: share.name for share in _SHARES}
"""What each share is called."""


@dataclass(frozen=True)
class ResponseSupport:
    """One response: per cited URL whether it gave a page with text; per statement and URL whether it supports.

    ``urls``: ``None`` is one that was not asked for: not fetched yet, or its text
    came with the response. ``support`` has one row per statement and one entry per URL. An
    invalid URL supports nothing (``False``); ``None`` is a pair without a verdict. ``statements`` says of each whether
    it is supported, where that is known otherwise than from the pairs (a jury's verdict, a reviewer's label). ``own``:
    of each statement that itself cites a source, whether one that it cites supports it. ``invalid``: it is no response
    (``labels.INVALID``), has neither statements nor sources, and is not supported. ``parted``: only some of its
    statements are here, so that it is no item of response support, nor its sources of unused ones. ``cluster``: what is
    resampled with it, such as its question; ``""`` for the response itself.
    """

    urls: Sequence[bool | None]
    support: Sequence[Sequence[bool | None]]
    statements: Sequence[bool | None] | None = None
    own: Sequence[bool | None] = ()
    invalid: bool = False
    parted: bool = False
    cluster: str = ""

    @cached_property
    def counts(self) -> tuple["_Counts", ...]:
        """Its items of each share: kept, since it is one of the responses of its model and of its origin as well."""
        return _counts(self)


@dataclass(frozen=True)
class Bounds:
    """A share of ``n`` items when each missing verdict is taken as not supported, and when it is taken as supported.

    ``missing`` counts the items that lack a verdict. The two are ``None`` when ``n`` is 0. They are no interval: they
    say what the missing verdicts could change, whatever the reason why they are missing.
    """

    name: str
    not_supported: float | None
    supported: float | None
    n: int
    missing: int

    @property
    def ends(self) -> tuple[float, float] | None:
        """The two, the lower first: of unused sources, the more is supported, the fewer. ``None`` when ``n`` is 0."""
        if self.not_supported is None or self.supported is None:
            return None
        return min(self.not_supported, self.supported), max(self.not_supported, self.supported)


@dataclass(frozen=True)
class SupportMetrics:
    """The shares; ``figures`` over clusters of responses lead, ``wilson`` takes items as independent.

    A response with a statement that has no verdict is left out and counted in ``dropped``, also where another statement
    settles it; so is a source that has no verdict on one of them. To keep what one verdict settles and drop what a
    missing one leaves open would select on the outcome. ``bounds``, of all but URL validity, have every item.
    ``responses`` have statements, others are ``without_statements``; ``invalid`` ones are counted apart from both.
    """

    figures: Mapping[str, Estimate]
    wilson: Mapping[str, Estimate]
    bounds: Mapping[str, Bounds]
    urls: int
    statements: int
    responses: int
    without_statements: int
    invalid: int


class _Counts(NamedTuple):
    """The items of a share: how many, how many lack nothing (``known``) and how many of these are so.

    ``least`` and ``most``: how many count with missing verdicts taken as not supported, and as supported.
    """

    items: int
    known: int
    so: int
    least: int
    most: int


_NONE: Final = _Counts(0, 0, 0, 0, 0)


def _counts(response: ResponseSupport) -> tuple[_Counts, ...]:
    """The items of each share in one response.

    Raises ``ValueError`` when a statement's row does not have one entry per URL, or ``statements`` another length.
    """
    if any(len(row) != len(response.urls) for row in response.support):
        raise ValueError("every statement needs one entry per URL of its response")
    if response.statements is not None and len(response.statements) != len(response.support):
        raise ValueError("the statements and their rows differ in number")
    states = response.statements
    if states is None:
        states = [_any(row) for row in response.support]
    statements = _of_states(states)
    # Not all([]): a response without statements is counted apart, not as fully supported.
    whole = _whole(states) if states and not response.parted else _NONE
    if response.invalid:
        whole = _of_states([False])
    sources = _unused([[row[place] for row in response.support] for place in range(len(response.urls))])
    if response.parted:
        sources = _unused([])
    return _of_states(response.urls), _of_states(response.own), statements, whole, sources


def _of_states(states: Sequence[bool | None]) -> _Counts:
    yes, missing = states.count(True), states.count(None)
    return _Counts(len(states), len(states) - missing, yes, yes, yes + missing)


def _whole(states: Sequence[bool | None]) -> _Counts:
    """A response by its statements: known when none of them lacks a verdict, also where another one settles it."""
    known, least, most = None not in states, all(states), False not in states
    return _Counts(1, known, known and least, least, most)


def _unused(sources: Sequence[Sequence[bool | None]]) -> _Counts:
    """Sources by whether each statement is supported by them. The more of what is missing is support, the fewer."""
    items = len(sources)
    known = sum(None not in said for said in sources)
    so = sum(None not in said and True not in said for said in sources)
    least = sum(True not in said for said in sources)
    return _Counts(items, known, so, least, sum(True not in said and None not in said for said in sources))


def support_counts(response: ResponseSupport) -> dict[str, tuple[int, int]]:
    """By share (``statement_support``, ...): how many items of a response are so, of how many that lack no verdict."""
    return {share.key: (one.so, one.known) for share, one in zip(_SHARES, response.counts, strict=True)}


def support_metrics(
    responses: Sequence[ResponseSupport],
    resampling: "Resampling | None" = None,
) -> SupportMetrics:
    """URL validity, statement-level and response-level support and the share of unused sources (SourceCheckup).

    A statement is supported by one supporting source or more: of those that it cites itself, or of all of its response.
    A response is when all its statements are, among the responses that have statements and the invalid ones, which
    are not; a source is unused when it supports no statement of its response.
    """
    from medreview.stats.formulas.bootstrap import DEFAULT
    from medreview.stats.formulas.shared_draws import ResponseSample

    resampling = resampling or DEFAULT
    columns = [f"{part} {share.key}" for share in _SHARES for part in ("so", "known")]
    rows = [[count for one in response.counts for count in (one.so, one.known)] for response in responses]
    clusters = [response.cluster or str(place) for place, response in enumerate(responses)]
    sample = ResponseSample(columns, rows, resampling, clusters=clusters)
    pooled = {share: _sum(response.counts[place] for response in responses) for place, share in enumerate(_SHARES)}
    figures: dict[str, Estimate] = {}
    wilson: dict[str, Estimate] = {}
    for share, items in pooled.items():
        so, known = f"so {share.key}", f"known {share.key}"
        dropped = items.items - items.known
        nothing = share.incomplete if dropped else share.nothing
        wilson[share.key] = proportion(
            share.name, items.so, items.known, level=resampling.level, dropped=dropped, nothing=nothing
        )
        figures[share.key] = sample.share(share.name, so, known, undefined=nothing, whole=share.whole, dropped=dropped)
    return SupportMetrics(
        figures=figures,
        wilson=wilson,
        bounds={share.key: _bounds(share, pooled[share]) for share in _JUDGED},
        urls=pooled[_URLS].items,
        statements=sum(len(response.support) for response in responses),
        responses=sum(1 for response in responses if response.support),
        without_statements=sum(1 for response in responses if not response.support and not response.invalid),
        invalid=sum(response.invalid for response in responses),
    )


def _sum(counts: Iterable[_Counts]) -> _Counts:
    return _Counts(*(sum(column) for column in zip(_NONE, *counts, strict=True)))


def _bounds(share: _Share, counts: _Counts) -> Bounds:
    n = counts.items
    if n == 0:
        return Bounds(share.name, None, None, 0, 0)
    return Bounds(share.name, counts.least / n, counts.most / n, n, n - counts.known)


def _any(states: Sequence[bool | None]) -> bool | None:
    """True if any is, ``None`` if that hangs on a missing one, else false (also for none at all)."""
    return True if any(states) else None if None in states else False
