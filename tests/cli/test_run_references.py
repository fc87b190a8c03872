"""References in ``run`` and ``parse``: found always, held against a library or the services when that is asked for."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from medreview.sources.fetching.network import Network
from tests.support.bibliographic_formats import Work
from tests.support.bibliographic_servers import Bibliography
from tests.support.commands import Program, own_settings

ANSWER = {
    "id": "a",
    "response": "Zorbium helps against colds [1]. Nobody knows why [2].\n\nReferences\n"
    "1. Moreno A, Lind K. Zorbium against colds. J Test Med. 2019;12(3):45-51. PMID: 99000001\n"
    "2. Okafor B. Why zorbium helps: a survey. Test Neurology. 2018;7:3-9.",
}
COLDS = {"id": "c", "type": "article-journal", "title": "Zorbium against colds", "PMID": "99000001", "volume": "12",
         "author": [{"family": "Moreno", "given": "Ana"}, {"family": "Lind", "given": "Kai"}], "page": "45-51",
         "container-title": "Journal of Test Medicine", "issued": {"date-parts": [[2019]]}}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Answers, no pages, and a library with a record that is none."""
    (tmp_path / "answers.jsonl").write_text(json.dumps(ANSWER), "utf-8")
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "manifest.jsonl").write_text("", "utf-8")
    (tmp_path / "own.json").write_text(json.dumps([COLDS, {"type": "book"}]), "utf-8")
    return tmp_path


RUN = ("run", "s.medreview", "answers.jsonl", "--pages", "pages")


def verdicts(folder: Path) -> list[str]:
    query = """SELECT c.verdict FROM reference_current AS f LEFT JOIN reference_checked AS c USING (reference_id)
               ORDER BY f.ordinal"""
    with closing(sqlite3.connect(folder / "s.medreview")) as study:
        return [row[0] for row in study.execute(query)]


def test_without_a_library_references_are_found_and_nobody_is_asked(medreview: Program, folder: Path) -> None:
    assert "reference" not in medreview(*RUN).stderr
    assert verdicts(folder) == [None, None]


def test_a_library_on_the_command_line_is_asked_and_what_it_cannot_use_is_said(
    medreview: Program, folder: Path
) -> None:
    done = medreview(*RUN, "--library", "own.json")
    assert "2 references: 1 match, 1 not found" in done.stderr
    assert "own.json" in done.stderr
    assert "neither a title nor an identifier" in done.stderr
    assert verdicts(folder) == ["match", "not_found"]
    assert json.loads(medreview(*RUN, "--library", "own.json", "--json").stdout)["references"]["checked"] == 0


def test_a_library_of_the_settings_is_asked_by_run_and_by_parse(medreview: Program, folder: Path) -> None:
    own_settings(folder, '[references]\nlibrary = "../../own.json"\n')
    medreview(*RUN)
    assert verdicts(folder) == ["match", "not_found"]
    (folder / "s.medreview").unlink()
    medreview("import", "s.medreview", "answers.jsonl")
    medreview("parse", "s.medreview")
    assert verdicts(folder) == ["match", "not_found"]


def test_services_are_asked_only_when_that_is_said_and_told_before_what_goes_where(
    medreview: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work("Zorbium against colds", authors=(("Moreno", "Ana"), ("Lind", "Kai")), year=2019,
                journal="Journal of Test Medicine", abbreviation="J Test Med", volume="12",
                issue="3", pages="45-51", pmid="99000001")  # fmt: skip
    with Bibliography([work]) as server:
        places = "".join(
            f'{name} = "{getattr(server.services, name)}"\n'
            for name in ("eutils", "europe_pmc", "crossref", "datacite", "clinical_trials", "openalex")
        )
        network = Network(allow=frozenset({("127.0.0.1", server.port)}))
        monkeypatch.setattr("medreview.configured.network_of", lambda *_: network)
        own_settings(folder, f"[services]\n{places}[references]\nonline = true\n")
        medreview(*RUN)
        assert server.received == []
        told = medreview(*RUN, "--references").stderr
        sent = json.dumps([request.path for request in server.received])
    assert "2 references are looked up at 127.0.0.1. Only the references' own words are sent" in told
    assert verdicts(folder) == ["match", "not_found"]
    assert "helps%20against%20colds" not in sent
    assert "knows" not in sent


def test_settings_of_somebody_else_open_no_library_and_ask_nobody_until_they_are_trusted(
    medreview: Program, folder: Path
) -> None:
    (folder / "medreview.toml").write_text('[references]\nlibrary = "own.json"\nonline = true\n', "utf-8")
    refused = medreview(*RUN, check=2).stderr
    assert "references.library" in refused
    assert not (folder / "s.medreview").exists()
    trusted = medreview("config", "trust", "medreview.toml", "--yes").stdout
    assert "library of references: " in trusted
    assert "references are looked up at the services" in trusted
    medreview(*RUN)
    assert verdicts(folder) == ["match", "not_found"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("books = 1", "unknown key 'references.books'"),
        ("online = 1", "'references.online' must be true or false"),
        ("library = [1]", "must be a file, or a list of files"),
        ('library = "no.json"', "There is no file"),
    ],
)
def test_a_wrong_setting_is_a_sentence(medreview: Program, folder: Path, text: str, why: str) -> None:
    own_settings(folder, f"[references]\n{text}\n")
    done = medreview(*RUN, check=2)
    assert why in done.stderr
    assert "Traceback" not in done.stderr
    assert why in medreview("config", check=1).stdout + medreview("config", check=1).stderr
