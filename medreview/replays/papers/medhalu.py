"""MedHalu: hallucinations of known types in answers to patients' questions, and who finds them."""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Final

from medreview.generators.hallucinations import Hallucinations
from medreview.judges.tasks import hallucination
from medreview.replays.replay import Replay, Row
from medreview.replays.step_kinds import ask, files, generate, review
from medreview.stats.units.answer_figures import PEOPLE, spans_apart
from medreview.stats.units.hallucination_detection import Detection, Evaluator, detection
from medreview.study import Study

_NO_ANSWER: Final = "there is no answer yet"
_NO_REMARK: Final = "no person has remarked on an answer yet"

_F1: Final = {
    "judge": "GPT-4 0.57, 0.52, 0.55; GPT-3.5 0.56, 0.52, 0.55; LLaMA-2 0.52, 0.50, 0.50",
    "assisted": "GPT-4 0.64, 0.57, 0.62; GPT-3.5 0.58, 0.55, 0.59; LLaMA-2 0.55, 0.52, 0.56",
    "people": "experts 0.79, 0.57, 0.71; laypeople 0.65, 0.47, 0.57",
}
"""Macro-F1 in HealthQA, LiveQA and MedicationQA (tables 6 and 10)."""
_ACCURACY: Final = {
    "judge": "GPT-4 0.57, 0.57, 0.55; GPT-3.5 0.57, 0.57, 0.56; LLaMA-2 0.62, 0.56, 0.57",
    "assisted": "GPT-4 0.81, 0.61, 0.65; GPT-3.5 0.76, 0.59, 0.67; LLaMA-2 0.65, 0.57, 0.60",
    "people": "experts 0.81, 0.59, 0.73; laypeople 0.67, 0.51, 0.58",
}
_BY_TYPE: Final = {
    "input": "GPT-4 0.61, 0.42, 0.61",
    "context": "GPT-4 0.72, 0.58, 0.68",
    "fact": "GPT-4 0.65, 0.53, 0.61",
}
_WHO: Final = {"judge": "", "assisted": " with an expert's remarks", "people": ""}


def table(study: Study, all_gold: bool = False) -> Iterator[Row]:
    """Accuracy and macro-F1 by evaluator and data set, by type, span distance, people beside what was planted.

    ``all_gold``: as of ``told_gold``.
    """
    found = detection(study.reader, all_gold=all_gold)
    waits = f"; {found.silent} right labels are shown once their answers are decided (queue answers), or with --gold"
    if not found.types or not found.evaluators:
        missing = "no answer has a right label that may be shown" if not found.types else "nobody has judged an answer"
        yield Row("macro-F1 of detection", _F1["judge"], missing=missing + (waits if found.silent else ""))
        return
    for evaluator in (one for one in found.evaluators if one.kind in _WHO):
        yield from _of(found, evaluator, waits if found.silent else "")
    yield from _people(found)
    for apart in (one for one in spans_apart(study.reader, all_gold=all_gold) if one.reference == PEOPLE):
        mean, median, _ = apart.left_out
        why = "Spans are located in the answer; where the judge marks none, the person's span is left out and counted."
        yield Row("mean edit distance of spans", "GPT-4 37.41, 84.33, 47.8; GPT-3.5 38.46, 107.11, 71.7", mean,
                  of=apart.judge, why=why)  # fmt: skip
        yield Row("median edit distance of spans", "GPT-4 4.5, 74.5, 34.5; GPT-3.5 7.0, 87.0, 84.0", median,
                  of=apart.judge, why="The raw distance grows with the span.")  # fmt: skip


def _of(found: Detection, evaluator: Evaluator, waits: str) -> Iterator[Row]:
    who = evaluator.name + _WHO[evaluator.kind] + (f" ({evaluator.mode})" if evaluator.mode else "")
    why = _why(evaluator) + waits
    whole = found.found(evaluator)
    yield Row("accuracy of detection", _ACCURACY[evaluator.kind], whole.accuracy, of=who, scale="ratio", why=why)
    yield Row("macro-F1 of detection", _F1[evaluator.kind], whole.macro_f1, of=who, scale="ratio", why=why)
    names = found.sets
    sets = names if len(names) > 1 else []
    for data_set in sets:
        of_set, of = found.found(evaluator, data_set), f"{who}, {data_set or 'no data set'}"
        yield Row("accuracy of detection, by data set", _ACCURACY[evaluator.kind], of_set.accuracy, of=of,
                  scale="ratio")  # fmt: skip
        yield Row("macro-F1 of detection, by data set", _F1[evaluator.kind], of_set.macro_f1, of=of, scale="ratio")
    if evaluator.kind == "judge":
        for name, (kind, paper) in product((None, *sets), _BY_TYPE.items()):
            if kind in found.types_in(name):
                yield Row(f"macro-F1 of detection, {kind}-conflicting", paper,
                          found.found(evaluator, name, of_type=kind).macro_f1,
                          of=who if name is None else f"{who}, {name or 'no data set'}", scale="ratio",
                          why="Answers of this type beside those without any; the paper does not say beside which.",
                          )  # fmt: skip


def _why(evaluator: Evaluator) -> str:
    if evaluator.kind == "judge":
        return 'Ours defines "input" against the question; the paper\'s prompt against the correct answer.'
    if evaluator.kind == "assisted":
        return "The remarks may hold the answer: this says how far a judge follows an expert."
    return "By the majority of a group; the paper does not say how three labels became one."


def _people(found: Detection) -> Iterator[Row]:
    for evaluator in found.evaluators:
        if evaluator.kind == "people":
            yield Row(
                "people and what was planted, kappa on the type", '"almost perfect"; the number is lost',
                found.kappa(evaluator), of=f"{evaluator.name} ({evaluator.mode})",
            )  # fmt: skip


REPLAY: Final = Replay(
    name="medhalu",
    paper="MedHalu: Hallucinations in Responses to Healthcare Queries by Large Language Models",
    takes="Questions with their correct answers; answers with known hallucinations; later people's labels.",
    steps=(
        files("files", "Bring in questions, correct answers, and answers with known hallucinations.", texts=True),
        generate("hallucinations", "The first model plants a hallucination of a type that is dealt to each question.",
                 Hallucinations, "no question has a correct answer yet"),
        ask("detection", "Ask every judge what is hallucinated in each answer, and of which type.",
            hallucination.ALONE, _NO_ANSWER),
        review("annotation", "Experts and laypeople say whether, of which type, where and why.", "answer", "answers",
               "answers", _NO_ANSWER),
        ask("assisted", "Ask every judge again, with what people remarked.", hallucination.ASSISTED, _NO_REMARK),
    ),
    departs=(
        "A judge gives a type, too, and each of its passages is looked up in the answer.",
        "The types are dealt evenly; the paper's set is 74% hallucinated, so that per-class figures matter more than "
        "accuracy.",
        "What a judge finds with remarks is never counted for or against it elsewhere.",
    ),
    not_replayed=(
        "Hired annotators: `medreview plan consent STUDY`, `medreview plan background STUDY`, `medreview plan gold "
        "STUDY`; the table of those who passed every check of attention: `medreview papers replay medhalu "
        "STUDY --passed attention`.",
        "The sampling values of the paper: its stored text has lost them; they are settings of the model.",
    ),
    table=table,
    of_all_gold=partial(table, all_gold=True),
    gold_of="answer",
)  # fmt: skip
