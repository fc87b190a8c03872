"""What is told by all of a reading: year, edition, publisher, a journal without a title, a drug's maker, doubts."""

import re
from typing import Final

from medreview.references.model import Author
from medreview.references.printed.fields import Reading, last_year
from medreview.references.printed.imprint import find_edition, find_publisher
from medreview.references.printed.journals import is_journal
from medreview.references.printed.names import Authors
from medreview.references.printed.numbers import is_abbreviated_before, named_before
from medreview.references.printed.parts import segments, trimmed
from medreview.text import Span

_LABEL_TITLE: Final = re.compile(
    r"prescribing information|package insert|product (?:monograph|label)|drug label|summary of product"
    r"|fachinformation",
    re.IGNORECASE,
)
_LONGEST_TITLE: Final = 60
_WITHIN: Final = re.compile(r"(?:and|or|but|that|which|the|a|an|of|in|to|is|are|was|because|while|for|with|than|as)\b")
"""How a text begins that goes on with a sentence: no title does, without a capital."""
_CITY: Final = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*, [A-Z]{2}")
_AFTER_YEAR: Final = re.compile(r"[ \x1f]*[).]?[ \x1f]*(?:[–—:|]|- ?) ?(?=[A-Z])")


def settle(reading: Reading, start: int) -> None:
    """What is told by all of the reading: the year, edition and publisher wherever they stand, a lone journal."""
    text, end, numbers = reading.sheet.text, reading.end, reading.numbers
    after = reading.title.end if reading.title else start
    reading.year = reading.year or (numbers.year if numbers else None) or last_year(text, after, end)
    if reading.year is None:
        reading.year = last_year(text, start, end, outside=reading.title)
    if reading.edition is None and (edition := find_edition(text, after, end)) is not None:
        reading.edition = edition.number
        if reading.container is not None and edition.whole.start <= reading.container.start + 1:
            reading.container = None
    if reading.publisher is None and (numbers is None or numbers.volume is None):
        publisher = find_publisher(text, after, end)
        reading.publisher = publisher.name if publisher else None
        if publisher and reading.container and reading.container.end > publisher.name.start and not reading.chapter:
            reading.container = (
                trimmed(text, reading.container.start, max(reading.container.start, publisher.whole.start)) or None
            )
    _lone_journal(reading)
    _own_words(reading)


def _lone_journal(reading: Reading) -> None:
    """ "Zinman B, et al. N Engl J Med 2015;373:2117-28": what stands for the title is the journal."""
    if reading.title is None or reading.chapter:
        return
    title = reading.text_of(reading.title)
    if reading.container is not None:
        whole = Span(reading.title.start, reading.container.end)
        if reading.authors is not None and is_abbreviated_before(
            reading.numbers, whole.end, title, reading.text_of(whole)
        ):
            reading.container, reading.title = whole, None
        return
    lead = title.partition(",")[0]
    named = reading.authors is not None and named_before(reading.numbers, reading.title.end, title)
    if named or (is_journal(title) and not is_journal(title.lower())):
        reading.container, reading.title = reading.title, None
        after = max(reading.container.end, reading.year.end if reading.year else 0)
        rest = _AFTER_YEAR.match(reading.sheet.text, after)
        if (
            rest is not None
            and reading.numbers is None
            and len(reading.sheet.text[rest.end() : reading.end].split()) > 3
        ):
            reading.title = trimmed(reading.sheet.text, rest.end(), reading.end)
    elif lead != title and is_journal(lead) and len(title) < 60:
        reading.container = Span(reading.title.start, reading.title.start + len(lead))
        reading.title = trimmed(reading.sheet.text, reading.container.end, reading.title.end)
        reading.unsure.add("title")


def _own_words(reading: Reading) -> None:
    """The maker before the label of a drug; doubts about what was told by place alone."""
    text = reading.sheet.text
    if reading.title is not None and reading.authors is None:
        parts = segments(text, *reading.title)
        if len(parts) == 2 and _LABEL_TITLE.search(text, *parts[1]) and len(text[slice(*parts[0])].split()) <= 5:
            maker = trimmed(text, *parts[0])
            reading.authors = Authors((Author(reading.text_of(maker), body=True),), False, *maker)
            reading.title = trimmed(text, *parts[1])
    title = reading.text_of(reading.title)
    if len(title.split()) > _LONGEST_TITLE or (reading.authors is None and _WITHIN.match(title)):
        reading.title = reading.container = None  # a passage of the page beside its address
    container = reading.text_of(reading.container)
    if _CITY.fullmatch(container):
        reading.container = None
    if container and not is_journal(container) and len(container.split()) > 6:
        reading.unsure |= {"container", "title"}
    if reading.title is None and len(text.split()) > 6:
        reading.unsure.add("title")
