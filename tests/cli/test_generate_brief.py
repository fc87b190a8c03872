"""The command ``generate brief``, from a file of notes to a page that a browser reads; hostile words wherever words
come in."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from lxml import html as parser

from medreview.study import Study
from tests.support import brief_sample
from tests.support.brief_sample import AIR, CASE, NODULE
from tests.support.commands import own_settings
from tests.support.judge_endpoint import JudgeEndpoint
from tests.support.misbehaving import Asked, Misbehaving
from tests.support.pages import harmless

WICKED = "<script>alert(1)</script> \"'>&lt;b \x1b]52;c;aGk=\x07 [red]x[/red] \u202egnp"
"""Markup, an attribute's end, a terminal's escape, Rich's markup, a change of direction."""


def model(asked: Asked) -> Mapping[str, Any]:
    """The good one, but for a statement that it does not find in the notes."""
    told = dict(brief_sample.good(asked))
    if asked.texts.get("statement") == NODULE:
        told |= {"quote": "", "label": "not_addressed", "reason": f"No nodule. {WICKED}"}
    return told


@pytest.fixture
def server(tmp_path: Path):
    with JudgeEndpoint(Misbehaving(good=model)) as running:
        one = f'base_url = "{running.base}/v1"\nmodel = '
        own_settings(tmp_path, f'[models.writer]\n{one}"w"\n\n[judges.checker]\n{one}"c"\n')
        yield running


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    records = [
        {"case": "pneumonia", "kind": note.kind, "at": note.at, "author": f"{note.author} {WICKED}",
         "text": f"{note.text}\nBed {WICKED}", "title": f"Pneumonia {WICKED}"}
        for note in CASE.notes
    ]  # fmt: skip
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_notes_become_a_brief_and_a_page_on_which_nothing_hostile_acts(medreview, server, notes, tmp_path):
    study, page = tmp_path / "ward.medreview", tmp_path / "ward.html"
    Study.create(study).close()
    done = medreview("generate", "brief", study, notes, "--model", "writer", "--html", page)

    assert "checker" in done.stderr, "the other model of the settings verifies"
    assert "1 case added" in done.stderr
    assert "left out by rule: unsupported 1" in done.stdout
    assert "5 statements kept, 1 deleted" in done.stdout
    assert f"written: {page}" in done.stdout
    text = page.read_text(encoding="utf-8")
    found = harmless(text)
    rows = found.xpath("//table[@class='brief']/tbody/tr")
    assert [row.text_content() for row in rows if row.xpath("th")] == [
        "One-line summary", "Hospital course", "Problem: Rash after ceftriaxone",
    ]  # fmt: skip
    (air,) = (row for row in rows if row.text_content().startswith(AIR))
    assert air.xpath("td[1]")[0].text_content() == f"{AIR} [1, 4]"
    assert [mark.text_content() for mark in air.xpath(".//mark")] == [
        "Oxygen saturation 88% on room air.", "Oxygen saturation 95% on room air.",
    ]  # fmt: skip
    (deleted,) = found.xpath("//table[not(@class)]/tbody/tr")
    assert deleted.xpath("td[1]")[0].text_content() == NODULE
    assert "not addressed: No nodule. <script>alert(1)</script>" in deleted.text_content()
    assert [note.text_content().partition("\n")[0] for note in found.xpath("//p[@class='note']")] == [
        note.text.partition("\n")[0] for note in CASE.notes
    ]


def test_the_page_can_be_made_again_without_a_model_and_both_strategies_are_counted(medreview, server, notes, tmp_path):
    study = tmp_path / "ward.medreview"
    Study.create(study).close()
    medreview("generate", "brief", study, notes, "--model", "writer")
    single = medreview("generate", "brief", study, "--model", "writer", "--single-prompt", "--json")
    told = json.loads(single.stdout)
    assert (told["counts"]["products"], told["briefs"]["own_advice"]) == ({"response": 1}, 0)
    again = json.loads(medreview("generate", "brief", study, notes, "--model", "writer", "--json").stdout)
    assert (again["tally"]["calls"], again["briefs"]["kept"], again["briefs"]["deleted"]) == (0, 5, 1)
    asked = len(server.asked)
    medreview("report", study, "--briefs", tmp_path / "again.html")
    assert len(server.asked) == asked
    assert len(parser.parse(str(tmp_path / "again.html")).xpath("//section[@class='case']")) == 1
    other = tmp_path / "mine.html"
    other.write_text("mine")
    assert "not an earlier result" in medreview("report", study, "--briefs", other, check=2).stderr


def test_a_dry_run_tells_about_how_many_questions_follow(medreview, server, notes, tmp_path):
    study = tmp_path / "ward.medreview"
    Study.create(study).close()
    told = json.loads(medreview("generate", "brief", study, notes, "--model", "writer", "--dry-run", "--json").stdout)
    words = sum(len(json.loads(line)["text"].split()) for line in notes.read_text().splitlines())
    assert (told["plan"]["estimate"]["calls"], told["later_calls"]) == (1, 3 + words // 20)
    assert server.asked == []
