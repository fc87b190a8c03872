"""The files that units come in, by their kind. Apart from the kinds, so that who reviews loads no importer."""

from typing import Final

from medreview.units.case_file import FORM as CASES
from medreview.units.fact_file import FORM as FACTS
from medreview.units.medhalu import MEDHALU
from medreview.units.pair_format import FORMAT as PAIRS
from medreview.units.qa_format import FORMAT as QA
from medreview.units.question_format import FORMAT as QUESTIONS
from medreview.units.ranking_file import FORM as RANKINGS
from medreview.units.revision_format import FORMAT as REVISIONS
from medreview.units.unit_format import UnitFormat

FORMATS: Final[dict[str, UnitFormat]] = {
    "pair": PAIRS,
    "fact": FACTS,
    "qa": QA,
    "question": QUESTIONS,
    "revision": REVISIONS,
    "answer": MEDHALU,
    "suggestion": CASES,
    "ranking": RANKINGS,
}
"""Asked in this order: a file that could be of two is of the first. A kind without one is made of what is there."""
