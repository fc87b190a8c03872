"""An export of chats: a whole history never comes in by accident, and one bad answer costs itself alone."""

import json
from pathlib import Path

import pytest

from medreview import Chosen, pipeline
from medreview.errors import UserError
from medreview.import_files import preview
from medreview.study import Study


def history(folder: Path, count: int, **said: str) -> Path:
    """A chat a day, on the dose of one medicine each; ``said``: the answer of the chat of a number."""
    chats = [
        {
            "uuid": f"c{number}",
            "name": f"Dose of medicine {number}",
            "created_at": f"2026-{1 + number // 28:02d}-{1 + number % 28:02d}T08:00:00Z",
            "updated_at": "2026-11-01T08:00:00Z",
            "chat_messages": [
                {"sender": "human", "text": f"What is the dose of medicine {number}?"},
                {
                    "sender": "assistant",
                    "text": said.get(f"n{number}", "Halve it below 30."),
                    "created_at": f"2026-{1 + number // 28:02d}-{1 + number % 28:02d}T08:00:09Z",
                },
            ],
        }
        for number in range(count)
    ]
    path = folder / "conversations.json"
    path.write_text(json.dumps(chats))
    return path


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "s.medreview")


def questions(study: Study) -> list[str]:
    return [row[0] for row in study.reader.execute("SELECT question FROM response ORDER BY ordinal")]


def test_more_than_twenty_chats_are_refused_until_it_is_said_which(study: Study, tmp_path: Path) -> None:
    path = history(tmp_path, 30)
    with pytest.raises(UserError, match="30 conversations; say which with --only") as refused:
        pipeline.bring_in(study, path, {})
    assert "2026-02-02 Dose of medicine 29" in str(refused.value)
    assert questions(study) == []
    assert len(preview(path, {}).chats) == 30
    pipeline.bring_in(study, path, {}, chosen=Chosen(only="medicine 24"))
    assert questions(study) == ["What is the dose of medicine 24?"]
    assert pipeline.bring_in(study, path, {}, chosen=Chosen(since="2026-02-01")).added == 2
    assert pipeline.bring_in(study, path, {}, chosen=Chosen(everything=True)).added == 27


def test_an_answer_that_cannot_be_stored_costs_itself_alone(study: Study, tmp_path: Path) -> None:
    done = pipeline.bring_in(study, history(tmp_path, 3, n1="Half a \ud83d character."), {})
    assert (done.added, len(done.bad)) == (2, 1)
