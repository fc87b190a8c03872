"""How much of a page comes through: medreview against what the SourceCheckup code does and against plain libraries.

    python -m tests.bench.extraction.run [--misses] [--json]

The pages were written for this benchmark, before any extractor had read them, and so were the lists of what they hold.
They rank extractors against each other. They do not estimate how often a page of the open web comes through whole, all
the less since medreview has been mended where these pages showed a fault: they are no longer unseen by it.
"""

import argparse
import json
import logging
import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass

import pypdfium2
import trafilatura
from bs4 import BeautifulSoup

from medreview.sources.page import Page, read_page
from tests.bench.extraction.cases import Case, html_cases, mark, pdf_cases
from tests.support.fetched import fetched

Extractor = Callable[[Case], list[str]]


def _page(case: Case) -> Page:
    url = f"https://bench.example/articles/{case.name}"
    return read_page(fetched(case.body, url, case.content_type))


def _judged(case: Case) -> list[str]:
    page = _page(case)
    ends = [*page.page_starts[1:], len(page.text)]
    return [page.text[start:end] for start, end in zip(page.page_starts or (0,), ends, strict=True)]


def _full(case: Case) -> list[str]:
    return [_page(case).full_text]


def _get_text(case: Case) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [BeautifulSoup(case.body, "html.parser").get_text()]


def _trafilatura(case: Case) -> list[str]:
    return [trafilatura.extract(case.body) or ""]


def _pdfium(case: Case) -> list[str]:
    document = pypdfium2.PdfDocument(case.body)
    return [page.get_textpage().get_text_range() for page in document]


HTML: dict[str, Extractor] = {
    "medreview, text as judged": _judged,
    "medreview, full text": _full,
    "BeautifulSoup get_text": _get_text,
    "trafilatura, default": _trafilatura,
}
PDF: dict[str, Extractor] = {"medreview": _judged, "BeautifulSoup on the bytes": _get_text, "pypdfium2, plain": _pdfium}


@dataclass(frozen=True, slots=True)
class Result:
    """What one extractor made of all cases: counts of what it kept and let in, what it lost, and milliseconds."""

    extractor: str
    facts: int
    rows: int
    boilerplate: int
    pages: int
    ms_median: float
    ms_slowest: float
    misses: dict[str, dict[str, tuple[str, ...]]]


def measure(cases: Iterable[Case], extractors: dict[str, Extractor]) -> list[Result]:
    """Every extractor over every case, one call each."""
    cases = tuple(cases)
    return [_measured(name, extract, cases) for name, extract in extractors.items()]


def _measured(name: str, extract: Extractor, cases: tuple[Case, ...]) -> Result:
    extract(cases[0])  # what is imported at the first use is not a cost of the page
    times: list[float] = []
    misses: dict[str, dict[str, tuple[str, ...]]] = {}
    for case in cases:
        began = time.perf_counter()
        texts = extract(case)
        times.append(1000 * (time.perf_counter() - began))
        misses[case.name] = {what: strings for what, strings in asdict(mark(case, texts)).items() if strings}

    def count(what: str) -> int:
        return sum(len(of_case.get(what, ())) for of_case in misses.values())

    return Result(
        extractor=name,
        facts=sum(len(case.facts) for case in cases) - count("facts"),
        rows=sum(len(case.rows) for case in cases) - count("rows"),
        boilerplate=count("boilerplate"),
        pages=sum(len(case.pages) for case in cases) - count("pages"),
        ms_median=round(statistics.median(times), 1),
        ms_slowest=round(max(times), 1),
        misses={case: what for case, what in misses.items() if what},
    )


def _totals(cases: tuple[Case, ...]) -> dict[str, int]:
    counts = {
        what: sum(len(getattr(case, what)) for case in cases) for what in ("facts", "rows", "boilerplate", "pages")
    }
    return {"cases": len(cases), **counts}


def _print(title: str, cases: tuple[Case, ...], results: list[Result], with_misses: bool) -> None:
    totals = list(_totals(cases).values())[1:]
    names = ["facts kept", "rows kept", "boilerplate let in", "on the right page"]
    shown = [place for place, total in enumerate(totals) if total]
    print(f"{title}: {len(cases)}\n")
    print(f"{'':28}" + "".join(f"{names[place]:>20}" for place in shown) + f"{'ms/page (slowest)':>20}")
    for one in results:
        counts = (one.facts, one.rows, one.boilerplate, one.pages)
        cells = "".join(f"{f'{counts[place]}/{totals[place]}':>20}" for place in shown)
        print(f"{one.extractor:28}{cells}{f'{one.ms_median:.1f} ({one.ms_slowest:.0f})':>20}")
    print()
    for one in results if with_misses else ():
        print(f"{one.extractor}:")
        for case, what in one.misses.items():
            for kind, strings in what.items():
                lost = "let in" if kind == "boilerplate" else "not on its page" if kind == "pages" else "lost"
                print("".join(f"  {case}: {kind} {lost}: {string}\n" for string in strings), end="")
        print()


@contextmanager
def quiet(*names: str) -> Iterator[None]:
    """Loggers that say nothing below critical; libraries complain of pages that were written to be hard."""
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    yield
    for logger, level in zip(loggers, before, strict=True):
        logger.setLevel(level)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--misses", action="store_true", help="list what was lost and what was let in")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    options = parser.parse_args(arguments)
    with quiet("bs4", "trafilatura", "htmldate", "courlan"):
        html, pdf = measure(html_cases(), HTML), measure(pdf_cases(), PDF)
    if options.json:
        of = {"html": _totals(html_cases()), "pdf": _totals(pdf_cases())}
        print(json.dumps({"of": of, "html": list(map(asdict, html)), "pdf": list(map(asdict, pdf))}, indent=1))
        return
    _print("HTML pages", html_cases(), html, options.misses)
    _print("PDFs", pdf_cases(), pdf, options.misses)


if __name__ == "__main__":
    main()
