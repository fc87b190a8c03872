"""Saved web pages: the answers on a page of an answer engine, else the main text, as Markdown with its links."""

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from medreview.exchange.documents.answer_pages import answers_on
from medreview.exchange.documents.page_markdown import Page
from medreview.exchange.documents.result import Read, RefusedError
from medreview.sources.reading.charset import decode
from medreview.sources.reading.html import read_html
from medreview.sources.reading.own_names import own_names
from medreview.sources.reading.untrusted_markup import limit_markup


def read_page(body: bytes, content_type: str = "", address: str = "") -> Read:
    """The answers of an answer engine's page, or the main text of any other. Raises :class:`RefusedError`."""
    root = _parsed(decode(body, content_type))
    page = Page(root, address or next((name.value for name in own_names(body).names if name.kind == "url"), ""))
    if answers := answers_on(page):
        return answers
    main = read_html(page.marked(root).encode("utf-8", "replace"), "text/html; charset=utf-8")
    text = main.main if main.main.text else main.full
    notes = (main.damage,) if main.damage else ()
    return Read("web page", page.written(text.text, text.outline), notes=notes)


def _parsed(markup: str) -> HtmlElement:
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=False)
    markup, _ = limit_markup(markup)
    try:
        return document_fromstring(markup.replace("\0", "").encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError) as error:
        raise RefusedError("is a web page without a text") from error
