"""Which type of question a passage calls for."""

import pytest

from medreview.generators.qa_items import AUTO, IN_TURN, type_by_content, types_of
from tests.support.qa_samples import chapter


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Vitamin K is needed for the clotting factors II, VII, IX and X. Warfarin blocks it.", "list"),
        ("Signs of meningitis are fever, a stiff neck, and dislike of light. It is urgent.", "list"),
        ("Signs of meningitis:\n- fever\n- stiff neck\n- dislike of light", "list"),
        ("First (1) call for help, then (2) begin compressions, then (3) use the defibrillator.", "list"),
        ("The dose of adrenaline is 0.5 mg. It goes into the thigh.", "short"),
        ("Polyuria is defined as a large volume of urine. It wakes people.", "short"),
        ("Serum sickness is a reaction in which complexes of antibodies are laid down. It begins late.", "short"),
        ("Furosemide lowers the potassium. Because of that the potassium is measured.", "multi_hop"),
        ("Cirrhosis raises ammonia. Ammonia leads to encephalopathy.", "multi_hop"),
        ("Because it is cold, people stay in. Digoxin slows the heart.", ""),
        ("ACE inhibitors cause cough. Angiotensin receptor blockers do not.", ""),
        ("Type 2 diabetes is common. Grade 3 tumours are not.", ""),
        ("He woke, and the pain, which was mild, and the fever were gone.", ""),
    ],
)
def test_the_type_follows_from_the_content(text, kind):
    assert type_by_content(text) == kind


def test_the_sample_chapter_calls_for_all_seven_types():
    passages = list(chapter().items())
    found = types_of(passages, AUTO, 0)
    assert [found[name] for name in ("P3", "P5", "P11")] == ["list", "multi_hop", "short"]
    assert {found[name] for name in ("P6", "P7", "P9", "P10")} == set(IN_TURN)


def test_types_that_no_content_calls_for_come_in_turn_from_a_place_that_the_seed_draws():
    plain = [(f"P{number}", f"Drug {number} tastes bitter. People dislike it.") for number in range(8)]
    by_seed = {tuple(types_of(plain, AUTO, seed).values()) for seed in range(20)}
    assert len(by_seed) > 5
    assert all(order[:4] == order[4:] and set(order) == set(IN_TURN) for order in by_seed)
    assert types_of(plain, AUTO, 3) == types_of(plain, AUTO, 3)


def test_passages_that_come_later_change_nothing_for_those_before():
    passages = list(chapter().items())
    few, all_of_them = types_of(passages[:7], AUTO, 1), types_of(passages, AUTO, 1)
    assert few.items() <= all_of_them.items()


def test_a_type_that_is_named_is_that_of_all():
    assert set(types_of(list(chapter().items()), "short", 0).values()) == {"short"}
