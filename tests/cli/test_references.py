"""``medreview references`` as a person and a script meet it."""

import csv
import json
from functools import partial

import pytest

from medreview.references.verdict import VERDICTS
from medreview.sources.fetching.network import Limits, Network
from medreview.study import Study
from tests.support.bibliographic_formats import Work
from tests.support.bibliographic_servers import ALL, Bibliography
from tests.support.commands import own_settings
from tests.support.http_server import answer

TITLE = "Restrictive fluids in septic shock: a cluster randomised trial"
DOI = "10.5555/jim.2019.1"
FLUIDS = {
    "id": "fluids", "type": "article-journal",
    "title": TITLE,
    "container-title": "Journal of Invented Medicine", "issued": {"date-parts": [[2019]]},
    "volume": "12", "page": "1-9",
    "author": [{"family": "Okafor", "given": "Ngozi"}, {"family": "Lee", "given": "Kim"}], "DOI": DOI,
}  # fmt: skip
STATINS = {
    "id": "statins", "type": "article-journal", "title": "Statins for osteoporosis in old mice: a review of nothing",
    "container-title": "Annals of Invented Biology", "issued": {"date-parts": [[2011]]}, "status": "retracted",
    "author": [{"family": "Silva", "given": "Ana"}], "DOI": "10.5555/aib.2011.2",
}  # fmt: skip
MATCH = "Okafor N, Lee K. Restrictive fluids in septic shock: a cluster randomised trial. J Invent Med. 2019;12:1-9."
SLIP = MATCH.replace("2019;", "2020;")
MISMATCH = MATCH.replace("2019;", "2009;")
OTHER = MATCH + " doi:10.5555/aib.2011.2"
UNKNOWN = "Nobody X, Else Y. Magnesium for hiccups in marathon runners of the north. Lancet. 2015;1:1-2."
RETRACTED = "Silva A. Statins for osteoporosis in old mice: a review of nothing. Annals of Invented Biology. 2011."


@pytest.fixture
def run(medreview):
    """The command, in a folder that has a library."""
    (medreview.folder / "library.json").write_text(json.dumps([FLUIDS, STATINS]))
    return partial(medreview, "references")


@pytest.fixture
def listed(medreview):
    (medreview.folder / "list.txt").write_text("\n".join((MATCH, MISMATCH, OTHER, UNKNOWN, RETRACTED)))
    return "list.txt"


@pytest.fixture
def services(monkeypatch):
    """All services on this machine, which have one of the works."""
    work = Work(
        TITLE, (("Okafor", "Ngozi"), ("Lee", "Kim")), volume="12", pages="1-9",
        doi=DOI, pmid="99000001",
    )  # fmt: skip
    with Bibliography([work]) as server:
        network = Network(limits=Limits(host_delay=0, retry_delay=0.01), delays={"127.0.0.1": 0.0}, allow=server.allow)
        monkeypatch.setattr("medreview.configured.network_of", lambda *told: network)
        monkeypatch.setattr("medreview.configured.services_of", lambda config: server.services)
        yield server


def test_a_list_is_counted_and_what_is_wrong_is_shown_field_by_field(run, listed):
    said = run(listed, "--library", "library.json").stdout

    assert "list.txt: 5 references" in said
    assert "which does not prove" in said
    other, mismatch, unknown, retracted = (
        said.index(word) for word in ("OTHER WORK", "MISMATCH", "NOT FOUND", "MATCH line 5")
    )
    assert other < mismatch < unknown < retracted
    assert "perhaps meant: Okafor Ngozi, Lee Kim. Restrictive fluids" in said
    year = next(line for line in said[mismatch:].splitlines() if line.strip().startswith("year"))
    assert year.split()[1:3] == ["2009", "2019"]
    assert "RETRACTED" in said[retracted:]
    assert "fake" not in said.lower()
    assert max(map(len, said.splitlines())) <= 80


def test_slips_are_listed_when_they_are_asked_for(run, medreview):
    (medreview.folder / "one.txt").write_text(SLIP)

    plain = run("one.txt", "--library", "library.json").stdout
    assert "1 match with slips that mislead nobody; --all lists them" in plain
    assert "2020" not in plain
    every = run("one.txt", "--library", "library.json", "--all").stdout
    assert "2020" in every
    assert "year off by one" in every


def test_verdicts_are_chosen_and_the_list_is_as_long_as_wanted(run, listed):
    said = run(listed, "--library", "library.json", "--show", "not found").stdout
    assert "NOT FOUND line 4" in said
    assert "MISMATCH" not in said
    assert "and 3 more references" in run(listed, "--library", "library.json", "--limit", "1").stdout
    assert "not 'odd'" in run(listed, "--show", "odd", check=2).stderr


