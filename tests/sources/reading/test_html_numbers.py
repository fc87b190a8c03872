"""Numbers of a page: none becomes another one, none loses its unit or sign; and what stands for control characters."""

import pytest

from medreview.sources.reading.html import read_fragment, read_html
from medreview.sources.reading.untrusted_markup import MOST_ATTRIBUTES, limit_markup
from tests.support.cost import LINEAR, growth

PROSE = "".join(
    f"<p>Adults of ward {ward} take the medicine by mouth in the morning and are seen again by a nurse.</p>"
    for ward in ("east", "west", "north", "south")
)

WRITTEN = [
    ("10<sup>2.5</sup> copies", "10^(2.5) copies"),
    ("10<sup>-3 to -5</sup> mol", "10^(-3 to -5) mol"),
    ("10<sup>3–5</sup>", "10^(3–5)"),
    ("10<sup>–9</sup> and 10<sup>\u2010 9</sup>", "10⁻⁹ and 10⁻⁹"),
    ("10<b><sup>9</sup></b>/L", "10⁹/L"),
    ("2<sup>n</sup> cells", "2^n cells"),
    ("e<sup>-0.5</sup>", "e^(-0.5)"),
    ("5 mg<sup>1001</sup>", "5 mg^(1001)"),
    ("1<sup>1</sup>/<sub>2</sub> tablets", "1 1/2 tablets"),
    ("<sup>3</sup>&frasl;<sub>4</sub> tablet", "3⁄4 tablet"),
    ("37<sup>o</sup>C to 38 <sup>0</sup>C", "37°C to 38 °C"),
    ("5 mg<sup>a</sup> daily", "5 mg[a] daily"),
    ("10<sup>−</sup><sup>9</sup>", "10⁻⁹"),
    ("le 20<sup>e</sup> jour", "le 20e jour"),
    ("dose<img src=a.png alt='5 mg'>daily", "dose 5 mg daily"),
    ("the 20<sup>th</sup> and M<sup>me</sup>", "the 20th and Mme"),
    ("30<sup>3</sup>,<sup>4</sup> mL", "30[3],[4] mL"),
    ("log<sub>10</sub>5 and IC<sub>50</sub>7", "log₁₀5 and IC₅₀7"),
    ("5<sub>2</sub>", "5₂"),
    ("H<sub>2</sub>O, HbA<sub>1c</sub> 7%, C<sub>max</sub> 5", "H2O, HbA1c 7%, Cmax 5"),
    ("Take <del>5</del><ins>10</ins> mg", "Take [deleted: 5]10 mg"),
    ("<s>10 mg</s>20 mg", "[deleted: 10 mg]20 mg"),
    ("eGFR <img src=ge.gif alt='≥'>30", "eGFR ≥30"),
    ("dose <img src=a.png alt='15 mg/kg'> daily", "dose 15 mg/kg daily"),
    ("see <img src=a.png alt='Arrow to the left'> there", "see there"),
    ("for <time>2 h</time>, <output>5</output> mg", "for 2 h, 5 mg"),
    ("5<template>9</template>0 mg", "50 mg"),
    ("<ruby>5<rt>five</rt></ruby> mg", "5(five) mg"),
    ("give<q>5 mg</q>now", "give“5 mg”now"),
]


@pytest.mark.parametrize(("markup", "text"), WRITTEN)
def test_what_markup_says_is_in_both_texts(markup, text):
    page = read_html(f"<html><body><main>{PROSE}<p>{markup}</p>{PROSE}</main></body></html>".encode())
    assert text in page.full.text.split("\n")
    assert text in page.main.text.split("\n")


def math(markup):
    return read_fragment(f"<p><math>{markup}</math></p>")[0]


