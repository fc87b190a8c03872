import json
import pickle

from hypothesis import given
from hypothesis import strategies as st

from medreview.evidence.assess import assess
from medreview.evidence.jsonl_filter import serve
from medreview.evidence.passage_ranking import SourceIndex

PAGE = """Sepsis guideline
For adults with septic shock, at least 30 mL/kg of crystalloid should be given within the first 3 hours.
Antibiotics should be started within one hour of recognition.
Hydrocortisone is suggested when vasopressors are needed.
"""


def test_a_supported_statement_comes_later_than_a_contradicted_and_an_unknown_one() -> None:
    index = SourceIndex(PAGE)
    told = assess("Antibiotics should be started within one hour of recognition of sepsis.", index)
    wrong = assess("In septic shock give 50 mL/kg of crystalloid within the first 3 hours.", index)
    unknown = assess("Vitamin C prevents the common cold in athletes.", index)
    assert told.label == "supported"
    assert wrong.label == "contradicted"
    assert unknown.label == "not_addressed"
    assert told.unsupported < min(wrong.unsupported, unknown.unsupported)
    assert wrong.reasons[0] == "number: at least 30 mL/kg in the source, 50 mL/kg in the statement"


def test_an_amount_that_another_passage_gives_is_no_clash() -> None:
    page = "Give adults amoxicillin 500 mg for otitis.\nFor severe otitis in adults amoxicillin 1 g is given."
    assert assess("Amoxicillin 1 g is given to adults for otitis.", SourceIndex(page)).clashes == ()


def test_a_very_long_passage_is_lit_in_part() -> None:
    row = ", ".join(f"item {n} of the list" for n in range(80)) + ", warfarin 5 mg for valves, and " + "more, " * 40
    index = SourceIndex(row)
    (lit,) = assess("Warfarin for valves", index).highlights
    assert "warfarin 5 mg for valves" in row[slice(*lit)]
    assert lit.end - lit.start < 100


@given(
    st.one_of(st.text(max_size=60), st.text(alphabet="abc 15mg.,%", max_size=40)),
    st.one_of(st.text(max_size=200), st.text(alphabet="abc 15mg.,%\n|é\u00ad", max_size=700)),
)
def test_highlights_lie_in_the_source_on_word_borders(statement: str, source: str) -> None:
    result = assess(statement, SourceIndex(source))
    assert 0 <= result.unsupported <= 1
    for start, end in result.highlights:
        assert 0 <= start < end <= len(source)
        assert not (start and source[start - 1].isalnum() and source[start].isalnum())
        assert not (end < len(source) and source[end - 1].isalnum() and source[end].isalnum())
    for hit in result.spans:
        assert 0 <= hit.start < hit.end <= len(source)
    for clash in result.clashes:
        assert 0 <= clash.statement_span.start < clash.statement_span.end <= len(statement)
        assert 0 <= clash.source_span.start < clash.source_span.end <= len(source)
    assert pickle.loads(pickle.dumps(result)) == result


def test_the_filter_keeps_order_and_answers_bad_lines() -> None:
    lines = [
        json.dumps({"id": "a", "statement": "Antibiotics within one hour", "source_text": PAGE}),
        "{broken",
        "",
        json.dumps({"id": "b", "quote": "antibiotics should be started within 1 hour", "source_text": PAGE}),
        json.dumps({"id": "c", "statement": 5, "source_text": PAGE}),
        json.dumps(["no object"]),
        json.dumps({"id": "d", "statement": "Antibiotics", "source_text": "\ud800 antibiotics"}),
    ]
    answers = [json.loads(line) for line in serve(lines)]
    assert [answer["id"] for answer in answers] == ["a", None, "b", "c", None, "d"]
    assert set(answers[0]) >= {"spans", "highlights", "unsupported", "label", "reasons"}
    assert [("error" in answer, answer.get("line")) for answer in answers[1:5]] == [
        (True, 2), (False, None), (True, 5), (True, 6),
    ]  # fmt: skip
    assert answers[2]["status"] == "near"


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=120))
def test_the_filter_answers_any_text_with_places_within_it(statement: str, quote: str, source: str) -> None:
    lines = [
        json.dumps({"statement": statement, "source_text": source}),
        json.dumps({"quote": quote, "source_text": source}),
    ]
    told, grounded = map(json.loads, serve(lines))
    for start, end in told["spans"] + told["highlights"] + grounded["spans"]:
        assert 0 <= start < end <= len(source)
    if grounded["status"] == "exact":
        assert {source[start:end] for start, end in grounded["spans"]} == {quote.strip()}


def test_the_filter_streams() -> None:
    def lines():  # type: ignore[no-untyped-def]
        yield json.dumps({"id": 1, "statement": "x", "source_text": "x y z."})
        raise AssertionError("read ahead")

    assert json.loads(next(serve(lines())))["id"] == 1


def test_a_passage_of_much_else_that_has_every_word_supports_less_than_one_that_says_it() -> None:
    statement = "Ivermectin tablets treat scabies in adults."
    said = assess(statement, SourceIndex("Scabies in adults is treated with tablets of ivermectin."))
    scattered = assess(
        statement,
        SourceIndex(
            "Adults who book by telephone get tablets of vitamins, a leaflet on scabies, the treats that the shop "
            "sells on Mondays, and a voucher that names ivermectin among forty other products of the warehouse."
        ),
    )
    assert said.features is not None
    assert scattered.features is not None
    assert scattered.features.absent == said.features.absent == 0
    assert said.label == "supported"
    assert said.unsupported < scattered.unsupported
    assert said.features.dice > scattered.features.dice
    assert said.features.token_sort > scattered.features.token_sort


def test_what_the_page_lacks_by_name_or_number_and_what_it_says_the_other_way_is_read_sooner() -> None:
    index = SourceIndex("Ivermectin lowered the rate of scabies in 40 adults of Leipzig within three weeks.")
    told = "Ivermectin lowered the rate of scabies in 40 adults of Leipzig."
    scores = {
        name: assess(told.replace(*change), index).unsupported
        for name, change in {
            "told": ("", ""),
            "name": ("Leipzig", "Dresden"),
            "number": ("40 adults", "53 adults"),
            "direction": ("lowered", "increased"),
            "negation": ("lowered", "never lowered"),
        }.items()
    }
    assert min(scores, key=scores.__getitem__) == "told"
