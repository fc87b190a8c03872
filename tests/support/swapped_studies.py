"""Studies over the same answers in which another model parsed, verified or wrote the questions."""

from collections.abc import Mapping
from pathlib import Path

from medreview.judges.verdicts import refresh
from medreview.study import Study
from medreview.units.stored import NewUnit, add_units
from tests.support.study_builder import StudyBuilder, build

PAGE = "What the page says."


def parsed(
    path: Path, parser: str, said: Mapping[str, Mapping[str, str]], *, asked: str = "What is to be done, {}?"
) -> Study:
    """Each response has the statements of ``said``, "A" and the like, each with a letter of each judge: ``g+ c-`` is
    supported by g and not by c, ``g?`` nothing that g could tell."""
    study = Study.create(path)

    def fill(rows: StudyBuilder) -> None:
        rows.page("u1", PAGE, snapshot_id="pu1")
        for response, statements in said.items():
            rows.response(
                response, f"The answer {response}.", parser=parser, question=asked.format(response), cites=["u1"]
            )
            for text, words in statements.items():
                unit = rows.statement(response, text, f"{response}.{text}")
                for word in words.split():
                    verdict = {"+": "supported", "-": "not_addressed", "?": "unsure"}[word[-1]]
                    quote = PAGE if verdict == "supported" else ""
                    rows.judgement(word[:-1], unit, "pu1", verdict, quote, "exact" if quote else "none")

    build(study, fill)
    refresh(study)
    return study


def written(study: Study, writers: Mapping[str, str]) -> None:
    """Questions of a study as units, by who wrote them."""
    units = [
        NewUnit("question", text, {"question": text, "answer": "", "quote": "", "passage": "", "url": ""}, model=model)
        for text, model in writers.items()
    ]
    study.write(lambda connection: add_units(connection, units, "questions.jsonl"))
