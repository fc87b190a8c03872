"""References whose fields are named, by labels or by the columns of a table."""

from medreview.references.printed.parse import read_one


def test_fields_with_labels_in_one_line_are_read_by_their_labels():
    read = read_one(
        "Title: Falls, age and sleep; Authors: Okafor N, Lee K; Journal: Sci. Aging; Year: 2015; PMID: 99999991"
    )

    assert (read.title, [author.family for author in read.authors]) == ("Falls, age and sleep", ["Okafor", "Lee"])
    assert (read.container, read.year, read.identifiers) == ("Sci. Aging", 2015, (("pmid", "99999991"),))


def test_the_row_of_a_table_without_its_head_is_read_by_what_stands_in_its_cells():
    read = read_one(
        "| 3 | Okafor et al. | 2015 | Restrictive fluids in septic shock: a trial | *Crit. Care* | 10.5555/cc.1 |"
    )

    assert (read.title, read.year) == ("Restrictive fluids in septic shock: a trial", 2015)
    assert ([author.family for author in read.authors], read.et_al) == (["Okafor"], True)
    assert (read.container.strip("."), read.identifiers) == ("Crit. Care", (("doi", "10.5555/cc.1"),))
    assert read_one("| Okafor | a bar in a text").title != "Okafor"
