"""What sort of work a reference describes."""

import re
from collections.abc import Sequence
from typing import Final

from medreview.references.model import Author, Identifier, WorkKind
from medreview.references.printed.parts import journal_words

_LABEL: Final = re.compile(
    r"prescribing information|full prescribing|summary of product characteristics|\bSm?PC\b|package (?:insert"
    r"|leaflet)|drug label|product (?:label|monograph|information)"
    r"|fachinformation|gebrauchsinformation|patient information leaflet|\bDailyMed\b|highlights of prescribing"
    r"|\bUSPI\b|résumé des caractéristiques",
    re.IGNORECASE,
)
_GUIDELINE: Final = re.compile(
    r"guidelines?\b|guidance\b|\bclinical practice\b|recommendations?\b|consensus (?:statement|report|conference)"
    r"|position (?:statement|paper)|standards of (?:medical )?care"
    r"|leitlinien?\b|\bS[123][ek]?-Leitlinie|\bN[GS]\d{1,4}\b|\bCG\d{1,4}\b|\bTA\d{2,4}\b|practice (?:parameter"
    r"|bulletin|advisory)|scientific statement|recommandations\b|appropriate(?:ness)? use criteria",
    re.IGNORECASE,
)
_GUIDE_SERIES: Final = re.compile(
    r"\bNICE (?:clinical )?guid(?:eline|ance)|\[(?:NG|CG|TA)\d{1,4}\]|\b(?:NG|CG)\d{2,4}\b|AWMF-Reg"
)
_BOOK: Final = re.compile(r"\b(?:handbook|textbook|lehrbuch|principles (?:of|and practice)|manual of)\b", re.IGNORECASE)
_THESIS: Final = re.compile(r"[\[(](?:[\w' -]{0,30})(?:dissertation|thesis)\b", re.IGNORECASE)
_TRIAL: Final = re.compile(
    r"clinicaltrials\.gov|\bISRCTN|\bEudraCT|\bACTRN|\bChiCTR|\bUMIN\d|\bDRKS\d|\bCTRI/|trial registration",
    re.IGNORECASE,
)
_PREPRINT: Final = re.compile(
    r"\b(?:med|bio|psy|chem|soc)?r?xiv\b|\bpreprints?(?:\.org)?\b|research square|\bssrn\b|\bosf preprints\b",
    re.IGNORECASE,
)
_PREPRINT_DOI: Final = re.compile(r"10\.(?:1101|21203|2139|20944|31234|31219|26434|48550)/")
_DATASET: Final = re.compile(
    r"\bdata ?sets?\b\]?|\bzenodo\b|\bfigshare\b|\bdryad\b|\bdatabase \[|\bdata set\b|\bmendeley data\b"
    r"|\bphysionet\b|\bdataverse\b",
    re.IGNORECASE,
)
_REPORT: Final = re.compile(
    r"\b(?:technical|annual|final|evidence|working|research|global|world) (?:report|paper)|\breport (?:no|of"
    r"|on)\b|\bthesis\b|\bdissertation\b|\bwhite paper\b|\bfact ?sheet\b|\breport(?: \d{4})?\Z"
    r"|doktorarbeit|habilitation|health technology assessment|\bHTA report",
    re.IGNORECASE,
)
_ENCYCLOPAEDIA: Final = re.compile(
    r"\buptodate\b|\bmedlineplus\b|\bmedscape\b|\bmayo clinic\b|\bwikipedia\b|\bwebmd\b|\bdynamed\b"
    r"|\bcleveland clinic\b|\bnhs(?:\.uk| website| choices| inform)\b|\bpatient\.info\b",
    re.IGNORECASE,
)


def is_by_body(authors: Sequence[Author]) -> bool:
    """Whether an institution or a group is the only author."""
    return bool(authors) and all(author.body for author in authors)


def kind_of(
    text: str,
    *,
    title: str,
    container: str,
    numbered: bool,
    publisher: str,
    edition: str,
    journal: bool,
    chapter: bool,
    identifiers: tuple[Identifier, ...],
    url: str,
    by_body: bool = False,
) -> WorkKind:
    """The sort of work; ``numbered``: it has a volume or pages; ``by_body``: no person is its author."""
    kinds = {identifier.kind for identifier in identifiers}
    if _LABEL.search(text):
        return "drug_label"
    if numbered and container and not chapter:
        return "article"
    if (
        _PREPRINT.search(container or text)
        or "arxiv" in kinds
        or any(_PREPRINT_DOI.match(i.value) for i in identifiers)
    ):
        return "preprint"
    if ("nct" in kinds and not ({"doi", "pmid"} & kinds)) or _TRIAL.search(container or title):
        return "trial"
    if _DATASET.search(text):
        return "dataset"
    if _GUIDE_SERIES.search(text) or (not chapter and _ENCYCLOPAEDIA.search(container)):
        return "guideline" if _GUIDE_SERIES.search(text) else "web_page"
    if chapter:
        return "web_page" if _ENCYCLOPAEDIA.search(container) else "chapter"
    if _BOOK.search(title) or edition or "isbn" in kinds:
        return "book"
    if journal:
        return "article"
    if _GUIDELINE.search(title) or (not title and _GUIDELINE.search(text)):
        return "guideline"
    if _ENCYCLOPAEDIA.search(text):
        return "web_page"
    if _THESIS.search(text) or _REPORT.search(title) or _REPORT.search(container):
        return "report"
    if publisher and not container:
        return "book"
    if {"pmid", "pmcid", "doi"} & kinds:
        return "article"
    if url:
        return "web_page"
    if by_body and not numbered and not journal_words(container):
        return "report"
    return "article" if container else "unknown"
