"""Exports and figures say which pages were read by OCR."""

import csv

import pytest

from medreview.cli.reports.study_page.material import gather
from medreview.cli.reports.study_page.methods import limitations
from medreview.cli.reports.terminal import printed
from medreview.cli.reports.urls import url_parts
from medreview.exchange.exports.export import export
from medreview.sources.ocr_pages import OcrPage, add_ocr_pages, confidence_of, pages_in_words, percent
from medreview.stats.url_analysis import url_figures
from medreview.study import Study
from medreview.text import Span
from tests.support.scanned_study import PAGES, STARTS, fill_scanned
from tests.support.study_builder import build


@pytest.fixture
def scanned(tmp_path):
    with Study.create(tmp_path / "a.medreview") as study:
        fill_scanned(study)
        build(study, lambda rows: rows.page("u2", "Another page.", "https://other.example/"))
        build(study, lambda rows: rows.citation("r1", "u2"))
        yield study


def table(folder, name):
    return list(csv.DictReader((folder / name).open(encoding="utf-8-sig", newline="")))


def test_tables_of_sources_and_pairs_say_how_sure_ocr_was(scanned, tmp_path):
    export(scanned, tmp_path / "out")
    for name, key in (("citations.csv", "source_url"), ("pairs.csv", "source_url")):
        sure = {row[key]: row["ocr_confidence"] for row in table(tmp_path / "out", name)}
        assert sure == {"https://poster.example/": "0.934", "https://other.example/": ""}


def test_the_confidence_of_several_pages_is_by_their_characters_in_every_place(scanned, tmp_path):
    first = OcrPage(1, Span(0, STARTS[1] - 2), 0.5, "OCR 1")
    scanned.write(lambda connection: add_ocr_pages(connection, "p1", [first]))
    export(scanned, tmp_path / "out")
    told = next(row["ocr_confidence"] for row in table(tmp_path / "out", "citations.csv") if row["ocr_confidence"])
    assert float(told) == pytest.approx(confidence_of((first, *PAGES)))
    assert 0.5 < float(told) < 0.934


def test_figures_count_what_was_read_by_ocr_like_any_other_source_and_say_so(scanned, tmp_path):
    material = gather(scanned.reader, "a")
    assert material.record.by_ocr == 1
    assert any("1 of 2 cited sources read by OCR" in line for line in limitations(material))
    shown = " ".join(printed(url_parts(url_figures(scanned.reader, paywalled={}), tmp_path / "a.medreview")).split())
    assert "2 ok; 1 of them read by OCR" in shown


def test_pages_and_confidences_in_words():
    pages = [OcrPage(number, Span(0, 1), 1.0, "OCR 1") for number in (2, 3, 4, 6)]
    assert pages_in_words(pages[:1]) == "page 2"
    assert pages_in_words(pages) == "pages 2-4 and 6"
    scattered = [OcrPage(number, Span(0, 1), 1.0, "OCR 1") for number in range(1, 14, 2)]
    assert pages_in_words(scattered) == "7 pages"
    assert [percent(sure) for sure in (0.706, 0.9956, 1.0)] == ["71%", "99%", "100%"]
