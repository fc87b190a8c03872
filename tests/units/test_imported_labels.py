"""Labels and opinions from elsewhere: stored in their own names, and not shown before the decision."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from textual.pilot import Pilot

from medreview.config import Config
from medreview.judges.verdicts import refresh
from medreview.labels import AXES, scale_of
from medreview.review.queue import open_queue
from medreview.screens.app import Workbench
from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent, Recorder
from medreview.study.ids import STATEMENT
from medreview.units.kind import Gold
from medreview.units.new_units import ImportedLabel, add_labels
from medreview.units.registry import KINDS, asks_of
from medreview.units.stored import NewOpinion, NewUnit, add_gold, add_opinions, add_units
from tests.support.answer_study import find
from tests.support.commands import Program
from tests.support.unit_samples import SAMPLES, two_responses
from tests.support.unit_study import decide, do
from tests.support.workbench import PLAIN, paste, press, review_screen, screen_text

_TEXTS: Final = ("Zymurgical.", "Quixotically.")
"""Words of a reason or note that no text of the samples has, one for each of the two studies."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Path]]:
    """Two files of one study with units of a kind, that differ in opinions, gold and a colleague's acts alone; those of
    each kind are made once, and copied."""

    @cache
    def pair(kind: str) -> tuple[Path, Path]:
        folder = tmp_path_factory.mktemp(kind)
        paths = folder / "one.medreview", folder / "two.medreview"
        with Study.create(paths[0]) as study:
            SAMPLES.get(kind, two_responses)(study)
        shutil.copy(*paths)
        for which, path in enumerate(paths):
            with Study.open(path) as study:
                _say(study, kind, which)
        return paths

    return pair


@pytest.fixture
def two_of_a_kind(made: Callable[[str], tuple[Path, Path]], tmp_path: Path) -> Callable[[str], list[Path]]:
    """Copies of the two, to review."""
    return lambda kind: [Path(shutil.copy(path, tmp_path)) for path in made(kind)]


def units_of_kind(reader: sqlite3.Connection, kind: str) -> list[str]:
    """All units of a kind."""
    rows = KINDS[kind].rows if kind != STATEMENT else "SELECT statement_id AS unit FROM statement_standing"
    return [row["unit"] for row in reader.execute(f"SELECT unit FROM ({rows}) ORDER BY unit")]


def _say(study: Study, kind: str, which: int) -> None:
    if which:
        study.write(_turn_round)
    judge, words = ("one", "three")[which], _TEXTS[which]
    for number, unit in enumerate(units_of_kind(study.reader, kind)):
        axis, label = asks_of(unit).axis, _label(study, unit, number + which)
        said = NewOpinion(unit, judge, axis, label, label, ("boreal", "cirrus")[which], "p/1", 0.5 + which / 4, words)
        right = Gold(axis, label, (), words, attention=bool(which))
        study.write(lambda c, said=said: add_opinions(c, [said], "opinions.jsonl"))
        study.write(lambda c, unit=unit, right=right: add_gold(c, [(unit, right)], "kb"))
        decide(study, "ann", unit, axis, label)
        do(study, "ann", "note", unit, {"text": words})
        if (
            kind == "answer"
            and not study.reader.execute(
                "SELECT 1 FROM hallucination_finding WHERE response_id = ?", (unit.partition(":")[2],)
            ).fetchone()
        ):
            find(study, judge, unit, label)  # fmt: skip
    refresh(study)


def _label(study: Study, unit: str, number: int) -> str:
    asks = asks_of(unit)
    if asks.entry == "order":
        view = KINDS[asks.name].load(study.reader, unit)
        numbers = sorted(view.numbers, reverse=bool(number % 2))
        return ">".join(map(str, numbers))
    return asks.levels[number % len(asks.levels)].level


