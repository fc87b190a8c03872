"""Page states: classification of a page (paywall, bot check, soft 404 ...) by rules, with the evidence.

A page that is not the cited source must never be read as "the source does not say so". The phrases are signs, not
proof, and health pages may contain any of them in their prose. So a phrase decides only when the page is short or when
the phrase is in the title or the first heading, and for most states only when the page says little else; a paywall also
leaves an abstract, so there the text may be longer. The phrases themselves are in ``phrases``.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from medreview.labels import GIVEN
from medreview.sources.reading import phrases

SHORT: Final = 250
"""Words; on a page with fewer, a phrase in the text decides."""
ABSTRACT: Final = 900
"""Words; a page with the signs of a paywall and no more than these is taken for an abstract or a preview."""
THIN: Final = 40
"""Words; a text with fewer is too short to judge anything by."""

_OPENING: Final = 2_000
_SEARCHED: Final = 100_000
"""Code points of a text that are searched for phrases: what a page says of itself stands near its beginning, and one of
few words has no more."""

BEST_FIRST: Final = ("ok", GIVEN, "paywall", "thin")
"""The states in which the text is the cited source or a part of it, the most of it first."""
HOLDS_SOURCE: Final = frozenset(BEST_FIRST)
"""The same as a set: in all other states the text is something else, or nothing. In a study the view
``snapshot_content`` says so of every snapshot (``readable``)."""

_WORD: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W_]+(?:[.,'\u2019-][^\\W_]+)*")


@dataclass(frozen=True, slots=True)
class PageSigns:
    """The signs by which a page with a body is classified; ``text`` is the text that would be judged.

    ``headline``, ``noscript``, ``app_root`` and ``closed`` are explained in ``html.HtmlText``.
    """

    url: str
    final_url: str
    text: str
    headline: str = ""
    full_text: str = ""
    noscript: str = ""
    app_root: bool = False
    closed: bool = False


def count_words(text: str) -> int:
    """The number of words; a number counts as a word, and so does each character of Chinese, Japanese and Korean."""
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
    """A sentence that quotes a phrase found in a text; ``None`` when it is not there."""
    found = pattern.search(text, 0, _SEARCHED)
    if found is None:
        return None
    quoted = " ".join(found[0].split()).strip(" -|:.,!(\u2013\u2014\u2026")
    return f"{where} says \u201c{quoted}\u201d."


def _words_without(text: str, boilerplate: re.Pattern[str]) -> int:
    """The number of words outside the boilerplate sentences: the page's own content."""
    sentences = re.split(r"(?<=[.!?])\s+|\n", text)
    return count_words(" ".join(sentence for sentence in sentences if not boilerplate.search(sentence)))


def bot_check(signs: PageSigns, words: int) -> tuple[str, str] | None:
    """``bot_check`` and its evidence for a page that asks for proof of being human, also one with an error status."""
    in_title = _phrase(phrases.BOT_TITLE, signs.headline, "The title or heading")
    evidence = in_title or (_phrase(phrases.BOT_TEXT, signs.text, _short(words)) if words < SHORT else None)
    # Health pages mention captchas and denied access, too; but they have other content besides.
    most = 2 * THIN if in_title else THIN
    return ("bot_check", evidence) if evidence and _words_without(signs.text, phrases.BOT_BOILERPLATE) < most else None


def _js_only(signs: PageSigns, words: int) -> tuple[str, str] | None:
    if words < SHORT and (evidence := _phrase(phrases.JS_TEXT, signs.text, _short(words))):
        # Many pages need scripts for additional features only.
        return ("js_only", evidence) if _words_without(signs.text, phrases.JS_BOILERPLATE) < THIN else None
    if words >= THIN:
        return None
    if evidence := _phrase(phrases.JS_TEXT, signs.noscript, _short(words)):
        return "js_only", evidence
    return ("js_only", f"{_short(words)} is an empty frame that a script would fill.") if signs.app_root else None


def _cookie_wall(signs: PageSigns, words: int) -> tuple[str, str] | None:
    evidence = _phrase(phrases.COOKIE_TITLE, signs.headline, "The title or heading")
    if evidence is None and words < SHORT:
        evidence = _phrase(phrases.COOKIE_TEXT, signs.text, _short(words))
    # A short page with a cookie banner is still a page; a cookie wall has no other content.
    return (
        ("cookie_wall", evidence)
        if evidence and _words_without(signs.text, phrases.COOKIE_BOILERPLATE) < THIN
        else None
    )


def _soft_404(signs: PageSigns, words: int) -> tuple[str, str] | None:
    requested, final = _parts(signs.url).path, _parts(signs.final_url).path
    if requested != final and phrases.NOT_FOUND_PATH.search(final):
        return "soft_404", f"The server led to {final}."
    if certain := _phrase(phrases.NOT_FOUND_TITLE, signs.headline, "The title or heading"):
        return "soft_404", certain
    # "404 not found" is also a title of articles on missing data, "Oops!" one on errors: there the text must agree.
    ambiguous = _phrase(phrases.NOT_FOUND_TITLE_AMBIGUOUS, signs.headline, "The title or heading")
    text, full_text = _without_lines(signs.text, signs.headline), _without_lines(signs.full_text, signs.headline)
    evidence = (
        _phrase(phrases.NOT_FOUND_TEXT, text if ambiguous else signs.text, _short(words)) if words < SHORT else None
    )
    if ambiguous and (
        evidence
        or phrases.NOT_FOUND_TEXT.search(f"{text[:_OPENING]}\n{full_text[:_OPENING]}")
        or (words < SHORT and _words_without(signs.text, phrases.NOT_FOUND_BOILERPLATE) < THIN)
    ):
        return "soft_404", ambiguous
    return ("soft_404", evidence) if evidence else None


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def _without_lines(text: str, lines: str) -> str:
    excluded = set(lines.split("\n"))
    return "\n".join(line for line in text[: 2 * _OPENING].split("\n") if line not in excluded)


def _redirected_home(signs: PageSigns, words: int) -> tuple[str, str] | None:
    requested, final = _parts(signs.url), _parts(signs.final_url)
    if phrases.HOME_PATH.fullmatch(requested.path) and not requested.query:
        return None
    if final.query or not phrases.HOME_PATH.fullmatch(final.path):
        return None
    path_words = set(re.findall(r"[a-z]{4,}", requested.path.lower())) - {"html", "index", "home"}
    if requested.netloc != final.netloc and any(word in final.netloc.lower() for word in path_words):
        # A short URL for a site of its own: /flu that leads to flu.example.org.
        return None
    return "redirected_home", f"Asked for {requested.path}, the server led to the home page {final.path or '/'}."


def _paywall(signs: PageSigns, words: int) -> tuple[str, str] | None:
    if words > ABSTRACT:
        return None
    if signs.closed:
        return "paywall", "The page's own data say that it is not free to read."
    text = signs.full_text or signs.text
    where = f"The page has {words} words and"
    evidence = _phrase(phrases.PAYWALL_TEXT, text, where)
    if evidence is None and not phrases.OPEN_ACCESS_TEXT.search(text, 0, _SEARCHED):
        # Open-access pages have a login for members, too.
        evidence = _phrase(phrases.PAYWALL_TEXT_AMBIGUOUS, text, where)
    return ("paywall", evidence) if evidence else None


def _thin(signs: PageSigns, words: int) -> tuple[str, str] | None:
    return ("thin", f"The page has only {words} words.") if words < THIN else None
