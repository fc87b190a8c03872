"""A small study whose statements are edited, and what tests ask of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from medreview import pipeline
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.statement_editing import split_event, statements_in_order
from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent
from medreview.study.statement_edits import all_edits, fold, statement_id_of
from medreview.units.statement_view import load_statement_view
from tests.support.study_builder import StudyBuilder, build, rows_of

ANSWER = (
    "Hello! Aspirin lowers fever [1] and ibuprofen harms the kidneys. Rest helps. Parking is free. Take 5 mg daily."
)
BOTH = "Aspirin lowers fever [1] and ibuprofen harms the kidneys."
TEXTS = (BOTH, "Rest helps.", "Parking is free.", "Take 5 mg daily.")
REWORDED = "It was said otherwise, and at length."
S1, S2, S3, S4 = (statement_id_of("r1", ANSWER.index(text), text) for text in TEXTS)
R2 = statement_id_of("r2", None, REWORDED)


def material(to: StudyBuilder) -> None:
    to.page("u1", "Aspirin lowers fever in adults. Ibuprofen may harm the kidneys. Take 5 mg daily.")
    to.response("r1", ANSWER, cites=["u1"])
    for unit, text in zip((S1, S2, S3, S4), TEXTS, strict=True):
        to.statement("r1", text, unit)
    to.response("r2", "Other words.", cites=["u1"])
    to.statement("r2", REWORDED, R2)


def edit(study: Study, event: NewEvent, who: str = "ada") -> list[str]:
    return pipeline.edit(study, who, [event]).statements


def cut(study: Study, unit: str = S1, before: str = "and ibu", who: str = "ada") -> list[str]:
    text = load_statement_view(study.reader, unit).text
    return edit(study, split_event(study.reader, unit, text.index(before)), who)


def texts(study: Study, response: str = "r1") -> list[str]:
    return [load_statement_view(study.reader, unit).text for unit in statements_in_order(study.reader, response)]


def names(study: Study) -> list[str]:
    return [load_statement_view(study.reader, unit).short_name for unit in statements_in_order(study.reader, "r1")]


def retired(study: Study) -> dict[str, str]:
    return {row["statement_id"]: row["how"] for row in rows_of(study, "SELECT * FROM retired_statement")}


def session(study: Study, queue: str = "responses", who: str = "ada") -> ReviewSession:
    return ReviewSession(study, who, open_queue(study, queue, who))


def whole(study: Study) -> None:
    assert check(study.reader) == []
    found = {each for edits in all_edits(study.reader).values() for each in fold(edits).retired}
    assert found == retired(study).keys()


def copies(study: Study, tmp_path: Path) -> Path:
    other = tmp_path / "two.medreview"
    study.reader.execute("VACUUM INTO ?", (str(other),))
    return other


@contextmanager
def edited_study(path: Path) -> Iterator[Study]:
    """The study, judged by the rules."""
    with Study.create(path) as made:
        build(made, material)
        pipeline.judge(made, processes=0)
        yield made
