"""``medreview citations`` as a person and a script meet it."""

import csv
import json
import signal
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from medreview.study import Study
from tests.support.commands import Program
from tests.support.http_server import LocalServer, hang

FIVE = [
    "See https://www.ncbi.nlm.nih.gov/books/NBK431051/ and https://www.who.int/health-topics/maternal-health#tab=tab_1\n"
    "DOI: 10.1056/NEJMoa055202",
    "See https://www.nice.org.uk/guidance/ng28 or http://randommedblog.io/metformin PMID: 21617112",
    "Aspirin with warfarin makes bleeding more likely.",
    "See http://example.com/af-anticoagulation and https://somehealthsite.net/afib-coumadin",
    "See https://www.cdc.gov/sepsis/ and https://www.ncbi.nlm.nih.gov/books/NBK598311/\nDOI: 10.1001/jama.2016.0287\n"
    "PubMed: PMID 28345952",
]
GOOD = {"response": "See https://www.nice.org.uk/guidance/ng28 and https://nih.gov/x."}


def flat(text):
    return " ".join(text.split())


@pytest.fixture
def run(medreview):
    return partial(medreview, "citations")


@pytest.fixture
def five(tmp_path):
    return lines(tmp_path, *({"id": f"a{n}", "response": text} for n, text in enumerate(FIVE, 1)))


def lines(folder, *records):
    path = folder / "five.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def test_the_report_fits_80_columns_and_no_number_stands_alone(run, five):
    shown = run(five).stdout

    assert max(map(len, shown.splitlines())) <= 80
    for words in (
        "five.jsonl: 5 responses, 12 citations\n",
        "allow-list: medreview's own list, ",
        "taken by format: DOI, PMID, PMCID, NCT",
        "missed: responses with a citation, 80.0% (4 of 5), wanted at least 95%.",
        "missed: URLs on the allow-list, 62.5% (5 of 8), wanted at least 90%.",
        "37.6% to 96.4%  4 of 5 responses",
        "2.40  1.00 to 5.77    5 responses",
        "66.7%  3.9% to 99.0%   4 responses",
        "75.0%  7.3% to 99.1%   9 of 12 citations",
        "5 of 8 URLs",
        "kind: PMID",
        "Only 4 responses: below 10",
        "an invented one does too",
        "9,999 replicates, seed 1",
        "somehealthsite.net  1\n",
    ):
        assert words in shown
    assert "the mean; 1 response without a citation left out, 1 response without a URL left out." in flat(shown)
    bars = shown.partition("Each response\n")[2].splitlines()[:6]
    assert [flat(bar) for bar in bars] == [
        "█ allowed, ░ not allowed; one mark is one source. The worst first.",
        "a4 ░░ 0 of 2 allowed",
        "a2 ██░ 2 of 3 allowed, 1 by format",
        "a3 no citation",
        "a5 ████ 4 of 4 allowed, 2 by format",
        "a1 ███ 3 of 3 allowed, 1 by format",
    ]


def test_marks_differ_without_blocks(medreview, run, five, monkeypatch):
    with monkeypatch.context() as only_ascii:
        only_ascii.setenv("PYTHONIOENCODING", "ascii")
        shown = medreview.process("citations", five).stdout
    assert shown.isascii()
    assert "# allowed, . not allowed" in shown
    assert "a2  ##.   2 of 3 allowed" in shown
    (five.parent / "medreview.toml").write_text("ascii = true\n")
    assert "a2  ##.   2 of 3 allowed" in run(five).stdout


def test_many_responses_are_bounded_and_long_bars_scaled(run, tmp_path):
    urls = " ".join(f"https://x.example/{n}" for n in range(100))
    many = lines(
        tmp_path,
        {"id": "long" * 20, "response": urls},
        *({"id": f"r{n}", "response": FIVE[n % 5]} for n in range(30)),
    )
    shown = run(many).stdout

    assert "one mark is up to 5 sources" in shown
    assert "longlonglonglonglongl…  ░░░░░░░░░░░░░░░░░░░░  0 of 100 allowed" in shown
    assert "and 11 more responses: 11 with all allowed" in flat(shown)
    assert max(map(len, shown.splitlines())) <= 80


