"""HTML to text: doses, rows and footnotes stay whole; code and clutter do not get in."""

from pathlib import Path

import pytest

from medreview.sources.reading.charset import decode
from medreview.sources.reading.html import read_html
from tests.support.cost import LINEAR, growth

MONOGRAPH = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Metformin | Example
 Formulary</title><script>var tracking = "SCRIPT-TEXT";</script><style>.x{color:red}STYLE-TEXT</style></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/a">A to Z</a></li></ul></nav>
<div class="banner">We use cookies. <button>Accept all</button></div>
<noscript>Please enable JavaScript</noscript><template>TEMPLATE-TEXT</template>
<main><h1>Metformin hydrochloride</h1>
<p>Metformin is used in adults with <b>type 2</b> diabetes; the usual starting dose is 500&nbsp;mg once daily with
breakfast for at least one week, then 500&nbsp;mg twice daily with breakfast and the evening meal.<sup><a
href="#fn1">1</a></sup></p>
<h2>Renal impairment</h2>
<table><caption>Maximum daily dose by eGFR</caption><thead><tr><th>eGFR (mL/min/1.73&nbsp;m<sup>2</sup>)</th>
<th>Maximum daily dose</th><th>Action</th></tr></thead><tbody>
<tr><td>&ge;60</td><td>2550&nbsp;mg</td><td rowspan="2">Review <i>every</i><br>6 months</td></tr>
<tr><td>45&ndash;59</td><td>2000&nbsp;mg</td></tr>
<tr><td>30&ndash;44</td><td>1000&nbsp;mg</td><td>Halve the dose</td></tr>
<tr><td>&lt;30</td><td colspan="2">Contraindicated</td></tr></tbody></table>
<p>Stop when neutrophils fall below 0.5&times;10<sup>9</sup>/L. Lactate is given in mmol&nbsp;L<sup>-1</sup>.</p>
<h2>Cautions</h2><ul><li>Heart failure<ul><li>acute</li><li>unstable</li></ul></li><li>Contrast media: stop for
48&nbsp;hours</li></ul>
<div role="tabpanel" id="p1"><p>Adults may take the prolonged-release form at 1000 mg with the evening meal.</p></div>
<div role="tabpanel" id="p2" hidden><p>Children of 10 years and over: 500 mg once daily at first.</p></div>
<figure><img src="x.png" alt=""><figcaption>Figure 1. Steps of titration to 2 g daily.</figcaption></figure>
<dl><dt>Half-life</dt><dd>6.2 hours</dd></dl>
<p id="fn1">1. Footnote: take with food to lessen gastrointestinal effects.</p></main>
<footer>&copy; Example Formulary</footer><script>SCRIPT-TEXT</script></body></html>"""

PAGES = Path(__file__).parents[2] / "bench" / "extraction" / "pages"


@pytest.fixture(scope="module")
def monograph():
    return read_html(MONOGRAPH.encode())


ROWS = [
    "| eGFR (mL/min/1.73 m²) | Maximum daily dose | Action |",
    "| ≥60 | 2550 mg | Review every 6 months |",
    "| 45–59 | 2000 mg | Review every 6 months |",
    "| 30–44 | 1000 mg | Halve the dose |",
]


@pytest.mark.parametrize("row", ROWS)
def test_each_row_is_one_line_in_both_texts(monograph, row):
    assert row in monograph.full.text.split("\n")
    assert row in monograph.main.text.split("\n")


FACTS = [
    "type 2 diabetes", "starting dose is 500 mg once daily", "evening meal.[1]", "0.5×10⁹/L", "mmol L⁻¹",
    "- Heart failure", "stop for 48 hours", "Children of 10 years and over", "Steps of titration to 2 g daily",
    "6.2 hours", "take with food", "Maximum daily dose by eGFR",
]  # fmt: skip


@pytest.mark.parametrize("fact", FACTS)
def test_facts_are_in_both_texts(monograph, fact):
    assert fact in monograph.full.text
    assert fact in monograph.main.text


@pytest.mark.parametrize("noise", ["SCRIPT-TEXT", "STYLE-TEXT", "TEMPLATE-TEXT", "enable JavaScript"])
def test_code_is_in_neither_text(monograph, noise):
    assert noise not in monograph.full.text
    assert noise not in monograph.main.text


def test_menus_and_banners_are_only_in_the_full_text(monograph):
    for clutter in ("A to Z", "Accept all", "© Example Formulary"):
        assert clutter in monograph.full.text
        assert clutter not in monograph.main.text


def test_structure_of_the_full_text(monograph):
    lines = monograph.full.text.split("\n")
    assert monograph.title == "Metformin | Example Formulary"
    for heading in ("Metformin hydrochloride", "Renal impairment", "Cautions"):
        assert lines[lines.index(heading) - 1] == ""
    nested = lines.index("- Heart failure")
    assert lines[nested : nested + 4] == [
        "- Heart failure", "  - acute", "  - unstable", "- Contrast media: stop for 48 hours",
    ]  # fmt: skip
    assert monograph.signs.noscript == "Please enable JavaScript"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("10<sup>9</sup>/L", "10⁹/L"),
        ("1.73 m<sup>2</sup>", "1.73 m²"),
        ("x10<sup>&minus;3</sup>", "x10⁻³"),
        ("Na<sup>+</sup> and Ca<sup>2+</sup>", "Na⁺ and Ca²⁺"),
        ("the 1<sup>st</sup> day", "the 1st day"),
        ("CO<sub>2</sub>", "CO2"),
        ("a dose of 5 mg.<sup>3</sup>", "a dose of 5 mg.[3]"),
        ("5 mg<sup>2,4-6</sup> daily", "5 mg[2,4-6] daily"),
        ('5 mg<sup class="reference">7</sup>', "5 mg[7]"),
        ('5 mg<sup><a href="#fn-a">a</a></sup>', "5 mg[a]"),
        ("5 mg<sup>[8]</sup>", "5 mg[8]"),
    ],
)
def test_raised_figures_do_not_join_the_number_before(markup, text):
    assert read_html(f"<body><p>{markup}</p>".encode()).full.text == text


def test_inline_marks_do_not_split_words_and_blocks_do():
    body = b"<body><div>5<b>0</b> mg<div>daily</div>then<br>none</div><p>a<span> b</span>"
    assert read_html(body).full.text == "50 mg\ndaily\nthen\nnone\na b"


def test_layout_tables_are_blocks_and_data_tables_inside_stay_rows():
    body = b"""<body><table><tr><td><h2>Menu</h2></td><td><table><tr><th>Age<th>Dose<tr><td>Child<td>15 mg/kg
    </table></td></tr></table><table role=presentation><tr><td>left<td>right</table>"""
    assert read_html(body).full.text == "Menu\n| Age | Dose |\n| Child | 15 mg/kg |\nleft\nright"


def test_the_main_text_of_a_page_laid_out_by_tables_has_its_lines():
    prose = "Adults take 5 mg by mouth every morning for two weeks and are then seen again in the clinic of the ward."
    body = f"""<body><table width=100%><tr><td width=20%><a href=/>Home</a><td><h1>Dose</h1>{prose}<p>{prose}<table>
    <tr><th>Age<th>Dose<tr><td>Child<td>15 mg/kg</table></table>"""
    lines = read_html(body.encode()).main.text.split("\n")
    assert [line for line in lines if line in ("Dose", prose, "| Age | Dose |", "| Child | 15 mg/kg |")] == lines[-5:]


def test_spanning_cells_keep_their_column():
    body = b"""<body><table><tr><th>Drug<th>eGFR<th>Dose<tr><td rowspan=3>A<td>30-44<td rowspan=2>5 mg<tr><td>15-29
    <tr><td>0-14<td>none<tr><td>B<td>any<td>1 mg</table>"""
    assert read_html(body).full.text.split("\n")[1:] == [
        "| A | 30-44 | 5 mg |", "| A | 15-29 | 5 mg |", "| A | 0-14 | none |", "| B | any | 1 mg |",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "piece", "size"),
    [
        ("<a>", "x<sup>2</sup>", 4_000),
        ("", "x<a href='#f'><sup>2</sup></a>", 3_000),
        ("<table><tr><td><h1>x</h1></td>", "<td>x</td>", 1_000),
        ("", "<div>x</div>", 2_000),
        ("", "<table><tr><td>", 50),
        ("<table>", "<tr><td colspan=20>x<td rowspan=60>y", 500),
        ("", "<msup><mn>10</mn><mn>9</mn></msup><mfrac><mn>1</mn><mn>2</mn></mfrac>", 2_000),
        ("<script></script>" + "<app-x>" * 200, "x y ", 60_000),
    ],
    ids=lambda part: part[:24] if isinstance(part, str) else "",
)
def test_pages_built_to_be_slow_take_linear_time(start, piece, size):
    assert growth(lambda size: read_html(f"<html><body>{start}{piece * size}".encode()), size) < LINEAR


def test_hostile_spans_do_not_multiply():
    rows = b"<tr>" + b"<td rowspan=65534 colspan=99999>x" * 50
    assert len(read_html(b"<body><table>" + rows * 200 + b"</table>").full.text) < 100_000


def test_preformatted_text_keeps_its_lines():
    assert read_html(b"<body><pre>dose  5 mg\n  twice</pre><p>after").full.text == "dose  5 mg\n  twice\nafter"


def test_control_and_direction_characters_are_left_for_the_screen_to_mark():
    full = read_html("<body><p>a\x1b[31mb\u202ec\x9bd [red]e[/red]</p>".encode()).full.text
    assert full == "a\x1b[31mb\u202ec\x9bd [red]e[/red]"


def test_deep_nesting_is_told_and_does_no_harm():
    deep = read_html(b"<body><p>start" + b"<div>" * 5000 + b"dose 5 mg")
    assert "too deeply" in deep.damage
    assert "start" in deep.full.text


def test_entities_of_a_document_type_are_not_expanded(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    declared = f'<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">'
    full = read_html(
        f"<!DOCTYPE html [{declared}]><html><body><p>dose &x; &b; end</p></body></html>".encode()
    ).full.text
    assert "SECRET" not in full
    assert "haha" not in full
    assert "end" in full


@pytest.mark.parametrize("body", [b"", b"<", b"<!-- -->", b"\x00\x00", b"<html></html>", b"<?xml version='1.0'?>"])
def test_nothing_readable_is_no_error(body):
    assert read_html(body).full.text.strip("\x00\ufffd<") == ""


PAGE = "<html><head>{meta}</head><body><p>Café, 38 °C, “5 µg”</p></body></html>"


@pytest.mark.parametrize(
    ("meta", "encoding", "header"),
    [
        ('<meta charset="windows-1252">', "windows-1252", ""),
        ('<meta charset="iso-8859-1">', "windows-1252", ""),
        ('<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">', "windows-1252", ""),
        ("", "windows-1252", "text/html; charset=windows-1252"),
        ("", "windows-1252", ""),
        ('<meta charset="iso-8859-1">', "utf-8", "text/html; charset=iso-8859-1"),
        ("", "utf-8-sig", ""),
        ("", "utf-16", ""),
        ('<meta charset="utf-16">', "utf-8", ""),
        ('<meta charset="hex">', "windows-1252", ""),
    ],
)
def test_charset_is_told_from_the_bytes(meta, encoding, header):
    page = read_html(PAGE.format(meta=meta).encode(encoding), header)
    assert page.full.text == "Café, 38 °C, “5 µg”"


def test_a_declared_charset_that_is_not_western():
    assert decode('<meta charset="windows-1251">доза'.encode("windows-1251")).endswith("доза")
    assert decode("用量".encode("gb18030"), 'text/html; charset="gb18030"') == "用量"


def test_utf_8_with_a_broken_character_stays_utf_8_and_what_only_says_so_does_not():
    page = '<meta charset="utf-8">Café, 38 °C, “5 µg”'
    assert decode(page.encode() + b" \xe9") == page + " \ufffd"
    assert decode(page.encode("windows-1252")) == page
    assert (
        decode(page.removeprefix('<meta charset="utf-8">').encode("windows-1252"), "text/html; charset=utf-8")
        == page[22:]
    )


HEADS = """<body><table><thead><tr><th rowspan=2 scope=col>Drug<th colspan=2 scope=colgroup>Dose<th rowspan=2>Most</tr>
<tr><th>Adult<th>Child</tr></thead><tbody><tr><th colspan=4 scope=rowgroup>Penicillins</tr>
<tr><th scope=row>A<td>5 mg<td>2 mg<td>10 mg<tr><th scope=row>B<td colspan=2>avoid<td>24 h</table>"""


def test_heads_of_several_rows_and_cells_over_columns_stand_in_every_row():
    assert read_html(HEADS.encode()).full.text.split("\n") == [
        "| Drug | Dose | Dose | Most |", "| Drug | Adult | Child | Most |", "| Penicillins |",
        "| A | 5 mg | 2 mg | 10 mg |", "| B | avoid | avoid | 24 h |",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<math><msup><mn>10</mn><mn>9</mn></msup></math>/L", "10⁹/L"),
        ("<math><msup><mi>e</mi><mrow><mi>k</mi><mi>t</mi></mrow></msup></math>", "e^(kt)"),
        ("<math><mfrac><mn>140</mn><mn>72</mn></mfrac></math>", "140/72"),
        (
            "<math><mfrac><mrow><mn>140</mn><mo>\u2212</mo><mi>age</mi></mrow><mn>72</mn></mfrac></math>",
            "(140\u2212age)/72",
        ),
        ("below 30<a href='#fn1'><sup>2</sup></a>", "below 30[2]"),
    ],
)
def test_formulas_and_notes_do_not_join_the_number_before(markup, text):
    assert read_html(f"<body><p>{markup}</p>".encode()).full.text == text


def test_charset_names_mean_what_browsers_take_them_for():
    assert decode('<meta charset="Shift_JIS">①用量㈱'.encode("cp932")).endswith("①用量㈱")
    assert decode('<meta charset="gb2312">剂量€'.encode("gb18030")).endswith("剂量€")


ROLES = """<body><main><h1>Regimens before dental treatment</h1><p>One dose is given by mouth an hour before.</p>
<div role="table"><div role="rowgroup"><div role="row"><span role="columnheader">Situation</span>
<span role="columnheader">Adults</span></div></div><div role="rowgroup"><div role="row">
<span role="cell">By mouth</span><span role="cell"><p>2 g</p></span></div></div></div></main>"""


def test_a_table_made_of_roles_has_rows():
    page = read_html(ROLES.encode())
    for row in ("| Situation | Adults |", "| By mouth | 2 g |"):
        assert row in page.full.text.split("\n")
        assert row in page.main.text.split("\n")


def test_what_is_folded_away_and_headings_that_are_links_are_in_the_main_text():
    prose = "Adults take 5 mg by mouth every morning for two weeks and are then seen again in the clinic of the ward."
    body = f"""<body><main><h1>Dose</h1><p>{prose}</p><h2><a href="#q">Who should have it?</a></h2><p>{prose}</p>
    <div role="tabpanel" aria-hidden="true" style="display:none"><p>In labour 100 mg is given at the onset.</p></div>
    <p>The count is <math><mrow><mn>4.0</mn><mo>–</mo><mn>11.0</mn><mo>×</mo><msup><mn>10</mn><mn>9</mn></msup></mrow
    ><annotation encoding="application/x-tex">4.0\\mathrm</annotation></math>/L in adults of all ages.</p></main>"""
    main = read_html(body.encode()).main.text
    for kept in ("Who should have it?", "In labour 100 mg", "4.0–11.0×10⁹/L in adults"):
        assert kept in main
    assert "mathrm" not in main


def test_a_raised_letter_in_a_cell_is_the_mark_of_a_note():
    rows = "<tr><th>Outcome<th>No.<tr><td>Death<sup>a</sup><td>19<sup>b,c</sup><tr><td>1<sup>st</sup><td>2"
    assert read_html(f"<body><table>{rows}</table>".encode()).full.text.split("\n")[1:] == [
        "| Death[a] | 19[b,c] |",
        "| 1st | 2 |",
    ]


@pytest.mark.parametrize(("page", "heading"), [("recommendations", "Fluids"), ("faq", "What about egg allergy?")])
def test_headings_stay_where_trafilatura_gathers_paragraphs_by_itself(page, heading):
    html = read_html((PAGES / f"{page}.html").read_bytes())
    assert heading in [html.main.text[place.start : place.end] for place in html.main.outline]


@pytest.mark.parametrize(
    "before", ["<script>var a = 1</script>", "<meta charset=utf-8>", "<title>T</title><style>p{}</style>"]
)
def test_a_page_without_a_tag_for_its_body_is_read_from_what_follows_the_head(before):
    html = read_html(f"{before}<main><p>Take 5 mg.</p></main><section>Call a doctor.</section>".encode())

    assert html.full.text == "Take 5 mg.\nCall a doctor."
