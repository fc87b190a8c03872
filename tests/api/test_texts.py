"""What can be asked of plain texts."""

import pytest

import medreview

SOURCE = "Start with 500 mg of metformin twice daily. Take it with food. Stop it below an eGFR of 30."


def test_a_quote_is_grounded_in_a_text_or_in_its_index():
    for text in (SOURCE, medreview.QuoteIndex(SOURCE)):
        found = medreview.ground_quote("start with 50 mg of metformin", text)

        assert found.status == "altered"
        assert [SOURCE[start:end] for start, end in found.spans] == ["Start with 500 mg of metformin"]
        (difference,) = found.differences
        assert (difference.kind, SOURCE[slice(*difference.source)]) == ("number", "500")
    assert medreview.ground_quote("Take it with food.", SOURCE).status == "exact"
    assert medreview.ground_quote("Swallow it whole.", SOURCE).status == "absent"


def test_evidence_is_found_in_a_text_or_in_its_index(tmp_path):
    statement = "Metformin is started at 850 mg twice daily."
    for text in (SOURCE, medreview.SourceIndex(SOURCE)):
        found = medreview.find_evidence(statement, text)

        assert (found.label, found.clashes[0].kind) == ("contradicted", "number")
        assert statement[slice(*found.clashes[0].statement_span)] == "850 mg"
        assert SOURCE[slice(*found.highlights[0])] == "Start with 500 mg of metformin twice daily."
    assert medreview.find_evidence("Nothing alike.", SOURCE).spans == ()


def test_own_synonyms_are_used_and_a_wrong_table_is_refused(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('[synonyms]\ngroups = [["zorbium", "metformin"]]\n')
    statement = "Zorbium needs a meal."

    assert medreview.find_evidence(statement, SOURCE).spans == ()
    assert medreview.find_evidence(statement, SOURCE, synonyms=own).spans
    with pytest.raises(medreview.UserError):
        medreview.find_evidence(statement, SOURCE, synonyms=tmp_path / "none.toml")


def test_citations_and_statements_of_an_answer_are_at_their_places():
    answer = "Stop it below an eGFR of 30 😷 [1]. Is that clear?\n\n[1] https://doi.org/10.1000/xyz123"

    (cited,) = medreview.extract_citations(answer)
    parsed = medreview.split_statements(answer)

    assert (cited.kind, cited.value, answer[cited.start : cited.end]) == (
        "doi", "10.1000/xyz123", "https://doi.org/10.1000/xyz123",
    )  # fmt: skip
    assert [answer[part.start : part.end] for part in parsed.statements] == [part.text for part in parsed.statements]
    assert [part.reason for part in parsed.dropped] == ["question", "citation_list"]