def test_check_tells_missed_from_met_and_from_a_mistake(run, tmp_path, five):
    missed = run(five, "--check", check=1)
    assert "missed: responses with a citation, 80.0% (4 of 5)" in missed.stderr
    assert "missed: URLs on the allow-list, 62.5% (5 of 8)" in missed.stderr
    run(five)
    run(five, "--check", "--min-with", 80, "--min-allowed", 62.5)
    run(lines(tmp_path, GOOD), "--check")
    undefined = run(lines(tmp_path, {"response": "PMID: 123456"}), "--check", check=1)
    assert undefined.stderr == ("undefined: URLs on the allow-list, wanted at least 90%. No response cites a URL.\n")
    for wrong in (101, -1, "nan", "many"):
        run(five, "--min-with", wrong, check=2)


def test_json_is_complete_and_standard_output_is_nothing_else(run, five):
    done = run(five, "--json", "--check", check=1)
    report = json.loads(done.stdout)

    assert report["summary"] == {
        "responses_total": 5,
        "responses_with_citation_pct": 80.0,
        "avg_citations_per_response": 2.4,
        "avg_pct_allowed_over_all": pytest.approx(66.66666667),
        "avg_pct_allowed_over_urls": 62.5,
        "pooled_pct_allowed_over_all": 75.0,
        "pooled_pct_allowed_over_urls": 62.5,
        "reason": None,
    }
    rows = [(r["n_url"], r["n_doi"], r["n_pmid"], r["n_allowed_over_all"]) for r in report["responses"]]
    assert rows == [(2, 1, 0, 3), (2, 0, 1, 2), (0, 0, 0, 0), (2, 0, 0, 0), (2, 1, 1, 4)]


def test_files_are_written_beside_the_report(run, five, tmp_path):
    done = run(five, "--csv", "out.csv", "--html", "out.html")

    assert done.stderr == "written: out.csv, out.citations.csv\nwritten: out.html\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "five.jsonl", "out.citations.csv", "out.csv", "out.html",
    ]  # fmt: skip
    for option in ("--csv", "--html"):
        mine = tmp_path / f"mine.{option.strip('-')}"
        mine.write_text("mine")
        refused = run(five, option, mine, check=2)
        assert refused.stderr.startswith(f"medreview: {mine} exists and is not an earlier result")
        assert mine.read_text() == "mine"


def test_standard_input_text_and_json_lines(run):
    text = run("-", input="See https://nih.gov/x and https://me@nih.gov/y, PMID: 123456.")
    assert "standard input: 1 response, 3 citations" in text.stdout
    assert "allowed (nih.gov): URL https://nih.gov/x" in text.stdout
    assert "not allowed (carries a user name): URL https://me@nih.gov/y" in text.stdout
    assert "allowed (by format): PMID 123456" in text.stdout

    two = run("-", "--json", input=f"{json.dumps(GOOD)}\n{json.dumps(GOOD)}\n")
    assert json.loads(two.stdout)["summary"]["responses_total"] == 2
    assert run("-", input="", check=2).stderr.startswith("medreview: Standard input is empty")


