"""How well responses are supported by the sources they cite (SourceCheckup, statement and response level)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion

# Per response: numerator and denominator of each share, in this order.
_SHARES = (
    ("url_validity", "source URL validity", "are valid", "No response cites a URL."),
    ("statement_support", "statement-level support", "are supported", "There is no judged statement."),
    ("response_support", "response-level support", "are supported", "No response has judged statements."),
    ("unused_source_share", "unused sources", "are unused", "There is no judged source."),
)


@dataclass(frozen=True)
class ResponseSupport:
    """One response: per cited URL whether it gave a page with text; per statement and URL whether it supports.

    ``support`` has one row per statement and one entry per URL. An invalid URL supports nothing (``False``);
    ``None`` is a pair that has no judgement yet, and an URL that was not asked for because its text came with the
    response. ``statements`` says of each statement whether it is supported, where
    that is known otherwise than from the pairs (a jury's verdict, a reviewer's label).
    """

    urls: Sequence[bool | None]
    support: Sequence[Sequence[bool | None]]
    statements: Sequence[bool | None] | None = None


@dataclass(frozen=True)
class SupportMetrics:
    """The four shares; ``figures`` with responses as the resampling unit lead, ``wilson`` takes items as independent.

    A statement, response or source whose state hangs on a missing judgement is left out and counted in ``dropped``.
    """

    figures: Mapping[str, Estimate]
    wilson: Mapping[str, Estimate]
    urls: int
    statements: int
    responses: int
    without_statements: int


def response_counts(response: ResponseSupport) -> tuple[list[int], list[int]]:
    """Numerators and denominators of one response (8 counts, pairwise), and the dropped items per share (4).

    Raises ``ValueError`` when a statement's row does not have one entry per URL, or ``statements`` another length.
    """
    if any(len(row) != len(response.urls) for row in response.support):
        raise ValueError("every statement needs one entry per URL of its response")
    if response.statements is not None and len(response.statements) != len(response.support):
        raise ValueError("the statements and their rows differ in number")
    statements = response.statements
    if statements is None:
        statements = [_any(row) for row in response.support]
    sources = [_any([row[j] for row in response.support]) for j in range(len(response.urls))]
    # Not all([]): a response without statements is counted apart, not as fully supported.
    whole = [_all(statements)] if statements else []
    counts: list[int] = []
    dropped: list[int] = []
    for states, wanted in ((response.urls, True), (statements, True), (whole, True), (sources, False)):
        known = [state for state in states if state is not None]
        counts += [known.count(wanted), len(known)]
        dropped.append(len(states) - len(known))
    return counts, dropped


def support_metrics(
    responses: Sequence[ResponseSupport], *, level: float = 0.95, replicates: int = 9_999, seed: int = 1
) -> SupportMetrics:
    """URL validity, statement-level and response-level support and the share of unused sources (SourceCheckup).

    A statement is supported by one supporting source or more; a response when all its statements are, among the
    responses that have statements; a source is unused when it supports no statement of its response.
    """
    import numpy as np

    from medreview.stats.formulas import bootstrap
    from medreview.stats.formulas.coefficients import ratio

    resampling = bootstrap.Resampling(level, replicates, seed)
    counted = [response_counts(response) for response in responses]
    units = np.array([counts for counts, _ in counted], dtype=np.float64).reshape(-1, 8)
    dropped = [sum(column) for column in zip(*(lost for _, lost in counted), strict=True)] or [0, 0, 0, 0]
    totals = [int(total) for total in units.sum(axis=0)]
    data = bootstrap.contributions(units)
    sums = bootstrap.draw(data, resampling) if len(units) else units
    figures: dict[str, Estimate] = {}
    wilson: dict[str, Estimate] = {}
    for i, (key, name, what, nothing) in enumerate(_SHARES):
        top, bottom = 2 * i, 2 * i + 1
        k, n = totals[top], totals[bottom]
        wilson[key] = proportion(name, k, n, level=level, dropped=dropped[i], nothing=nothing)
        if n == 0:
            figures[key] = wilson[key]
            continue
        figures[key] = bootstrap.bootstrap_figure(
            name,
            k / n,
            ratio(sums[:, top], sums[:, bottom]),
            n=n,
            clusters=int((units[:, bottom] > 0).sum()),
            undefined=nothing,
            instead=bootstrap.wholly(units[:, top], units[:, bottom], f"all {what}", "responses", level),
            resampling=resampling,
            dropped=dropped[i],
        )
    return SupportMetrics(
        figures=figures,
        wilson=wilson,
        urls=totals[1],
        statements=sum(len(response.support) for response in responses),
        responses=sum(1 for response in responses if response.support),
        without_statements=sum(1 for response in responses if not response.support),
    )


def _any(states: Sequence[bool | None]) -> bool | None:
    """True if any is, ``None`` if that hangs on a missing one, else false (also for none at all)."""
    return True if any(states) else None if None in states else False


def _all(states: Sequence[bool | None]) -> bool | None:
    """False if any is, ``None`` if that hangs on a missing one, else true."""
    return False if False in states else None if None in states else True
