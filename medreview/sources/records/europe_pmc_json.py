"""The JSON of Europe PMC's search (``resultType=core``) as a record.

Field names: Europe PMC, "Articles RESTful API", response of the search method.
"""

import json
import re
from typing import Any, Final

from medreview.sources.reading.charset import decode
from medreview.sources.records.notices import ordered_notices
from medreview.sources.records.service_record import (
    Identifier,
    RecordDraft,
    ServiceRecord,
    authors_line,
    build_record,
    empty_record,
    identifiers_line,
    journal_line,
    list_section,
    missing_record,
    service_error,
    types_line,
)

EUROPE_PMC_PARSER: Final = "Europe PMC records 1"
"""Name and version of these rules, as stored with each snapshot."""

_HEADING: Final = re.compile(r"<(/?)h[1-6]\b[^<>]*>", re.IGNORECASE)
_ESCAPED_TWICE: Final = re.compile(r"&amp;(#?\w{2,8});")
_ESCAPED_TAG: Final = re.compile(r"&lt;(/?(?:i|b|u|em|strong|sup|sub|h[1-6]|p|br))\s{0,3}/?&gt;", re.IGNORECASE)
_SERVICE: Final = "Europe PMC"


def read_europe_pmc(body: bytes, requested: Identifier | None) -> ServiceRecord:
    """The requested record (the first when the request is unknown) of a search response."""
    try:
        answer = json.loads(decode(body))
    except (ValueError, RecursionError):
        return empty_record(
            "not_text", "The JSON is broken, or built to do harm, and cannot be read.", EUROPE_PMC_PARSER
        )
    if not isinstance(answer, dict):
        return empty_record("not_text", "The JSON holds no records.", EUROPE_PMC_PARSER)
    if "resultList" not in answer and ("errCode" in answer or "error" in answer):
        who = _SERVICE if "errCode" in answer else "The service"
        return service_error(who, _text(answer.get("errMsg")) or _text(answer.get("error")), EUROPE_PMC_PARSER)
    results = [result for result in _items(answer, "resultList", "result") if isinstance(result, dict)]
    if not results and answer.get("hitCount") not in (0, "0") and not _is_empty(answer):
        return empty_record("not_text", "The JSON is not as Europe PMC documents it.", EUROPE_PMC_PARSER)
    matching = [result for result in results if _matches(result, requested)]
    if not matching:
        other = next((found for result in results if (found := _identifier(result, requested))), "")
        return missing_record(_SERVICE, requested, other, EUROPE_PMC_PARSER)
    # One article may be listed as a PubMed record and as a preprint or a patent: prefer PubMed, then an abstract.
    best = max(matching, key=lambda result: (result.get("source") == "MED", bool(_text(result.get("abstractText")))))
    return build_record(_draft(best), EUROPE_PMC_PARSER)


def _is_empty(answer: dict[str, Any]) -> bool:
    listed = answer.get("resultList")
    return isinstance(listed, dict) and listed.get("result") == []


def _identifier(result: dict[str, Any], requested: Identifier | None) -> str:
    match requested and requested[0]:
        case "doi":
            return _text(result.get("doi")).lower()
        case "pmcid":
            return _text(result.get("pmcid")).upper()
    return _text(result.get("pmid")) or _text(result.get("id"))


def _matches(result: dict[str, Any], requested: Identifier | None) -> bool:
    return requested is None or _identifier(result, requested) == requested[1]


def _draft(result: dict[str, Any]) -> RecordDraft:
    journal = _object(result, "journalInfo")
    name = _object(journal, "journal")
    types = _texts(result, "pubTypeList", "pubType")
    corrections = [
        (_text(part.get("type")), _reference(part))
        for part in _items(result, "commentCorrectionList", "commentCorrection")
        if isinstance(part, dict)
    ]
    names = [
        _text(author.get("fullName")) or _text(author.get("collectiveName"))
        for author in _items(result, "authorList", "author")
        if isinstance(author, dict)
    ]
    abstract = _HEADING.sub(r"<\1h3>", _markup(result.get("abstractText")))
    return RecordDraft(
        service=_SERVICE,
        title=_HEADING.sub("", _markup(result.get("title"))) or "(without a title)",
        notices=ordered_notices(corrections, types),
        lines=[
            journal_line(
                _text(name.get("medlineAbbreviation"))
                or _text(name.get("isoabbreviation"))
                or _text(name.get("title"))
                or _text(_object(result, "bookOrReportDetails").get("publisher")),
                _text(journal.get("dateOfPublication")) or _text(result.get("pubYear")),
                _text(journal.get("volume")),
                _text(journal.get("issue")),
                _text(result.get("pageInfo")),
            ),
            authors_line(names) or _text(result.get("authorString")),
            identifiers_line(*(_text(result.get(key)) for key in ("pmid", "doi", "pmcid"))),
            types_line(types),
        ],
        abstract=f"<h2>Abstract</h2><div>{abstract}</div>" if abstract.strip() else "",
        full_text_only=list_section("Keywords", _texts(result, "keywordList", "keyword")),
    )


def _reference(correction: dict[str, Any]) -> str:
    reference, identifier = _text(correction.get("reference")), _text(correction.get("id"))
    sentence = f"{reference.rstrip('. ')}." if reference else ""
    return f"{sentence} PMID {identifier}".strip() if identifier and correction.get("source") == "MED" else sentence


def _text(value: object) -> str:
    """A JSON string or number as text; ``""`` for any other value."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _markup(value: object) -> str:
    """A JSON string as HTML. Some records are escaped twice: "&amp;lt; 30", "&lt;sup&gt;"."""
    return _ESCAPED_TAG.sub(r"<\1>", _ESCAPED_TWICE.sub(r"&\1;", _text(value)))


def _object(holder: dict[str, Any], name: str) -> dict[str, Any]:
    value = holder.get(name)
    return value if isinstance(value, dict) else {}


def _items(holder: dict[str, Any], outer: str, inner: str) -> list[Any]:
    value = _object(holder, outer).get(inner)
    return value if isinstance(value, list) else []


def _texts(holder: dict[str, Any], outer: str, inner: str) -> list[str]:
    return [text for item in _items(holder, outer, inner) if (text := _text(item))]
