"""Authors as they are printed: "Smith J", "Smith, J. A.", "J. A. Smith", "John Smith", "Smith et al.", bodies."""

import re
from typing import Final, NamedTuple

from medreview.references.model import Author

U: Final = r"(?:(?![a-zß-öø-ÿ])(?![α-ω])[^\W\d_])"
"""Body of a regular expression: a capital, as far as a class can say so that is compiled at once. One that lists the
capitals of all alphabets costs more than the rest of a pattern; :func:`_is_no_name` leaves out small ones."""
# A class of three or more places beyond Latin-1 is compiled to a table of them all: these have two at most.
_HYPHEN: Final = "[-‐-–]"
_APOSTROPHE: Final = r"(?:(?!\w)['`]|[ʼ‘’])"
_PARTICLE: Final = (
    r"(?:[Vv]an|[Vv]on|[Vv]om|[Zz]um?|[Zz]ur|[Dd]e[rnlms]?|[Dd]ell[ao]|[Dd]egli|[Dd][aiou]s?|[Dd]al|[Ll][aeo]s?"
    r"|[Tt]e[nr]?|[Ee]l"
    r"|[Aa]l|[Aa]bu|[Bb]in|[Bb]en|[Ii]bn|[Aa]f|[Aa]v|[Dd]o[s]?|[Ee]|[Yy]|['’]t|['’]s|St\.?|Ste|Mc|Mac|Le|La|Du|Di|Da)"
)
_WORD: Final = (
    rf"(?:[dDlLO]{_APOSTROPHE}|[a-z]{{1,3}}{_HYPHEN}|ʿ|ʼ)?"
    rf"{U}(?:[^\W\d_]|{_APOSTROPHE}(?=[^\W\d_])|{_HYPHEN}(?=[^\W\d_]))*"
)
_SURNAME: Final = rf"(?:{_PARTICLE} ){{0,3}}{_WORD}(?: (?:(?:{_PARTICLE}) ){{0,2}}(?!(?:And|Et|Und)\b){_WORD}){{0,2}}"
_ONE_SURNAME: Final = rf"(?:{_PARTICLE} ){{0,3}}{_WORD}"
_INNER: Final = r"(?:(?:d[aeio]s?|del|della|van|von|der|den|la) ){0,2}"
_SUFFIX: Final = r"(?:,? (?:Jr|Sr|II|III|IV|2nd|3rd|4th)\.?(?![\w]))?"
_BARE_INITIALS: Final = (
    rf"(?!USA\b|UK\b|LLC\b|EU\b|US\b|AG\b|SE\b){U}{{1,4}}(?:{_HYPHEN}{U}{{1,2}})?(?![\w'’])"
    rf"|{U}[a-z]?{_HYPHEN}?{U}(?![\w'’])"
    r"|(?:Yu|Th|Ch|St|Zh|Sh|Ya|Kh)(?![\w'’])"
    rf"|{U}[a-z](?=, {U}[\w-]{{2,30}} {U}{{1,3}}[,.;])"  # "Kenny Da, Smith J"
)
_DOTTED: Final = rf"(?:{U}|Th|Ch|Yu|St|Zh|Sh|Ph|Chr|Fr)\."
_DOTTED_INITIALS: Final = rf"{_DOTTED}(?:\s?{_HYPHEN}?\s?{_DOTTED}){{0,4}}(?:\s?{U}(?![\w.'’]))?"
_INITIALS: Final = rf"(?:{_DOTTED_INITIALS}|{_BARE_INITIALS})"
_GIVEN: Final = rf"{U}[^\W\d_]+(?:{_HYPHEN}[^\W\d_]+)?(?: {U}\.?(?![^\W\d_]))*(?: {U}[^\W\d_]+)?"

