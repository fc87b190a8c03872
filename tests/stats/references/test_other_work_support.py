"""How much of the support comes from a page that is another work than the one named, counted by hand."""

import pytest

from medreview.references.verdict import Verdict, pages_of_other_works
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.study_figures import study_figures
from tests.stats.small_study import SmallStudy
from tests.support.reference_rows import ReferenceRows
from tests.support.study_builder import StudyBuilder, build

FEW = Resampling(replicates=199)


def by_identifier(small: SmallStudy, *sources: str) -> None:
    """Sources that are named by a DOI."""

    def change(rows: StudyBuilder) -> None:
        for place, source in enumerate(sources):
            rows.connection.execute("UPDATE source SET kind = 'doi' WHERE source_id = ?", (source,))
            rows.connection.execute("UPDATE source SET key = ? WHERE source_id = ?", (f"doi:10.5555/{place}", source))

    build(small.study, change)


def test_support_by_the_page_of_another_work_is_counted_by_pair(small: SmallStudy, references: ReferenceRows) -> None:
    for name in ("r1", "r2", "r3"):
        small.response(name, 2, ("ok", "ok", "ok"))
    by_identifier(small, "r1/1", "r1/2", "r2/1", "r3/1")
    references.add("r1", "other_work", source="r1/1")
    references.add("r1", "match", source="r1/2")
    references.add("r2", "mismatch", source="r2/1")
    references.add("r3", "other_work", source="r3/1")
    # An address is no identifier; one that fits nothing tells no work.
    references.add("r3", "other_work", source="r3/2", identified=False)
    references.add("r3", "not_found", source="r3/3")
    small.judged("amber", "supported", "r1.1", "r1.2", source=1)
    small.judged("amber", "supported", "r1.1", source=2)
    small.judged("amber", "supported", "r2.1", source=1)
    small.judged("amber", "partial", "r3.1", source=1)
    small.judged("amber", "supported", "r3.1", source=2)
    small.roll_up()
    found = study_figures(small.study.reader, full=False, resampling=FEW).other_work

    assert pages_of_other_works(small.study.reader) == {
        ("r1", "r1/1"): True, ("r1", "r1/2"): False, ("r2", "r2/1"): False, ("r3", "r3/1"): True,
    }  # fmt: skip
    assert found is not None
    # Supported: r1.1 by 1 and 2, r1.2 by 1, r2.1 by 1, and r3.1 by an address, which is left out.
    assert (found.pairs, found.statements, found.statements_alone) == (2, 2, 1)
    assert (found.share.value, found.share.n, found.share.clusters, found.share.dropped) == (2 / 4, 4, 2, 1)


def test_a_reference_that_is_the_work_of_the_page_speaks_for_it(small: SmallStudy, references: ReferenceRows) -> None:
    small.response("r1", 1)
    by_identifier(small, "r1/1")
    references.add("r1", "other_work", "match", source="r1/1")

    assert pages_of_other_works(small.study.reader) == {("r1", "r1/1"): False}


@pytest.mark.parametrize("verdict", ["other_work", "not_found"])
def test_without_support_or_without_a_work_there_is_no_share(
    small: SmallStudy, references: ReferenceRows, verdict: Verdict
) -> None:
    small.response("r1", 1)
    by_identifier(small, "r1/1")
    references.add("r1", verdict, source="r1/1")
    found = study_figures(small.study.reader, full=False, resampling=FEW).other_work

    if verdict == "not_found":
        assert found is None
    else:
        assert found is not None
        assert (found.share.value, found.pairs) == (None, 0)
        assert "No source that supports a statement" in str(found.share.reason)
