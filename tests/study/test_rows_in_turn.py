"""Rows of one query beside those of another in the same order."""

from operator import itemgetter

from medreview.study.rows import rows_in_turn

ROWS = [("a", 1), ("a", 2), ("c", 3), ("d", 4)]


def test_each_key_gives_its_rows_once():
    of = rows_in_turn(ROWS, itemgetter(0))
    assert [of(key) for key in "abcde"] == [[("a", 1), ("a", 2)], [], [("c", 3)], [("d", 4)], []]
    assert of("d") == []


def test_nothing_is_read_before_it_is_asked_for():
    read = []

    def rows():
        for row in ROWS:
            read.append(row)
            yield row

    of = rows_in_turn(rows(), itemgetter(0))
    assert len(read) == 1
    of("a")
    assert read == ROWS[:3]