HALF = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (f"<mn>1</mn>{HALF}", "1 1/2"),
        (f"{HALF}<mi>x</mi>", "(1/2)x"),
        (f"<msup>{HALF}<mn>3</mn></msup>", "(1/2)³"),
        (f"<mfrac>{HALF}<mn>3</mn></mfrac>", "(1/2)/3"),
        ("<msup><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow><mn>2</mn></msup>", "(x+1)²"),
        ("<msub><mi>log</mi><mn>10</mn></msub><mn>5</mn>", "log₁₀5"),
        ("<msub><mi>C</mi><mi>max</mi></msub>", "Cmax"),
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x₁²"),
        ("<mn>2</mn><mroot><mn>8</mn><mn>3</mn></mroot>", "2 ³√(8)"),
        ("<msqrt><mn>2</mn></msqrt><mn>5</mn>", "√(2)5"),
        ("<munderover><mo>∑</mo><mn>1</mn><mn>9</mn></munderover>", "∑₁⁹"),
        ("<mfenced><mn>1</mn><mn>2</mn></mfenced>", "(1,2)"),
        ("<mtable><mtr><mtd><mn>5</mn></mtd><mtd><mn>6</mn></mtd></mtr></mtable>", "5 6"),
        ("<mn>2</mn><mo>\u2062</mo><mn>3</mn>", "2×3"),
        ("<mn>37</mn><msup><mi></mi><mo>∘</mo></msup><mi>C</mi>", "37°C"),
        ("<apply><plus></plus><cn>5</cn><cn>6</cn></apply>", "5 6"),
    ],
)
def test_formulas_in_a_line(markup, text):
    assert math(markup) == text


def test_a_formula_that_a_page_holds_twice_is_read_once():
    katex = """<p>dose <span class="katex"><span class="katex-mathml" style="display:none"><math><semantics><mn>5</mn>
    <annotation encoding="application/x-tex">5</annotation></semantics></math></span><span class="katex-html"
    aria-hidden="true"><span>5</span></span></span> mg</p>"""
    page = read_html(f"<html><body><main>{PROSE}{katex}</main></body></html>".encode())
    assert "dose 5 mg" in page.full.text.split("\n")
    assert "dose 5 mg" in page.main.text.split("\n")


LOST_BEFORE = [
    ("<div>5 mg twice</div><div>10 mg once</div>", ["5 mg twice", "10 mg once"]),
    ("<div>5 mg first<ul><li>6 mg</li></ul>then 7 mg</div>", ["5 mg first", "- 6 mg", "then 7 mg"]),
    ("<div><b>Dose:</b> 5 mg <div>inner 6 mg</div> after 7 mg</div>", ["Dose: 5 mg", "inner 6 mg", "after 7 mg"]),
    ("<section>5 mg twice</section><center>6 mg</center>", ["5 mg twice", "6 mg"]),
    ("<dl><dt>Adult<dd>5 mg<dt>Child<dd>2 mg<dd>3 mg<ul><li>4 mg</ul></dl>",
     ["Adult", "5 mg", "Child", "2 mg", "3 mg", "- 4 mg"]),
    ("<span style='display:block'>5 mg</span><span style='display:block'>10 mg</span>", ["5 mg", "10 mg"]),
    ("<x-card>5 mg<p>6 mg</p></x-card>", ["5 mg", "6 mg"]),
    (f"<form><p>{'Take 5 mg. ' * 40}</p></form>", [("Take 5 mg. " * 40)[:-1]]),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "lines"), LOST_BEFORE)
def test_text_in_blocks_of_no_paragraph_is_in_the_main_text(markup, lines):
    page = read_html(f"<html><body><main>{PROSE}<p>Start</p>{markup}<p>End</p>{PROSE}</main></body></html>".encode())
    for text in (page.main.text, page.full.text):
        between = text.split("\n")[text.split("\n").index("Start") + 1 : text.split("\n").index("End")]
        assert [line for line in between if line] == lines


TABLES = [
    ("<tr><td rowspan=5>A<td>1<tr><td>2</tbody><tbody><tr><td>B<td>3<tr><td>C<td>4",
     ["| A | 1 |", "| A | 2 |", "| B | 3 |", "| C | 4 |"]),
    ("<tr><td rowspan=0>A<td>1<tr><td>2<tr><td>3</tbody><tbody><tr><td>B<td>4",
     ["| A | 1 |", "| A | 2 |", "| A | 3 |", "| B | 4 |"]),
    ("<tr><th><h3>Age</h3><th><h3>Dose</h3><tr><td>1<td>5 mg<tr><td>2<td>10 mg",
     ["| Age | Dose |", "| 1 | 5 mg |", "| 2 | 10 mg |"]),
    ("<tr><td>Step<td>Give<tr><td>2<td><table><tr><td>Insulin<td>10 units<tr><td>Glucose<td>25 g</table>"
     "<tr><td>3<td>SZC 10 g",
     ["| Step | Give |", "| 2 | Insulin 10 units; Glucose 25 g |", "| 3 | SZC 10 g |"]),
    (f"<tr><td>A<td>B<td>C<tr><td rowspan=2>{'n ' * 200}<td>1 mg<td>a<tr><td>2 mg<td>b",
     ["| A | B | C |", f"| {'n ' * 200}| 1 mg | a |", "|  | 2 mg | b |"]),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "lines"), TABLES, ids=["groups", "to the end", "heads", "within", "long"])
