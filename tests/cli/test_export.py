"""The command ``export`` with a database: what it prints, to people and to scripts."""

import json
from pathlib import Path

from tests.support.commands import Program


def test_a_database_of_the_sample_study(medreview: Program, demo: Path, tmp_path: Path) -> None:
    done = medreview("export", demo, "out", "--sqlite", "labels.db", "--no-page-text", "--json")
    told = json.loads(done.stdout)["database"]

    assert done.stderr == ""
    assert (told["file"], told["metadata"]) == ("labels.db", "metadata.json")
    assert told["views"] == ["labels_wide", "disagreements", "pairs_wide"]
    assert told["tables"]["judgements"] == json.loads(done.stdout)["files"]["judgements.csv"] > 500
    assert told["tables"]["snapshots"] > 30
    assert (tmp_path / "out" / told["file"]).stat().st_size > 100_000

    again = medreview("export", demo, "out", "--sqlite", "labels.db")
    assert again.stdout.splitlines()[-1] == "Open the database: datasette out/labels.db -m out/metadata.json"
    plain = medreview("export", demo, "out")
    assert "datasette" not in plain.stdout
    assert not (tmp_path / "out" / "labels.db").exists()


def test_mistakes_are_one_sentence(medreview: Program, demo: Path) -> None:
    named = medreview("export", demo, "out", "--sqlite", "../labels.db", check=2)
    assert "ends in .db" in named.stderr
    alone = medreview("export", demo, "out", "--no-page-text", check=2)
    assert "add --sqlite" in alone.stderr