@pytest.mark.parametrize(
    ("lines", "allow", "code", "words"),
    [
        ((MATCH, SLIP, RETRACTED), (), 0, ""),
        ((MATCH, OTHER, UNKNOWN), (), 1, "2 of 3 references: 1 other work, 1 not found"),
        ((MATCH, UNKNOWN), ("not_found",), 0, ""),
        ((MISMATCH, UNKNOWN), ("not found",), 1, "1 of 2 references: 1 mismatch"),
    ],
)
def test_a_build_fails_over_references_that_are_not_as_described(run, medreview, lines, allow, code, words):
    (medreview.folder / "list.txt").write_text("\n".join(lines))
    options = [option for verdict in allow for option in ("--allow", verdict)]
    done = run("list.txt", "--library", "library.json", "--check", *options, check=code)

    assert words in done.stderr


def test_a_script_gets_every_check_and_a_table(run, listed, medreview):
    told = json.loads(run(listed, "--library", "library.json", "--json", "--csv", "out.csv").stdout)

    assert set(told["verdicts"]) == set(VERDICTS)
    assert told["verdicts"]["not_found"] == 1
    assert [check["verdict"] for check in told["checks"]] == ["match", "mismatch", "other_work", "not_found", "match"]
    assert told["checks"][2]["record"] == "statins"
    assert told["checks"][1]["differences"][0]["field"] == "year"
    assert told["checks"][0]["reading"]["title"] == TITLE
    with (medreview.folder / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["line"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert rows[1]["wrong_fields"] == "year"
    assert rows[4]["notices"] == "RETRACTED"
    (medreview.folder / "other.csv").write_text("mine")
    assert "exists and is not an earlier result" in run(listed, "--csv", "other.csv", check=2).stderr


def test_an_address_alone_is_counted_apart_and_nobody_fails_over_it(run, medreview):
    (medreview.folder / "list.txt").write_text(f"1. {MATCH}\n2. https://guidelines.example/sepsis\n3. {UNKNOWN}\n")

    said = run("list.txt", "--library", "library.json", "--check", "--allow", "not_found").stdout
    assert "list.txt: 3 references" in said
    assert "1 is an address alone, with nothing to check; shares are of the others" in said
    assert said.count("50.0%") == 2
    assert "nothing to look up" not in said
    told = json.loads(run("list.txt", "--library", "library.json", "--json").stdout)
    assert told["bare_urls"] == 1
    assert [check["verdict"] for check in told["checks"]] == ["match", None, "not_found"]


@pytest.mark.parametrize("form", ["text", "answers", "csv", "lines", "ris", "bib"])
def test_every_form_of_input_brings_its_references(run, medreview, form):
    answer = f"Give less fluid [1].\n\nReferences\n\n1. {MATCH}\n2. {UNKNOWN}\n"
    record = {"id": "a17", "model": "atlas-2", "response": answer}
    ris = "TY  - JOUR\nID  - {}\nTI  - {}\nAU  - {}\nPY  - {}\nJO  - J Invent Med\nER  - \n"
    files = {
        "text": ("answer.md", answer),
        "answers": ("answers.jsonl", json.dumps(record) + '\n{"id": "x", "response": ""}\n{"id"\n'),
        "csv": ("answers.csv", f'id,response\na17,"{answer}"\n'),
        "lines": ("lines.jsonl", f'{{"id": "a17", "reference": "{MATCH}"}}\n{{"reference": "{UNKNOWN}"}}'),
        "ris": ("x.txt", ris.format("a17", TITLE, "Okafor, Ngozi", 2019)
                + ris.format("b", "Magnesium for hiccups in marathon runners of the north", "Nobody, X", 2015)),
        "bib": ("x.bib", f"@article{{a17, title={{{TITLE}}}, author={{Okafor, Ngozi and others}}, year=2019}}\n"
                "@misc{b, title={Magnesium for hiccups in marathon runners of the north}, year=2015}\n@article{"),
    }  # fmt: skip
    name, text = files[form]
    (medreview.folder / name).write_text(text)
    told = json.loads(run(name, "--library", "library.json", "--json").stdout)

    assert [check["verdict"] for check in told["checks"]] == ["match", "not_found"]
    assert told["checks"][0]["id"] == (None if form == "text" else "a17")
    assert [bad["line"] for bad in told["left_out"]] == {"answers": [3], "bib": [3]}.get(form, [])
    if form == "answers":
        assert told["checks"][0]["model"] == "atlas-2"
    piped = json.loads(run("--library", "library.json", "--json", input=text).stdout) if form != "csv" else told
    assert [check["verdict"] for check in piped["checks"]] == ["match", "not_found"]


def test_services_are_asked_and_it_is_said_first_what_they_get(run, medreview, services):
    answer = f"My patient Ada has a fever.\n\nReferences\n\n1. {MATCH} doi:10.5555/jim.2019.1\n2. {UNKNOWN}\n"
    (medreview.folder / "answer.md").write_text(answer)
    done = run("answer.md", "--json")
    told = json.loads(done.stdout)

    assert "2 references are looked up at" in done.stderr
    assert [check["verdict"] for check in told["checks"]] == ["match", "not_found"]
    assert told["checks"][0]["authority"] in ("pubmed", "crossref")
    assert services.received
    assert not [request.path for request in services.received if "Ada" in request.path or "fever" in request.path]


def test_a_build_does_not_pass_because_services_are_down(run, medreview, services):
    (medreview.folder / "list.txt").write_text(MATCH)
    services.instead = dict.fromkeys(ALL, answer(b"down", status=500))

    failed = run("list.txt", "--check", check=1)
    assert "1 of 1 reference: 1 could not be looked up" in failed.stderr
    assert "1 could not be looked up, since services gave no answer" in failed.stdout
    assert "nothing to look up" not in failed.stdout
    said = run("list.txt", "--check", "--allow", "not_checkable").stdout
    assert "NOT CHECKABLE" in said
    assert "failed" in said


def test_nobody_is_asked_over_the_network_where_there_is_a_library_or_offline(run, listed, services):
    run(listed, "--library", "library.json")
    assert "needs a library" in run(listed, "--offline", check=2).stderr
    assert services.received == []
    run(listed, "--library", "library.json", "--online")
    assert services.received


def test_the_filter_answers_each_line_with_a_library_and_with_services(run, medreview, services):
    lines = "\n".join([*(json.dumps({"id": n, "reference": text}) for n, text in enumerate((MATCH, OTHER))), "{bad"])

    for options in (("--library", "library.json"), (), ("--library", "library.json", "--online")):
        done = run("--jsonl", *options, input=lines)
        first, second, bad = map(json.loads, done.stdout.splitlines())
        assert (first["id"], first["verdict"]) == (0, "match")
        assert (second["id"], second["verdict"]) == (
            1,
            "other_work" if options else "mismatch",
        )  # of a DOI that nobody has
        assert (bad["id"], bad["line"]) == (None, 3)
        assert done.stderr.count("looked up at") == ("--online" in options or not options)
    assert "--jsonl reads standard input" in run("list.txt", "--jsonl", check=2).stderr


def test_the_filter_starts_by_itself_and_streams(medreview):
    (medreview.folder / "library.json").write_text(json.dumps([FLUIDS]) + "")
    (medreview.folder / "broken.ris").write_text("TY  - JOUR\nTI  - T\nER  - \nTY  - JOUR\nER  - \n")
    started = medreview.start("references", "--jsonl", "--library=library.json", "--library", "broken.ris")
    for number in range(3):
        started.stdin.write(json.dumps({"id": number, "reference": MATCH}) + "\n")
        started.stdin.flush()
        assert json.loads(started.stdout.readline())["id"] == number
    _, said = started.communicate()

    assert started.returncode == 0
    assert "broken.ris, line 4: has neither a title nor an identifier; left out" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none.txt", "--library", "library.json"), "There is no file none.txt"),
        (("empty.txt", "--library", "library.json"), "No reference was found in empty.txt"),
        (("binary.txt", "--library", "library.json"), "binary.txt is not text"),
        (("list.txt", "--library", "list.txt"), "is not a list of references that medreview reads"),
        (("list.txt", "--library", "."), "is a folder"),
        (("--library", "library.json"), "Standard input is empty"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(run, listed, medreview, arguments, words):
    (medreview.folder / "empty.txt").write_text("Take the tablets with water.\n")
    (medreview.folder / "binary.txt").write_bytes(b"\x00\x01\x02" * 100)

    assert words in run(*arguments, check=2).stderr


@pytest.fixture
def study(run, medreview):
    """A study of one answer with three references."""
    listed = "\n".join(f"{number}. {text}" for number, text in enumerate((MATCH, OTHER, UNKNOWN), 1))
    answer = f"Give less fluid [1]. Statins help old mice [2].\n\nReferences\n\n{listed}\n"
    record = {"id": "a17", "model": "atlas-2", "response": answer}
    (medreview.folder / "answers.jsonl").write_text(json.dumps(record))
    medreview("import", "s.medreview", "answers.jsonl")
    return "s.medreview"


def test_a_study_keeps_its_checks_and_shows_single_ones_only_when_asked(run, study, medreview, services):
    counts = run(study, "--library", "library.json").stdout
    assert "s.medreview: 3 references" in counts
    assert "other work" in counts
    assert "OTHER WORK" not in counts
    said = run(study, "--library", "library.json", "--show", "other_work").stdout
    assert "OTHER WORK R01 [2]" in said
    assert services.received == []
    told = json.loads(run(study, "--offline", "--library", "library.json", "--json").stdout)
    assert [check["verdict"] for check in told["checks"]] == ["match", "other_work", "not_found"]
    assert told["checks"][0]["model"] == "atlas-2"
    with Study.open(medreview.folder / study, read_only=True) as opened:
        shown = [
            json.loads(row["payload"])["shown"]
            for row in opened.reader.execute("SELECT payload FROM event WHERE kind = 'look' ORDER BY event_id")
        ]
    assert shown == ["totals", "verdicts"]


def test_services_are_asked_once_about_a_study_and_a_build_fails_over_it(run, study, services):
    first = run(study, "--check", check=1)
    assert "3 references are looked up at" in first.stderr
    asked = len(services.received)
    assert asked
    again = run(study, "--check", "--allow", "not_found", "--allow", "mismatch")
    assert "looked up at" not in again.stderr
    assert len(services.received) == asked
    assert run(study, "--offline", "--json").stdout == run(study, "--offline", "--json").stdout


def test_what_nobody_had_is_asked_once_more_when_that_is_wanted(run, study, services):
    run(study)
    asked = len(services.received)
    title = "Magnesium for hiccups in marathon runners of the north"
    services.works.append(Work(title, (("Nobody", "X"), ("Else", "Y")), journal="Lancet", year=2015, volume="1",
                               pages="1-2", doi="10.5555/lancet.2015.1", pmid="99000002"))  # fmt: skip

    assert json.loads(run(study, "--json").stdout)["verdicts"]["not_found"] == 1
    assert len(services.received) == asked
    found = json.loads(run(study, "--again", "--json").stdout)
    assert (found["verdicts"]["not_found"], found["checks"][2]["verdict"]) == (0, "match")
    assert len(services.received) > asked
    for arguments, words in (
        ((study, "--again", "--offline"), "--again asks services"),
        (("list.txt", "--again"), "--again is for a study"),
        (("--jsonl", "--again"), "keeps nothing"),
    ):
        assert words in run(*arguments, check=2).stderr


def test_what_could_not_be_looked_up_is_no_verdict_in_figures_and_is_asked_again(run, study, medreview, services):
    services.instead = dict.fromkeys(ALL, answer(b"down", status=500))
    told = json.loads(run(study, "--json").stdout)
    assert (told["unanswered"], told["verdicts"]["not_checkable"]) == (3, 0)
    full = medreview("stats", study, "--full").stdout
    assert "3 could not be looked up" in " ".join(full.split())
    assert "0 checked, 3 not checked yet" in " ".join(full.split())

    services.instead = {}
    told = json.loads(run(study, "--json").stdout)
    assert (told["unanswered"], sum(told["verdicts"].values())) == (0, 3)


def test_a_study_is_held_against_the_library_of_the_settings_unless_another_is_named(run, study, medreview, services):
    own_settings(medreview.folder, f'[references]\nlibrary = "{medreview.folder / "library.json"}"\n')

    told = json.loads(run(study, "--json").stdout)
    assert [check["verdict"] for check in told["checks"]] == ["match", "other_work", "not_found"]
    (medreview.folder / "other.json").write_text(json.dumps([STATINS]))
    told = json.loads(run(study, "--library", "other.json", "--json").stdout)
    assert [check["verdict"] for check in told["checks"]] == ["not_found", "other_work", "not_found"]
    assert services.received == []
    run(study, "--online")
    assert services.received


def test_a_study_without_a_response_and_a_mapping_are_refused(run, study, medreview):
    with Study.create(medreview.folder / "empty.medreview"):
        pass
    assert "has no response yet" in run("empty.medreview", "--offline", check=2).stderr
    assert "--map is for files" in run(study, "--map", "a=response", check=2).stderr
