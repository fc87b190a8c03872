"""The references of a response: those of its lists and footnotes, those that its sentences name, those beside it.

Sentences name works as "(Smith et al., NEJM 2019)", "a 2019 Lancet meta-analysis", "the 2021 guideline". A mention that
points to an entry of a list, and an entry that repeats another, count once.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from medreview.citations.citation import Citation, canonical_key
from medreview.citations.extract import extract
from medreview.citations.source_lists import entry_label
from medreview.references.model import Field, Identifier, Reference, Standing
from medreview.references.printed.container import SURE, is_journal, kind_of, trimmed
from medreview.references.printed.entries import Entry, entries, names_work
from medreview.references.printed.imprint import YEAR, read_numbers
from medreview.references.printed.names import U, read_authors
from medreview.references.printed.parse import read_cells, read_one, values_of
from medreview.text import Span, with_line_ends

_WORK: Final = (
    r"(?:randomi[sz]ed(?:\scontrolled)?\strials?|meta-?\s?analys[ie]s|systematic\sreviews?"
    r"|umbrella\sreviews?|reviews?|stud(?:y|ies)|trials?|RCTs?|papers?"
    r"|articles?|analys[ie]s|reports?|cohort|editorial|publication|survey|case\sseries|guidelines?)"
)
_BRACKET: Final = re.compile(rf"[(\[](?P<inner>[^()\[\]]{{0,180}}?\b{YEAR}\b(?:[^()\[\]]|\(\d{{1,3}}\)){{0,160}})[)\]]")
_PART: Final = re.compile(r"[^;]+")
_BETWEEN: Final = re.compile(r"[,;] ")
_YEAR: Final = re.compile(rf"(?<![\d–-]){YEAR}[a-z]?(?![\d–-])")
_NAMED_BEFORE: Final = re.compile(
    rf"(?P<names>{U}[\w'’-]{{1,30}}(?:(?:,?\s(?:and|&|und|et)\s|,\s){U}[\w'’-]{{1,30}}){{0,3}}(?:,?\set\sal\.?"
    rf"|\sand\s(?:colleagues|coworkers|co-workers|associates)|\set\scoll\.?|\su\.\s?a\.)?(?:['’]s?)?)\s*,?\s*\Z"
)
_TRIAL_BEFORE: Final = re.compile(
    r"(?P<name>[A-Z][A-Za-z]{0,20}[A-Z][A-Z0-9-]*(?:[ -](?:[A-Z][A-Z0-9-]*|\d{1,3}|[IVX]{1,4}))?)(?:\s(?:trial"
    r"|study|programme|program))?\s*\Z"
)
_TRIAL: Final = re.compile(r"[A-Z][A-Za-z]{0,20}[A-Z][A-Z0-9-]{1,}(?:[ -][A-Z0-9-]{1,8})?(?:\s(?:trial|study))?")
_PHRASES: Final = (
    re.compile(rf"\b(?P<year>{YEAR})\s(?P<journal>{SURE})(?:,|\s(?:[a-z][\w-]{{0,30}}\s){{0,4}}?{_WORK})", re.DOTALL),
    re.compile(
        rf"\b(?P<year>{YEAR})\s(?:[\w-]{{1,30}}\s){{0,6}}?{_WORK}(?:\s(?:of|on|with|in)\s(?:[\w,-]{{1,30}}\s){{1,8}}?"
        rf"|\s)(?:\(?published\s|appearing\s)?in\s(?:the\sjournal\s)?(?:the\s)?(?P<journal>{SURE})"
    ),
    re.compile(
        rf"\b{_WORK}\s(?:[\w,-]{{1,30}}\s){{0,8}}?(?:published\s|reported\s|appeared\s)?in\s(?:the\sjournal\s)?(?:the\s"
        rf")?(?P<journal>{SURE})\s?(?:,\s|in\s|\()(?:[A-Z][a-z]{{1,30}}\s)?(?P<year>{YEAR})\)?"),
    re.compile(rf"(?P<journal>{SURE})(?:,?\s(?:in\s)?|,?\s?\()(?P<year>{YEAR})\b\)?(?!\s?[;:]\s?\d)"),
    re.compile(
        rf"(?P<names>{U}[\w'’-]{{1,30}}(?:\set\sal\.?|\sand\scolleagues|\sand\s{U}[\w'’-]{{1,30}}))\s\("
        rf"(?P<year>{YEAR})[a-z]?\)"
        rf"(?:,)?\s(?:(?:published\s)?in\s(?:the\s)?(?P<journal>{SURE}))"),
    re.compile(
        r"\b(?P<trial>[A-Z][A-Za-z]{0,20}[A-Z][A-Z0-9-]{1,30}(?:[ -](?:[A-Z][A-Z0-9-]{1,30}|\d{1,3}))?)\s(?:trial"
        r"|study)\s\(" + rf"(?P<year>{YEAR})\)"),
    re.compile(
        rf"\b(?P<year>{YEAR})\s(?P<trial>[A-Z][A-Za-z]{{0,20}}[A-Z][A-Z0-9-]{{1,30}}(?:[ -](?:[A-Z][A-Z0-9-]{{1,30}}"
        rf"|\d{{1,3}}))?)\s(?:trial|study)\b"),
)  # fmt: skip
_COMMON: Final = re.compile(
    r"RCT|DNA|RNA|HIV|AID|COVID(?:-19)?|LDL|HDL|BMI|U|UK|USA|EU|WHO|FDA|SGLT-?[12]I?|GLP-?1"
    r"|MRI|CT|ECG|COPD|CKD|CVD|NSAID"
    r"|SSRI|DOAC|NOAC|ACE|ARB|ICU|NEJM|JAMA|BMJ|II|III|IV|PHASE|GRADE|PICO|PRISMA|CONSORT"
)
_BODY: Final = (
    r"(?:(?:[A-Z]{2,8}(?:[/-][A-Z]{2,8}){0,6}|(?:[A-Z][\w’'-]{1,30}\s(?:(?:of|for|on|and|the|in"
    r"|&)\s){0,2}){1,7}?(?:Campaign|Initiative|Organi[sz]ation|Institute|Association|Society"
    r"|College|Academy|Force|Collaboration|Federation|Foundation|Committee|Network|Cardiology"
    r"|Medicine|America|Physicians|Excellence)(?:\s\([A-Z/-]{2,12}\))?))"
)
_ADVICE: Final = (
    r"(?:[Gg]uidelines?|[Rr]ecommendations?|[Cc]onsensus\s[Ss]tatement|[Ss]cientific\s[Ss]tatement"
    r"|[Pp]osition\s[Ss]tatement)"
)
_ABOUT: Final = (
    r"(?:\s(?:for|on)(?:\s[\w/’'-]{1,30}){1,14}?(?=\s?[,.;:()]|\s(?:recommend|suggest|advise"
    r"|state|say|note|call|list|endorse|include|prefer|favou?r|require|give|define|support|put|place|consider|allow|limit"
    r"|now\b|does\b|do\b|should\b|also\b"
    r"|is\b|are\b|has\b|have\b|was\b|were\b|and\s(?:the\s)?\d{4})))?"
)
_GUIDELINE: Final = (
    re.compile(rf"\b(?P<year>{YEAR})\s(?P<title>{_BODY}(?:\s[\w-]{{1,30}}){{0,5}}?\s{_ADVICE}{_ABOUT})"),
    re.compile(
        rf"\b(?P<title>{_BODY}(?:\s[\w-]{{1,30}}){{0,4}}?\s{_ADVICE})"
        rf"(?:,?\s\(?|\sfrom\s|\sof\s)(?P<year>{YEAR})\b\)?"
    ),
    re.compile(
        r"\b(?P<title>NICE\s(?:[Cc]linical\s)?[Gg]uidelines?\s\[?(?:NG|CG|TA|QS|SG)\s?\d{1,4}\]?)"
        r"(?:\s?\((?P<year>(?:19|20)\d\d)[^()]{0,20}\))?"
    ),
)


def mentions(text: str, free: Sequence[Span]) -> Iterator[Reference]:
    """The works that the free parts of a text name, in order; each with its place in ``start`` and ``end`` and the
    places of its fields within its own words.

    Author and year alone name nothing that can be looked up. Names of trials and guidelines in running text are not
    titles to be compared with a record word for word: they are ``unsure``.
    """
    flat = text.replace("*", " ").replace("_", " ")
    taken: list[tuple[int, int]] = []
    found: list[Reference] = []
    for place in free:
        for read in (*_in_brackets(flat, place), *_in_phrases(flat, place)):
            at = bisect_left(taken, (read.start, read.end))
            before = taken[at - 1][1] if at else 0
            after = taken[at][0] if at < len(taken) else len(text)
            if before <= read.start and read.end <= after:
                taken.insert(at, (read.start, read.end))
                found.append(read)
    yield from sorted(found, key=lambda read: read.start)


def _in_brackets(text: str, place: Span) -> Iterator[Reference]:
    for bracket in _BRACKET.finditer(text, *place):
        parts = list(_PART.finditer(text, *bracket.span("inner")))
        named = [part for part in parts if _YEAR.search(part[0])]
        for part in named or parts:
            end = bracket.end("inner") if len(named) <= 1 else part.end()
            start = bracket.start("inner") if len(named) <= 1 else part.start()
            read = _of_part(text, place, Span(start, end), bracket.start(), first=part is (named or parts)[0])
            if read is not None:
                yield read


def _of_part(text: str, place: Span, part: Span, bracket: int, *, first: bool) -> Reference | None:
    """The work that a bracket, or one part of it, names, perhaps with the author or trial before the bracket."""
    spans: dict[Field, Span] = {}
    said = text[part.start : part.end]
    cited = extract(said)
    numbers = read_numbers(text[: part.end], part.start)
    year = numbers.year if numbers and numbers.year else None
    if year is None:
        at = _YEAR.search(text, *part)
        if at is None:
            return None
        year = Span(at.start(), at.start() + 4)
    spans["year"] = year
    authors = read_authors(text[: part.end], part.start, certain=False)
    body = trimmed(text, part.start, part.end)
    rest = body.start
    if (
        authors is not None
        and authors.start <= body.start + 1
        and not is_journal(authors.authors[-1].family)
        and not (is_journal(text[body.start : year.start].strip(" ,")))
    ):
        spans["authors"], rest = Span(authors.start, authors.end), authors.end
    stop = numbers.whole.start if numbers else year.start
    container = _journal(text, rest, stop) or _journal(text, year.end, part.end)
    if container is not None:
        spans["container"] = container
    if not container and not (cited and "authors" in spans):
        return None
    start = part.start
    unsure: tuple[Field, ...] = ()
    if numbers is not None:
        spans |= numbers.placed()
    before = text[max(place.start, bracket - 120) : bracket]
    if "authors" not in spans and first:
        name = _NAMED_BEFORE.search(before)
        trial = _TRIAL_BEFORE.search(before)
        offset = bracket - len(before)
        if trial is not None and not _is_common(trial["name"]):
            spans["title"], unsure = Span(*(offset + at for at in trial.span("name"))), ("title",)
            start = spans["title"].start
        elif name is not None and (" et " in name["names"] or " and " in name["names"]):
            start = offset + name.start("names")
            authors = read_authors(text[:bracket], start, certain=True)
            if authors is not None:
                spans["authors"] = Span(authors.start, authors.end)
    if container is not None and "title" not in spans:
        lead = trimmed(text, rest, container.start)
        trial = _TRIAL.fullmatch(text, *lead) if lead else None
        if trial is not None:
            spans["title"], unsure = lead, ("title",)
    end = part.end + (start < part.start)
    return _reference(text, Span(start, end), spans, unsure)


def _journal(text: str, start: int, end: int) -> Span | None:
    """The journal's name between two places, perhaps after a trial's name and a comma."""
    place = trimmed(text, start, max(start, end), also="(")
    said = text[place.start : place.end]
    for lead in ("in the ", "in ", "published in "):
        if said.lower().startswith(lead):
            place = Span(place.start + len(lead), place.end)
            break
    while place:
        if is_journal(text[place.start : place.end]):
            return place
        cut = _BETWEEN.search(text, *place)
        if cut is None:
            return None
        place = trimmed(text, cut.end(), place.end)
    return None


def _in_phrases(text: str, place: Span) -> Iterator[Reference]:
    for pattern in (*_PHRASES, *_GUIDELINE):
        for found in pattern.finditer(text, *place):
            spans: dict[Field, Span] = {}
            unsure: tuple[Field, ...] = ()
            names = found.re.groupindex
            if "year" in names and found["year"]:
                spans["year"] = Span(*found.span("year"))
            if "journal" in names:
                spans["container"] = Span(*found.span("journal"))
            if "names" in names:
                authors = read_authors(text[: found.end("names")], found.start("names"), certain=True)
                if authors is not None:
                    spans["authors"] = Span(authors.start, authors.end)
            if "trial" in names or "title" in names:
                name = "trial" if "trial" in names else "title"
                if name == "trial" and _is_common(found["trial"]):
                    continue
                spans["title"], unsure = Span(*found.span(name)), ("title",)
            yield _reference(text, Span(*found.span()), spans, unsure)


def _is_common(name: str) -> bool:
    """Whether capitals are not a trial's name: a design, a drug class, a disease."""
    return _COMMON.fullmatch(name.upper().rstrip("S")) is not None


