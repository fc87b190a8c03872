"""`medreview docs`: in a browser where there is one, else in the terminal."""

import sys
from pathlib import Path

import pytest

from medreview.cli.commands import docs
from tests.support.terminal import Terminal

ROOT = Path(__file__).parents[2]
STATISTICS = ROOT / "docs" / "explanation" / "statistics.md"
WITH_A_SITE = """import sys
from pathlib import Path
from medreview.cli.commands import docs
docs.SITE = Path(sys.argv.pop(1))
from medreview.cli.main import main
main()"""
"""The program, with the site in the folder that is named first."""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with its front page, as far as the command looks at it."""
    (tmp_path / "medreview" / "site").mkdir(parents=True)
    (tmp_path / "medreview" / "site" / "index.html").write_text("<h1>medreview</h1>")
    return tmp_path / "medreview" / "site"


@pytest.mark.parametrize("topic", ["statistics", "Statistics", "explanation/statistics.md", "statisti"])
def test_a_topic_is_a_page_as_it_is_where_the_output_is_piped(medreview, topic):
    assert medreview("docs", topic).stdout == STATISTICS.read_text(encoding="utf-8")
    assert medreview("docs", topic, "--path").stdout == f"{STATISTICS}\n"


def test_a_word_that_is_no_page_leads_to_pages_that_have_it(medreview):
    assert "most often in: " in medreview("docs", "jackknife", check=2).stderr
    assert "Pages: api, " in medreview("docs", "xyzzy", check=2).stderr


def test_an_install_has_its_own_site(medreview, site, monkeypatch):
    monkeypatch.setattr(docs, "SITE", site)

    assert medreview("docs", "--path").stdout == f"{site / 'index.html'}\n"
    told = medreview("docs")
    assert str(site / "index.html") in told.stderr
    assert told.stdout.startswith("# Documentation")


def test_an_install_without_it_has_the_pages(medreview, tmp_path, monkeypatch):
    monkeypatch.setattr(docs, "SITE", tmp_path / "medreview" / "site")

    assert medreview("docs").stdout.startswith("# Documentation")


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"DISPLAY": ":0", "SSH_CONNECTION": ""}, "TO BROWSE file://"),
        ({"DISPLAY": "", "SSH_CONNECTION": "1 2 3 4"}, "Contributing  set-up"),
    ],
    ids=["a window", "over SSH"],
)
def test_it_opens_where_the_person_sits(site, environ, words):
    given = {**environ, "BROWSER": "echo TO BROWSE %s", "PAGER": "cat", "WAYLAND_DISPLAY": ""}
    with Terminal([sys.executable, "-c", WITH_A_SITE, site, "docs"], **given) as terminal:
        assert terminal.finish() == 0
        assert words in terminal.shown
