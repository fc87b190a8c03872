from medreview.evidence.assess import assess
from medreview.evidence.passage_ranking import SourceIndex

LEAFLET = """Warfarin and bleeding
Warfarin can cause nosebleeds.
Store warfarin in a dry place.
Call a doctor about nosebleeds on warfarin.
Aspirin is something else.
"""


def lit(statement: str) -> list[str]:
    return [LEAFLET[start:end] for start, end in assess(statement, SourceIndex(LEAFLET)).highlights]


def test_a_second_passage_that_says_as_much_is_lit_too_in_the_order_of_the_text() -> None:
    assert lit("Nosebleeds may occur with warfarin.") == [
        "Warfarin can cause nosebleeds.",
        "Call a doctor about nosebleeds on warfarin.",
    ]


def test_one_that_says_clearly_less_is_not() -> None:
    assert lit("Call a doctor about any nosebleeds.") == ["Call a doctor about nosebleeds on warfarin."]
