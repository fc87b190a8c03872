"""One marked span is deleted: the record keeps it, nobody counts it, undo brings it back."""

import csv
import io
from functools import partial
from pathlib import Path

import pytest

from medreview.cli.plain import review_plain
from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import import_export
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.span_editing import SpanEdit
from medreview.study import Study
from medreview.study.backup import backup_to
from medreview.study.check import check
from medreview.study.events import NewEvent, Recorder
from medreview.study.merge import merge

WORDS = ["Call for help.", "50 mL/kg", "Norepinephrine comes first."]


@pytest.fixture
def session(study: Study) -> ReviewSession:
    """Three spans, marked in another order than they stand: two in the response, then one in the source."""
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
    session.decide_also("hallucination", "fact")
    assert session.item is not None
    for target, words in (("source", WORDS[2]), ("response", WORDS[0]), ("response", WORDS[1])):
        text = session.source_text() if target == "source" else session.item.response
        session.add_span(target, SpanEdit(text, text.index(words), text.index(words) + len(words)))
    return session


def words(session: ReviewSession) -> list[str]:
    return [mine.exact for mine in session.own.spans]


def rows(study: Study, folder: Path, name: str) -> list[dict[str, str]]:
    export(study, folder)
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_it_is_gone_everywhere_and_comes_back_with_undo(study: Study, session: ReviewSession, tmp_path: Path) -> None:
    assert [mine.exact for mine in session.spans_to_delete()] == [WORDS[1], WORDS[0], WORDS[2]]
    before = len(session.source_highlights().marks), len(session.beside_marks())

    session.delete_span(session.spans_to_delete()[2])
    session.delete_span(session.spans_to_delete()[0])

    assert "S1 · deleted “50 mL/kg”   saved #" in session.receipt
    assert words(session) == [WORDS[0]]
    assert (len(session.source_highlights().marks), len(session.beside_marks())) == (before[0] - 1, before[1] - 1)
    assert [row["exact"] for row in rows(study, tmp_path / "out", "spans.csv")] == [WORDS[0]]
    assert [row["n_spans"] for row in rows(study, tmp_path / "out", "labels.csv")] == ["1"]
    assert check(study.reader) == []

    session.undo()
    assert "undone: deleted “50 mL/kg”" in session.receipt
    assert words(session) == [WORDS[0], WORDS[1]]
    session.redo()
    assert words(session) == [WORDS[0]]


def test_it_is_the_same_in_a_merged_copy_and_after_an_import(
    study: Study, session: ReviewSession, tmp_path: Path
) -> None:
    backup_to(study.path, tmp_path / "theirs.medreview")
    session.delete_span(session.spans_to_delete()[0])
    export(study, tmp_path / "out")
    with Study.open(tmp_path / "theirs.medreview") as theirs, Study.create(tmp_path / "new.medreview") as new:
        merge(theirs, study.path)
        import_export(new, tmp_path / "out")
        for other in (theirs, new):
            left = other.reader.execute("SELECT json_extract(payload, '$.exact') FROM span_live").fetchall()
            assert {row[0] for row in left} == {WORDS[0], WORDS[2]}
            assert check(other.reader) == []


def test_there_must_be_one_to_delete(study: Study, session: ReviewSession) -> None:
    for mine in session.spans_to_delete():
        session.delete_span(mine)
    with pytest.raises(UserError, match="marked no span"):
        session.spans_to_delete()
    other = ReviewSession(study, "anna", open_queue(study, "responses", "anna"))
    with pytest.raises(UserError, match="marked no span"):
        other.spans_to_delete()


def test_check_names_a_deletion_of_what_was_not_marked(study: Study, session: ReviewSession) -> None:
    span = session.own.spans[0].event_id
    for reviewer, payload in (("anna", {"span": span}), ("kb", {"span": "nowhere"})):
        event = NewEvent("span_del", "s1", payload)
        append = partial(Recorder(reviewer).append, event=event, block="flagged", mode="open")
        study.write(append)

    wrong = check(study.reader)
    assert len(wrong) == 2
    assert all("deletes a span that was not marked by the same reviewer" in sentence for sentence in wrong)


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        (["D", ""], {WORDS[0], WORDS[2]}),
        (["D", "w", ""], {WORDS[1], WORDS[2]}),
        (["D", "b", ""], {WORDS[0], WORDS[1]}),
        (["D", "w", "n"], set(WORDS)),
        (["D", "", "D", "", "D", "D"], set()),
        (["D", "", "u"], set(WORDS)),
    ],
)
def test_line_prompts_ask_which(
    session: ReviewSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: list[str],
    left: set[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    review_plain(session)
    said = capsys.readouterr().out

    assert set(words(session)) == left
    assert "span 1 of 3, in the response: “50 mL/kg”" in said
    if not left:
        assert "You have marked no span on this statement." in said
