"""Which reason stands first where a reviewer differs from the judges."""

import pytest

from medreview.labels import REASONS
from medreview.review import decision as likely
from medreview.review.decision import likely_reason


@pytest.mark.parametrize(
    ("mine", "clashes", "quotes", "reason"),
    [
        ("contradicted", ["number"], ["altered"], "number"),
        ("contradicted", ["unit"], [], "number"),
        ("contradicted", ["wording", "negation"], ["exact"], "negation"),
        ("contradicted", ["opposite"], [], "direction"),
        ("not_addressed", [], ["exact", "absent"], "quote"),
        ("not_addressed", [], ["none"], "topic"),
        ("partial", ["population"], [], "population"),
        ("partial", [], [], "stronger"),
        ("supported", [], ["exact"], None),
    ],
)
def test_what_is_known_to_differ_comes_first(mine: str, clashes: list[str], quotes: list[str], reason: str) -> None:
    assert likely_reason(mine, clashes, quotes) == reason


def test_every_reason_of_the_table_is_one() -> None:
    told = {*likely._BY_CLASH.values(), *likely._BY_QUOTE.values(), *likely._BY_LABEL.values()}
    assert told <= {reason.level for reason in REASONS}
