"""Files whose names hold bytes that are no UTF-8, as the system gives them, for every command that takes one."""

import json

from tests.support.saved_pages import save_pages

ODD = "caf\udce9"
ANSWER = {"id": "a", "question": "How?", "response": "Take 5 mg once daily. https://page.example/0"}
SETTINGS = '[judges.atlas]\nmodel = "atlas-2"\nbase_url = "http://127.0.0.1:9/v1"\n'


def test_every_command_takes_a_name_that_is_no_utf8(medreview, demo, tmp_path):
    (tmp_path / f"{ODD}.jsonl").write_text(json.dumps(ANSWER))
    (tmp_path / f"{ODD}.md").write_text("Take 5 mg once daily. https://page.example/0")
    pages = save_pages(tmp_path / f"{ODD}-pages", {"https://page.example/0": "<p>Take 5 mg once daily.</p>" * 20})
    (tmp_path / "medreview.toml").write_text(SETTINGS)
    medreview("config", "trust", "--yes")
    study = f"{ODD}.medreview"

    made = medreview("import", study, f"{ODD}.jsonl", f"{ODD}.md")
    assert "caf\ufffd.jsonl: 1 response added" in made.stdout
    medreview("fetch", study, "--pages", pages, "--save-pages", f"{ODD}-saved")
    medreview("run", study, f"{ODD}.jsonl", "--pages", f"{ODD}-saved")
    medreview("judge", study, "--judge", "atlas", "--batch-out", f"{ODD}-b.jsonl")
    medreview("judge", study, "--judge", "atlas", "--batch-in", f"{ODD}-b.jsonl", check=1)  # no results are in it
    medreview("export", study, f"{ODD}-labels", "--sqlite", "labels.db")
    medreview("import", f"{ODD}-2.medreview", f"{ODD}-labels")
    medreview("backup", study, f"{ODD}-copy.medreview")
    medreview("team", "merge", study, f"{ODD}-copy.medreview")
    medreview("check", study)
    medreview("citations", f"{ODD}.jsonl", "--csv", f"{ODD}.csv", "--html", f"{ODD}.html")
    medreview("citations", study, "--html", f"{ODD}.html")
    medreview("review", f"{ODD}.md", "--plain", "--pages", pages)
    for command in ("stats", "urls", "audit", "where"):
        told = medreview(command, study, "--json")
        assert isinstance(json.loads(told.stdout), dict)
        told.stdout.encode()  # nothing of the name is left that is no text
    assert medreview("stats", "none-\udce9.medreview", check=2).stderr.endswith("FILE`.\n")
