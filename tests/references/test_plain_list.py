"""A text that is a list of references and nothing else."""

import pytest

from medreview.references.input_file import references_of_text

ONE = "Okafor N, Lee K. Restrictive fluids in septic shock: a cluster trial. J Invent Med. 2019;12:101-9."
TWO = "Silva A. Statins for osteoporosis in old mice: a review of nothing. Ann Invent Biol. 2011;3:4-5."
BODY = "National Institute for Invented Care. Sepsis: recognition and early management. 2016."
PROSE = "Metformin is stopped below an eGFR of 30. Ask for the kidneys first.\n\nStatins are taken at night."


def wrapped(text: str, indent: str) -> str:
    return text.replace(": a", f":\n{indent}a").replace("J Invent", f"J\n{indent}Invent")


@pytest.mark.parametrize(
    "text",
    [
        "\n".join((ONE, TWO, BODY)),
        f"1. {ONE}\n2. {TWO}\n3. {BODY}\n",
        f"References\n\n[1] {wrapped(ONE, '')}\n[2] {wrapped(TWO, '  ')}\n[3] {BODY}\n\nKind regards",
        f"{wrapped(ONE, '')}\n\n{wrapped(TWO, '')}\n\n{BODY}",
        f"{wrapped(ONE, '    ')}\n{wrapped(TWO, '    ')}\n{BODY}\n",
    ],
)
def test_an_entry_is_found_however_the_list_is_cut(text: str):
    found = references_of_text(text)

    assert [read.title.split()[0] for read in found] == ["Restrictive", "Statins", "Sepsis:"]
    for read in found:
        assert text[read.start : read.end] == read.text
        place = read.places["title"]
        assert " ".join(text[place.start : place.end].split()) == read.title


def test_a_numbered_entry_that_names_nothing_is_one_all_the_same():
    found = references_of_text(f"1. {ONE}\n2. see above\n3. {TWO}")

    assert [(read.number, bool(read.year)) for read in found] == [(1, True), (2, False), (3, True)]


def test_identifiers_alone_are_a_list():
    found = references_of_text("PMID: 90000001\nhttps://doi.org/10.5555/a.1\n10.5555/a.2\n")

    assert [read.identifiers[0].value for read in found] == ["90000001", "10.5555/a.1", "10.5555/a.2"]


@pytest.mark.parametrize("text", [PROSE, "", "\n" * 5000, "1. Take one tablet.\n2. Drink some water.", "[" * 5000])
def test_prose_is_no_list(text: str):
    assert references_of_text(text) == []
