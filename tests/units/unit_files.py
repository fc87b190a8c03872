"""Files of units of every kind, in the forms of docs/units.md, of a few true sentences and their planted errors."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

COUNT: Final = 24
"""Units of a kind at least: a block of twenty, and more."""

Record = dict[str, Any]


class Topic(NamedTuple):
    """A question, the sentence of a page that answers it, and one that cannot be true together with it."""

    question: str
    true: str
    wrong: str


TOPICS: Final = (
    Topic("By which test is warfarin monitored?", "Warfarin is monitored by the INR.",
          "Warfarin is monitored by the platelet count."),
    Topic("Where is adrenaline injected in anaphylaxis?", "Adrenaline is injected into the outer thigh.",
          "Adrenaline is injected under the skin of the belly."),
    Topic("Which eGFR rules metformin out?", "Metformin is not given at an eGFR below 30.",
          "Metformin is given at an eGFR below 30 without limits."),
    Topic("Which vasopressor comes first in septic shock?", "Norepinephrine comes first in septic shock.",
          "Dopamine comes first in septic shock."),
    Topic("What reverses an overdose of opioids?", "Naloxone reverses the effect of opioids.",
          "Flumazenil reverses the effect of opioids."),
    Topic("What treats poisoning with paracetamol?", "Acetylcysteine treats poisoning with paracetamol.",
          "Charcoal alone treats poisoning with paracetamol after two days."),
    Topic("What does long use of metformin lower?", "Metformin can lower vitamin B12.",
          "Metformin can lower vitamin D."),
    Topic("Which blood value do ACE inhibitors raise?", "ACE inhibitors can raise potassium.",
          "ACE inhibitors cannot raise potassium."),
)  # fmt: skip
SETTINGS: Final = ("adults", "people of 65 or older", "people in hospital")


def topics() -> Iterator[tuple[int, Topic, str]]:
    """Number from 1, topic and setting of each unit; the question names the setting, so that each stands once."""
    for number in range(COUNT):
        topic, setting = TOPICS[number % len(TOPICS)], SETTINGS[number // len(TOPICS)]
        yield number + 1, topic._replace(question=f"{topic.question[:-1]} in {setting}?"), setting


def _passage(topic: Topic, setting: str) -> str:
    return f"This page is about {setting}. {topic.true} Doses are checked against the leaflet of the product."


def responses() -> Iterator[Record]:
    """Answers of two statements each, with the texts of two pages that they cite."""
    for number, topic, setting in topics():
        pages = [
            {"url": f"https://page{number}.example/a", "text": _passage(topic, setting)},
            {"url": f"https://page{number}.example/b", "text": f"Nothing on this in {setting}. " * 4},
        ]
        text = f"{topic.true[:-1]} [1]. {topic.wrong[:-1]} [2]."
        yield {
            "id": f"r{number}",
            "question": topic.question,
            "response": text,
            "model": "atlas-2",
            "references": pages,
        }


def judgements() -> Iterator[Record]:
    """A judge's words on both statements of each answer, by its first page."""
    for number, topic, _ in topics():
        for text, label in ((topic.true, "supported"), (topic.wrong, "contradicted")):
            yield {
                "judge": "juror-one", "model": "boreal", "prompt": "check 1", "response": f"r{number}",
                "statement": text[:-1], "source": f"https://page{number}.example/a", "label": label,
                "quote": topic.true, "reason": f"The page says this of unit {number}.",
            }  # fmt: skip


def qa_items() -> Iterator[Record]:
    """Questions with a short answer and their passage; every third is disputed by somebody elsewhere."""
    for number, topic, setting in topics():
        people = (
            [{"annotator": "ann-1", "relevance": 4, "dispute": True, "note": "Too short."}] if number % 3 == 0 else []
        )
        yield {
            "unit": "qa", "id": f"Q{number}", "type": "short", "question": topic.question, "answer": topic.true,
            "passage": _passage(topic, setting), "origin": setting, "model": "atlas-2", "labels": people,
            "opinions": [{"judge": "juror-one", "label": str(number % 5 + 1), "reason": "Seen every day."}],
        }  # fmt: skip


def questions() -> Iterator[Record]:
    """Questions with a reference answer; every fourth has a right label."""
    for number, topic, setting in topics():
        yield {
            "unit": "question", "id": f"C{number}", "question": topic.question, "quote": topic.true,
            "reference_answer": topic.wrong if number % 2 else topic.true, "passage": _passage(topic, setting),
            "opinions": [{"judge": "juror-one", "label": "answerable", "confidence": 0.75}],
            **({} if number % 4 == 0 else {"gold": "not_answerable" if number % 2 else "answerable"}),
        }  # fmt: skip


