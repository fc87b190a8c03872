"""The exported database in a real Datasette: what the command prints opens it, and its pages show what is meant."""

import json
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from medreview.exchange.exports.sqlite_database import SNAPSHOTS, SOURCES
from medreview.study import Study
from medreview.units.registry import KINDS
from tests.exchange.example_study import PAGE, ExampleStudy

HOSTILE = "<script>alert(1)</script> <b>[sic]</b>"


@pytest.fixture(scope="module")
def export_folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder that the command ``export`` wrote, and the command that it printed to open the database."""
    folder = tmp_path_factory.mktemp("a folder") / "it's"
    with Study.create(folder.with_name("study.medreview"), HOSTILE) as study:
        example = ExampleStudy(study)
        example.fill()
        example.machine()
        study.write(lambda c: c.execute("UPDATE verdict SET verdict = 'supported', supported = 1, tied = 0"))
        example.decide("partial", 0)
        example.do("note", 0, payload={"text": HOSTILE})
        example.decide("supported", 1, mode="open")
        example.decide("supported", 0, who="zoe")
    command = [sys.executable, "-m", "medreview", "export", str(study.path), str(folder), "--sqlite", "labels.db"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return folder, done.stdout.splitlines()[-1].partition("Open the database: ")[2]


@pytest.fixture(scope="module")
def site(export_folder: tuple[Path, str]) -> Iterator[httpx.Client]:
    """Datasette at a free port, started by the printed command."""
    program, *arguments = shlex.split(export_folder[1])
    assert program == "datasette"
    command = [sys.executable, "-m", program, *arguments, "--host", "127.0.0.1", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    watch = threading.Timer(120, process.kill)  # a server that never answers ends the wait below
    watch.start()
    try:
        assert process.stderr
        said = ""
        while not (found := re.search(r"running on (http://127\.0\.0\.1:\d+)", said)):
            line = process.stderr.readline()
            assert line, said
            said += line
        with httpx.Client(base_url=found[1], trust_env=False, timeout=120) as client:
            yield client
    finally:
        watch.cancel()
        process.terminate()
        process.wait()
        process.stderr.close()  # type: ignore[union-attr]


def test_a_faceted_page_counts_and_describes(site: httpx.Client) -> None:
    page = site.get("/labels/labels", params={"_facet": "pass_no"})
    assert page.status_code == 200
    told = site.get("/labels/labels.json", params={"_facet": "pass_no"}).json()["facet_results"]
    counts = {name: {row["value"]: row["count"] for row in facet["results"]} for name, facet in told.items()}
    assert counts["verdict_final"] == {"supported": 2, "partial": 1}
    assert counts["reviewer_id"] == {"ada": 2, "zoe": 1}
    assert counts["mode"] == {"blind": 2, "assisted": 1}
    assert counts["pass_no"] == {1: 3}
    for words in ("The current decision on the evidence axis. Levels: supported, partial,", "Unit: ms.",
                  "never count them together"):  # fmt: skip
        assert words in page.text
    assert HOSTILE not in page.text
    assert "&lt;script&gt;" in page.text
    assert "column-descriptions%7Bmax-height" in page.text


def test_keys_of_other_tables_are_shown_by_what_they_name(site: httpx.Client) -> None:
    asked = {"_labels": "on", "_shape": "array", "judgement_id": "g1"}
    (row,) = site.get("/labels/judgements.json", params=asked).json()
    assert row["statement_id"]["label"] == "Stop metformin when the eGFR falls below 30"
    assert row["snapshot_id"] == {"value": "p1", "label": "https://a.example/one"}
    assert row["response_id"]["label"] == "Question 1?"
    (alone,) = site.get("/labels/judgements/g1.json", params={"_shape": "array"}).json()
    assert (alone["statement_id"], alone["confidence"]) == (row["statement_id"]["value"], 0.75)
    page = site.get("/labels/judgements", params={"judgement_id": "g1"}).text
    assert f'href="/labels/statements/{row["statement_id"]["value"]}"' in page
    extra = {"_extras": "foreign_key_tables"}
    backwards = site.get(f"/labels/statements/{row['statement_id']['value']}.json", params=extra).json()
    assert {"labels": 2, "judgements": 2}.items() <= {
        link["other_table"]: link["count"] for link in backwards["foreign_key_tables"]
    }.items()


@pytest.mark.parametrize(
    ("place", "words", "rows"),
    [
        ("statements", "falling", 1),
        ("snapshots", "reviewed doses", 1),
        ("labels_wide", "falling", 2),
        ("disagreements", "falling", 1),
        ("pairs_wide", "heparin", 1),
    ],
)
def test_a_search_finds_by_words(site: httpx.Client, place: str, words: str, rows: int) -> None:
    found = site.get(f"/labels/{place}.json", params={"_search": words, "_shape": "array"})
    assert found.status_code == 200
    assert len(found.json()) == rows
    assert 'name="_search"' in site.get(f"/labels/{place}").text


def test_a_view_is_a_page_in_the_order_of_the_study(site: httpx.Client) -> None:
    rows = site.get("/labels/labels_wide.json", params={"_shape": "array"}).json()
    assert [(row["statement_no"], row["reviewer_id"]) for row in rows] == [(1, "ada"), (1, "zoe"), (2, "ada")]
    page = site.get("/labels/disagreements").text
    assert "1 row" in page
    assert "Question 1?" in page
    assert 'href="https://a.example/one"' in page
    assert HOSTILE not in page


def test_the_first_page_says_whose_data_they_are_and_leads_on(
    site: httpx.Client, export_folder: tuple[Path, str]
) -> None:
    home = site.get("/").text
    study_id = json.loads((export_folder[0] / "manifest.json").read_text())["study_id"]
    assert study_id in home
    assert "label set 1" in home
    assert "medreview: &lt;script&gt;" in home
    for place in ("/", "/labels"):
        for name in ("labels_wide", "disagreements", "pairs_wide"):
            assert f'<a href="labels/{name}">' in site.get(place).text
            assert site.get(httpx.URL(place).join(f"labels/{name}")).status_code == 200
    tables = {table["name"]: table for table in site.get("/labels.json").json()["tables"]}
    shown = {name for name, table in tables.items() if not table["hidden"]}
    assert not any("_fts" in name for name in shown)
    assert tables["snapshots_fts"]["hidden"]
    assert PAGE.splitlines()[2] in site.get("/labels/snapshots/p1").text


def test_every_table_and_view_opens_and_is_described(site: httpx.Client, export_folder: tuple[Path, str]) -> None:
    told: dict[str, Any] = json.loads((export_folder[0] / "metadata.json").read_text())["databases"]["labels"]["tables"]
    listed = site.get("/labels.json").json()
    names = {table["name"] for table in listed["tables"] if not table["hidden"]} | {v["name"] for v in listed["views"]}
    tables = {path.stem for path in export_folder[0].glob("*.csv")} | {SOURCES.table, SNAPSHOTS.table}
    views = {"labels_wide", "disagreements", "pairs_wide"}
    assert names == {name for name, table in told.items() if not table.get("hidden")} == tables | views
    of_kinds = {table.table for kind in KINDS.values() for table in kind.tables}
    assert all(told[name]["description"] for name in names - of_kinds)
    for name in names:
        page = site.get(f"/labels/{name}.json")
        assert page.status_code == 200, name
        columns = page.json()["columns"]
        assert [column for column in columns if column != "rowid"] == list(told[name]["columns"])
        assert min(map(len, told[name]["columns"].values())) > 5
        options = [told[name].get(option) for option in ("sort", "label_column")]
        named = {*told[name].get("facets", ()), *filter(None, options)}
        assert named <= set(columns), name
