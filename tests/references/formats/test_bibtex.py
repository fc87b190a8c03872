"""BibTeX and BibLaTeX, with what people write into it."""

from itertools import pairwise

import pytest

from medreview.errors import UserError
from medreview.exchange.imports.file_rows import BadRecord
from medreview.references.formats.bibtex import _Budget, joined, read_bibtex
from medreview.references.model import Author, Identifier, Record

LIBRARY = r"""
% exported by hand
@string{jim = "J Invent Med"}
@comment{nothing}
@article{okafor2019,
  author    = {M{\"u}ller, J{\"o}rg and van der Berg, Jan and {World Health Organization} and others},
  title     = {{COPD} and 50\% of $\beta$-blockers -- a \textit{cluster} trial},
  journal   = jim,
  year      = 2019,
  month     = may,
  pages     = {323--330},
  doi       = {https://doi.org/10.5555/JIM\_2019},
  note      = "PMID: " # "90000001",
}
@article{okafor2019, title = {Another with the same key}, eprint = {90000002}, eprinttype = {pubmed}}
@inbook{shock, crossref = {book}, title = {Shock}, author = {Kim Lee}}
@book{book, title = {Invented Medicine},
  subtitle = {A Primer}, editor = {Lee, Kim}, year = 1999, isbn = {3-16-148410-X}}
@misc{pre, title = {Preprint}, eprint = {2101.00001}, archivePrefix = {arXiv}}
@online{page, title = {Sepsis}, howpublished = {\url{https://example.org/sepsis}}, date = {2020-03-04}}
@article{gone, title = {Retracted: It worked}, keywords = {a, b}}
"""


def read(text: str) -> list:
    return list(read_bibtex(text))


def test_every_entry_of_a_library_is_a_record():
    first, same, chapter, book, preprint, page, gone = read(LIBRARY)

    assert first.title == "COPD and 50% of β-blockers – a cluster trial"
    assert first.authors == (
        Author("Müller", "Jörg"),
        Author("van der Berg", "Jan"),
        Author("World Health Organization", body=True),
    )
    assert not first.complete
    assert (first.containers, first.years, first.pages) == (("J Invent Med",), (2019,), "323-330")
    assert first.identifiers == (Identifier("doi", "10.5555/jim_2019"), Identifier("pmid", "90000001"))
    assert (same.record_id, same.identifiers) == ("okafor2019", (Identifier("pmid", "90000002"),))
    assert (chapter.kind, chapter.containers, chapter.years) == ("chapter", ("Invented Medicine: A Primer",), (1999,))
    assert chapter.authors == (Author("Lee", "Kim"),)
    assert (book.kind, book.identifiers) == ("book", (Identifier("isbn", "316148410X"),))
    assert (preprint.kind, preprint.identifiers) == ("preprint", (Identifier("arxiv", "2101.00001"),))
    assert (page.kind, page.url, page.years) == ("web_page", "https://example.org/sepsis", (2020,))
    assert (gone.title, gone.notices[0].kind) == ("It worked", "retracted")


def test_a_broken_entry_costs_itself_and_is_named_with_its_line():
    text = "@article{a, title = {oops {x}, year = 2001}\n\n@article{b, title={B}}\n@article{c, year=2001}\n"
    bad, kept, empty = read(text)

    assert (bad.line, kept.title) == (1, "B")
    assert empty == BadRecord(4, "has neither a title nor an identifier")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("{A # sign}", "A # sign"),
        ('"PMID: " # number', "PMID: 12"),
        ("number", "12"),
        ("2019", "2019"),
        ('{a} # {b} # "c"', "abc"),
        ('"a {\\"u} b"', 'a {\\"u} b'),
    ],
)
def test_values_are_put_together_as_bibtex_does(value: str, wanted: str):
    assert joined(value, {"number": "12"}, _Budget(1_000)) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "@article{a, title = {" + "{" * 3000 + "x" + "}" * 3000 + "}}",
        "@article{a, title = {" + "\\u{" * 2000 + "}" * 2000 + "}}",
        "@article{a, title={x}, author = {" + "{" * 20_000,
        "@article{" * 5_000,
        "@article{a, title={\\input{/etc/passwd}x}}",
        "@article{a, crossref={b}, title={x}}\n@article{b, crossref={a}, title={y}}",
        "@article{a, title={x}, author = { and and , and , , , and {}}}",
        "@string{a = a}\n@article{b, title = a}",
    ],
)
def test_hostile_files_end_in_records_or_in_words(text: str):
    for one in read(text):
        assert isinstance(one, Record | BadRecord)
        assert "root:" not in str(one)


def test_strings_of_strings_and_crossrefs_do_not_grow_without_bound():
    """As a bomb does, but to 10 MB only."""
    names = "abcdefg"
    grown = "".join(f"@string{{{b} = {' # '.join([a] * 10)}}}\n" for a, b in pairwise(names))
    for text in (
        "@string{a = {0123456789}}\n" + grown + "@article{k, title = g}\n",
        "".join(f"@incollection{{k{number}, crossref = {{p}}}}\n" for number in range(200))
        + f"@book{{p, title = {{{'x' * 50_000}}}}}\n",
    ):
        with pytest.raises(UserError, match="grows to more than 10 times its size"):
            list(read_bibtex(text))