def _reference(text: str, whole: Span, spans: dict[Field, Span], unsure: tuple[Field, ...]) -> Reference:
    place = trimmed(text, *whole)
    if text[place.end : place.end + 1] == ")" and text.count("(", *place) > text.count(")", *place):
        place = Span(place.start, place.end + 1)
    said = {name: " ".join(text[span.start : span.end].split()) for name, span in spans.items()}
    authors = (
        read_authors(text[: spans["authors"].end], spans["authors"].start, certain=True) if "authors" in spans else None
    )
    cited = extract(text[place.start : place.end])
    identifiers = tuple(
        Identifier(each.kind, each.value) for each in cited if each.kind != "url" and each.kind != "document"
    )
    url = next((each.value for each in cited if each.kind == "url"), "")
    found = Reference(
        text[place.start : place.end], place.start, place.end, "inline", unsure=unsure,
        places={name: Span(span.start - place.start, span.end - place.start) for name, span in spans.items()},
        **values_of(said, authors, identifiers, url),
    )  # fmt: skip
    return replace(found, kind=kind_of(found, found.title, numbered=bool(found.container)))


_WORD: Final = re.compile(r"[^\W_]+")


def points_to(mention: Reference, entry: Reference) -> bool:
    """Whether a reference says nothing that an entry does not have: the same identifier; or, without one that differs,
    the same author, year, journal, and the words of its title."""
    if mention.identifiers or mention.url:
        ours, theirs = _keys(mention), _keys(entry)
        if ours & theirs:
            return True
        if theirs:
            return False
    if mention.year is not None and entry.year is not None and mention.year != entry.year:
        return False
    if mention.authors and entry.authors and not _share_author(mention, entry):
        return False
    if mention.title and entry.title:
        return _share(mention.title, entry.text) >= 0.6
    if mention.container and entry.container and not _same_container(mention.container, entry.container):
        return False
    return bool(mention.authors and entry.authors) or (
        mention.year is not None and bool(mention.container and entry.container)
    )


