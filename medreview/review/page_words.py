"""The states of pages in the reviewer's words."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from medreview.text import in_words

PAGE_WORDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "http_error": ("dead link", "the link is dead, or the server refused"),
        "timeout": ("page timed out", "the server did not send the page in time"),
        "blocked": ("page not opened", "the address is not public, or the site forbids programs"),
        "too_large": ("page too large", "the page is too large to read"),
        "unreadable": ("page unreadable", "the page came but could not be read"),
        "not_text": ("not a text", "there is no text at the address"),
        "pdf_scan": ("scanned PDF", "the PDF is a scan without text"),
        "pdf_encrypted": ("locked PDF", "the PDF is locked with a password"),
        "soft_404": ("page gone", "the server sent a page that says: not found"),
        "cookie_wall": ("cookie wall", "only a question about cookies came, not the page"),
        "paywall": ("paywall", "the text is behind a paywall"),
        "js_only": ("page needs a browser", "the text of the page appears only in a browser"),
        "bot_check": ("page behind a robot check", "the site asked for proof of a human"),
        "thin": ("page almost empty", "the page holds almost no text"),
        "redirected_home": ("link leads elsewhere", "the link leads to the site's first page, not to the page cited"),
        "excerpt": ("only an excerpt", "only a passage of the page came with the answer"),
        "not_fetched": ("page not fetched", "the page was not fetched yet"),
    }
)
"""By state of a page that could not be read, or not as it was cited: a few words, and a sentence."""


def state_words(state: str) -> str:
    """A page's state in a few words: ``dead link``; one of a page that could be read as it is called."""
    few, _ = PAGE_WORDS.get(state.replace(" ", "_"), ("", ""))
    return few or in_words(state)
