"""What holds of every work: printed as it is, it is never accused; what misleads nobody never makes an accusation."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from medreview.references.comparing.check import check_reference
from medreview.references.model import Asked, Author, Record, Reference
from medreview.references.printed.parse import parse_reference
from medreview.references.verdict import ACCUSING
from tests.references.works import WORKS

ASKED = (Asked("library", "citation", "found"),)
STYLES = (
    "{names}. {title}. {journal}. {year};{volume}({issue}):{pages}.",
    "[3] {names}. {title}. {journal} {year};{volume}:{short}. doi:{doi}",
    "4. {names}. {title}. *{full}*. {year};{volume}({issue}):{pages}. PMID: {pmid}",
    "{first} et al. {title}. {journal}. {year};{volume}:{pages}.",
    "{apa} ({year}). {title}. *{full}*, *{volume}*({issue}), {pages}. https://doi.org/{doi}",
    "- **{title}** – {first} et al. ({journal}, {year})",
    '{first} et al. "{title}", {journal}, {year}.',
    "{first} et al. ({year}). {title}. {full} {volume}: {pages}.",
    "{names}. {upper}. {journal}. {year};{volume}({issue}):{pages}.",
)


def printed(work: Record, style: str) -> str:
    names = ", ".join(f"{author.family} {author.given[:1]}".strip() for author in work.authors)
    apa = ", ".join(
        author.family if author.body else f"{author.family}, {author.given[:1]}." for author in work.authors
    )
    return style.format(
        names=names,
        apa=apa,
        first=work.authors[0].family,
        title=work.title,
        upper=work.title.upper(),
        journal=work.containers[-1],
        full=work.containers[0],
        year=work.years[0],
        volume=work.volume,
        issue=work.issue,
        pages=work.pages,
        short=f"{work.pages.split('-')[0]}-{work.pages[-2:]}",
        doi=work.identifiers[0].value.upper(),
        pmid=work.identifiers[1].value,
    )


@given(st.sampled_from(WORKS), st.sampled_from(STYLES))
@settings(max_examples=60, deadline=None)
def test_a_work_printed_in_any_style_is_never_accused(work, style):
    reference = parse_reference(printed(work, style))
    led = {identifier: [work] for identifier in reference.identifiers}

    check = check_reference(reference, led, WORKS, ASKED)

    assert check.verdict == "match", check.wrong
    assert check.record == work


def swapped(title: str, at: int) -> str:
    words = title.split()
    word = words[at % len(words)]
    if len(word) < 6 or not word.isalpha() or word[2] == word[3]:
        return title
    words[at % len(words)] = word[:2] + word[3] + word[2] + word[4:]
    return " ".join(words)


SLIPS = {
    "initials": lambda one, _: replace(one, authors=tuple(Author(a.family, a.given[:1], a.body) for a in one.authors)),
    "no given names": lambda one, _: replace(one, authors=tuple(Author(a.family, "", a.body) for a in one.authors)),
    "et al": lambda one, _: replace(one, authors=one.authors[:1], et_al=True),
    "accents": lambda one, _: replace(one, title=one.title.replace("e", "é", 1)),
    "upper case": lambda one, _: replace(one, title=one.title.upper()),
    "typing error": lambda one, at: replace(one, title=swapped(one.title, at)),
    "no hyphens": lambda one, _: replace(one, title=one.title.replace("-", " ")),
    "markup": lambda one, _: replace(one, title=f"<i>{one.title}</i>"),
    "year": lambda one, at: replace(one, year=one.year + (1 if at % 2 else -1)),
    "no volume": lambda one, _: replace(one, volume="", issue=""),
    "no pages": lambda one, _: replace(one, pages=""),
    "wrong volume": lambda one, _: replace(one, volume="16"),
    "no journal": lambda one, _: replace(one, container=""),
}


@given(st.sampled_from(WORKS), st.lists(st.sampled_from(sorted(SLIPS)), max_size=5, unique=True), st.integers(0, 30))
@settings(max_examples=200, deadline=None)
def test_slips_never_make_an_accusation(work, slips, at):
    reference = Reference(
        "",
        authors=work.authors,
        title=work.title,
        container=work.containers[-1],
        year=work.years[0],
        volume=work.volume,
        issue=work.issue,
        pages=work.pages,
    )
    for slip in slips:
        reference = SLIPS[slip](reference, at)

    check = check_reference(reference, {}, WORKS, ASKED)

    assert check.verdict not in ACCUSING, (slips, check.wrong)
    assert check.record == work


@given(st.text(max_size=200), st.sampled_from(WORKS))
@settings(max_examples=100, deadline=None)
def test_any_text_gets_a_verdict_and_the_same_one_again(text, work):
    reference = parse_reference(text)
    led = {identifier: [work] for identifier in reference.identifiers}

    check = check_reference(reference, led, [work], ASKED)

    assert check == check_reference(reference, led, [work], ASKED)
    assert (check.record is None) == (check.verdict in ("not_found", "ambiguous", "not_checkable"))
