import pytest

from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.shown_unit import DocumentOutline, load_outline
from medreview.sources.reading.text_structure import Heading, SetApart
from medreview.study.rows import insert

TEXT = "Sepsis\nTreatment\nInitial  resuscitation\nGive fluid.\nProse"
PLACES = DocumentOutline(
    tuple(
        Heading(TEXT.index(words), TEXT.index(words) + len(words), level)
        for words, level in (("Sepsis", 1), ("Treatment", 2), ("Initial  resuscitation", 3))
    ),
    (0, 18, 18, 41),
)


def test_the_path_of_headings_above_a_place():
    assert PLACES.path(TEXT, TEXT.index("fluid")) == ("Sepsis", "Treatment", "Initial resuscitation")
    assert PLACES.path(TEXT, 8) == ("Sepsis", "Treatment")
    assert DocumentOutline().path(TEXT, 8) == ()


@pytest.mark.parametrize(("offset", "page"), [(0, (1, 4)), (17, (1, 4)), (18, (3, 4)), (40, (3, 4)), (99, (4, 4))])
def test_the_page_of_a_place(offset, page):
    assert PLACES.page(offset) == page
    assert DocumentOutline().page(offset) is None


def test_what_is_set_apart_is_told_in_the_text():
    places = DocumentOutline(set_apart=(SetApart(2, 4, "collapsed"), SetApart(4, 6, "hidden"), SetApart(8, 9, "alt")))
    assert places.told("abcdefghij", 0, 10) == "ab[collapsed: cd][hidden: ef]gh[alt: i]j"
    assert places.told("abcdefghij", 3, 5) == "[collapsed: d][hidden: e]"
    assert places.told("abcdefghij", 6, 8) == "gh"


def test_a_session_knows_the_places_of_its_source(study):
    row = dict(study.reader.execute("SELECT * FROM snapshot WHERE snapshot_id = 'p1'").fetchone())
    row |= {
        "snapshot_id": "p9",
        "version": 2,
        "outline": "[[0, 21, 1]]",
        "page_starts": "[0, 99]",
        "set_apart": '[[3, 9, "hidden"]]',
    }
    study.write(lambda connection: insert(connection, "snapshot", [row]))
    study.write(
        lambda connection: connection.execute("UPDATE source SET current_snapshot = 'p9' WHERE source_id = 'u1'")
    )
    assert load_outline(study.reader, "p9") == DocumentOutline(
        (Heading(0, 21, 1),), (0, 99), (SetApart(3, 9, "hidden"),)
    )
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
    assert session.source_places().path(session.source_text(), 60) == ("Initial resuscitation",)
    session.turn_source(1)
    assert session.source_places() == DocumentOutline()
    session = ReviewSession(study, "kb", open_queue(study, "deferred", "kb"))
    assert session.source_places() == DocumentOutline()
