"""What publishers put before the title of a retracted work."""

import pytest

from medreview.sources.records.notices import notice_of_title, retraction_mark

MARKED = [
    ("RETRACTED: Statins in mice", "retracted"),
    ("Retracted article: Statins in mice", "retracted"),
    ("[Retracted] Statins in mice", "retracted"),
    ("[RETRACTED]: Statins in mice", "retracted"),
    ("“RETRACTED”: Statins in mice", "retracted"),
    ("WITHDRAWN – Statins in mice", "withdrawn"),
    ("Retracted - Statins in mice", "retracted"),
]


@pytest.mark.parametrize(("title", "kind"), MARKED)
def test_a_mark_is_told_from_the_title_behind_it_and_makes_a_sentence(title, kind):
    mark = retraction_mark(title)

    assert mark is not None
    assert (mark.kind, mark.title) == (kind, "Statins in mice")
    assert notice_of_title(title) == f"This article was {kind}, by its title."


@pytest.mark.parametrize("title", ["Retracted lungs in rats", "Retracted-lid surgery", "Withdrawn from warfarin"])
def test_a_title_that_speaks_of_what_is_retracted_has_no_mark(title):
    assert retraction_mark(title) is None
    assert notice_of_title(title) == ""
