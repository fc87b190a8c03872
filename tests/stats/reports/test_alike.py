"""Statements as columns: what is worked out once for each kind is said of every statement of that kind."""

from medreview.stats.formulas.shared_draws import Alike
from medreview.stats.reports.comparison import Pairing
from medreview.stats.reports.reviewer_labels import BINARY, ScaleLabel

SAID = [("r1", "ab"), ("r1", "a-"), ("r2", "ab"), ("r2", "-b"), ("r3", "??"), ("r3", "bb"), ("r3", "-b")]
WORDS = {"a": ScaleLabel("supported"), "b": ScaleLabel("not_supported"), "-": ScaleLabel(None, "no word")}


def test_kinds_come_in_order_and_are_asked_once():
    column, asked = Alike(), []
    for response_id, kind in SAID:
        column.add(response_id, kind)
    assert column.kinds == ["ab", "a-", "-b", "??", "bb"]
    assert column.counts == [2, 1, 2, 1, 1]

    def loudly(kind):
        asked.append(kind)
        return None if kind == "??" else kind.upper()

    told = column.told(loudly)
    assert told == [(response_id, kind.upper()) for response_id, kind in SAID if kind != "??"]
    assert asked == column.kinds


def test_a_pairing_takes_many_as_it_takes_one_after_another():
    column, singly, at_once = Alike(), Pairing("one", "two", BINARY), Pairing("one", "two", BINARY)
    for response_id, kind in SAID:
        column.add(response_id, kind)
        if kind != "??":
            singly.add(response_id, *(WORDS[letter] for letter in kind))
    at_once.add_alike(column, lambda kind: None if kind == "??" else (WORDS[kind[0]], WORDS[kind[1]]))
    assert at_once == singly
    assert at_once.dropped == {"no word": 3}
    assert at_once.responses == ["r1", "r2", "r3"]