def _keys(read: Reference) -> set[str]:
    keys = {f"{identifier.kind}:{identifier.value}" for identifier in read.identifiers}
    return keys | ({canonical_key(Citation("url", read.url))} if read.url else set())


def _share_author(mention: Reference, entry: Reference) -> bool:
    first = mention.authors[0].family.casefold()
    return any(
        first == author.family.casefold() or first in author.family.casefold().split() for author in entry.authors
    )


def _share(words: str, text: str) -> float:
    """The share of words that stand in a text."""
    ours = {word for word in _WORD.findall(words.casefold()) if len(word) > 2}
    theirs = set(_WORD.findall(text.casefold()))
    return len(ours & theirs) / len(ours) if ours else 1.0


def _same_container(one: str, other: str) -> bool:
    first, second = (_significant(name) for name in (one, other))
    if first == second or not first or not second:
        return True
    short, long = sorted((first, second), key=len)
    if len(short) == 1 and len(long) > 1 and short[0] == "".join(word[0] for word in long):
        return True
    return len(short) <= len(long) and all(any(word.startswith(part) for word in long) for part in short)


def _significant(name: str) -> list[str]:
    return [word for word in _WORD.findall(name.casefold()) if word not in ("the", "of", "and", "for", "in", "&")]


def find_references(text: str, listed: Sequence[str] = ()) -> list[Reference]:
    """The references of a response in text order, disjoint; then those of ``listed`` that the text does not have.

    ``start`` and ``end`` are code points of ``text``, ``places`` too; those of an entry of ``listed`` (``given``) count
    within that entry. A mention in a sentence that only points at an entry of a list is no reference.
    """
    lines = with_line_ends(text)
    found = [read for entry in entries(lines) if names_work(read := _of_entry(text, entry))]
    free = _outside(len(text), [Span(read.start, read.end) for read in found])
    for mention in mentions(lines, free):
        if not any(points_to(mention, known) for known in found):
            found.append(_moved(mention, text, mention.start, "inline"))
    found.sort(key=lambda read: read.start)
    return found + list(_given(listed, found))


