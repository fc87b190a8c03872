"""The report of the sample study in a real browser: read on a wide and a narrow screen, in the dark, and printed."""

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from medreview.study import Study
from tests.support.commands import in_process
from tests.support.wicked_study import SCRIPT, decide_some

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

pytestmark = pytest.mark.browser

_CONTRAST = """
() => {
  const part = (value) => { const c = value / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const found = {};
  for (const element of document.querySelectorAll("p, td, th, dt, dd, li, a, h2, summary, mark, figcaption, text")) {
    if (!element.textContent.trim() || !element.getClientRects().length) continue;
    let under = element;
    let ground = null;
    while (under && !ground) {
      const colour = numbers(getComputedStyle(under).backgroundColor);
      if (colour.length === 3) ground = colour;
      under = under.parentElement;
    }
    const style = getComputedStyle(element);
    const ink = numbers(element.tagName === "text" ? style.fill : style.color);
    const [one, other] = [light(ink), light(ground)];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const name = element.tagName + "." + (element.getAttribute("class") || "");
    found[name] = Math.min(found[name] ?? 21, ratio);
  }
  return found;
}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, demo_file: Path) -> Path:
    """The sample study, some of it decided, with script wherever words come in."""
    folder = tmp_path_factory.mktemp("browser")
    shutil.copy(demo_file, folder / "demo.medreview")
    with Study.open(folder / "demo.medreview") as study:
        decide_some(study)
    lists = ["--checklist", "chart", "--checklist", "grras"]
    in_process(["report", "demo.medreview", "demo.html", "--replicates", "99", *lists], folder, {})
    return folder / "demo.html"


class Opened:
    """The report in a window of its own: what was asked for over the network, and what went wrong."""

    def __init__(self, browser: "Browser", report: Path, width: int, **options: Any) -> None:
        self.asked: list[str] = []
        self.wrong: list[str] = []
        self.page: Page = browser.new_page(viewport={"width": width, "height": 800}, **options)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.goto(report.as_uri())

    def _dialog(self, dialog: "Dialog") -> None:
        self.wrong.append(f"a dialog: {dialog.message}")
        dialog.dismiss()


def test_it_is_read_on_a_wide_and_on_a_narrow_screen_without_a_request_and_nothing_in_it_acts(browser, report):
    assert SCRIPT in re.sub(r"&lt;", "<", re.sub(r"&gt;", ">", report.read_text()))
    for width in (1280, 390):
        opened = Opened(browser, report, width)
        opened.page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        assert opened.asked == [report.as_uri()]
        assert opened.wrong == []
        assert opened.page.evaluate("window.acted") is None
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.page.title() == "Review of demo.medreview"
        assert opened.page.locator("main section").count() > 8
        assert opened.page.locator("svg[role=img] > title").count() >= 4
        opened.page.close()


def test_tables_are_sorted_and_details_opened_from_the_keyboard(browser, report):
    opened = Opened(browser, report, 1280)
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    table = page.locator("#reviewed table", has=page.locator("caption", has_text="state of their page"))
    head = table.locator("th", has_text="sources")
    cells = table.locator("tbody td:nth-child(2)")
    head.locator("button").focus()
    for order, turned in (("ascending", False), ("descending", True)):
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == order
        numbers = list(map(int, cells.all_inner_texts()))
        assert len(numbers) > 1
        assert numbers == sorted(numbers, reverse=turned)
    item = page.locator("#item-1")
    item.locator("summary").focus()
    page.keyboard.press("Space")
    assert item.get_attribute("open") is not None
    page.close()
    linked = browser.new_page()
    linked.goto(f"{report.as_uri()}#item-2")
    assert linked.locator("#item-2").get_attribute("open") is not None
    linked.close()


def test_it_says_the_same_without_script(browser, report):
    opened = Opened(browser, report, 1280, java_script_enabled=False)
    assert opened.page.locator("#figures table").count() > 3
    assert opened.page.locator("th button").count() == 0
    assert opened.wrong == []
    opened.page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast_in_the_light_and_in_the_dark(browser, report, scheme):
    opened = Opened(browser, report, 1280, color_scheme=scheme)
    opened.page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    found = opened.page.evaluate(_CONTRAST)
    assert len(found) > 10
    assert {name: ratio for name, ratio in found.items() if ratio < 4.5} == {}
    opened.page.close()


def test_it_is_printed_light_and_with_everything_unfolded(browser, report):
    opened = Opened(browser, report, 1280, color_scheme="dark")
    printed = opened.page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) > 3
    opened.page.emulate_media(media="print")
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert opened.page.locator("nav").is_hidden()
    opened.page.close()
