"""The files that units come in, by their kind. Apart from the kinds, so that who reviews loads no importer."""

from typing import Final

from medreview.units.answer_files import MEDHALU
from medreview.units.answer_files import RANKING_FILES as RANKINGS
from medreview.units.case_file import CASE_FILES as CASES
from medreview.units.item_files import QA_FILES as QA
from medreview.units.item_files import QUESTION_FILES as QUESTIONS
from medreview.units.item_files import REVISION_FILES as REVISIONS
from medreview.units.label_files import FACT_LABEL_FILES as FACTS
from medreview.units.label_files import LIST_LABEL_FILES as LISTS
from medreview.units.label_files import PAIR_LABEL_FILES as PAIRS
from medreview.units.label_files import STATEMENT_LABEL_FILES as STATEMENTS
from medreview.units.unit_format import UnitFormat

FORMATS: Final[dict[str, UnitFormat]] = {
    "pair": PAIRS,
    "fact": FACTS,
    "statement_list": LISTS,
    "qa": QA,
    "question": QUESTIONS,
    "revision": REVISIONS,
    "answer": MEDHALU,
    "suggestion": CASES,
    "ranking": RANKINGS,
    "statement": STATEMENTS,
}
"""Asked in this order: a file that could be of two is of the first. A kind without one is made of what is there."""
