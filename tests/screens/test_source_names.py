"""The bar tells a response's sources apart: by number, and pages of one host by what differs in their addresses."""

import pytest

from medreview.review.cell_width import width
from medreview.screens.source_rows import least, short_address, source_name
from medreview.units.cited_source import Source


def source(name: str, url: str = "", *, cited: bool = False) -> Source:
    url = url or f"https://{name}.example/page"
    host = url.partition("://")[2].partition("/")[0]
    return Source(1, (), name, cited, False, name, None, url, host, "", "ok", "", 0, "")


def test_a_source_is_called_as_the_answer_does_and_of_how_many_it_is_one():
    sources = [source("3=4", cited=True), source("7", cited=True), source("a")]
    assert [source_name(sources, each) for each in sources] == ["[3]=[4] of 3", "[7] of 3", "[a] of 3"]
    assert source_name(sources[:1], sources[0]) == "[3]=[4]"


@pytest.mark.parametrize("room", [30, 40, 48])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://www.who.example/news/fact-sheets/detail/diabetes", "https://www.who.example/news/fact-sheets/detail/sepsis"),
        ("https://nih.example/books/NBK1234567890/diabetes/index.html", "https://nih.example/books/NBK1234567899/diabetes/index.html"),
        ("https://pub.example/a-very-long-name-of-an-article-part-1", "https://pub.example/a-very-long-name-of-an-article-part-2"),
        ("https://pub.example/read/article/view?identifier=100000017", "https://pub.example/read/article/view?identifier=100000018"),
        ("https://pub.example/deep/in/a/tree/of/many/folders/guideline", "https://pub.example/deep/in/a/tree/of/many/folders/guideline/2"),
    ],
)  # fmt: skip
def test_two_pages_of_one_host_never_look_the_same(one, other, room):
    sources = [source("1", one), source("2", other)]
    drawn = [short_address(it, sources, room, host_only=True) for it in sources]
    assert drawn[0] != drawn[1]
    assert all(width(words) <= room for words in drawn)
    assert all(least(it, sources) <= room for it in sources)


def test_a_page_alone_on_its_host_gives_way_to_the_heading():
    sources = [source("1", "https://who.example/a/long/path/to/a/page"), source("2")]
    assert short_address(sources[0], sources, 20, host_only=True) == "who.example"
    assert short_address(sources[0], sources, 20) == "who.example/a/long/…"
    assert short_address(sources[0], sources, 60) == "who.example/a/long/path/to/a/page"
