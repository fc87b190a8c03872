"""Bodies as they came from a server, and the pages that they become."""

from typing import Any

from medreview.sources.fetching.network import Fetched
from medreview.sources.page import Page, read_page


def fetched(
    body: bytes | str, url: str = "https://health.example/x", content_type: str = "", *, final: str = "",
    status: int = 200, state: str | None = None, detail: str = "",
) -> Fetched:  # fmt: skip
    """An answer; a text is sent in UTF-8."""
    sent = body.encode() if isinstance(body, str) else body
    final = final or url
    asked = (url,) if final == url else (url, final)
    return Fetched(url, final, asked, status, content_type, sent, "2026-01-01T00:00:00Z", state, detail)


def read(body: bytes | str, url: str = "https://health.example/x", content_type: str = "", **more: Any) -> Page:
    """The page that it is read as."""
    return read_page(fetched(body, url, content_type, **more))
