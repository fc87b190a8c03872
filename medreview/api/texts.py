"""What can be asked of plain texts, without a study, a model or a network."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from medreview.citations.citation import Citation
    from medreview.evidence.assess import Assessment
    from medreview.evidence.grounding import Grounding, QuoteIndex
    from medreview.evidence.passage_ranking import SourceIndex
    from medreview.statements.split import Parsed


def ground_quote(quote: str, text: str | QuoteIndex) -> Grounding:
    """Where a quotation stands in a text, and how true it is to it.

    ``status`` is ``exact``, ``normalised``, ``near``, ``altered``, ``absent`` or ``too_short``
    (:mod:`medreview.evidence.grounding`), never one of the first two when a digit differs. Spans count code points of
    ``text``. Many quotations of one text: give a ``QuoteIndex`` of it.
    """
    from medreview.evidence.grounding import ground

    return ground(quote, text)


def find_evidence(
    statement: str, text: str | SourceIndex, *, synonyms: str | PathLike[str] | None = None
) -> Assessment:
    """The passages of a text that bear on a statement, best first, and what clashes with it; by rules, no model.

    ``unsupported`` (0..1, higher is to be looked at sooner) orders a pile for reading; it is not a probability, nor
    ``label`` a verdict. Spans count code points of ``text``, those of a clash's statement of ``statement``. Many
    statements on one text: give a ``SourceIndex`` of it. ``synonyms`` is a table of your own, added to the program's;
    it has no effect on an index that is made already. Raises ``UserError`` for a table that cannot be used.
    """
    from medreview.evidence.assess import assess
    from medreview.evidence.passage_ranking import SourceIndex
    from medreview.evidence.terms import vocabulary

    if isinstance(text, str):
        text = SourceIndex(text, vocabulary(Path(synonyms) if synonyms is not None else None))
    return assess(statement, text)


def extract_citations(text: str) -> list[Citation]:
    """Every citation of a text, in its order: URL, DOI, PMID, PMCID, NCT number, arXiv.

    A resolver's address is the identifier that it stands for. By format alone: an invented DOI is one too. ``start``
    and ``end`` count code points of ``text``.
    """
    from medreview.citations.extract import extract

    return extract(text)


def split_statements(text: str) -> Parsed:
    """A response cut into statements that can be checked one by one, and what was left out, with the reason.

    By rules, no model (SourceCheckup asks a model). ``text[statement.start:statement.end] == statement.text``.
    """
    from medreview.statements.split import split

    return split(text)
