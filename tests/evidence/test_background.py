"""The background of medical texts: how rare a term is, and how its counts are made."""

import tomllib

from medreview.evidence.background import rarities
from medreview.evidence.terms import terms
from tests.tools.background_counts import LEAST, PIECE, counted, pieces, table


def test_what_every_abstract_has_is_common_and_what_none_has_is_rarest() -> None:
    patients, asthma, unknown = rarities(tuple(term.key for term in terms("patients asthma Zyxwomab"))).values()
    assert 0 < patients < asthma < unknown


def test_a_text_is_cut_at_ends_of_sentences_into_pieces_of_which_a_term_counts_once_each() -> None:
    long = "Warfarin, warfarin and more. " * (2 * PIECE // 29 + 2)
    cut = list(pieces(long))
    assert len(cut) == 2
    assert all(piece.rstrip().endswith("more.") for piece in cut)
    assert counted([long])[1]["warfarin"] == 2
    assert list(pieces("Short.")) == ["Short."]


def test_the_table_keeps_no_rare_term_and_rounds_the_rest() -> None:
    number, found = counted(["Warfarin and heparin."] * 123 + ["Aspirin."] * (LEAST - 1))
    written = tomllib.loads(table(number, found))
    assert written == {"pieces": 123 + LEAST - 1, "terms": {"120": "heparin warfarin"}}
