"""What must hold of every page that is written: nothing in it acts but our own script, and it is whole."""

import base64
import hashlib
import re
from itertools import pairwise

from lxml import html as parser
from lxml.html import HtmlElement

_FOREIGN = {"img", "iframe", "link", "object", "embed", "form", "input", "base", "audio", "video", "b", "image"}


def harmless(text: str) -> HtmlElement:
    """The page as a browser parses it, after it was looked through."""
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    page = parser.fromstring(text)
    tags = {element.tag for element in page.iter() if isinstance(element.tag, str)}
    assert not tags & _FOREIGN
    (script,) = page.iter("script")
    digest = base64.b64encode(hashlib.sha256(script.text_content().encode()).digest()).decode()
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith(f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}';")
    attributes = {name for element in page.iter() if isinstance(element.tag, str) for name in element.attrib}
    assert not {name for name in attributes if name.startswith("on")} | (attributes & {"src", "srcset", "action"})
    ids = page.xpath("//*/@id")
    assert len(ids) == len(set(ids))
    links = page.xpath("//@href")
    assert all(link.startswith("#") for link in links)
    assert {link.removeprefix("#") for link in links} <= set(ids)
    levels = [int(element.tag[1]) for element in page.iter("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    return page
