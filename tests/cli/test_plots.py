"""The plots of reports: read as XML, as a page would hold them and as files."""

import re

from lxml import etree

from medreview.cli.reports.plots import (
    Drawing,
    Interval,
    Point,
    forest,
    intervals,
    matrix,
    scatter,
    stacked_bars,
)
from medreview.stats.formulas.estimate import Estimate

SVG = "{http://www.w3.org/2000/svg}"
SHARE = Estimate("share", 0.5, 0.2, 0.8, "Wilson", 9, scale="share")
WICKED = "$\\frac{a}$ </text><script>alert(1)</script> \u202egnp\x1b[31m"


def parsed(drawing: Drawing) -> etree._Element:
    return etree.fromstring(drawing.document().encode())


def texts(svg: etree._Element) -> list[str]:
    return ["".join(element.itertext()) for element in svg.iter(f"{SVG}text")]


def every() -> list[Drawing]:
    return [
        forest("A forest", "kappa", [Interval("group"), Interval(WICKED, 0.4, -0.2, 0.8, ("0.4", "-0.2 to 0.8"), 9),
                                     Interval("none", 0.5, words=("0.5", "no interval"), n=3),
                                     Interval("lost", words=("undefined", ""))], scale="coefficient"),
        intervals("Intervals", ("one", WICKED), [(WICKED, (SHARE, None)), ("b", (None, None))]),
        scatter("Points", "cost", "facts", [Point(WICKED, WICKED, 3, 0.5, None, None)]),
        stacked_bars("Bars", ("allowed", WICKED), [(WICKED, 2, 1, "2 of 3"), ("none", 0, 0, WICKED)]),
        matrix("Table", WICKED, "judges", ("supported", "not addressed"), ((3, 0), (0, 0))),
    ]  # fmt: skip


def test_points_are_named_and_labels_are_kept_apart():
    points = [Point(f"system {n}", "g", x, 0.5, 0.4, 0.6) for n, x in enumerate((0.001, 0.0011, 3.0))]
    drawing = scatter("Title <", "cost", "score", points)
    svg = parsed(drawing)
    labels = {"".join(one.itertext()): float(re.findall(r"[\d.]+", one.get("transform") or f"0 0 {one.get('y')}")[2])
              for one in svg.iter(f"{SVG}text")}  # fmt: skip
    assert abs(labels["system 0"] - labels["system 1"]) >= 9
    assert abs(labels["system 0"] - labels["system 2"]) < 1
    assert {"0%", "100%", "0.01", "cost", "score"} <= set(labels)
    assert not any("$" in label for label in labels)
    near = texts(parsed(scatter("t", "x", "y", [Point("a", "", 1.7, 0.5, None, None)])))
    assert {"1", "2"} <= set(near)
    assert not any("$" in label for label in near)
    assert svg.findtext(f"{SVG}title") == "Title <"
    assert "system 2: 3, 50.0%" in svg.findtext(f"{SVG}desc")


def test_no_word_from_outside_becomes_a_formula_or_markup():
    for drawing in every():
        for svg in (parsed(drawing), etree.fromstring(drawing.inline("p1", "Below.").encode())):
            assert not list(svg.iter(f"{SVG}script", f"{SVG}style", f"{SVG}metadata", f"{SVG}image"))
            shown = "".join(texts(svg))
            assert "\u202e" not in shown
            assert "$" in shown
            assert "<script>" in shown or "</text>" in shown
            assert svg.get("role") == "img"
            assert svg.find(f"{SVG}title").text == drawing.title
            assert svg.find(f"{SVG}desc").text


def test_a_plot_is_the_same_bytes_each_time_and_several_stand_on_one_page():
    first, again = every(), every()
    assert [one.document() for one in first] == [one.document() for one in again]
    page = "".join(one.inline(f"p{place}", "Below.") for place, one in enumerate(first))
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', page)) <= set(ids)
    assert set(re.findall(r'aria-labelledby="([^"]+) ([^"]+)"', page)) == {
        (f"p{place}-title", f"p{place}-desc") for place in range(len(first))
    }


def test_a_plot_follows_the_page_and_stands_on_white_in_a_file():
    drawing = every()[0]
    assert "var(--ink, #1a1a1a)" in drawing.inline("a", "Below.")
    assert not re.search(r"(?<!, )#1a1a1a", drawing.inline("a", "Below."))
    assert "var(" not in drawing.document()
    assert parsed(drawing).find(f"{SVG}rect").get("fill") == "#ffffff"


def test_what_has_no_interval_or_no_value_is_said_and_not_drawn_as_one():
    told = every()[0]
    assert ("none", "0.5", "no interval", "3") in told.numbers.rows
    assert "lost: undefined" in parsed(told).findtext(f"{SVG}desc")
    assert "undefined" in texts(parsed(told))
    assert "nan" not in told.document()
