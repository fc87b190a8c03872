"""The site of the documentation: every link leads somewhere, and it works from its folder, search too."""

import re
from pathlib import Path

import pytest

from tests.tools import site

ROOT = Path(__file__).parents[2]


def test_every_page_has_its_place_in_the_navigation() -> None:
    pages = {page for _, pages in site.navigation() for page in pages.values()}
    assert pages >= {page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md")} - {"docs/README.md"}


@pytest.mark.browser
def test_it_is_searched_from_its_folder_without_a_network(browser, tmp_path):
    site.make(tmp_path / "site")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    asked, wrong = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((tmp_path / "site" / "docs" / "explanation" / "statistics.html").as_uri())

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 844})
    page.keyboard.press("Control+k")
    page.keyboard.type("jackknife")
    page.get_by_text(re.compile(r"^\d+ results$")).wait_for()

    assert wrong == []
    assert all(url.startswith("file://") for url in asked)
