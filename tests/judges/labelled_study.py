"""Questions with one statement and one page each, all labelled blind by anna: material for worked examples."""

from medreview.judges.prompts import load_prompt
from medreview.pipeline import roll_up
from medreview.study import Study
from tests.judges.renal_study import fill
from tests.stats.small_study import SmallStudy

DRUGS = ("metformin", "warfarin", "digoxin", "lithium", "aspirin", "heparin", "insulin", "codeine", "atenolol",
         "ramipril", "furosemide", "prednisolone", "amiodarone", "phenytoin", "ibuprofen", "omeprazole", "apixaban",
         "sertraline", "morphine", "allopurinol", "simvastatin", "verapamil", "clozapine", "colchicine")  # fmt: skip
PROMPT = load_prompt("source_verification").id
LEVELS = ("supported", "partial", "contradicted", "not_addressed")


def page(drug: str) -> str:
    """What the page of a drug says."""
    return f"On {drug}\n\nCheck the kidneys before {drug} is started. Adults over 65 need a lower dose of {drug}."


def statement(drug: str) -> str:
    """The one statement of its answer."""
    return f"Before {drug} is started the kidneys are checked."


def labelled(study: Study, *, mode: str = "blind", who: str = "anna", count: int = len(DRUGS), more: str = "",
             instead: str = "") -> SmallStudy:  # fmt: skip
    """Statement ``s1`` of question 1, and so on; labels go round the four levels. ``more`` ends each page; ``instead``:
    the whole of each, with a place for the drug."""
    answers = [(f"How is {drug} started?", statement(drug), [(f"s{at}", statement(drug))])
               for at, drug in enumerate(DRUGS, 1)]  # fmt: skip
    fill(
        study,
        answers,
        {f"p{at}": instead.format(drug) if instead else page(drug) + more for at, drug in enumerate(DRUGS, 1)},
    )

    def own_page_only(connection):
        connection.execute("DELETE FROM citation WHERE substr(source_id, 2) <> substr(response_id, 2)")
        connection.execute("INSERT INTO study VALUES ('seed', 'halves 4')")

    study.write(own_page_only)
    small = SmallStudy(study)
    for at in range(1, count + 1):
        small.said(LEVELS[at % 4], f"s{at}", mode=mode, who=who)
    roll_up(study)
    return small