def test_rows_do_not_mix(rows, lines):
    markup = f"<p>Start</p><table><tbody>{rows}</tbody></table><p>End</p>"
    page = read_html(f"<html><body><main>{PROSE}{markup}{PROSE}</main></body></html>".encode())
    for text in (page.main.text, page.full.text):
        between = text.split("\n")[text.split("\n").index("Start") + 1 : text.split("\n").index("End")]
        assert [line for line in between if line] == lines


@pytest.mark.parametrize(
    ("markup", "parts"),
    [
        (lambda parts: "<p>" + "text <b>x</b> more " * parts, 20_000),
        (lambda parts: "<div>" + "<q>a</q>" * parts, 20_000),
        (lambda parts: "<span>" + "<span aria-hidden=true>x</span><math><mn>1</mn></math>" * parts, 10_000),
        (lambda parts: "<table><tr>" + "<td>a" * parts, 40_000),
        (lambda parts: "<p " + " ".join(f"a{number}=1" for number in range(parts)) + ">x", 300_000),
        (lambda parts: "<p " + " ".join(f"a{number}='>'" for number in range(parts)) + ">x", 300_000),
        (lambda parts: "<script>" * parts, 200_000),
        (lambda parts: "<p a='<p b=\"" * parts, 200_000),
    ],
    ids=lambda given: given(1)[:20] if callable(given) else None,
)
def test_pages_of_many_small_parts_take_little_time(markup, parts):
    def read(count):
        return read_html(f"<html><body><main>{markup(count)}</main></body></html>".encode())

    assert growth(read, parts // 4) <= LINEAR


def test_only_tags_with_too_many_attributes_are_cut():
    many = " ".join(f"a{number}='>'" for number in range(3 * MOST_ATTRIBUTES))
    plain = "<p class=dose title='a > b'>5 mg</p><script>if (a<b) {}</script><!-- <p -->" * 1000
    cut, _ = limit_markup(f"{plain}<i {many}>kept</i>{plain}")
    assert cut.startswith(plain)
    assert cut.endswith(f">kept</i>{plain}")
    assert cut.count("a1=") == 1
    assert f"a{MOST_ATTRIBUTES}=" not in cut


@pytest.mark.parametrize(
    "markup",
    [
        "<p>5\x1b<sup>\x0b9</sup> \U00013000</p>",
        "<div>5\x0c mg<p>6</p></div>",
        "<p>5 \uffff<sup>9</sup></p>",
        "<p>5 <img alt='\x1b5 mg'></p>",
        '<div role=table><st}" role=x>5</div>',
    ],
)
def test_characters_and_names_that_trees_do_not_take_do_no_harm(markup):
    assert "5" in read_html(f"<body>{markup}".encode()).full.text
    assert "5" in read_fragment(markup)[0]


FILLER = "The dose is 500 mg daily for adults with normal kidneys. " * 8


@pytest.mark.parametrize("hidden", ["\x1b]52;c;SGk=\x07", "\x9b31m", "\u202eevil\u202c", "\x7f", "\u2066x\u2069"])
def test_controls_and_directions_stay_in_both_texts(hidden):
    page = f"<html><body><main><p>{FILLER}</p><p>Take {hidden} with water.</p></main></body></html>"
    text = read_html(page.encode(), "text/html; charset=utf-8")

    assert f"Take {hidden} with water." in text.main.text
    assert f"Take {hidden} with water." in text.full.text


def test_one_written_as_a_reference_stays_too():
    text = read_html(f"<main><p>{FILLER}</p><p>Take &#27;[31m it.</p></main>".encode())

    assert "Take \x1b[31m it." in text.full.text


def test_a_page_in_the_stand_ins_script_is_left_alone():
    text = read_html(f"<main><p>{FILLER}\U00013000 and \x1b</p></main>".encode())

    assert "\U00013000" in text.full.text
