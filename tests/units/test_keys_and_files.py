"""Every kind of unit from files to files: decided, exported, imported, the same; and how many keys a decision takes."""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from medreview.config import Config
from medreview.review.actions import actions_for
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.screens.app import Workbench
from medreview.screens.dialogs import ReasonDialog
from medreview.study import Study
from medreview.study.ids import kind_of
from medreview.units.kind import Asks, Rating
from medreview.units.registry import KINDS, asks_of
from medreview.units.statement import STATEMENT_ASKS
from tests.support.commands import Program
from tests.support.reference_study import check_given_references
from tests.support.study_builder import rows_of
from tests.support.unit_samples import SAMPLES, two_responses
from tests.support.workbench import PLAIN, events, press, review_screen

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
    "fact": (("import", cases), ("import", case_answers), ("import --as facts", key_facts)),
    "ranking": (("import", rankings),),
}
"""Kind -> how a study gets at least :data:`COUNT` units of it."""


def write(records: Callable[[], Iterator[Record]], folder: Path) -> Path:
    """The records as a file of JSON lines."""
    path = folder / f"{records.__name__}.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records()), encoding="utf-8")
    return path


OF_PAGES = (
    "citations.csv", "judgements.csv", "labels.csv", "labels_from_pairs.csv", "manifest.json", "pairs.csv",
    "scores.csv", "statements.csv",
)  # fmt: skip
"""Files of an export that tell of pages and of judgements of them; some have those beside what is compared."""
EACH = 4
"""Units of each kind that are decided; with the one before last taken back."""


def _steps() -> list[Step]:
    """How one study gets units of every kind."""
    found = {step: None for steps in BROUGHT.values() for step in steps if step[1]}
    first = [
        ("import", records) for command, records in found if records is not None and records.__name__ == "responses"
    ]
    rest = [step for step in found if step not in first]
    return [*first, ("parse", None), ("judge", None), *rest]


def _decide_some(study: Study, kind: str) -> None:
    queue = KINDS[kind].queue_name if kind in KINDS else "responses"
    session = open_session(study, "kb", open_queue(study, queue, "kb", blind=True))
    for number in range(EACH):
        session.go(number)
        if session.asks.entry == "order":
            numbers = session.view.numbers
            session.decide_order(">".join(map(str, numbers)), [(f"quality/{n}", "good") for n in numbers])
        else:
            fitting = [label.level for label in session.asks.levels if label.level != "edited"]
            if session.view is not None:
                fitting = [label for label in fitting if not session.asks.fits(session.view, label)]
            session.decide(fitting[number % len(fitting)])
        session.go(number)
        if session.asks.entry == "spans" and session.own.label not in (None, "none"):
            session.add_span("response", session.default_span("response"), reason="So it is.")
        if number == 1:
            session.note("Seen.")
            session.flag("dispute")
    session.undo()


def _people_ratings(path: Path, kind: str) -> list[Rating]:
    with Study.open(path) as study:
        people = study.reader.execute("SELECT unit, axis, reviewer, mode, label FROM reviewer_label")
        found = [Rating(unit, "", axis, who, False, mode, label) for unit, axis, who, mode, label in people]
    return sorted(rating for rating in found if kind_of(rating.unit) == kind)


def _without_judges(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [{name: value for name, value in row.items() if not name.startswith("judge_")} for row in rows]


def test_units_of_every_kind_come_out_of_an_export_and_in_again_with_equal_files(tmp_path: Path) -> None:
    program, study, copy = Program(tmp_path), tmp_path / "a.medreview", tmp_path / "b.medreview"
    for command, records in _steps():
        program(*command.split(), study, *([write(records, tmp_path)] if records else []))
    with Study.open(study) as opened:
        check_given_references(opened, EACH)
        for kind in ("statement", *KINDS):
            _decide_some(opened, kind)
        decided = {kind_of(row["unit"]) for row in rows_of(opened, "SELECT unit FROM standing WHERE reviewer = 'kb'")}
        assert decided == {"statement", *KINDS}
    program("export", study, tmp_path / "a")
    program("import", copy, tmp_path / "a")
    program("export", copy, tmp_path / "b")
    ours, theirs = ({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in "ab")
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name] and name not in OF_PAGES] == []
    assert _without_judges(tmp_path / "a" / "statements.csv") == _without_judges(tmp_path / "b" / "statements.csv")
    program("check", copy)
    for kind in ("statement", *KINDS):
        here, there = (_people_ratings(path, kind) for path in (study, copy))
        assert here == there
        assert here


Keys = Callable[[Asks], Sequence[str]]


def _by(*names: str) -> Keys:
    """The keys of actions of the table."""
    return lambda asks: [actions_for(asks, {})[name].keys[0] for name in names]


def _reason(asks: Asks) -> Sequence[str]:
    return [*_by("decide_not_addressed")(asks), asks.reasons[0].key]


DECISIONS: tuple[tuple[str, str, Keys, int, str], ...] = (
    ("to agree with a statement's judges", "statement", _by("accept"), 1, "evidence"),
    ("to override with a reason", "statement", _reason, 2, "evidence"),
    ("to override a pair with a reason", "pair", _reason, 2, "evidence"),
    ("to mark a hallucination with its span", "statement",
     lambda asks: [*_by("hallucination")(asks), "1", "enter"], 3, "hallucination"),
    ("to mark one with its span given another end", "statement",
     lambda asks: [*_by("hallucination")(asks), "1", "w", "enter"], 4, "hallucination"),
    ("to give an answer a type and a span", "answer", lambda asks: [*_by("decide_fact")(asks), "enter"], 2,
     "hallucination"),
    ("to rank four, and rate each", "ranking",
     lambda asks: [*_by("place_3", "place_1", "place_4", "place_2")(asks), *"gobo"], 8, "rank"),
    ("to rank four with a tie", "ranking",
     lambda asks: [*_by("place_3", "place_1", "place_4")(asks), "=", *_by("place_2")(asks), *"gobo"], 9, "rank"),
    ("to vote on a fact", "fact", _by("decide_absent"), 1, "presence"),
    ("to keep a suggestion", "suggestion", _by("decide_kept"), 1, "suggestion"),
    ("to rate a whole response", "response", _by("decide_no"), 1, "all_supported"),
    ("to rate a question's relevance", "qa", _by("decide_4"), 1, "relevance"),
    ("to check a question", "question", _by("decide_answerable"), 1, "answerability"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "keys", "count", "axis"), [one[1:] for one in DECISIONS], ids=[one[0] for one in DECISIONS]
)
async def test_so_many_keys_are_enough(study: Study, kind: str, keys: Keys, count: int, axis: str) -> None:
    SAMPLES.get(kind, two_responses)(study)
    asks = KINDS.get(kind, STATEMENT_ASKS)
    queue = open_queue(study, KINDS[kind].queue_name if kind in KINDS else "responses", "kb", blind=False)
    app = Workbench(study, Config(reviewer="kb"), PLAIN, queue=queue)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = review_screen(app)
        unit, pressed = screen.session.unit, keys(asks)
        assert asks_of(unit) is asks
        assert len(pressed) == count
        await press(pilot, *pressed[:-1])
        began = screen.session.unit
        await press(pilot, pressed[-1])
        said = [row for row in events(study, "decide", "span_add", "reason") if row["unit"] == unit]
        assert axis in [row["axis"] for row in said]
        assert ("reason" in [row["kind"] for row in said]) == (keys is _reason)
        assert not isinstance(screen._step, ReasonDialog)
        assert began == unit
        if axis == asks.axis:
            assert screen._step is None
            assert screen.session.unit != unit
