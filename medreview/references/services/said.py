"""What is said before a lookup: what leaves the machine, and where it goes."""

from collections.abc import Iterable
from typing import Final

from medreview.citations.canonical import domain
from medreview.references.authorities import AUTHORITIES
from medreview.sources.fetching.services import Services
from medreview.words import counted

_ADDRESSES: Final = {"pubmed": "eutils"}
"""Settings whose name is not that of the authority."""


def base_of(authority: str, services: Services) -> str:
    """The base address of an authority that is a service."""
    return str(getattr(services, _ADDRESSES.get(authority, authority)))


def before_asking(references: int, services: Services) -> str:
    """What is said before the first request: how many references go where, what of them, and who asks."""
    hosts = listed(domain(base_of(name, services)) for name in AUTHORITIES if name != "library")
    verb = "is" if references == 1 else "are"
    who = f"The contact {services.contact} comes along. " if services.contact else "No contact is sent. "
    return (
        f"{counted(references, 'reference')} {verb} looked up at {hosts}. Only the references' own words are sent "
        f"(authors, title, journal, year, pages, identifiers), never the answer, the statement or the question. {who}"
        f"What they answer is kept, and asked once."
    )


def listed(names: Iterable[str]) -> str:
    """Names as a list in a sentence, each once."""
    *first, last = dict.fromkeys(name for name in names if name)
    return f"{', '.join(first)} and {last}" if first else last