def _turn_round(connection: sqlite3.Connection) -> None:
    """Make everything that machines said, and gold, another thing."""

    def other(axis: str, label: str | None) -> str | None:
        scale = [level.level for level in AXES[scale_of(axis)]]
        return scale[(scale.index(label) + 1) % len(scale)] if label in scale else label

    def set_all(table: str, key: str, **change: Any) -> None:
        for row in connection.execute(f"SELECT * FROM {table}").fetchall():
            values = {name: made(row) if callable(made) else made for name, made in change.items()}
            connection.execute(
                f"UPDATE {table} SET {', '.join(f'{name} = :{name}' for name in values)} WHERE {key} = :key",
                {**values, "key": row[key]},
            )

    evidence = {
        "verdict": lambda row: other("evidence", row["verdict"]), "raw_label": "otherwise",
        "supported": lambda row: None if row["supported"] is None else 1 - row["supported"],
        "confidence": 0.11, "reason": _TEXTS[1],
    }  # fmt: skip
    set_all("judge_run", "judge_run_id", judge=lambda row: f"zz-{row['judge']}", model="zeta", prompt_id=_task)
    set_all("judgement", "judgement_id", **evidence, quote="Aim for", quote_status="absent", quote_start=None,
            quote_end=None)  # fmt: skip
    set_all("merged_judgement", "merged_judgement_id", **evidence, quotes="[]")
    set_all("hallucination_finding", "finding_id", found=1, type=lambda row: other("hallucination", row["type"]),
            spans="[]", reason=_TEXTS[1])  # fmt: skip
    set_all("key_fact_vote", "key_fact_vote_id", answer=lambda row: 1 - row["answer"], raw_answer="otherwise", quote="",
            quote_status="none", quote_start=None, quote_end=None, reason=_TEXTS[1])  # fmt: skip
    set_all("opinion", "opinion_id", judge=lambda row: f"zz-{row['judge']}", model="zeta", reason=_TEXTS[1], quote="",
            label=lambda row: other(row["axis"], row["label"]), confidence=0.11)  # fmt: skip
    for row in connection.execute("SELECT * FROM gold").fetchall():
        connection.execute(
            "UPDATE gold SET label = ?, spans = ?, why = ?, attention = ? WHERE unit = ? AND axis = ?",
            (
                other(row["axis"], row["label"]),
                json.dumps([]),
                _TEXTS[1],
                1 - row["attention"],
                row["unit"],
                row["axis"],
            ),
        )


def _task(row: sqlite3.Row) -> str:
    """Which task a judge was given is no opinion; by which version of a prompt is."""
    return str(row["prompt_id"]) if row["prompt_id"].startswith("key_fact") else "another/9"


ITEM = NewUnit("qa", "How is warfarin monitored?", {"question": "How is warfarin monitored?"})
OTHER = NewUnit("qa", "How is heparin monitored?", {"question": "How is heparin monitored?"})


@pytest.fixture
def study(study: Study):
    study.write(lambda c: add_units(c, [ITEM, OTHER], "a.jsonl"))
    return study


def said(study: Study) -> list[tuple[str, str, str, str]]:
    rows = study.reader.execute("SELECT reviewer, kind, block, payload FROM event ORDER BY seq")
    return [(row["reviewer"], row["kind"], row["block"], row["payload"]) for row in rows]


def test_labels_flags_and_notes_become_events_of_who_gave_them_and_once(study):
    labels = [
        ImportedLabel(ITEM.unit, "ann1", "relevance", "5", at="2025-03-01"),
        ImportedLabel(OTHER.unit, "ann2", "relevance", "3"),
        ImportedLabel(OTHER.unit, "ann1", "relevance", "4"),
        ImportedLabel(
            ITEM.unit, "ann2", "relevance", "2", ("dispute", "feedback"), "The INR, not the aPTT.", "", "number"
        ),
    ]
    assert study.write(lambda c: add_labels(c, labels)) == 4
    assert study.write(lambda c: add_labels(c, labels)) == 0
    rows = said(study)
    assert [(who, kind) for who, kind, _, _ in rows] == [
        *[("ann1", "decide")] * 2,
        ("ann2", "decide"),
        *(("ann2", kind) for kind in ("decide", "flag", "flag", "note", "reason")),
    ]
    assert {block for _, _, block, _ in rows} == {"imported"}
    assert json.loads(rows[0][3])["given_at"] == "2025-03-01"
    found = study.reader.execute(
        "SELECT reviewer, label, mode FROM reviewer_label WHERE unit = ? ORDER BY reviewer", (ITEM.unit,)
    )
    assert [tuple(row) for row in found] == [("ann1", "5", "assisted"), ("ann2", "2", "assisted")]
    assert check(study.reader) == []


def test_another_label_of_the_same_person_in_a_later_file_takes_the_place_of_the_one_before(study):
    for label in ("5", "4"):
        study.write(lambda c, label=label: add_labels(c, [ImportedLabel(ITEM.unit, "ann1", "relevance", label)]))
    assert [row[0] for row in study.reader.execute("SELECT label FROM decision_current")] == ["4"]


def test_what_somebody_did_in_the_workbench_is_not_replaced_by_a_file(study):
    recorder = Recorder("ann1")
    own = NewEvent("decide", ITEM.unit, {"axis": "relevance", "label": "1"})
    study.write(lambda c: recorder.append(c, own, block="qa", mode="blind"))
    given = ImportedLabel(ITEM.unit, "ann1", "relevance", "5", ("dispute",))
    study.write(lambda c: add_labels(c, [given]))
    assert [row[0] for row in study.reader.execute("SELECT label FROM decision_current")] == ["1"]
    assert [kind for _, kind, _, _ in said(study)] == ["decide", "flag"]


