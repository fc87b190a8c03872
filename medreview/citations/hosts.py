"""Hosts of cited addresses: how they are called and grouped, and what the lists in data say of them.

Everything here works on names alone; nothing is asked outside. The lists are ``domains.toml``, ``paywalled.toml`` and
the Public Suffix List (https://publicsuffix.org/list/) that comes with the package ``tld``.
"""

import re
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult

from medreview.citations.citation import domain
from medreview.errors import UserError

_LABEL: Final = r"(?!-)[a-z0-9_-]{1,63}(?<!-)"
_NAME: Final = re.compile(rf"(?:{_LABEL}\.)+(?:[a-z]{{2,63}}|xn--[a-z0-9-]{{1,59}})")
_LONGEST: Final = 253


def host_of(url: str) -> str:
    """The host of an http(s) address as it is counted: ASCII, lower case, without ``www.``; empty without a host.

    A name in another script is given in its ASCII form, so that look-alike letters cannot pass for another site.
    """
    host = domain(url)
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return host
    bare = host.removeprefix("www.")
    return bare if "." in bare else host


def top_level(host: str) -> str:
    """The top-level domain of a host; empty for an IP address, and for a name that nobody can register."""
    if len(host) > _LONGEST or _NAME.fullmatch(host) is None:
        return ""
    last = host.rpartition(".")[2]
    return "" if last in _names("reserved") else last


def registrable(host: str) -> str:
    """The name that a registry would know: the public suffix and one label more (``nice.org.uk``, ``nih.gov``).

    Of the Public Suffix List only the suffixes of registries count: of ``anna.github.io`` a registry knows
    ``github.io``. A top-level domain that is not on the list is a suffix (the list's own default rule). Empty where
    :func:`top_level` is. A host that is itself a suffix (``gov.uk``) is given as it is.
    """
    if not top_level(host):
        return ""
    labels = host.split(".")
    return ".".join(labels[-_suffix_length()(".".join(map(_unicode, labels))) - 1 :])


def us_by_rule(host: str) -> bool | None:
    """Whether a host counts as one of the United States by its top-level domain alone (SourceCheckup, Methods).

    ``None`` for a host without a top-level domain that could tell.
    """
    last = top_level(host)
    return last in _names("us") if last else None


def under(host: str, domains: Collection[str]) -> str | None:
    """The listed domain that a host is, or lies below at a dot; ``None`` for neither.

    ``pubmed.ncbi.nlm.nih.gov`` is under ``nih.gov``; ``notnih.gov`` and ``nih.gov.example`` are not.
    """
    rest = host
    while rest:
        if rest in domains:
            return rest
        rest = rest.partition(".")[2]
    return None


def paywalled_domains(path: Path | None = None) -> frozenset[str]:
    """The domains of a list of the form of ``paywalled.toml``, by default of that one, without ``www.``.

    Raises :class:`UserError` for a file that cannot be read or is of another form, naming the entry.
    """
    path = path or _data("paywalled.toml")
    table = _table(path)
    found = table.get("domains")
    if not isinstance(found, list) or len(table) != 1:
        raise UserError(f'The list {path} must hold one list, domains = ["example.org", ...], and nothing else.')
    return frozenset(_listed(entry, path) for entry in found)


def _listed(entry: object, path: Path) -> str:
    name = host_of(f"https://{entry.strip()}/") if isinstance(entry, str) else ""
    if not isinstance(entry, str) or "/" in entry or _NAME.fullmatch(name) is None:
        raise UserError(f"In the list {path}, {str(entry)[:80]!r} is not a domain; write it as example.org.")
    return name


@cache
def _suffix_length() -> Callable[[str], int]:
    """A function that counts the labels of the public suffix of a name, with letters of its own script.

    The package is loaded here, when it is needed: it loads ``urllib.request``, which takes longer than most commands.
    """
    from tld import get_tld
    from tld.utils import MozillaPublicOnlyTLDSourceParser

    class Shipped(MozillaPublicOnlyTLDSourceParser):
        """The list as it was installed. Where the file is missing, the package alone would download it."""

        uid = "shipped"

        @classmethod
        def update_tld_names(cls, fail_silently: bool = False) -> bool:
            raise UserError("The public suffix list of the package tld is missing: install that package again.")

    def length(name: str) -> int:
        address = SplitResult("https", name, "", "", "")
        suffix = get_tld(address, search_private=False, parser_class=Shipped, fail_silently=True)
        return str(suffix).count(".") + 1 if suffix else 1

    return length


def _unicode(label: str) -> str:
    """A label as the list writes it: ``xn--55qx5d`` is ``公司`` there."""
    try:
        return label.encode("ascii").decode("idna") if label.startswith("xn--") else label
    except UnicodeError:
        return label


@cache
def _names(key: str) -> frozenset[str]:
    return frozenset(_table(_data("domains.toml"))[key])


def _data(name: str) -> Path:
    return Path(__file__).with_name(name)


def _table(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"The list {path} cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"The list {path} is not valid TOML: {error}.") from error
