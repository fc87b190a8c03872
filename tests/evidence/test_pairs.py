"""Statements that a passage supports and that it contradicts, from ``pairs.toml``."""

import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest

from medreview.evidence.clash import ClashKind
from medreview.evidence.clashes import clashes
from medreview.evidence.lexicon import contrasts
from medreview.labels import CLASH_WORDS

PAIRS: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("pairs.toml").read_text("utf-8"))["pair"]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["contradicted"])
def test_what_contradicts_a_passage_clashes_with_it_and_what_it_supports_does_not(pair: dict[str, Any]) -> None:
    passage, contradicted = pair["passage"], pair["contradicted"]
    first = next(iter(clashes(contradicted, passage)), None)

    assert first is not None
    assert first.kind == pair["kind"]
    assert [contradicted[slice(*first.statement_span)], passage[slice(*first.source_span)]] == pair["marked"]
    assert clashes(pair["supported"], passage) == []


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["passage"])
def test_no_text_clashes_with_itself(pair: dict[str, Any]) -> None:
    for text in (pair["passage"], pair["supported"], pair["contradicted"]):
        assert clashes(text, text) == []


def test_where_a_passage_names_both_it_may_compare_them_and_nothing_clashes() -> None:
    both = "Oral and intravenous paracetamol relieve pain after surgery equally well."

    assert clashes("Oral paracetamol relieves pain after surgery.", both) == []
    assert clashes("Intravenous paracetamol relieves pain after surgery.", both) == []


def test_every_kind_of_clash_has_words_for_the_queue_as_have_those_of_earlier_rules() -> None:
    kinds = set(get_args(ClashKind))

    assert set(CLASH_WORDS) == kinds | {"modality", "roles", "medicine"}
    assert set(contrasts().kinds) <= kinds
    assert {pair["kind"] for pair in PAIRS} <= kinds


def test_no_word_of_the_table_stands_in_two_groups_of_one_contrast() -> None:
    table = contrasts()
    for number in range(len(table.kinds)):
        members = [member for member in table.members if member.contrast == number]
        assert len({member.keys for member in members}) == len(members)
        assert len({member.group for member in members}) > 1
