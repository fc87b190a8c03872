"""Finding the references of a response: its lists, its footnotes, what its sentences name."""

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
