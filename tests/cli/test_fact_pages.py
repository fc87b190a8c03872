"""A page for each system and each case, many systems on one page, and both intervals of their figures."""

import json
from pathlib import Path

import pytest

from medreview.study import Study
from tests.support.commands import Program
from tests.support.fact_study import FactStudy

SYSTEMS = ("atlas", "boreal", "cedar", "<b>delta</b>")
SAID = {"atlas": "YNN", "boreal": "YYN", "cedar": "YYY", "<b>delta</b>": "NNN"}


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    path = tmp_path / "ward.medreview"
    with Study.create(path) as study:
        facts = FactStudy(study)
        for case in ("one", "two", "three"):
            facts.case(case, ("It bled.", "diagnosis"), ("It was clipped.", "management"), ("See him.", "follow_up"))
            for system in SYSTEMS:
                text = facts.text(system, case, f"What {system} wrote on case {case}.")
                for judge in ("j1", "j2"):
                    facts.votes(judge, text, SAID[system])
                facts.votes("j1", text, "NNY", "contradiction")
                for person in ("ann", "ben", "eve"):
                    said = "YYN" if person == "eve" and case == "one" else SAID[system]
                    levels = ("present" if letter == "Y" else "absent" for letter in said)
                    facts.labels(person, text, *levels)
        facts.case("without texts", ("It waits.", "other"))
    return path


def test_a_page_for_each_system_has_nothing_of_the_others(medreview: Program, ward: Path, tmp_path: Path) -> None:
    done = medreview("report", ward, "--systems", "pages", "--replicates", 99)
    assert "written: 7 pages in pages" in done.stderr
    pages = {path.name: path.read_text() for path in sorted((tmp_path / "pages").iterdir())}
    assert list(pages) == [
        "case-01-case-one.html", "case-02-case-two.html", "case-03-case-three.html", "system-01-cedar.html",
        "system-02-boreal.html", "system-03-atlas.html", "system-04-b-delta-b.html",
    ]  # fmt: skip
    boreal = pages["system-02-boreal.html"]
    assert "Place 2 of 4 by the facts that the texts say." in boreal
    assert all(f"What boreal wrote on case {case}." in boreal for case in ("one", "two", "three"))
    assert not any(other in boreal for other in ("atlas", "cedar", "delta"))
    assert all(f"What {system} wrote on case two." in pages["case-02-case-two.html"] for system in SYSTEMS[:3])
    assert "case one" not in pages["case-02-case-two.html"].casefold().replace("of one", "")
    assert "<b>delta" not in "".join(pages.values())
    assert (
        "written: 7 pages" in medreview("report", ward, "--systems", "pages", "--replicates", 99).stderr
    )  # earlier ones are replaced


def test_pages_are_written_over_nothing_else(medreview: Program, ward: Path, tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("mine")
    assert "is a file; name a folder" in medreview("report", ward, "--systems", "a file", check=2).stderr
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "system-01-cedar.html").write_text("mine")
    medreview("report", ward, "--systems", "site", check=2)
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["system-01-cedar.html"]
    with Study.create(tmp_path / "empty.medreview"):
        pass
    none = medreview("report", "empty.medreview", "--systems", "none", check=2)
    assert "No text of the study is held against a key fact" in none.stderr
    assert not (tmp_path / "none").exists()


def test_many_systems_stand_on_one_page_best_first_with_their_votes_folded(
    medreview: Program, ward: Path, tmp_path: Path
) -> None:
    medreview("report", ward, "r.html", "--markdown", "r.md", "--replicates", 99)
    page, text = (tmp_path / "r.html").read_text(), (tmp_path / "r.md").read_text()
    glance = page.split('<table class="votes glance"')[1].split("</table>")[0]
    names = ["cedar", "boreal", "atlas", "&lt;b&gt;delta&lt;/b&gt;"]
    assert [glance.index(f">{name}<") for name in names] == sorted(glance.index(f">{name}<") for name in names)
    assert glance.count(">3 !1<") == 3  # cedar says all facts of each case, and contradicts one
    assert page.count("<summary>cedar</summary>") == 1
    assert "How many facts of its case each text says" in text


def test_both_intervals_stand_beside_each_other_for_each_system(medreview: Program, ward: Path) -> None:
    told = json.loads(
        medreview("stats", ward, "--unit", "key_fact", "--bootstrap", "--json", "--replicates", 99).stdout
    )["both_intervals"]
    assert [one["system"] for one in told if one["figure"] == "presence"] == ["cedar", "boreal", "atlas", SYSTEMS[3]]
    assert {one["system"] for one in told if one["figure"] == "kappa"} == {"", *SYSTEMS}
    person = next(one for one in told if one["figure"] == "a person's kappa" and not one["system"])
    assert person["default"]["value"] == person["bootstrap"]["value"]
    assert person["default"]["method"].startswith("jackknife")
    assert person["bootstrap"]["method"].startswith("percentile bootstrap")
    printed = medreview("stats", ward, "--unit", "key_fact", "--bootstrap", "--replicates", 199).stdout
    assert "percentiles of 199 resamples" in " ".join(printed.split())
    for wrong in (("--unit", "pair"), ("--unit", "key_fact", "--by", "model"), ()):
        assert "--bootstrap" in medreview("stats", ward, "--bootstrap", *wrong, check=2).stderr


def test_judges_beside_people_are_plotted_for_each_system_of_a_few(
    medreview: Program, ward: Path, tmp_path: Path
) -> None:
    medreview("report", ward, "r.html", "--replicates", 99)
    page = (tmp_path / "r.html").read_text()
    titles = ("presence", *(f"presence, texts of {system}" for system in ("boreal", "atlas")))
    assert all(f"Key facts, {title}: Cohen&#x27;s kappa" in page.replace("'", "&#x27;") for title in titles)
