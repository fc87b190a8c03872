"""Copies of one study, merged in whatever order, give the same exports."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.exchange.exports.export import export
from medreview.review.audit import By, draw, release
from medreview.review.decision import decide_in_script
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.check import check
from medreview.study.merge import BRINGS
from tests.support.study_builder import StudyBuilder, build, new_version


@pytest.fixture
def copies(demo_file: Path, tmp_path: Path) -> list[Path]:
    """Three copies of the sample study: other audits, rates, reviewers, promotions and pages, and other judges."""
    return [_worked_on(Path(shutil.copy(demo_file, tmp_path / f"{name}.medreview")), name) for name in "abc"]


def _worked_on(path: Path, name: str) -> Path:
    with Study.open(path) as study:
        statements = [
            row[0] for row in study.reader.execute("SELECT statement_id FROM statement ORDER BY statement_id")
        ]
        if name == "a":
            draw(study, "anna", rate=0.2)
            draw(study, "anna", rate=0.5, by="flagged")
        elif name == "b":
            draw(study, "ben", rate=0.6)
            release(study, "ben")
        else:
            build(study, lambda rows: _judged_otherwise(rows, statements))
            pipeline.roll_up(study)
            draw(study, "ben", rate=0.6, by="origin")
            draw(study, "anna", size=11, by="flagged")
        for who in ("anna", "ben"):
            session = ReviewSession(study, who, open_queue(study, "audit", who))
            for _ in range(4):
                session.decide("partial" if who == "anna" else "contradicted")
                session.note(f"{name}, {who}")
                session.next()
            session.undo()
            session.leave()
        left = [row[0] for row in study.reader.execute("SELECT left_out_id FROM left_out ORDER BY left_out_id")]
        pipeline.promote(study, "anna", left["abc".index(name) :: 3][:4])
        source = study.reader.execute(
            "SELECT u.source_id FROM source AS u JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot "
            "WHERE p.page_state = 'ok' ORDER BY u.source_id LIMIT 1"
        ).fetchone()[0]
        page = f"page-{name}"  # as the ids that are stored, it does not depend on the copy
        fetched = {"snapshot_id": page, "fetched_at": f"2026-11-0{ord(name) - 96}T08:00:00+00:00"}
        new_version(study, source, f"Another page, as {name} read it.", **fetched)
        unit = study.reader.execute(
            "SELECT statement_id FROM statement JOIN citation USING (response_id) WHERE source_id = ? "
            "ORDER BY statement_id LIMIT 1",
            (source,),
        ).fetchone()[0]
        decide_in_script(study, "ben", unit, "not_addressed", source_id=source)
    return path


def _judged_otherwise(rows: StudyBuilder, statements: list[str]) -> None:
    run = rows.judge_run("another")
    for statement in statements[::2]:
        pages = rows.connection.execute(
            "SELECT snapshot_id FROM judgement WHERE statement_id = ? ORDER BY snapshot_id LIMIT 1", (statement,)
        ).fetchone()
        if pages is not None:
            rows.judgement("another", statement, pages[0], "contradicted", run=run)


def _merged(base: Path, order: tuple[Path, ...], place: Path, *, apart: bool) -> dict[str, bytes]:
    """The files of an export after the copies are merged in one command, or the decisions of each ``apart``."""
    place.mkdir()
    path = Path(shutil.copy(base, place / "merged.medreview"))
    with Study.open(path) as study:
        if apart:
            for other in order:
                pipeline.merge(study, other, parts=["decisions"])
        else:
            pipeline.merge(study, order)
        export(study, place / "labels", database="study.db")
        assert check(study.reader) == []
        for other in order:
            assert pipeline.merge(study, other, parts=["decisions"] if apart else tuple(BRINGS)).added == 0
        export(study, place / "again")
    files = {file.name: file.read_bytes() for file in (place / "labels").iterdir() if file.suffix != ".db"}
    assert {name: content for name, content in files.items() if name.endswith(".csv")} == {
        file.name: file.read_bytes() for file in (place / "again").glob("*.csv")
    }
    database = sqlite3.connect(place / "labels" / "study.db")
    files["study.db"] = "\n".join(database.iterdump()).encode()
    database.close()
    return {name: content for name, content in files.items() if name not in ("manifest.json", "study.db.json")}


@pytest.mark.parametrize("apart", [True, False])
def test_exports_do_not_depend_on_the_order_of_merging(
    demo_file: Path, copies: list[Path], tmp_path: Path, apart: bool
) -> None:
    a, b, c = copies
    first, *others = (
        _merged(demo_file, order, tmp_path / str(number), apart=apart)
        for number, order in enumerate(((a, b, c), (c, b, a), (a, c, b)))
    )
    for other in others:
        assert other.keys() == first.keys()
        differing = {
            name: [
                pair for pair in zip(content.splitlines(), other[name].splitlines(), strict=False) if pair[0] != pair[1]
            ][:3]
            for name, content in first.items()
            if content != other[name]
        }
        assert not differing


def test_statements_that_only_the_target_has_are_drawn_alike_whichever_split_comes_first(tmp_path: Path) -> None:
    base = tmp_path / "base.medreview"
    statements = [f"Statement {number} says it." for number in range(12)]
    with Study.create(base) as study:
        build(study, lambda rows: rows.response("r1", " ".join(statements), statements=statements))
    drawn = {}
    splits: tuple[tuple[str, By, float], ...] = (("b", "flagged", 0.9), ("c", "model", 0.5), ("d", "flagged", 0.7))
    for name, by, rate in splits:
        drawn[name] = Path(shutil.copy(base, tmp_path / f"{name}.medreview"))
        with Study.open(drawn[name]) as study:
            if name == "d":  # its judges flagged what those of the others did not
                build(study, lambda rows: _flagged(rows, statements[:6]))
            draw(study, name, rate=rate, by=by)
    with Study.open(base) as study:
        extra = ["Extra one.", "Extra two.", "Extra three."]
        build(study, lambda rows: rows.response("r2", " ".join(extra), statements=extra))
    frames = []
    for order in ("bcd", "cbd", "dcb", "bdc"):
        target = Path(shutil.copy(base, tmp_path / f"target-{order}.medreview"))
        with Study.open(target) as study:
            for name in order:
                pipeline.merge(study, drawn[name])
            pipeline.merge(study, drawn[order[0]])
            frames.append([tuple(row) for row in study.reader.execute("SELECT * FROM audit_frame ORDER BY 1")])
            assert check(study.reader) == []
    assert len(frames[0]) == 15
    assert [frame == frames[0] for frame in frames] == [True] * 4
    assert {row[-1] for row in frames[0]} == {0, 2}


def _flagged(rows: StudyBuilder, texts: list[str]) -> None:
    marks = ", ".join("?" * len(texts))
    rows.connection.execute(
        f"""INSERT INTO verdict (statement_id, conflict, votes_for, votes_other, priority, badges)
            SELECT statement_id, 0, 1, 0, 9, 'contradicted' FROM statement WHERE text IN ({marks})
            ON CONFLICT (statement_id) DO UPDATE SET priority = 9""",
        texts,
    )