def _of_entry(text: str, entry: Entry) -> Reference:
    place = entry.place
    said = text[place.start : place.end]
    if entry.cells:
        return replace(read_cells(text, entry.cells, place), number=entry.number)
    read = read_one(said)
    return replace(_moved(read, text, place.start, entry.standing), number=entry.number)


def _moved(read: Reference, text: str, start: int, standing: Standing) -> Reference:
    """A reference that was read alone, at its place in the text."""
    end = start + len(read.text)
    places = {name: Span(start + place.start, start + place.end) for name, place in read.places.items()}
    return replace(read, text=text[start:end], start=start, end=end, standing=standing, places=places)


def _outside(length: int, taken: Sequence[Span]) -> list[Span]:
    free, at = [], 0
    for start, end in taken:
        free.append(Span(at, start))
        at = end
    return [span for span in [*free, Span(at, length)] if span]


def _given(listed: Sequence[str], found: Sequence[Reference]) -> Iterator[Reference]:
    numbered = any(read.number is not None for read in found)
    for place, item in enumerate(listed, 1):
        label = entry_label(item)
        start = label[1] if label is not None else 0
        read = replace(read_one(" " * start + item[start:]), text=item)  # fields that are named begin behind the label
        if names_work(read) and not any(points_to(read, known) for known in found):
            number = label[0] if label is not None else None if numbered else place
            yield replace(read, standing="given", number=number)