def test_bad_records_are_named_and_the_rest_is_counted(run, tmp_path):
    path = lines(tmp_path, GOOD, {"id": "no text"}, GOOD)
    done = run(path)

    assert "five.jsonl, line 2: has no response; left out" in done.stderr
    assert "five.jsonl: 2 responses" in done.stdout
    assert "1 record of the file left out" in done.stdout
    assert "2 invalid responses" in run(lines(tmp_path, {"response": ""}, {"response": " "})).stdout
    none = run(lines(tmp_path, {"response": 1}, {"response": 2}), check=2)
    assert none.stderr.splitlines()[-1] == "medreview: five.jsonl holds no response that can be used."


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("none.jsonl",), "There is no file none.jsonl"),
        (("--", "--odd.txt"), "There is no file --odd.txt"),
        ((".",), ". is a folder"),
        (("a.exe",), "a.exe is not a file that medreview reads"),
        (("five.jsonl", "--map", "x"), "--map wants COLUMN=FIELD"),
        (("five.jsonl", "--map", "x=response"), "five.jsonl has no column x to map"),
        (("five.jsonl", "--allow", "none.toml"), "The allow-list none.toml cannot be read"),
        (("five.jsonl", "--allow", "bad.toml"), "The allow-list bad.toml: 'co.uk' is a suffix"),
        (("five.jsonl", "--csv", "no/out.csv"), "There is no folder no"),
        (("other.sqlite",), "other.sqlite is not a medreview study"),
    ],
)
def test_a_mistake_is_one_sentence(run, five, tmp_path, arguments, says):
    (tmp_path / "a.exe").write_text("x")
    (tmp_path / "bad.toml").write_text("[allowed]\ndomains = ['co.uk']")
    (tmp_path / "other.sqlite").write_bytes(b"SQLite format 3\0" + bytes(100))
    done = run(*arguments, check=2)

    assert done.stderr.startswith(f"medreview: {says}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_an_allow_list_of_ones_own(run, five, tmp_path):
    shipped = run("--show-allow").stdout
    assert "[[groups]]" in shipped
    (tmp_path / "mine.toml").write_text("[allowed]\ndomains = ['example.com']\nidentifiers = []\n")
    shown = run(five, "--allow", "mine.toml").stdout

    assert "allow-list: mine.toml, 1 entry\ntaken by format: nothing\n" in shown
    assert "missed: URLs on the allow-list, 12.5% (1 of 8)" in shown


def test_names_from_outside_cannot_act_on_the_terminal(run, tmp_path):
    name = "[red]eve\x1b]52;c;aGk=\x07\u202e[/red]"
    path = lines(tmp_path, {"id": name, "model": name, **GOOD}, {"id": "b", "model": "m", "response": "x"})
    done = run(path)

    assert "[red]eve\u241b]52;c;aGk=\u2407" in done.stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout + done.stderr)


def test_models_references_and_latency_have_their_parts(run, tmp_path):
    path = lines(
        tmp_path,
        {"id": "a", "model": "atlas", "latency_ms": 1500, **GOOD},
        {"id": "b", "model": "nova", "latency": 3.5, "response": "Metformin must not be stopped before surgery.",
         "reference": "Metformin must be stopped before surgery."},
        {"id": "c", "model": "nova", "response": "x"},
    )  # fmt: skip
    shown = flat(run(path).stdout)

    for words in (
        "By model value",
        "atlas 100.0% 20.7% to 100.0% 1 of 1 response",
        "nova undefined 0 URLs",
        "Beside the reference: 1 of 3 responses have one",
        "Shared words are not truth",
        "(negation)",
        "Latency in seconds: 2 responses, 1 without",
        "all 2 1.50 2.50 3.30 3.40 3.48 3.50",
        "median: No interval: 2 are too few, 6 are needed.",
    ):
        assert words in shown


def test_a_study_is_only_read_and_its_pages_say_what_is_there(run, demo):
    def rows():
        """All but the record, which gets that totals of the rules were read."""
        with closing(sqlite3.connect(demo)) as study:
            return [
                line for line in study.iterdump() if not line.startswith(('INSERT INTO "event"', 'INSERT INTO "row'))
            ]

    before = rows()
    done = run(demo)
    shown = flat(done.stdout)

    assert "demo.medreview: 16 responses, 38 citations at 42 places" in shown
    assert "Is something there? As the pages were fetched on " in shown
    assert "36 of 38 citations asked for" in shown
    assert "gone = no such page (404, 410)" in shown
    assert "identifiers: 5 of 5 exist, 0 do not, 0 not known" in shown
    assert rows() == before
    assert run(demo, "--map", "a=response", check=2).stderr.startswith("medreview: --map is for files")