def revisions() -> Iterator[Record]:
    """Statements that were revised, every third one removed."""
    for number, topic, setting in topics():
        how: Record = {"action": "remove"} if number % 3 == 0 else {"revised": topic.true, "quote": topic.true}
        yield {
            "unit": "revision", "id": f"V{number}", "original": f"{topic.wrong[:-1]} in {setting}.",
            "passage": _passage(topic, setting), "model": "boreal", **how,
            "opinions": [] if number % 3 == 0 else [{"judge": "juror-one", "label": "supported", "quote": topic.true}],
        }  # fmt: skip


def answers() -> Iterator[Record]:
    """Whole answers with a planted error, its type and its words; laypeople and a model have looked elsewhere."""
    for number, topic, setting in topics():
        yield {
            "unit": "answer", "id": f"h{number}", "question": topic.question, "model": "atlas-2", "dataset": setting,
            "answer": f"{topic.true} {topic.wrong} Ask a doctor in doubt.", "correct_answer": topic.true,
            "hallucination_type": "fact", "hallucinated_spans": [topic.wrong], "reason": f"The page says: {topic.true}",
            "annotations": [{"annotator": "p7", "group": "layperson", "type": "none"},
                            {"annotator": "juror-one", "group": "model", "type": "fact", "spans": [topic.wrong]}],
        }  # fmt: skip


def cases() -> Iterator[Record]:
    """Three invented cases with eight suggested facts each."""
    for number, setting in enumerate(SETTINGS, 1):
        yield {
            "unit": "case", "id": f"c{number}", "title": f"Case {number}", "suggested_by": "atlas-2",
            "question": f"Write the course of case {number}, one of {setting}.",
            "reference": " ".join(topic.true for topic in TOPICS),
            "notes": [{"kind": "hp", "at": f"2031-0{number}-01", "author": "ward", "text": f"Seen among {setting}."}],
            "key_facts": [{"fact": topic.true, "category": "management", "quote": topic.true} for topic in TOPICS],
        }  # fmt: skip


def case_answers() -> Iterator[Record]:
    """What three models wrote on the first case."""
    question = next(cases())["question"]
    for number, model in enumerate(("atlas-2", "boreal", "cirrus")):
        told = [topic.wrong if place % 3 == number else topic.true for place, topic in enumerate(TOPICS)]
        yield {"id": f"w{number}", "question": question, "response": " ".join(told), "model": model}


def key_facts() -> Iterator[Record]:
    """What every text on the first case must say."""
    question = next(cases())["question"]
    for topic in TOPICS:
        yield {"question": question, "fact": topic.true, "category": "management"}


def rankings() -> Iterator[Record]:
    """Four outputs each, ranked by a judge; every fourth by a person elsewhere, too."""
    models = ("atlas-2", "boreal", "cirrus", "delta-mini")
    for number, topic, setting in topics():
        texts = (topic.true, topic.wrong, f"{topic.true} {topic.wrong}", f"It depends on the {setting}.")
        people = [{"annotator": "ann-1", "order": "1>3=4>2", "qualities": {"1": "good"}}] if number % 4 == 0 else []
        yield {
            "unit": "ranking", "id": f"K{number}", "question": topic.question, "reference": topic.true,
            "outputs": [{"model": model, "text": text} for model, text in zip(models, texts, strict=True)],
            "labels": people,
            "opinions": [{"judge": "juror-one", "order": "1>4>3>2", "reason": "The first is right."}],
        }  # fmt: skip


Step = tuple[str, Callable[[], Iterator[Record]] | None]
"""A command of the program on the study, and the file that it is given, if any."""

_OF_STATEMENTS: Final[tuple[Step, ...]] = (
    ("import", responses), ("parse", None), ("judge", None), ("import", judgements),
)  # fmt: skip
BROUGHT: Final[dict[str, tuple[Step, ...]]] = {
    "statement": _OF_STATEMENTS,
    "pair": _OF_STATEMENTS,
    "response": _OF_STATEMENTS,
    "qa": (("import", qa_items),),
    "question": (("import", questions),),
    "revision": (("import", revisions),),
    "answer": (("import", answers),),
    "suggestion": (("import", cases),),
    "fact": (("import", cases), ("import", case_answers), ("facts", key_facts)),
    "ranking": (("import", rankings),),
}
"""Kind -> how a study gets at least :data:`COUNT` units of it."""


def write(records: Callable[[], Iterator[Record]], folder: Path) -> Path:
    """The records as a file of JSON lines."""
    path = folder / f"{records.__name__}.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records()), encoding="utf-8")
    return path
