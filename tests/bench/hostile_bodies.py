"""What hostile bodies cost: processor time and memory of the child that reads them, beside the bound, and what is said.

    python -m tests.bench.hostile_bodies            # all of them
    python -m tests.bench.hostile_bodies table math # those with one of these words in their name

Every body goes to a new child through the reader of the stages. It fails when a body takes more than 5 seconds of
processor time (start of the child included) or 400 MB (the whole child).
"""

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Final

from medreview.children.asking import end_idle
from medreview.sources.page_reader import read_in_child
from tests.support.commands import ROOT
from tests.support.fetched import fetched

SECONDS: Final = 5.0
MEGABYTES: Final = 400.0
DOSE: Final = b"<p>Give amoxicillin 500 mg three times daily for five days, and stop it when a rash appears.</p>" * 10
_START: Final = b"<html><body>"


def filled(piece: bytes, size: int = 10_000_000) -> bytes:
    """A piece again and again, up to a size in bytes."""
    return piece * (size // len(piece))


def nested(tag: bytes, depth: int, inside: bytes = b"x") -> bytes:
    """Elements within one another, all of them closed."""
    return b"<%s>" % tag * depth + inside + b"</%s>" % tag * depth


def _page(piece: bytes, size: int = 10_000_000, before: bytes = b"", after: bytes = b"") -> Callable[[], bytes]:
    return lambda: _START + before + filled(piece, size) + after


def _jats(inside: Callable[[], bytes]) -> Callable[[], bytes]:
    return lambda: b"<article article-type='x'>" + inside() + b"</article>"


def _pubmed(piece: bytes, holder: bytes) -> Callable[[], bytes]:
    head = b"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>T</ArticleTitle>"
    tail = b"</Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    return lambda: head + b"<%s>" % holder + filled(piece) + b"</%s>" % holder + tail


def _europe_pmc(piece: bytes, before: bytes, after: bytes) -> Callable[[], bytes]:
    head = b'{"hitCount":1,"resultList":{"result":[{"title":"a",'
    return lambda: head + before + filled(piece) + after + b"}]}}"


BODIES: Final[dict[str, Callable[[], bytes]]] = {
    "table cells, none closed": _page(b"<td>", before=b"<table><tr>"),
    "table cells without a table": _page(b"<td>"),
    "a table of three columns": _page(b"<tr><td>5 mg<td>6 mg<td>7 mg", before=b"<table>"),
    "a table of cells that span all": _page(b"<tr><td rowspan=65534 colspan=999>x", before=b"<table>"),
    "a table of cells that span to the end": _page(b"<tr><td rowspan=0>x", before=b"<table>"),
    "tables, none closed": _page(b"<table><tr><td>x"),
    "a table by roles": _page(b"<div role=row><span role=cell>5</span></div>", before=b"<div role=table>"),
    "tables by roles within one another": _page(b"<div role=table>" * 200 + b"x" + b"</div>" * 200),
    "line breaks, 12.5 MB": _page(b"a<br>", 12_500_000),
    "superscripts, none closed": _page(b"<sup>"),
    "superscripts": _page(b"10<sup>9</sup> ", before=b"<p>"),
    "paragraphs, 4 MB": _page(b"<p>a", 4_000_000),
    "paragraphs, 15 MB": _page(b"<p>a", 15_000_000),
    "list items": _page(b"<li>5 mg", before=b"<ul>"),
    "lists within lists": _page(b"<ul><li>x"),
    "terms and meanings": _page(b"<dt>a<dd>5 mg", before=b"<dl>"),
    "headings": _page(b"<h2>Dose</h2><p>5 mg</p>"),
    "links": _page(b"<a href='/x'>link</a> "),
    "deletions": _page(b"<del>x</del>", before=b"<p>"),
    "deletions within one another": _page(nested(b"del", 200)),
    "quotations": _page(b"<q>x</q>", before=b"<p>"),
    "images with a dose": _page(b"a<img alt='5 mg'>", before=b"<p>"),
    "elements of no standard": _page(b"<x-app>x</x-app>"),
    "collapsed parts": _page(b"<details><summary>a</summary>5 mg</details>"),
    "hidden parts": _page(b"<div style='display:none;color:#fff'>5 mg</div>"),
    "scripts": _page(b"<script>var a=1;</script>", after=DOSE),
    "one script": _page(b"var a=1;", before=b"<script>", after=b"</script>" + DOSE),
    "one title": lambda: b"<title>" + filled(b"dose ") + b"</title>" + DOSE,
    "vector graphics": _page(b"<path d='M0 0L1 1'/>", before=b"<svg>"),
    "5,000 divisions within one another": lambda: _START + DOSE + b"<div>" * 5_000 + DOSE,
    "5,000 spans within one another": lambda: _START + DOSE + b"<span>" * 5_000 + DOSE,
    "5,000 tables within one another": lambda: _START + DOSE + b"<table><tr><td>" * 5_000 + DOSE,
    "deep divisions again and again": _page(nested(b"div", 230)),
    "bold and italic, none closed": _page(b"<p><b><i><font>5 mg "),
    "200 fractions within one another": lambda: (
        _START + DOSE + b"<math>" + b"<mfrac><mn>1</mn>" * 200 + b"<mn>2</mn>" + b"</mfrac>" * 200 + b"</math>" + DOSE
    ),
    "formulas": _page(b"<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> "),
    "one formula": _page(b"<mi>x</mi><mo>+</mo>", before=b"<math>"),
    "900,000 attributes": lambda: b"<p " + b" ".join(b"a%d=1" % number for number in range(900_000)) + b">" + DOSE,
    "one attribute": lambda: _START + b"<p class='" + filled(b"x ") + b"'>" + DOSE,
    "one word of 1 MB": lambda: _START + b"<p>" + b"x" * 1_000_000 + DOSE,
    "one word of 10 MB": lambda: _START + b"<p>" + b"x" * 10_000_000 + DOSE,
    "character references": _page(b"&amp;&#x41;&none;"),
    "invisible characters": _page(b"a&#27;b"),
    "comments": _page(b"<!-- x -->", after=DOSE),
    "signs less than": _page(b"<"),
    "attributes that never end": _page(b"<a href='"),
    "JATS: 100,000 sections": _jats(lambda: b"<body>" + b"<sec><title>T</title><p>x</p></sec>" * 100_000 + b"</body>"),
    "JATS: marks of references": _jats(
        lambda: b"<body><p>" + filled(b"a<xref ref-type='bibr'>1</xref>") + b"</p></body>"
    ),
    "JATS: references": _jats(
        lambda: b"<back><ref-list>" + filled(b"<ref><mixed-citation>x</mixed-citation></ref>") + b"</ref-list></back>"
    ),
    "PubMed: parts of an abstract": _pubmed(b"<AbstractText Label='A'>x</AbstractText>", b"Abstract"),
    "PubMed: authors": _pubmed(b"<Author><LastName>x</LastName></Author>", b"AuthorList"),
    "Europe PMC: an abstract": _europe_pmc(b"<h4>x</h4>y", b'"abstractText":"', b'"'),
    "Europe PMC: keywords": _europe_pmc(b'"a",', b'"keywordList":{"keyword":[', b'"b"]}'),
    "Europe PMC: brackets": lambda: b'{"hitCount":1,"resultList":' + b"[" * 5_000_000,
    "a text of 15 MB": lambda: filled(b"dose 5 mg ", 15_000_000),
    "a text of 15 MB, one word": lambda: b"x" * 15_000_000,
    "a text of 15 MB, short lines": lambda: filled(b"a\n", 15_000_000),
    "UTF-16": lambda: b"\xff\xfe" + ("<html><body>" + "<td>5" * 1_500_000).encode("utf-16-le"),
}


def cost(name: str) -> dict[str, Any]:
    """What the child took that read a body, and what it made of it; for a process that has had no other child."""
    page = read_in_child(fetched(BODIES[name]()))
    end_idle()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    megabytes = used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    said = {"state": page.state, "length": len(page.full_text), "evidence": page.evidence}
    return {"seconds": used.ru_utime + used.ru_stime, "megabytes": megabytes, **said}


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(cost(sys.argv[2])))
        return
    chosen = [name for name in BODIES if not sys.argv[1:] or any(word in name for word in sys.argv[1:])]
    print(f"{'':40} {'s':>5} {'MB':>5}   bounds: {SECONDS:g} s, {MEGABYTES:g} MB")
    beyond = []
    for name in chosen:
        command = [sys.executable, "-m", "tests.bench.hostile_bodies", "--one", name]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
        got = json.loads(done.stdout)
        print(
            f"{name:40} {got['seconds']:5.1f} {got['megabytes']:5.0f}   {got['state']}: {got['evidence']}", flush=True
        )
        if got["seconds"] > SECONDS or got["megabytes"] > MEGABYTES:
            beyond.append(name)
    if beyond:
        raise SystemExit(f"beyond a bound: {', '.join(beyond)}")


if __name__ == "__main__":
    main()