_AFTER: Final = r"(?: (?:d[aeo]s?|van|von|del|della)(?=[,.; ]))?"
_STYLES: Final = (
    # Smith JR, van der Berg M; "van WA" where a name was cut
    re.compile(
        rf"(?P<family>{_SURNAME}|(?:van|von|de[nr]?|el|al)(?= {U}{{1,3}}[,.;])),? "
        rf"(?P<given>(?:{_BARE_INITIALS})(?: (?:{_BARE_INITIALS}))?){_AFTER}{_SUFFIX}"
    ),
    # Smith, J. R., & Lee, K.
    re.compile(
        rf"(?P<family>{_SURNAME}){_SUFFIX}, ?(?P<given>{_INITIALS}(?: {_INITIALS})?)"
        rf"(?: (?:{_PARTICLE})(?=[,.;&( ]))?{_SUFFIX}"
    ),
    # Smith J.R., Lee K.
    re.compile(rf"(?P<family>{_SURNAME}) (?P<given>{_DOTTED_INITIALS}){_SUFFIX}"),
    # J. R. Smith, K. Lee
    re.compile(rf"(?P<given>{_INITIALS}(?: {_INITIALS})?) (?P<family>{_ONE_SURNAME}(?: {_INNER}{_WORD})?){_SUFFIX}"),
)
_INVERTED: Final = re.compile(rf"(?P<family>{_SURNAME}){_SUFFIX}, (?P<given>{_GIVEN})")
_FULL: Final = re.compile(
    rf"(?P<given>{U}[^\W\d_]+(?:{_HYPHEN}[^\W\d_]+)?(?: {U}\.?(?![^\W\d_]))*)"
    rf" (?P<family>{_ONE_SURNAME}(?: {_WORD})?){_SUFFIX}"
)
_INVERTED_LIST: Final = re.compile(rf"{_SURNAME}, {_GIVEN}; ?{_SURNAME}, ")
_FULL_LIST: Final = re.compile(
    rf"{U}[^\W\d_]+ {U}[^\W\d_]+(?:(?:{_HYPHEN}| )?{U}[^\W\d_]*\.?)?(?:,? (?:and|&) |, )"
    rf"(?={U}[\w-]+ {U}[\w-]+(?:[.,]| and | &| \())"
)
_ALONE: Final = re.compile(rf"(?P<family>{_SURNAME})(?P<given>)")

