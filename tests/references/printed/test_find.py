"""Finding the references of a response: its lists, its footnotes, what its sentences name."""

from hypothesis import given, settings
from hypothesis import strategies as st

from medreview.references.printed.find import find_references

ANSWER = """Aspirin lowers the risk [1]. Statins help (Pan et al., NEJM 2006), as the
PARADIGM-HF trial (Lancet 2014) did.

## References

1. Smith J, Lee K. Aspirin in primary prevention. Lancet. 2019;393(1):31-39.
2. **Statins in sepsis: a trial** – Pan et al. (N Engl J Med, 2006) doi:10.5555/statins.06
   - Key finding: fewer deaths in 2006.
3. Müller A. Something wrapped over
   two lines. BMJ. 2001;
   2:33-44.

Let me know if you want more.
"""


def test_a_list_has_its_entries_and_a_pointer_to_one_of_them_is_no_reference_of_its_own():
    found = find_references(ANSWER)

    assert [(read.standing, read.number, read.title) for read in found] == [
        ("inline", None, "PARADIGM-HF"),
        ("list", 1, "Aspirin in primary prevention"),
        ("list", 2, "Statins in sepsis: a trial"),
        ("list", 3, "Something wrapped over two lines"),
    ]
    for read in found:
        assert ANSWER[read.start : read.end] == read.text
        year = read.places["year"]
        assert ANSWER[year.start : year.end] == str(read.year)


def test_entries_given_beside_a_response_are_read_unless_its_text_has_them():
    given = ["[1] Smith J, Lee K. Aspirin in primary prevention. Lancet. 2019", "Lee K. Another work. BMJ. 2011;3:4-5."]
    found = find_references(ANSWER, given)

    assert [(read.title, read.standing) for read in found[4:]] == [("Another work", "given")]


LINES = [
    "References",
    "## Sources",
    "",
    "1. Smith J, Lee K. Aspirin in primary prevention. Lancet. 2019;393(1):31-39.",
    "   - Authors: Lee K, et al.",
    "[2] https://doi.org/10.5555/x",
    "[^a]: WHO. A report of it. Geneva: World Health Organization; 2020.",
    "| # | Authors | Title | Year |",
    "|---|---|---|---|",
    "| 1 | Smith J | A title of it | 2019 |",
    "Aspirin helps (Smith et al., NEJM 2019; Lee, 2018), as a 2020 Lancet trial and the SPRINT trial (2015) say.<br>A",
    "**Title of a work** – Pan et al. (Lancet, 2006) PMID: 12345; [A link of words](https://a.example/b)",
    "    wrapped below it, 2001. The 2021 Surviving Sepsis Campaign guideline says so.",
    "> * “A quoted title here.” J Clin Oncol 2012; 3: 4; Lee K. Another. BMJ. 2011;3:4.",
    "References: [1] Smith J. A title. BMJ 2019;1:2. [2] Lee K. Other title. BMJ 2018;2:3.",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=14).map("\n".join) | st.text(max_size=60))
def test_whatever_a_response_holds_its_references_stand_in_order_and_apart_with_their_fields_inside(text):
    found = find_references(text)

    at = 0
    for read in found:
        assert at <= read.start < read.end <= len(text)
        assert text[read.start : read.end] == read.text
        assert all(read.start <= place.start < place.end <= read.end for place in read.places.values())
        at = read.end
