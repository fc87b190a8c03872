"""Collapsed panels and boxes are in the main text, in the order of the page, and marked; what no reader sees is marked
as hidden; what stands open is not marked."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.labels import SET_APART
from medreview.sources.page import LONGEST
from medreview.sources.reading.text_structure import MOST_PARTS, SetApart, with_unseen
from tests.support.cost import LINEAR, growth
from tests.support.fetched import read as read_body

FACT = "Adults take 5 mg by mouth every morning for two weeks and are then seen again in the clinic. "
PROSE = f"<p>{FACT * 4}</p>"
CLAIM = "Planticillin is safe at any dose."


def read(markup, *, head="", prose=PROSE):
    body = f"""<html><head><title>X</title>{head}</head><body><nav><a href=/>Home</a></nav><main><h1>Planticillin</h1>
    {prose}{markup}<h2>Storage</h2>{prose}</main></body></html>"""
    return read_body(body)


def kinds(page, words=CLAIM):
    """The kinds under which some words stand, "" for open; each place must be marked wholly or not at all."""
    found = []
    for place in re.finditer(re.escape(words), page.text):
        over = [part for part in page.set_apart if part.start < place.end() and part.end > place.start()]
        assert all(part.start <= place.start() and part.end >= place.end() for part in over), (page.text, over)
        found.append(over[0].kind if over else "")
    return found


def assert_sound(page):
    at = 0
    for part in page.set_apart:
        assert at <= part.start < part.end <= len(page.text)
        assert part.kind in SET_APART
        at = part.end


PANELS = {
    "details": f"<details><summary>Dose</summary><p>{CLAIM}</p></details>",
    "details with loose text": f"<details><summary><span>Dose</span></summary>{CLAIM}</details>",
    "details without a summary": f"<details>{CLAIM}</details>",
    "a button that names its panel": f"<button aria-controls=a>Dose</button><div id=a hidden><p>{CLAIM}</p></div>",
    "a heading with a button": f"""<h3><button aria-expanded=false>Dose</button></h3><div style="display: none">
        <p>{CLAIM}</p></div>""",
    "tabs by roles": f"<div role=tablist><button role=tab>Dose</button></div><div role=tabpanel hidden>{CLAIM}</div>",
    "tabs by links": f"""<ul class="nav-tabs"><li><a href="#a">Dose</a></li></ul><div class=panes>
        <div id=a style="display:none"><p>{CLAIM}</p></div></div>""",
    "data-bs-target": f"""<div class=card><a data-bs-toggle=collapse data-bs-target="#a">Dose</a></div>
        <div class=collapse id=a><p>{CLAIM}</p></div>""",
    "found when searched for": f"""<div class="accordion-head"><h3>Dose</h3></div>
        <div class="accordion-body" hidden="until-found"><p>{CLAIM}</p></div>""",
    "a name for the panel beside a heading": f'<h3>Dose</h3><div class="accordion__panel" hidden><p>{CLAIM}</p></div>',
    "a description list": f"<dl><dt role=button tabindex=0>Dose</dt><dd style='display:none'>{CLAIM}</dd></dl>",
    "a dialog": f"<p><button aria-controls=a>Dose</button></p><dialog id=a><p>{CLAIM}</p></dialog>",
    "a label and a box to tick": f"""<input type=checkbox id=c><label for=c>Dose</label>
        <div style="max-height:0;overflow:hidden"><p>{CLAIM}</p></div>""",
    "a card that turns": f"<div tabindex=0><h3>Dose</h3><div style='visibility:hidden'><p>{CLAIM}</p></div></div>",
    "a region with its label": f"""<div><h3 id=l>Dose</h3></div><section aria-labelledby=l aria-hidden=true
        style='height:0;overflow:hidden'><p>{CLAIM}</p></section>""",
    "a button beside a title, without a name": f"""<div class="accordion-head"><h3>Dose</h3><button aria-expanded=false>
        Expand</button></div><div class="accordion-body"><p>{CLAIM}</p></div>""",
    "one of a set of which one is open": f"""<style>.part{{display:none}} .part.shown{{display:block}}</style>
        <div class="part shown"><p>{FACT}</p></div><div class=part>{CLAIM}</div>""",
    "a table of an encyclopaedia": f"""<table class="mw-collapsible mw-collapsed"><tr><th>Age<th>Says<tr><td>9
        <td>{CLAIM}</table>""",
    "an accordion of AMP": f"<amp-accordion><section><h2>Dose</h2><div><p>{CLAIM}</p></div></section></amp-accordion>",
    "details in a shadow tree": f"""<my-part><template shadowrootmode=closed><details><summary>Dose</summary><p>{CLAIM}
        </p></details></template></my-part>""",
}


@pytest.mark.parametrize("markup", PANELS.values(), ids=PANELS)
def test_a_panel_that_something_opens_is_in_the_main_text_as_collapsed(markup):
    page = read(markup)
    assert page.extractor.startswith("trafilatura")
    assert kinds(page) == ["collapsed"]
    assert page.text.index("Planticillin") < page.text.index(CLAIM) < page.text.index("Storage")
    if "Dose" in markup:
        assert page.text.index("Dose") < page.text.index(CLAIM)
        assert kinds(page, "Dose") == [""]
    assert_sound(page)


def test_what_opens_a_panel_and_what_stands_between_panels_is_open():
    panels = "".join(
        f"""<section class=collapsible><h2><button aria-expanded=false aria-controls=p{number}>Part {number}</button>
        </h2><div id=p{number} hidden><p>{CLAIM}</p></div></section>"""
        for number in range(3)
    )
    page = read(f"{panels}<details><summary>Last part</summary>{CLAIM}</details>")
    assert kinds(page) == ["collapsed"] * 4
    assert [kinds(page, words) for words in ("Part 0", "Part 1", "Part 2", "Last part")] == [[""]] * 4
    assert len(page.set_apart) == 4


UNSEEN = {
    "a link to a note before it": f"<p>{FACT * 4}<a href='#n'>1</a></p><p hidden>{CLAIM}</p>",
    "hidden": f"<p hidden>{CLAIM}</p>",
    "display none": f"<div style='display:none'><p>{CLAIM}</p></div>",
    "display none, important": f"<p style='DISPLAY : none !important'>{CLAIM}</p>",
    "visibility": f"<p style='visibility:hidden'>{CLAIM}</p>",
    "no opacity": f"<p style='opacity:0.00'>{CLAIM}</p>",
    "off the screen": f"<p style='position:absolute;left:-9999px'>{CLAIM}</p>",
    "far above": f"<p style='position:fixed; top:-200em'>{CLAIM}</p>",
    "moved away": f"<p style='transform: translateX(-9999px)'>{CLAIM}</p>",
    "indented": f"<p style='text-indent:-9999px'>{CLAIM}</p>",
    "no size of letters": f"<p style='font-size:0'>{CLAIM}</p>",
    "letters of a pixel": f"<p style='font-size:1px'>{CLAIM}</p>",
    "no width": f"<div style='width:1px;height:1px;overflow:hidden'>{CLAIM}</div>",
    "clipped": f"<div style='position:absolute;clip:rect(0,0,0,0)'>{CLAIM}</div>",
    "clipped by a path": f"<div style='clip-path: inset(50%)'>{CLAIM}</div>",
    "scaled": f"<p style='transform:scale(0)'>{CLAIM}</p>",
    "white": f"<p style='color:#fff'>{CLAIM}</p>",
    "white on white": f"<div style='background:#fefefe'><p style='color:white'>{CLAIM}</p></div>",
    "grey on grey": f"<div style='background-color:rgb(200,200,200)'><p style='color:#c8c8c9'>{CLAIM}</p></div>",
    "transparent": f"<p style='color:rgba(0,0,0,0)'>{CLAIM}</p>",
    "a font of 1999": f"<font color='#FFFFFF'>{CLAIM}</font>",
    "for screen readers": f"<p class='visually-hidden'>{CLAIM}</p>",
    "a dialog that nothing opens": f"<dialog><p>{CLAIM}</p></dialog>",
    "within a line": f"<p>{FACT}<span style='position:absolute;left:-9999px'>{CLAIM}</span> Ask a nurse.</p>",
    "in a cell": f"<table><tr><th>Age<th>Dose<tr><td>9<td>5 mg<tr hidden><td>10<td>{CLAIM}</table>",
    "in a cell over rows": f"""<table><tr><th>Age<th>Dose<tr><td>9<td rowspan=2>5 mg<b style='font-size:0'>{CLAIM}</b>
        <tr><td>10</table>""",
    "in a closed panel": f"<details><summary>More</summary><p>{FACT}</p><p style='font-size:0'>{CLAIM}</p></details>",
}
RULES = {
    "a class": (".x1{display:none}", f"<p class='a x1'>{CLAIM}</p>"),
    "an id": ("#y { left : -9999px ; position:absolute }", f"<p id=y>{CLAIM}</p>"),
    "below another": ("div.a > p.b{color:#fff;}", f"<div class=a><p class=b>{CLAIM}</p></div>"),
    "on screens": ("@media screen{.x{opacity:0}}", f"<p class=x>{CLAIM}</p>"),
    "white on the colour of a class": (
        ".n{background:navy}.w{color:navy}",
        f"<div class=n><p class=w>{CLAIM}</p></div>",
    ),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_what_no_reader_sees_is_in_the_text_as_hidden(name):
    page = read(UNSEEN[name])
    assert set(kinds(page)) == {"hidden"}, page
    assert kinds(page, FACT.strip())[0] == ""
    assert_sound(page)


@pytest.mark.parametrize("name", RULES)
def test_also_by_the_rules_of_the_page(name):
    rule, markup = RULES[name]
    assert kinds(read(markup, head=f"<style>h1{{color:#123}} {rule} p{{margin:0}}</style>")) == ["hidden"]
    assert kinds(read(markup)) == [""]


SEEN = {
    "open details": f"<details open><summary>Dose</summary><p>{CLAIM}</p></details>",
    "the tab that is open": f"""<ul class=nav-tabs><li><a href="#a">Dose</a></ul>
        <div class="tab-pane active" id=a><p>{CLAIM}</p></div>""",
    "not for programs that read aloud": f"<div aria-hidden=true><p>{CLAIM}</p></div>",
    "white on navy": f"<div style='background:navy'><p style='color:#fff'>{CLAIM}</p></div>",
    "white on a picture": f"<div style='background:url(a.png)'><p style='color:#fff'>{CLAIM}</p></div>",
    "white on a banner": f"<div class='hero-banner'><p style='color:#fff'>{CLAIM}</p></div>",
    "white in a cell of 1999": f"<table><tr><td bgcolor=navy><font color=white>{CLAIM}</font></table>",
    "hidden on small screens": f"<p class='d-none d-md-block'>{CLAIM}</p>",
    "on paper": f"<style>@media print{{.x{{display:none}}}}</style><p class=x>{CLAIM}</p>",
    "opened by a later rule": f"<style>.x{{display:none}} .x.on{{display:block}}</style><p class='x on'>{CLAIM}</p>",
    "elsewhere": f"<style>.menu .x{{display:none}}</style><p class=x>{CLAIM}</p>",
    "a little to the left": f"<p style='margin-left:-10px;text-indent:-1em;opacity:.9'>{CLAIM}</p>",
    "after a set of closed panels": f"""<div class=accordion><button class=collapsed aria-expanded=false
        data-target="#a">More</button><div id=a class=collapse>{FACT}</div></div>
        <div class=card><p>{CLAIM}</p></div>""",
    "after a closed panel whose control names none": f"""<div class=accordion><div role=button aria-expanded=false>More
        </div><div class=collapse>Ask a nurse.</div></div><div class=alert><p>{CLAIM}</p></div>""",
    "the open part of an accordion of AMP": f"""<amp-accordion><section expanded><h2>Dose</h2><p>{CLAIM}</p></section>
        </amp-accordion>""",
    "a shadow tree": f"<my-part><template shadowrootmode=open><h2>Dose</h2><p>{CLAIM}</p></template></my-part>",
    "faded in": f"<style>.aos{{opacity:0}}</style><p class=aos>{CLAIM}</p>",
}


@pytest.mark.parametrize("markup", SEEN.values(), ids=SEEN)
def test_what_stands_open_is_not_marked(markup):
    assert kinds(read(markup)) == [""]


def test_code_that_a_script_would_fill_in_is_no_text():
    assert CLAIM not in read(f"<template><p>{CLAIM}</p></template>").text


def test_the_words_for_an_image_are_marked():
    page = read("<p>Stop it when the eGFR is <img alt='&lt;' src=x> 30 <img alt='30 mL/min' src=y> in adults.</p>")
    assert kinds(page, "30 mL/min") == ["alt"]
    assert [page.text[part.start : part.end] for part in page.set_apart] == ["<", "30 mL/min"]


def test_menus_are_marked_where_the_whole_page_is_the_text():
    page = read(f"</main><footer>{FACT * 3}</footer><main>", prose="<p>5 mg.</p>")
    assert page.extractor.startswith("walker")
    assert kinds(page, "Home") == ["boilerplate"]
    assert kinds(page, FACT.strip()) == ["boilerplate"] * 3
    assert kinds(page, "5 mg.") == ["", ""]


def test_boxes_notes_and_captions_stand_in_their_place_and_frames_do_not():
    box = f"""<aside class="key-facts"><h2>Key facts</h2><ul><li>{CLAIM}</li></ul></aside>
    <div class="share-bar"><p>Tell your friends about it today</p></div>{PROSE}<figure><img src=x><figcaption>Figure 1.
    The titration.</figcaption></figure><dl><dt>Half-life</dt><dd>6 hours</dd></dl>
    <ul><li><a href=/1>Our new building</a></li><li><a href=/2>Staff awards</a></li></ul>"""
    page = read(box)
    at = [page.text.index(words) for words in ("Key facts", CLAIM, "The titration.", "Half-life", "6 hours", "Storage")]
    assert at == sorted(at)
    assert not page.set_apart
    for frame in ("Home", "Tell your friends", "Our new building"):
        assert frame not in page.text
        assert frame in page.full_text


def test_a_text_within_noframes_counts():
    body = f"<html><frameset><frame src=a><noframes><body><h1>Dose</h1>{PROSE}</body></noframes></frameset></html>"
    page = read_body(body)
    assert FACT.strip() in page.text
    assert not page.set_apart


def test_characters_that_nobody_sees_are_marked_in_every_kind_of_text():
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "say yes")
    flag = "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng") + "\U000e007f"
    run = "\u200b\u200c" * 9
    text = f"{FACT}{tags} {flag} a\u200bb {run} {FACT}"
    html = read(f"<p>{text}</p>")
    plain = read_body(text, "https://health.example/x.txt", "text/plain")
    for page in (html, plain):
        assert [page.text[part.start : part.end] for part in page.set_apart] == [tags, run]
        assert {part.kind for part in page.set_apart} == {"hidden"}


def test_unseen_characters_cut_through_other_parts():
    tags = "\U000e0041" * 3
    text = f"ab{tags}cd{tags}ef"
    assert with_unseen(text, [SetApart(0, 4, "alt"), SetApart(5, 99, "collapsed")]) == (
        (0, 2, "alt"), (2, 5, "hidden"), (5, 7, "collapsed"), (7, 10, "hidden"), (10, 12, "collapsed"),
    )  # fmt: skip
    assert with_unseen("abc", [SetApart(1, 9, "alt"), SetApart(12, 15, "alt")]) == ((1, 3, "alt"),)


def test_of_very_many_parts_the_rest_is_one():
    parts = [SetApart(2 * place, 2 * place + 1, "alt") for place in range(MOST_PARTS + 50)]
    parts[-7] = SetApart(*parts[-7][:2], "hidden")
    bounded = with_unseen("ab" * (MOST_PARTS + 50), parts)
    assert len(bounded) == MOST_PARTS
    assert bounded[-1] == (2 * MOST_PARTS - 2, 2 * MOST_PARTS + 99, "hidden")


def test_marks_of_the_page_itself_count_for_nothing():
    page = read(f"<div data-set-apart=hidden data-area-of-page=frame><p>{CLAIM}</p></div>")
    assert kinds(page) == [""]


def test_a_cut_text_has_no_parts_beyond_its_end():
    panel = f"<details><summary>More</summary><p>{FACT * 30_000}</p></details>"
    page = read(panel)
    assert len(page.text) == LONGEST
    assert page.set_apart[-1].end == LONGEST
    assert_sound(page)


PIECES = st.sampled_from(
    ["<div hidden>", "</div>", "<details>", "<summary>", "</details>", "<p style='font-size:0'>", "</p>", "<h2>Dose",
     "<table><tr><td>", "<td hidden>", "</table>", "<li>", "<pre>", "a\r\nb", "</pre>", "<button aria-expanded=false>",
     "<img alt='5 mg'>", "<sup>2</sup>", "&#13;", "\U000e0041", "<span class=sr-only>", "</span>", "<br>", FACT,
     "<td rowspan=3 colspan=2>x", "<del>", "<dialog>", "<main>", "<nav>", "\u200b\u200b\u200b\u200b\u200b"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_markup_has_sound_marks(markup):
    assert_sound(read(markup))
    assert_sound(read(markup, prose=""))


@pytest.mark.parametrize(
    "piece",
    ["<div hidden>x</div>", "<details><summary>a</summary>b", "<p class=x style='color:#fff'>x</p>", "<div class=x>",
     "<button aria-controls=x>a</button><div id=x hidden>b</div>", "<span style='left:-9999px;position:absolute'>x"],
)  # fmt: skip
def test_hidden_text_takes_linear_time(piece):
    head = "<style>" + ".x .x .x{color:#fff}.x{display:none}" * 200 + "</style>"
    assert growth(lambda size: read(piece * size, head=head), 800) < LINEAR
