"""Page states: classification of a page (paywall, bot check, soft 404 ...) by rules, with the evidence.

A page that is not the cited source must never be read as "the source does not say so". The phrases are signs, not
proof, and health pages may contain any of them in their prose. So a phrase decides only when the page is short or when
the phrase is in the title or the first heading, and for most states only when the page says little else; a paywall also
leaves an abstract, so there the text may be longer. How much a page says is counted on its own prose, without menus,
footers and lists of other pages. The phrases themselves are in ``words.toml``.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import SplitResult, urlsplit

from medreview.labels import EXCERPT, GIVEN, GIVEN_BY_REVIEWER
from medreview.text import word_lists

SHORT: Final = 250
"""Words; on a page with fewer, a phrase in the text decides."""
ABSTRACT: Final = 900
"""Words; a page with the signs of a paywall and no more than these is taken for an abstract or a preview."""
THIN: Final = 40
"""Words; a text with fewer is too short to judge anything by."""

BARE: Final = 20
"""Words; a page with fewer of its own beside a phrase says nothing else."""
LISTED: Final = 400
"""Words; a page that says "not found" at its beginning may go on with so many on other pages."""
OPENING: Final = 40
"""Words at the beginning of a text, in whole lines, among which a page says that it is not what was asked for."""

_LONGEST_OPENING: Final = 4_000
_SEARCHED: Final = 100_000
"""Code points of a text that are searched for phrases: what a page says of itself stands near its beginning, and one of
few words has no more."""

BEST_FIRST: Final = ("ok", GIVEN_BY_REVIEWER, GIVEN, "paywall", "thin", EXCERPT)
"""The states in which the text is the cited source or a part of it, the most of it first."""
HOLDS_SOURCE: Final = frozenset(BEST_FIRST)
"""The same as a set: in all other states the text is something else, or nothing. In a study the view
``snapshot_content`` says so of every snapshot (``readable``)."""

_WORD: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W_]+(?:[.,'\u2019-][^\\W_]+)*")


@cache
def _phrases(name: str) -> re.Pattern[str]:
    """Any of the phrases of a list; read and compiled when it is first asked for."""
    joined = "|".join(f"(?:{line})" for line in word_lists(__file__)[name].splitlines() if line)
    return re.compile(joined.replace(" ", r"\s+").replace("'", "['\u2019]"), re.IGNORECASE | re.MULTILINE)


_NOT_FOUND_LINE: Final = re.compile(r"^(?:error )?(?:404|410)$", re.IGNORECASE | re.MULTILINE)
"""A line of the page itself; it decides like an ambiguous title."""
_ABOUT_PAYWALLS: Final = re.compile(r"\bpay-?walls?\b", re.IGNORECASE)
"""In the title of a paper on paywalls; a wall itself is not called one by its publisher."""
_NOT_FOUND_PATH: Final = re.compile(
    r"(?:^|[/_-])(?:(?:errors?|status|http)[/_-]?404|(?:page-?)?not-?found)(?:$|[/._-])|^/404(?:\.\w{2,5})?/?$",
    re.IGNORECASE,
)
_HOME_PATH: Final = re.compile(
    r"/?(?:(?:index|home|default)(?:\.\w{2,5})?|[a-z]{2}(?:[-_][a-z]{2})?(?:/(?:home)?)?)?/?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Signs:
    """What a page shows of itself, beside its text.

    ``headings`` are its first ones of the first level, and the first of any. ``prose`` is its own text, one block a
    line; ``seen`` everything that is not hidden. ``noscript`` is the text for browsers without scripts. ``app_root``:
    the page is the empty container of a single-page application. ``closed``: its metadata (schema.org
    ``isAccessibleForFree``) says that it is not free to read. ``asks_password``: it has a field for one. ``leads_to``
    is the address to which it sends its reader on, ``""`` for none.
    """

    title: str = ""
    headings: tuple[str, ...] = ()
    prose: str = ""
    seen: str = ""
    noscript: str = ""
    app_root: bool = False
    closed: bool = False
    asks_password: bool = False
    leads_to: str = ""

    @property
    def headline(self) -> str:
        """Title and headings, one a line."""
        return "\n".join(text for text in (self.title, *self.headings) if text)


@dataclass(frozen=True, slots=True)
class PageSigns:
    """What a page with a body is classified by: where it was asked for and where that led, the text that would be
    judged, and of an HTML page what it shows of itself."""

    url: str
    final_url: str
    text: str
    of_page: Signs | None = None

    @property
    def shown(self) -> Signs:
        """What the page shows of itself; of a page that is not HTML its text."""
        return self.of_page or Signs(prose=self.text, seen=self.text)


def count_words(text: str) -> int:
    """The number of words; a number counts as a word, and so does each character of Chinese, Japanese and Korean."""
    return sum(1 for _ in _WORD.finditer(text))


def page_state(signs: PageSigns) -> tuple[str, str]:
    """The state of a page and the evidence for it, as one sentence (``""`` for ``ok``)."""
    words = count_words(signs.shown.prose)
    for rule in _RULES:
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
    patterns = (boilerplate, _phrases("legal_boilerplate"))
    return count_words(" ".join(part for part in sentences if not any(pattern.search(part) for pattern in patterns)))


def bot_check(signs: PageSigns, words: int) -> tuple[str, str] | None:
    """``bot_check`` and its evidence for a page that asks for proof of being human, also one with an error status."""
    page = signs.shown
    in_title = _phrase(_phrases("bot_title"), page.headline, "The title or heading")
    evidence = in_title or (_phrase(_phrases("bot_text"), page.prose, _short(words)) if words < SHORT else None)
    # Health pages mention captchas and denied access, too; but they have other content besides.
    most = 2 * THIN if in_title else THIN
    return (
        ("bot_check", evidence) if evidence and _words_without(page.prose, _phrases("bot_boilerplate")) < most else None
    )


def _js_only(signs: PageSigns, words: int) -> tuple[str, str] | None:
    page = signs.shown
    if words < SHORT and (evidence := _phrase(_phrases("js_text"), page.prose, _short(words))):
        # Many pages need scripts for additional features only.
        return ("js_only", evidence) if _words_without(page.prose, _phrases("js_boilerplate")) < THIN else None
    if max(words, count_words(signs.text)) >= (SHORT if page.app_root else THIN):
        return None
    if page.app_root and _words_without(page.prose, _phrases("legal_boilerplate")) < THIN:
        return "js_only", f"{_short(words)} is an empty frame that a script would fill."
    if words < THIN and (evidence := _phrase(_phrases("js_text"), page.noscript, _short(words))):
        return "js_only", evidence
    return None


def _cookie_wall(signs: PageSigns, words: int) -> tuple[str, str] | None:
    page = signs.shown
    if words >= SHORT:
        return None
    evidence = _phrase(_phrases("cookie_title"), page.headline, "The title or heading")
    evidence = evidence or _phrase(_phrases("cookie_text"), page.prose, _short(words))
    # A short page with a cookie banner is still a page; a cookie wall has no other content.
    own = _words_without(page.prose, _phrases("cookie_boilerplate"))
    return ("cookie_wall", evidence) if evidence and own < THIN else None


def _nothing_but_consent(signs: PageSigns, words: int) -> tuple[str, str] | None:
    """A window that asks for consent, over a page that has nothing to read."""
    page = signs.shown
    if words >= BARE:
        return None
    evidence = _phrase(_phrases("cookie_text"), page.seen, _short(words))
    evidence = evidence or _phrase(_phrases("cookie_title"), page.seen, _short(words))
    return ("cookie_wall", evidence) if evidence else None


def _soft_404(signs: PageSigns, words: int) -> tuple[str, str] | None:
    page = signs.shown
    requested, final = _parts(signs.url).path, _parts(signs.final_url).path
    if requested != final and _NOT_FOUND_PATH.search(final):
        return "soft_404", f"The server led to {final}."
    if certain := _phrase(_phrases("not_found_title"), page.headline, "The title or heading"):
        return "soft_404", certain
    # "404 not found" is also a title of articles on missing data, "Oops!" one on errors: there the text must agree.
    ambiguous = _phrase(_phrases("not_found_title_ambiguous"), page.headline, "The title or heading")
    ambiguous = ambiguous or _phrase(_NOT_FOUND_LINE, _opening(page.prose), "The page")
    opening = _opening(_without_lines(page.prose, page.headline) if ambiguous else page.prose)
    evidence = _phrase(_phrases("not_found_text"), opening, _short(words)) if words < LISTED else None
    if ambiguous and (
        evidence
        or _phrases("not_found_text").search(opening)
        or (words < LISTED and _words_without(opening, _phrases("not_found_boilerplate")) < BARE)
    ):
        return "soft_404", ambiguous
    return ("soft_404", evidence) if evidence else None


def _opening(text: str) -> str:
    """The lines with which a text begins: at least :data:`OPENING` words of it, where there are so many."""
    lines: list[str] = []
    words = 0
    for line in text[:_LONGEST_OPENING].split("\n"):
        if words >= OPENING:
            break
        lines.append(line)
        words += count_words(line)
    return "\n".join(lines)


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def _without_lines(text: str, lines: str) -> str:
    excluded = set(lines.split("\n"))
    return "\n".join(line for line in text[:_LONGEST_OPENING].split("\n") if line not in excluded)


def _redirected_home(signs: PageSigns, words: int) -> tuple[str, str] | None:
    requested, final = _parts(signs.url), _parts(signs.final_url)
    sent_on = signs.shown.leads_to
    if sent_on and words < THIN:
        # The page itself is empty, and sends its reader on; what a browser would show then was not asked for.
        if _HOME_PATH.fullmatch(_parts(sent_on).path) and not _HOME_PATH.fullmatch(requested.path):
            return "redirected_home", f"The page sends its reader on to the home page {_parts(sent_on).path or '/'}."
        return "thin", f"The page sends its reader on to {sent_on}, and has only {words} words."
    if _HOME_PATH.fullmatch(requested.path) and not requested.query:
        return None
    if final.query or not _HOME_PATH.fullmatch(final.path):
        return None
    path_words = set(re.findall(r"[a-z]{4,}", requested.path.lower())) - {"html", "index", "home"}
    if requested.netloc != final.netloc and any(word in final.netloc.lower() for word in path_words):
        # A short URL for a site of its own: /flu that leads to flu.example.org.
        return None
    return "redirected_home", f"Asked for {requested.path}, the server led to the home page {final.path or '/'}."


def _out_of_order(signs: PageSigns, words: int) -> tuple[str, str] | None:
    page = signs.shown
    evidence = _phrase(_phrases("out_of_order_title"), page.headline, "The title or heading")
    own = _words_without(_opening(page.prose), _phrases("out_of_order_boilerplate"))
    return ("http_error", evidence) if evidence and words < SHORT and own < BARE else None


def _password_wall(signs: PageSigns, words: int) -> tuple[str, str] | None:
    if signs.shown.asks_password and max(words, count_words(signs.text)) < THIN:
        return "paywall", f"{_short(words)} asks for a password."
    return None


def _paywall(signs: PageSigns, words: int) -> tuple[str, str] | None:
    page = signs.shown
    if words > ABSTRACT:
        return None
    if page.closed:
        return "paywall", "The page's own data say that it is not free to read."
    if _ABOUT_PAYWALLS.search(page.headline):
        return None
    where = f"The page has {words} words and"
    evidence = _phrase(_phrases("paywall_text"), page.seen, where)
    if evidence is None and not _phrases("open_access_text").search(page.seen, 0, _SEARCHED):
        # Open-access pages have a login for members, too.
        evidence = _phrase(_phrases("paywall_text_ambiguous"), page.seen, where)
    return ("paywall", evidence) if evidence else None


def _thin(signs: PageSigns, words: int) -> tuple[str, str] | None:
    words = max(words, count_words(signs.text))
    return ("thin", f"The page has only {words} words.") if words < THIN else None


_RULES: Final = (
    *(bot_check, _js_only, _cookie_wall, _soft_404, _redirected_home, _out_of_order, _password_wall, _paywall),
    *(_nothing_but_consent, _thin),
)
"""In this order; the first that finds something decides."""
