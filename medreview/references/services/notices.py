"""Retractions, concerns, corrections and versions that stand beside a record, as notices.

The kinds of corrections and publication types are those of :mod:`medreview.sources.records.notices`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from medreview.references.model import Notice, NoticeKind
from medreview.references.preprint_servers import names_preprint_server
from medreview.references.services.values import doi_of, objects, text_of, years_of
from medreview.sources.records.notices import correction_of, type_of

_LONGEST: Final = 300
_PUBMED: Final[Mapping[str, NoticeKind]] = {
    "retractionin": "retracted",
    "partialretractionin": "retracted",
    "retractedandrepublishedin": "retracted",
    "expressionofconcernin": "concern",
    "correctedandrepublishedin": "corrected",
    "erratumin": "corrected",
    "updatein": "superseded",
    "preprintin": "published_as",
    "preprintof": "preprint_of",
}
_CROSSREF: Final[Mapping[str, NoticeKind]] = {
    "retraction": "retracted",
    "partial_retraction": "retracted",
    "removal": "withdrawn",
    "withdrawal": "withdrawn",
    "expression_of_concern": "concern",
    "correction": "corrected",
    "corrigendum": "corrected",
    "erratum": "corrected",
    "addendum": "corrected",
    "new_edition": "superseded",
    "new_version": "superseded",
}
_RELATIONS: Final[Mapping[str, NoticeKind]] = {
    "is-preprint-of": "published_as",
    "has-preprint": "preprint_of",
    "is-replaced-by": "superseded",
}


def notices_of_corrections(
    corrections: Iterable[tuple[str, str, str]], types: Sequence[str], *, preprint: bool = False
) -> tuple[Notice, ...]:
    """Notices of corrections, given as (kind, what it names, words), and of publication types.

    A newer version of a preprint is the article that it became, and what an article updates may be its preprint.
    """
    found: list[Notice] = []
    for kind, names, words in corrections:
        known = _PUBMED.get(correction_of(kind))
        if known == "superseded" and preprint:
            known = "published_as"
        elif correction_of(kind) == "updateof" and not preprint and names_preprint_server(words):
            known = "preprint_of"
        if known is not None:
            found.append(Notice(known, names, words[:_LONGEST]))
    by_type = (Notice(known, "", one) for one in types if (known := _PUBMED.get(type_of(one))) is not None)
    return _each_once([*found, *(notice for notice in by_type if not _has(found, notice.kind))])


def notices_of_crossref(item: Mapping[str, Any]) -> tuple[Notice, ...]:
    """Notices of a work in Crossref: who updates it, and what it is a preprint of, or has as one."""
    found = []
    for update in objects(item.get("updated-by")):
        kind = _CROSSREF.get(text_of(update.get("type")).lower().replace("-", "_").replace(" ", "_"))
        if kind is not None:
            years = years_of([update.get("updated")])
            words = text_of(update.get("label")) or text_of(update.get("type"))
            found.append(
                Notice(kind, doi_of(update.get("DOI")), f"{words}{f', {years[0]}' if years else ''}"[:_LONGEST])
            )
    relations = item.get("relation")
    for name, kind in _RELATIONS.items():
        for related in objects(relations.get(name) if isinstance(relations, dict) else None):
            found.append(Notice(kind, doi_of(related.get("id")) or text_of(related.get("id"))[:_LONGEST]))
    return _each_once(found)


def with_mark(notices: Sequence[Notice], mark: Sequence[Notice]) -> tuple[Notice, ...]:
    """The notices, and that of a mark in the title ("Retracted: ") where none of them says so."""
    told = any(one.kind in ("retracted", "withdrawn") for one in notices)
    return tuple(notices) if told else (*mark, *notices)


def _has(notices: Sequence[Notice], kind: NoticeKind) -> bool:
    return any(notice.kind == kind for notice in notices)


def _each_once(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """Each notice once by its kind and what it names: several services and registers report the same one."""
    return tuple({(notice.kind, notice.names): notice for notice in reversed(notices)}.values())[::-1]
