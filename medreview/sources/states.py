"""Page states: what kind of page came back, by which rule, and on what evidence.

A page that is not the cited source must never be read as "the source does not say so". The phrases are signs, not
proof, and health pages may hold any of them in their prose. So a phrase decides only when the page is short or when
the phrase stands in the title or the first heading; a paywall also leaves an abstract, so there the text may be longer.
The phrases themselves are in ``phrases``.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from medreview.sources import phrases

SHORT: Final = 250
"""Words up to which a phrase in the text decides."""
ABSTRACT: Final = 900
"""Words up to which a page with the signs of a paywall is taken for an abstract or a preview."""
THIN: Final = 40
"""Words under which a text is too little to judge anything by."""

HOLDS_SOURCE: Final = frozenset({"ok", "paywall", "thin"})
"""States in which the text is the cited source or a part of it; in all others it is something else, or nothing."""
SQL_HOLDS_SOURCE: Final = f"({', '.join(repr(state) for state in sorted(HOLDS_SOURCE))})"
"""The same as SQL writes a list, for ``page_state IN ...``."""

_WORD: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W_]+(?:[.,'\u2019-][^\\W_]+)*")


@dataclass(frozen=True, slots=True)
class Signs:
    """What the state of a page with a body is told from; ``text`` is the text that would be judged."""

    url: str
    final_url: str
    text: str
    headline: str = ""
    full_text: str = ""
    noscript: str = ""
    app_root: bool = False
    closed: bool = False


def count_words(text: str) -> int:
    """Words of a text; a number is a word, and so is each character of scripts written without spaces."""
    return sum(1 for _ in _WORD.finditer(text))


def page_state(signs: Signs) -> tuple[str, str]:
    """The state of a page and the evidence for it, as one sentence (``""`` for ``ok``)."""
    words = count_words(signs.text)
    for rule in (bot_check, _js_only, _cookie_wall, _soft_404, _redirected_home, _paywall, _thin):
        if found := rule(signs, words):
            return found
    return "ok", ""


def _short(words: int) -> str:
    return f"The page has only {words} words and"


def _phrase(pattern: re.Pattern[str], text: str, where: str) -> str | None:
    """The evidence that a phrase stands in a text, as a sentence that quotes it."""
    found = pattern.search(text)
    if found is None:
        return None
    quoted = " ".join(found[0].split()).strip(" -|:.,!(\u2013\u2014\u2026")
    return f"{where} says \u201c{quoted}\u201d."


def _decided(
    state: str, title: re.Pattern[str], text: re.Pattern[str], signs: Signs, words: int
) -> tuple[str, str] | None:
    evidence = _phrase(title, signs.headline, "The title or heading")
    if evidence is None and words < SHORT:
        evidence = _phrase(text, signs.text, _short(words))
    return (state, evidence) if evidence else None


def bot_check(signs: Signs, words: int) -> tuple[str, str] | None:
    """``bot_check`` and its evidence when a page asks for proof of being human; also for pages with an error status."""
    return _decided("bot_check", phrases.BOT_TITLE, phrases.BOT_TEXT, signs, words)


def _js_only(signs: Signs, words: int) -> tuple[str, str] | None:
    if words < SHORT and (evidence := _phrase(phrases.JS_TEXT, signs.text, _short(words))):
        return "js_only", evidence
    if words >= THIN:
        return None
    if evidence := _phrase(phrases.JS_TEXT, signs.noscript, _short(words)):
        return "js_only", evidence
    return ("js_only", f"{_short(words)} is an empty frame that a script would fill.") if signs.app_root else None


def _cookie_wall(signs: Signs, words: int) -> tuple[str, str] | None:
    found = _decided("cookie_wall", phrases.COOKIE_TITLE, phrases.COOKIE_TEXT, signs, words)
    # A short page under a banner is still a page: a wall is all that is left of it.
    rest = [part for part in re.split(r"(?<=[.!?])\s+|\n", signs.text) if not phrases.COOKIE_TALK.search(part)]
    return found if found and count_words(" ".join(rest)) < THIN else None


def _soft_404(signs: Signs, words: int) -> tuple[str, str] | None:
    asked, got = urlsplit(signs.url).path, urlsplit(signs.final_url).path
    if asked != got and phrases.LOST_PATH.search(got):
        return "soft_404", f"The server led to {got}."
    return _decided("soft_404", phrases.LOST_TITLE, phrases.LOST_TEXT, signs, words)


def _redirected_home(signs: Signs, words: int) -> tuple[str, str] | None:
    asked, got = urlsplit(signs.url), urlsplit(signs.final_url)
    if phrases.HOME_PATH.fullmatch(asked.path) and not asked.query:
        return None
    if got.query or not phrases.HOME_PATH.fullmatch(got.path):
        return None
    return "redirected_home", f"Asked for {asked.path}, the server led to the home page {got.path or '/'}."


def _paywall(signs: Signs, words: int) -> tuple[str, str] | None:
    if words > ABSTRACT:
        return None
    if signs.closed:
        return "paywall", "The page's own data say that it is not free to read."
    evidence = _phrase(phrases.CLOSED_TEXT, signs.full_text or signs.text, f"The page has {words} words and")
    return ("paywall", evidence) if evidence else None


def _thin(signs: Signs, words: int) -> tuple[str, str] | None:
    return ("thin", f"The page has only {words} words.") if words < THIN else None