_JOIN: Final = re.compile(
    r"(?:,? ?(?:&|and|und|et(?! ?al)|y|e|with)(?: the)? |;(?: ?(?:&|and|und))? ?|, ?(?:(?:\. ?){3}|…)[ ,]?(?:& ?)?"
    r"|, ?)(?=\S)"
)
_ET_AL: Final = re.compile(
    r"[,;]? ?(?:(?:and|&) )?(?:\[?et\.? ?al[ií]?i?(?:\.|(?=[\W_]|\Z))\]?|u\. ?a\.|et coll\.?|(?:and|&) (?:others"
    r"|colleagues|co-?workers|associates|team)"
    r"|(?:others|colleagues|co-?workers)\b|y cols?\.?|e cols?\.?|u\.? ?Mitarb\.?|und (?:Kollegen|Mitarbeiter)"
    r"|\.\.\.|…)",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(
    r"[,;]? ?[(\[]?(?:editors?|eds?\.|\(eds?\)|hrsg\.?|herausgeber|authors?|chairs?|chairpersons?)[)\]]?(?=[\W_]|\Z)",
    re.IGNORECASE,
)
_FOR_BODY: Final = re.compile(
    r"[,;]? ?(?:(?:for|on behalf of|and|and for|in collaboration with|with) )?(?:the )?", re.IGNORECASE
)
_BODY_WORD: Final = re.compile(
    r"""\b(?:organi[sz]ation|institutes?|associations?|societ(?:y|ies)|groups?|investigators?|collaborators?|collaborat(?:ion|ive)
    |committees?|colleges?|academ(?:y|ies)|agency|administration|department|ministry|cent(?:er|re)s?|councils?|federation
    |foundation|network|consortium|task\sforce|commission|initiative|university|hospitals?|service|trialists|board|bureau
    |office|panel|union|trust|alliance|clinics?|programme|program|authority|team|party|partnership|forum|institution|league
    |registry|staff|writers|secretariat|observatory|gesellschaft(?:en)?|institut|bundes[\wäöüß]*|haute\sautorité|fachgesellschaft(?:en)?
    |ärzte[\wäöüß]*|arzneimittel[\wäöüß]*|a/s|ag|plc|corporation|corp|company|co|pharma|nordisk|pfizer|novartis|merck|lilly
    |sanofi|astrazeneca|bayer|roche|genentech|gsk|glaxosmithkline|janssen|abbvie|amgen|gilead|takeda|squibb|ingelheim
    |société|sociedad|organización|ministerio|ministère|ordre|collège|agence|inc|ltd|llc|gmbh|pharmaceuticals?|laboratories
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_BODY_END: Final = re.compile(_BODY_WORD.pattern + r"\W{0,3}\Z", re.IGNORECASE | re.VERBOSE)
_ACRONYMS: Final = re.compile(
    r"""aace|aafp|aan|aap|aasld|acc|acg|acog|acp|acr|ada|aga|aha|apa|asa|asco|ash|aspen|asra|ats|aua|awmf|bfarm|bmj|bnf
    |bts|cadth|canmat|cdc|cochrane|ddg|dgim|dynamed|easd|easl|eau|ecdc|ema|endo|epocrates|erc|ers|esc|esicm|esmo
    |espen|eular|fda|g\-ba|gbd|gina|gold|has|iarc|idsa|ilae|ilcor|iqwig|ispad|isth|jbi|kdigo|kdoqi|medlineplus
    |medscape|mhra|nccn|nci|nhlbi|nhs|nice|nih|oecd|pbac|pei|phe|rcog|rki|sages|sccm|sign|statpearls|stiko|ukhsa|un
    |unaids|unicef|uptodate|uspstf|who""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_NAME: Final = re.compile(
    r"(?:Vitamin|Hepatitis|Influenza|Type|Factor|Group|Class|Phase|Grade|Stage|Part|Protein|Troponin|H(?:a?)emoglobin"
    r"|Immunoglobulin|Coenzyme|Cyclosporin|Appendix|Figure|Table|Version|Plan|Omega|Study|Trial|Section|Chapter|Amphotericin)\Z"
)
_FIRSTS: Final = re.compile(r"(?<!\S)[ʿʼ’‘]?([^\W\d_])")
_A_WORD: Final = 4
_MOST_BODIES: Final = 8
_WORD_JOIN: Final = re.compile(r"(?:\band|&|\bund|\bet|\by|\be|\bwith)(?: the)? \Z")
_ACRONYM_FIRST: Final = re.compile(rf"(?:{_ACRONYMS.pattern.upper()})\b", re.VERBOSE)
_STOP: Final = re.compile(r" ?(?:[.:;,(|\[\"“‘'„«–—\x1f]|\Z|- |(?:19|20)\d\d\b)")
_INSIDE_BODY: Final = re.compile(
    r"[^.:;|\"“\x1f()\[\]]{2,150}(?: ?\((?!\d{4})[^()]{2,30}\)(?: (?:[A-Z][\w’'-]+ ?){1,4})?)?"
)
_ENDS_SENTENCE: Final = re.compile(rf"[^,.]{{2,40}} {U}{{1,3}}\.(?! ?\()")


class Authors(NamedTuple):
    """Authors read from a place on: who, whether more are meant, where they begin and end."""

    authors: tuple[Author, ...]
    et_al: bool
    start: int
    end: int


def read_authors(text: str, start: int = 0, *, certain: bool = False, bodies: int = 0) -> Authors | None:
    """The authors that stand at a place; ``None`` when none do.

    ``certain``: authors are expected there (before a quoted title, in brackets), so that full names and lone surnames
    count, too. ``bodies``: how many stand before that place already.
    """
    while start < len(text) and text[start] in " ,.:;–—-(":
        start += 1
    best: Authors | None = None
    opening = _read_body(text, start)
    if opening is not None and (joined := _after_body(text, opening, bodies)) is not None:
        return joined
    for style in _STYLES:
        found = _read_list(text, start, style)
        if found is not None and (best is None or found.end > best.end):
            best = found
    longer = 0 if _ACRONYM_FIRST.match(text, start) else 4
    if opening is not None and (best is None or (len(best.authors) == 1 and opening.end >= best.end + longer)):
        best = opening
    if best is None and _FULL_LIST.match(text, start):
        best = _read_list(text, start, _FULL, mixed=True)
    if best is None and _INVERTED_LIST.match(text, start):
        best = _read_list(text, start, _INVERTED)
    if best is None or (certain and len(best.authors) == 1 and not best.et_al):
        for style in (_INVERTED, _FULL, _ALONE) if certain else (_INVERTED, _FULL):
            found = _read_list(text, start, style, mixed=True)
            if found is None or not (certain or found.et_al) or (best is not None and found.end <= best.end):
                continue
            if best is None or len(found.authors) > 1 or not _goes_on(best.authors[0], found.authors[0]):
                best = found  # "Smith JR, Am J Surg" is one name and a journal
    if best is None:
        alone = _ALONE.match(text, start)
        more = None if alone is None else _two_alone(text, start)
        best = more
    return best


def _goes_on(name: Author, longer: Author) -> bool:
    """Whether a longer name has all of a name as its family name: "Smith JR" and what stands after it."""
    return bool(name.given) and longer.family == f"{name.family} {name.given}"


def _after_body(text: str, body: Authors, before: int) -> Authors | None:
    """``ARISE Investigators; Peake SL, Delaney A``, ``US Preventive Services Task Force, Davidson KW, et al.``."""
    join = re.compile(r"[;,] ?(?=\S)").match(text, body.end)
    if join is None or before >= _MOST_BODIES:
        return None
    more = read_authors(text, join.end(), bodies=before + 1)
    if more is None or not (more.et_al or more.authors[0].given or more.authors[0].body):
        return None
    return Authors((*body.authors, *more.authors), more.et_al, body.start, more.end)


def _two_alone(text: str, start: int) -> Authors | None:
    """Surnames alone: "Smith et al.", "Smith and Lee (2019)"."""
    found = _read_list(text, start, _ALONE)
    if found is None:
        return None
    if found.et_al:
        return found
    year = re.match(r",? ?\(?(?:19|20)\d\d", text[found.end :])
    return found if year is not None and len(found.authors) <= 6 else None


def _read_list(text: str, start: int, style: re.Pattern[str], *, mixed: bool = False) -> Authors | None:
    authors: list[Author] = []
    at, end, et_al, joined = start, start, False, False
    while len(authors) < 200:
        found = style.match(text, at) or (_FULL.match(text, at) if mixed and authors else None)
        if found is None or not _closes(text, found.end()) or _is_no_name(found["family"], found["given"]):
            if joined and _WORD_JOIN.search(text, end, at) and not _body_follows(text, at):
                return None  # "Vitamin D and calcium"
            break
        joined = True
        authors.append(Author(found["family"], (found["given"] or "").rstrip(",")))
        end = found.end()
        more = _ET_AL.match(text, end)
        if more is not None and not _last_follows(text, end, style):
            et_al, end = True, more.end()
            role = _ROLE.match(text, end)
            end = role.end() if role else end
            break
        role = _ROLE.match(text, end)
        if role is not None:
            end = role.end()
        join = _JOIN.match(text, end)
        if join is None:
            break
        et_al = et_al or "…" in join[0] or ". ." in join[0] or "..." in join[0]
        at = join.end()
    if not authors:
        return None
    if not et_al or text[end : end + 1] in ";,":
        end = _with_bodies(text, end, authors)
    if not et_al and len(authors) == 1 and _ENDS_SENTENCE.fullmatch(text, start, end):
        authors[0] = authors[0]._replace(given=authors[0].given.rstrip("."))
    return Authors(tuple(authors), et_al, start, end)


def _is_no_name(family: str, given: str) -> bool:
    """Whether words only look like a name: "Vitamin D", a line in capitals ("FETAL SIZE"), small letters."""
    name = f"{family} {given or ''}"
    if not name.isascii() and any(first > "ÿ" and not first.isupper() for first in _FIRSTS.findall(name)):
        return True
    shouted = given is not None and len(given) == _A_WORD and given.isalpha() and name.isupper()
    return shouted or _NO_NAME.match(family) is not None


def _last_follows(text: str, end: int, style: re.Pattern[str]) -> bool:
    """Whether dots leave authors out before the last one ("Levine, J. M., … Lee, N. I."), rather than at the end."""
    dots = _JOIN.match(text, end)
    return dots is not None and ("…" in dots[0] or "." in dots[0]) and style.match(text, dots.end()) is not None


def _body_follows(text: str, start: int) -> bool:
    body = _INSIDE_BODY.match(text, start)
    return body is not None and is_body(
        re.sub(r"\Athe ", "", body[0]).rstrip(" ,")[:1].upper() + body[0].rstrip(" ,")[1:]
    )


def _closes(text: str, end: int) -> bool:
    """Whether a name may end there: before punctuation, a joining word, a year, "et al."."""
    return (
        _STOP.match(text, end) is not None
        or text[end - 1] == "."
        or _ET_AL.match(text, end) is not None
        or re.match(r" (?:&|and|und|et|y|e|for|on behalf|editors?|eds?)\b|\)| & ", text[end : end + 12]) is not None
    )


def _with_bodies(text: str, end: int, authors: list[Author]) -> int:
    """Bodies after the last author: "Smith J; ARISE Investigators.", "Lee K, for the SPRINT Research Group"."""
    while (lead := _FOR_BODY.match(text, end)) is not None and lead.end() > end and text[end] != ".":
        body = _INSIDE_BODY.match(text, lead.end())
        name = body[0].split(",")[0].rstrip() if body else ""
        if not name or not is_body(name) or len(name) > 100:
            break
        authors.append(Author(name, body=True))
        end = lead.end() + len(name)
    return end


def _read_body(text: str, start: int) -> Authors | None:
    found = _INSIDE_BODY.match(text, start)
    if found is None:
        return None
    name = found[0].rstrip(" ,–—-")
    end = found.start() + len(name)
    comma = name.find(",")
    if comma > 0 and (is_body(name[:comma]) and not is_body(name[comma + 1 :])):
        name, end = name[:comma], start + comma
    if not is_body(name) or _STOP.match(text, end) is None or len(name) > 140:
        return None
    return Authors((Author(name, body=True),), False, start, end)


def is_body(name: str) -> bool:
    """Whether a name is that of an organisation or a group of authors."""
    words = re.findall(r"[\w&/-]+", name)
    if not words or not words[0][0].isupper():
        return False
    parts = [part for part in re.split(r"[\s/&()]+", name) if part]
    known = [_ACRONYMS.fullmatch(part) is not None for part in parts]
    if known[:1] == [True] and len(parts) <= 3 and all(part[0].isupper() for part in parts):
        return True
    if any(known) and all(known[at] or not part.isalpha() for at, part in enumerate(parts)):
        return True
    last = re.sub(r" ?\([^()]*\)\Z", "", name)
    lower = sum(word[0].islower() for word in words if len(word) > 3)
    named = _BODY_END.search(last) is not None or (
        _BODY_WORD.search(last) is not None and re.search(r"\b(?:of|for|on|de|für)\b", last) is not None
    )
    return named and lower <= 1 and len(words) <= 24