def test_an_identifier_that_does_not_exist_is_named(medreview, run, tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "manifest.jsonl").write_text('{"url": "https://doi.org/10.9999/never", "status": 404}\n')
    answers = lines(tmp_path, {"id": "a", "response": "As shown (doi:10.9999/never)."}, {"id": "b", **GOOD})
    medreview("run", "s.medreview", answers, "--pages", "pages")
    shown = run("s.medreview").stdout

    assert "identifiers: 0 of 1 exist, 1 do not, 0 not known" in shown
    assert "does not exist: DOI 10.9999/never (a)" in shown
    assert "not asked" in shown


def test_reach_asks_and_never_leaves_for_an_address_of_this_machine(run, tmp_path):
    path = lines(tmp_path, {"id": "a", "response": "See http://127.0.0.1/x and http://169.254.169.254/latest."})
    done = run(path, "--reach")

    assert done.stderr == "asking for 2 sources over the network\n"
    assert "refused = not asked: the address is not a public one" in done.stdout
    assert "0 of 2 citations asked for" in done.stdout


def test_reach_interrupted_does_not_say_that_answers_are_kept(medreview, tmp_path):
    path = lines(tmp_path, {"id": "a", "response": "See http://93.184.215.14/x."})
    with LocalServer(hang) as proxy:
        process = medreview.start("citations", path, "--reach", "--proxy", proxy.base)
        proxy.wait_for(1)
        process.send_signal(signal.SIGINT)
        shown, said = process.communicate(timeout=120)

    assert process.returncode == 130
    assert said == "asking for 1 source over the network\nmedreview: stopped.\n"
    assert shown == ""


def test_a_study_keeps_reference_and_latency_and_its_audit_files_have_prompt_and_output(
    medreview: Program, tmp_path: Path
) -> None:
    records: list[dict[str, Any]] = [
        {"id": "1", "question": "Aspirin?", "response": "Give 5 mg once daily. See ftp://ftp.nih.gov/pub/a.txt.",
         "reference": "Give 50 mg once daily.", "latency_ms": 1500},
        {"id": "2", "question": "=1+1", "response": "Stop it. https://example.com/x", "reference": "Stop it.",
         "latency_ms": "500"},
        {"id": "3", "question": "Else?", "response": "No.", "reference": ["no", "text"], "latency_ms": "soon"},
    ]  # fmt: skip
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, records)))
    medreview("import", "s.medreview", "a.jsonl")
    medreview("export", "s.medreview", "out")
    medreview("import", "again.medreview", "out")
    for study in ("s.medreview", "again.medreview"):
        told = json.loads(medreview("citations", study, "--csv", f"{study}.csv", "--json").stdout)
        figures = told["figures"]
        assert (figures["latency"]["n"], figures["latency"]["median"]["value"]) == (2, 1.0)
        assert figures["concordance"]["cosine"]["n"] == 2
        first, second, third = told["responses"]
        assert (first["n_url"], first["n_allowed_urls"], first["reference_clashing"]) == (1, 1, 1)
        assert (second["prompt"], second["latency"], third["latency"]) == ("=1+1", 0.5, None)
        assert (third["response"], "output" in third) == ("No.", False)
        with (tmp_path / f"{study}.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows[0]["output"] == records[0]["response"]
        assert rows[1]["prompt"] != "=1+1"  # a spreadsheet would take it for a formula
        assert rows[1]["prompt"].endswith("=1+1")
    assert "latency" in medreview("citations", "s.medreview").stdout


def test_an_ftp_address_is_never_fetched(medreview: Program, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "1", "response": "See ftp://127.0.0.1/a and ftp://nih.gov/b."}))
    medreview("import", "s.medreview", "a.jsonl")
    medreview("fetch", "s.medreview")
    with Study.open(tmp_path / "s.medreview", read_only=True) as study:
        found = study.reader.execute(
            "SELECT url, page_state, state_evidence FROM source JOIN snapshot USING (source_id) ORDER BY url"
        ).fetchall()
    assert [row["url"] for row in found] == ["ftp://127.0.0.1/a", "ftp://nih.gov/b"]
    assert all("Only http and https addresses are fetched, not ftp." in row["state_evidence"] for row in found)