@pytest.mark.parametrize(
    ("faulty", "why"),
    [
        ({"axis": "relevance", "label": "6"}, "'6'"),
        ({"flags": ("wrong",)}, "'wrong'"),
        ({"reason": "because"}, "'because'"),
        ({"reviewer": " "}, "without the name"),
    ],
)
def test_what_is_no_label_of_this_program_is_refused_in_words(faulty, why):
    with pytest.raises(ValueError, match=why):
        ImportedLabel(**{"unit": ITEM.unit, "reviewer": "ann1", **faulty})


SIZES: Final = ((80, 24), (160, 50))
SOME_KEYS: Final = ("v", "right_square_bracket", "m", "w", "W", "colon", "j")
"""What is pressed where the panes stand side by side: what is asked of the session is the same."""
KEYS: Final = (
    "v", "v", "right_square_bracket", "right_square_bracket", "left_square_bracket", "m", "M", "w", "b", "W", "i", "F",
    "a", "r", "x", "x", "y", "tab", "question_mark", "f2", "slash", "colon", "j", "w", "k",
)  # fmt: skip
FILTERS: Final = ("verdict=supported", "merged=supported", "finding=fact", "badge=quote", "one", "quixotically")
LINES: Final = ("", "?", "]", "w", "b", "W", "i", "F", "F 1", "a", "r", "v", "j", "]", "k", "x", "guidelines", "q")

every_unit = pytest.mark.parametrize("kind", ["statement", *KINDS])


def queue_of(kind: str) -> str:
    return KINDS[kind].queue_name if kind in KINDS else "responses"


def cells(app: Workbench) -> list[object]:
    """Every cell on the screen with its style, row by row of each part."""
    return [
        [(segment.text, str(segment.style)) for segment in widget.render_line(row).simplify()]
        for widget in app.screen.children
        if widget.display and widget.region
        for row in range(widget.region.height)
    ]


async def seen(path: Path, kind: str, size: tuple[int, int]) -> list[tuple[str, str, list[object]]]:
    """What each key leads to before anything is decided."""
    found: list[tuple[str, str, list[object]]] = []

    async def look(pilot: Pilot[None], what: str, *keys: str, text: str = "") -> None:
        await press(pilot, *keys)
        if text:
            await paste(pilot, text)
            found.append((f"{what} typed", screen_text(app), cells(app)))
            await press(pilot, "enter")
        found.append((what, screen_text(app), cells(app)))

    with Study.open(path) as study:
        app = Workbench(study, Config(reviewer="kb"), PLAIN, queue=open_queue(study, queue_of(kind), "kb", blind=True))
        async with app.run_test(size=size) as pilot:
            await look(pilot, "the first unit")
            review = review_screen(app)
            for key in KEYS if size == SIZES[0] else SOME_KEYS:
                await look(pilot, key, key)
                if app.screen is not review or key in ("slash", "colon"):
                    await press(pilot, "escape")
            for words in FILTERS if size == SIZES[0] else ():
                await look(pilot, words, "colon", text=words)
                if review._step is not None:
                    await press(pilot, "escape")
                review.session.set_filter("")
            await press(pilot, "q")
            home = screen_text(app)
        if kind in KINDS:
            lines = [line for line in home.splitlines() if KINDS[kind].title in line and "conflicts:" not in line]
            assert lines, home
            found.append(("the first screen", "\n".join(lines), []))
    return found


@every_unit
@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
async def test_every_cell_is_the_same_with_other_opinions(two_of_a_kind, kind: str, size: tuple[int, int]) -> None:
    one, two = [await seen(path, kind, size) for path in two_of_a_kind(kind)]
    for ours, theirs in zip(one, two, strict=True):
        assert ours[:2] == theirs[:2]
        assert ours[2] == theirs[2], ours[:2]
    assert not [words for _, words, _ in one if "zymurgical" in words.casefold().replace("quixotically", "")]


@every_unit
def test_every_line_is_the_same_with_other_opinions(two_of_a_kind, tmp_path: Path, kind: str) -> None:
    said = []
    for path in two_of_a_kind(kind):
        blind = () if kind in KINDS else ("--blind",)
        queue = ("--queue", queue_of(kind)) if kind in KINDS else ()
        program = Program(tmp_path)
        typed = "".join(f"{line}\n" for line in LINES)
        done = program("review", path, "--plain", "--reviewer", "kb", *queue, *blind, input=typed)
        said.append(done.stdout.replace(path.name, ""))
    assert said[0] == said[1]
