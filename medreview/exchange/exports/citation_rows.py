"""A report on citations as rows and as one JSON object, for audits and other programs.

Names of per-response values are those of the notebook (``citations.allow_list``). Percentages are per cent, empty where
there is nothing to divide by; counts are of distinct sources, ``n_mentions`` of every place.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from medreview.atomic_output import atomic_outputs, check_own
from medreview.citations.allow_list import KINDS, ScoredCitation
from medreview.exchange.files.columns import CODE_POINTS, Cell, Column, cells, cells_of
from medreview.exchange.files.csv_file import CsvFile, sign_of
from medreview.exchange.imports.file_rows import BadRecord
from medreview.labels import INVALID
from medreview.sources.reach import STATES
from medreview.stats.citation_kpis import CitationReport, ScoredResponse

_VERDICTS: Final = ("allowed", "by_format", "not_allowed")


def _of_kind(kind: str) -> Column:
    return Column(f"n_{kind}", "integer", f"Of these, the kind {kind}.", made=lambda one: one.score.by_kind[kind])


def _in_state(state: str) -> Column:
    """Empty where nothing was asked for."""
    return Column(f"n_{state}", "integer", f"Sources that were {state}, of those asked for.",
                  made=lambda one: None if one.states is None else one.states[state])  # fmt: skip


def _pct(k: int, n: int) -> float | None:
    return 100 * k / n if n else None


def _reached(name: str) -> Callable[[Any], Cell]:
    return lambda one: getattr(one.reach, name, None)


RESPONSES: Final = (
    Column("id", "text", "The response, as the report names it: its id, or the line that it begins at.",
           made=lambda one: one.name),
    Column("line", "integer", "Where it begins in the file; in a study, its number.", made=lambda one: one.answer.line),
    Column("model", "text", "The model that gave it.", made=lambda one: one.answer.model),
    Column("origin", "text", "Where the question came from.", made=lambda one: one.answer.origin),
    Column("invalid", "text", "Why it is not a response; such a one names no source. Empty: it is one.",
           levels=tuple(INVALID), made=lambda one: one.answer.invalid or None),
    Column("has_citation", "boolean", "1: it names at least one source.", made=lambda one: one.counts.n_total > 0),
    Column("n_mentions", "integer", "How often any source is named.", made=lambda one: one.score.mentions),
    Column("n_total_citations", "integer", "Sources named, each once.", made=lambda one: one.counts.n_total),
    *map(_of_kind, KINDS),
    Column("n_allowed_over_all", "integer", "Sources allowed: URLs on the list, identifiers by format or by the list.",
           made=lambda one: one.counts.n_allowed),
    Column("n_by_format", "integer", "Of these, identifiers that were taken by their format alone.",
           made=lambda one: one.score.count("by_format")),
    Column("n_allowed_urls", "integer", "URLs on the allow-list.", made=lambda one: one.counts.n_allowed_urls),
    Column("pct_allowed_over_all", "number", "Allowed, of all sources.", unit="%",
           made=lambda one: _pct(one.counts.n_allowed, one.counts.n_total)),
    Column("pct_allowed_over_urls", "number", "Allowed, of the URLs.", unit="%",
           made=lambda one: _pct(one.counts.n_allowed_urls, one.counts.n_url)),
    Column("n_unusable", "integer", "Entries of the list beside the text that hold no citation.",
           made=lambda one: len(one.score.unusable)),
    *map(_in_state, STATES),
    Column("n_identifiers_missing", "integer", "Identifiers known not to exist.",
           made=lambda one: one.counts.n_checked - one.counts.n_existing if one.states is not None else None),
    Column("latency", "number", "How long the response took.", unit="s", made=lambda one: one.answer.latency_s),
    Column("reference_cosine", "number", "TF-IDF cosine with the reference: shared words.", unit="0 to 1",
           made=lambda one: one.concordance and one.concordance.cosine),
    Column("reference_statements", "integer", "Statements compared with the reference.",
           made=lambda one: one.concordance and one.concordance.statements),
    Column("reference_clashing", "integer", "Of these, statements that the reference excludes.",
           made=lambda one: one.concordance and one.concordance.clashing),
    Column("prompt", "text", "What was asked.", made=lambda one: one.answer.question),
    Column("output", "text", "The response.", made=lambda one: one.answer.text),
)  # fmt: skip

CITATIONS: Final = (
    Column("id", "text", "The response."),
    Column("line", "integer", "Where the response begins in the file; in a study, its number."),
    Column("place", "integer", "Place of the citation in its response, from 1."),
    Column("kind", "text", "What it is.", levels=KINDS),
    Column("value", "text", "The identifier without its label, or the URL as written."),
    Column("start", "integer", "Where it begins in the response; empty when only listed beside it.", unit=CODE_POINTS),
    Column("end", "integer", "Where it ends.", unit=CODE_POINTS),
    Column("domain", "text", "The host that it points to."),
    Column("verdict", "text", "allowed: by the list; by_format: by its form alone.", levels=_VERDICTS),
    Column("entry", "text", "The entry of the list that took it."),
    Column("group", "text", "The group of that entry."),
    Column("why", "text", "Why it was not allowed."),
    Column("source", "text", "Equal for citations of the same source."),
    Column("repeat", "boolean", "1: the response named this source before; not counted again."),
    Column("reach", "text", "What became of it, where it was asked for.", levels=STATES, made=_reached("state")),
    Column("status", "integer", "The last HTTP status.", made=_reached("status")),
    Column("final_url", "text", "Where the redirects led.", made=_reached("final_url")),
    Column("asked_at", "time", "When.", unit="UTC", made=_reached("at")),
    Column("exists", "boolean", "Of an identifier: 1 exists, 0 does not, empty when not known.",
           made=_reached("exists")),
)  # fmt: skip


def write_csv(report: CitationReport, path: Path) -> tuple[Path, Path]:
    """Write ``path`` (a row for each response) and ``NAME.citations.csv`` beside it (a row for each citation).

    In the dialect for Excel, since a cited address is text from outside that a spreadsheet may take for a formula.
    Both or neither. Raises :class:`UserError` when either is another file, or cannot be written.
    """
    first, second = _places(path)
    tables: list[tuple[Path, Sequence[Column], Iterable[Sequence[Cell]]]] = [
        (first, RESPONSES, (response_row(response, report) for response in report.responses)),
        (second, CITATIONS, citation_rows(report)),
    ]
    with atomic_outputs() as outputs:
        for place, columns, rows in tables:
            with outputs.file(place, sign_of(columns)) as made, CsvFile(made, columns, "excel") as file:
                file.add_all(rows)
    return first, second


def check_csv(path: Path) -> None:
    """Raise :class:`UserError` where :func:`write_csv` would: before the work, not after it."""
    for place, columns in zip(_places(path), (RESPONSES, CITATIONS), strict=True):
        check_own(place, sign_of(columns))


def response_row(response: ScoredResponse, report: CitationReport) -> list[Cell]:
    """One response by :data:`RESPONSES`."""
    asked = [report.reach[source.source].state for source in response.score.sources if source.source in report.reach]
    states = Counter(asked) if report.reach_from else None
    one = {name: getattr(response, name) for name in ("name", "answer", "counts", "score", "concordance")}
    return cells(RESPONSES, SimpleNamespace(**one, states=states))


def citation_rows(report: CitationReport) -> Iterator[list[Cell]]:
    """Every citation by :data:`CITATIONS`, repeats too."""
    made = cells_of(CITATIONS)
    for response in report.responses:
        about = {"id": response.name, "line": response.answer.line}
        for place, citation in enumerate(response.score.citations, 1):
            reach = report.reach.get(citation.source)
            yield made(SimpleNamespace(**asdict(citation), **about, place=place, reach=reach))


def payload(report: CitationReport, name: str, bad: Sequence[BadRecord]) -> dict[str, Any]:
    """The whole report for JSON: summary, criteria, figures, and every response with its text and its citations."""
    allow = report.allow
    return {
        "input": name,
        "allow_list": {
            "name": allow.name,
            "domains": sorted(str(entry) for entries in allow.entries.values() for entry in entries),
            "identifiers": sorted(allow.identifiers),
        },
        "summary": report.all.figures.summary,
        "mentions": report.mentions,
        "criteria": [asdict(criterion) for criterion in report.criteria],
        "passed": report.passed,
        "figures": asdict(report.all),
        "by_model": {model: asdict(group) for model, group in report.by_model.items()},
        "models_omitted": report.models_omitted,
        "reach_from": report.reach_from or None,
        "resampling": asdict(report.resampling),
        "provenance": None if report.provenance is None else asdict(report.provenance),
        "references": None if report.references is None else asdict(report.references),
        "left_out": [asdict(record) for record in bad],
        "responses": [_response(response, report) for response in report.responses],
    }


def _response(response: ScoredResponse, report: CitationReport) -> dict[str, Any]:
    named = dict(zip((column.name for column in RESPONSES), response_row(response, report), strict=True))
    named["has_citation"] = bool(named["has_citation"])
    named["response"] = named.pop("output")  # as it has been called here from the start
    return {
        **named,
        "unusable": list(response.score.unusable),
        "concordance": None if response.concordance is None else asdict(response.concordance),
        "citations_detail": [_detail(citation, report) for citation in response.score.citations],
    }


def _detail(citation: ScoredCitation, report: CitationReport) -> dict[str, Any]:
    reach = report.reach.get(citation.source)
    return {**asdict(citation), "reach": None if reach is None else asdict(reach)}


def _places(path: Path) -> tuple[Path, Path]:
    return path, path.with_name(f"{path.stem}.citations{path.suffix or '.csv'}")
