"""Page states: what kind of page came back, by which rule, and on what evidence.

A page that is not the cited source must never be read as "the source does not say so". The phrases are signs, not
proof, and health pages may hold any of them in their prose. So a phrase decides only when the page is short or when
the phrase stands in the title or the first heading, and for most states only when little else is said on the page; a
paywall also leaves an abstract, so there the text may be longer. The phrases themselves are in ``phrases``.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from medreview.sources.reading import phrases

SHORT: Final = 250
"""Words up to which a phrase in the text decides."""
ABSTRACT: Final = 900
"""Words up to which a page with the signs of a paywall is taken for an abstract or a preview."""
THIN: Final = 40
"""Words under which a text is too little to judge anything by."""

_OPENING: Final = 2_000

HOLDS_SOURCE: Final = frozenset({"ok", "paywall", "thin"})
"""States in which the text is the cited source or a part of it; in all others it is something else, or nothing."""
SQL_HOLDS_SOURCE: Final = f"({', '.join(repr(state) for state in sorted(HOLDS_SOURCE))})"
"""The same as SQL writes a list, for ``page_state IN ...``."""

_WORD: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W_]+(?:[.,'\u2019-][^\\W_]+)*")


@dataclass(frozen=True, slots=True)
class PageSigns:
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


def page_state(signs: PageSigns) -> tuple[str, str]:
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


def _left(text: str, talk: re.Pattern[str]) -> int:
    """Words of a text without the sentences that talk of a given thing: the matter of the page."""
    sentences = re.split(r"(?<=[.!?])\s+|\n", text)
    return count_words(" ".join(sentence for sentence in sentences if not talk.search(sentence)))


def bot_check(signs: PageSigns, words: int) -> tuple[str, str] | None:
    """``bot_check`` and its evidence when a page asks for proof of being human; also for pages with an error status."""
    in_title = _phrase(phrases.BOT_TITLE, signs.headline, "The title or heading")
    evidence = in_title or (_phrase(phrases.BOT_TEXT, signs.text, _short(words)) if words < SHORT else None)
    # Health writing knows captchas and denied access, too; but it goes on to say something else.
    most = 2 * THIN if in_title else THIN
    return ("bot_check", evidence) if evidence and _left(signs.text, phrases.BOT_TALK) < most else None


def _js_only(signs: PageSigns, words: int) -> tuple[str, str] | None:
    if words < SHORT and (evidence := _phrase(phrases.JS_TEXT, signs.text, _short(words))):
        # Many a page asks for scripts for its extras only.
        return ("js_only", evidence) if _left(signs.text, phrases.JS_TALK) < THIN else None
    if words >= THIN:
        return None
    if evidence := _phrase(phrases.JS_TEXT, signs.noscript, _short(words)):
        return "js_only", evidence
    return ("js_only", f"{_short(words)} is an empty frame that a script would fill.") if signs.app_root else None


def _cookie_wall(signs: PageSigns, words: int) -> tuple[str, str] | None:
    evidence = _phrase(phrases.COOKIE_TITLE, signs.headline, "The title or heading")
    if evidence is None and words < SHORT:
        evidence = _phrase(phrases.COOKIE_TEXT, signs.text, _short(words))
    # A short page under a banner is still a page: a wall is all that is left of it.
    return ("cookie_wall", evidence) if evidence and _left(signs.text, phrases.COOKIE_TALK) < THIN else None


def _soft_404(signs: PageSigns, words: int) -> tuple[str, str] | None:
    asked, got = _parts(signs.url).path, _parts(signs.final_url).path
    if asked != got and phrases.LOST_PATH.search(got):
        return "soft_404", f"The server led to {got}."
    if certain := _phrase(phrases.LOST_TITLE, signs.headline, "The title or heading"):
        return "soft_404", certain
    # "404 not found" is also a title of articles on missing data, "Oops!" one on errors: there the text must agree.
    perhaps = _phrase(phrases.LOST_TITLE_PERHAPS, signs.headline, "The title or heading")
    text, full_text = _without_lines(signs.text, signs.headline), _without_lines(signs.full_text, signs.headline)
    evidence = _phrase(phrases.LOST_TEXT, text if perhaps else signs.text, _short(words)) if words < SHORT else None
    if perhaps and (
        evidence
        or phrases.LOST_TEXT.search(f"{text[:_OPENING]}\n{full_text[:_OPENING]}")
        or (words < SHORT and _left(signs.text, phrases.LOST_TALK) < THIN)
    ):
        return "soft_404", perhaps
    return ("soft_404", evidence) if evidence else None


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def _without_lines(text: str, lines: str) -> str:
    left_out = set(lines.split("\n"))
    return "\n".join(line for line in text[: 2 * _OPENING].split("\n") if line not in left_out)


def _redirected_home(signs: PageSigns, words: int) -> tuple[str, str] | None:
    asked, got = _parts(signs.url), _parts(signs.final_url)
    if phrases.HOME_PATH.fullmatch(asked.path) and not asked.query:
        return None
    if got.query or not phrases.HOME_PATH.fullmatch(got.path):
        return None
    places = set(re.findall(r"[a-z]{4,}", asked.path.lower())) - {"html", "index", "home"}
    if asked.netloc != got.netloc and any(place in got.netloc.lower() for place in places):
        # A short address for a site of its own: /flu that leads to flu.example.org.
        return None
    return "redirected_home", f"Asked for {asked.path}, the server led to the home page {got.path or '/'}."


def _paywall(signs: PageSigns, words: int) -> tuple[str, str] | None:
    if words > ABSTRACT:
        return None
    if signs.closed:
        return "paywall", "The page's own data say that it is not free to read."
    text = signs.full_text or signs.text
    where = f"The page has {words} words and"
    evidence = _phrase(phrases.CLOSED_TEXT, text, where)
    if evidence is None and not phrases.OPEN_TEXT.search(text):
        # A way in for members is on open pages, too.
        evidence = _phrase(phrases.CLOSED_TEXT_PERHAPS, text, where)
    return ("paywall", evidence) if evidence else None


def _thin(signs: PageSigns, words: int) -> tuple[str, str] | None:
    return ("thin", f"The page has only {words} words.") if words < THIN else None
