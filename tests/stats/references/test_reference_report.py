"""Shares of what references turned out to be, and of support that comes from another work than the one named."""

import math
from typing import Any

import pytest
from scipy.special import stdtrit

from medreview.cli.reports.references import reference_parts
from medreview.cli.reports.terminal import printed
from medreview.references.model import Notice
from medreview.references.verdict import VERDICTS, Verdict, pages_of_other_works
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reference_verdicts import COMPARED, reference_report
from medreview.stats.study_figures import study_figures
from tests.stats.small_study import SmallStudy
from tests.support.reference_rows import ReferenceRows
from tests.support.study_builder import NOW, StudyBuilder, build

FEW = Resampling(replicates=199)


def report(references: ReferenceRows, **more: Any):
    found = reference_report(references.study.reader, FEW, **more)
    assert found is not None
    return found


def by_jackknife(counts: list[tuple[int, int]]) -> tuple[float, float]:
    """The interval of a share from (so, all) of each response: each left out in turn, carried onto the logit."""
    so, every = (sum(row[place] for row in counts) for place in (0, 1))
    share = so / every
    left = [(so - mine) / (every - of) for mine, of in counts]
    squares = [(each - sum(left) / len(left)) ** 2 for each in left]
    usual = sum(squares) / len(squares)
    spread = sum((square - usual) ** 2 for square in squares) / (len(squares) - 1)
    freedom = min(len(left) - 1, max(4.0, 2 * len(left) * usual**2 / spread))
    error = math.sqrt(sum((each - share) ** 2 for each in left)) / (share * (1 - share))
    half, at = float(stdtrit(freedom, 0.975)) * error, math.log(share / (1 - share))
    return 1 / (1 + math.exp(half - at)), 1 / (1 + math.exp(-half - at))


def test_shares_are_of_the_checked_ones_and_whole_responses_are_what_varies(small, references):
    rows = [("match", "match", "mismatch"), ("match", "not_found", None), ("other_work", "match"), ("match", "match"),
            ("not_found", "ambiguous", "match", None), ("match", "not_checkable")]  # fmt: skip
    for number, verdicts in enumerate(rows):
        small.response(f"r{number}", 1)
        references.add(f"r{number}", *verdicts)
    found = report(references)
    whole = found.whole

    assert (whole.found, whole.checked, whole.not_checked, whole.responses) == (16, 14, 2, 6)
    counts = {"match": 8, "mismatch": 1, "other_work": 1, "not_found": 2, "ambiguous": 1, "not_checkable": 1}
    assert whole.verdicts == counts
    assert [share.value for share in whole.shares] == [count / 14 for count in counts.values()]
    assert sum(counts.values()) == whole.checked
    for share in whole.shares:
        assert (share.n, share.clusters, share.dropped) == (14, 6, 2)
        assert share.method == "jackknife over responses"
        assert share.low is not None
        assert share.high is not None
        assert 0 < share.low < share.value < share.high < 1
    match = whole.share("match")
    by_hand = by_jackknife([(2, 3), (1, 2), (1, 2), (2, 2), (1, 3), (1, 2)])
    assert (match.low, match.high) == pytest.approx(by_hand, abs=1e-4)


def test_an_address_alone_is_found_and_in_no_share(small, references):
    for number in range(6):
        small.response(f"r{number}", 1)
        references.add(f"r{number}", "match", "not_found")
        references.add(f"r{number}", None, bare_url=True)
    whole = report(references).whole

    assert (whole.found, whole.checked, whole.bare_urls, whole.not_checked) == (18, 12, 6, 0)
    assert [(share.n, share.dropped) for share in whole.shares] == [(12, 0)] * 6


def test_no_figure_pools_what_is_another_works_with_what_was_not_found(small, references):
    for number in range(6):
        small.response(f"r{number}", 1)
        references.add(f"r{number}", "other_work", "not_found", "match")
    names = [share.name for share in report(references).whole.shares]

    assert names == [verdict.replace("_", " ") for verdict in VERDICTS]
    assert [share.value for share in report(references).whole.shares] == [1 / 3, 0, 1 / 3, 1 / 3, 0, 0]


def test_models_and_origins_stand_apart_and_models_are_subtracted_with_holm(small, references):
    rows = {"atlas": [(3, 1), (2, 2), (4, 0), (3, 1), (2, 2), (3, 1)],
            "ember": [(1, 3), (0, 4), (2, 2), (1, 3), (0, 4), (1, 3)]}  # fmt: skip
    for model, counts in rows.items():
        for number, (match, wrong) in enumerate(counts):
            name = f"{model}{number}"
            small.response(name, 1, model=model, origin="forum" if number % 2 else "clinic")
            references.add(name, *["match"] * match, *["mismatch"] * wrong)
    found = report(references)
    strata = {(one.split, one.stratum): one.references for one in found.strata}

    assert list(strata) == [("", ""), ("model", "atlas"), ("model", "ember"), ("origin", "clinic"), ("origin", "forum")]
    assert strata["model", "atlas"].share("match").value == 17 / 24
    assert strata["model", "ember"].share("match").value == 5 / 24
    assert strata["origin", "clinic"].share("match").value == (3 + 4 + 2 + 1 + 2 + 0) / 24
    by_statistic = {one.statistic: one for one in found.differences}
    assert list(by_statistic) == [verdict.replace("_", " ") for verdict in COMPARED]
    match = by_statistic["match"]
    assert (match.first, match.second, match.estimate.value) == ("atlas", "ember", 17 / 24 - 5 / 24)
    assert (match.estimate.n, match.estimate.clusters, match.fewest) == (48, 12, 6)
    assert match.estimate.low is not None
    assert match.estimate.low > 0
    # A difference that is none in every response has no p value and is none of the family.
    tested = [one for one in found.differences if one.pvalue is not None]
    assert [one.statistic for one in tested] == ["match", "mismatch"]
    assert {one.family for one in found.differences} == {2}
    smallest = min(one.pvalue for one in tested)
    assert max(one.adjusted for one in tested) == pytest.approx(min(1, 2 * smallest))


def test_books_and_pages_stand_apart_from_articles_since_not_found_proves_little_of_them(small, references):
    for number in range(5):
        small.response(f"r{number}", 1)
        references.add(f"r{number}", "match", "match", kind="article")
        references.add(f"r{number}", "not_found", kind="guideline" if number % 2 else "book")
    references.add("r0", "match", kind="preprint")
    works = {one.works: one.references for one in report(references).works}

    assert {name: (one.checked, one.verdicts["not_found"]) for name, one in works.items()} == {
        "listed": (11, 0), "partly_listed": (5, 5),
    }  # fmt: skip
    assert works["listed"].share("not_found").value == 0.0
    assert works["listed"].share("not_found").low is None
    assert works["partly_listed"].share("not_found").value == 1.0
    assert "all are not found in 5 of 5 responses" in str(works["partly_listed"].share("not_found").reason)


def test_notices_places_and_who_was_asked_are_counted(small, references):
    small.response("r1", 1)
    references.add("r1", "match", notices=[Notice("retracted", words="2015"), Notice("corrected")], failed="pubmed")
    # The record of another work is not the one that is named: what befell it says nothing of that.
    references.add("r1", "other_work", notices=[Notice("retracted")], standing="inline")
    references.add("r1", "not_found", None)
    found = report(references)

    assert found.notices == {"retracted": 1, "corrected": 1}
    assert found.standing == {"list": 3, "inline": 1}
    assert [(one.authority, one.by, one.asked, one.found, one.nothing, one.failed) for one in found.checking.asked] == [
        ("crossref", "identifier", 3, 2, 1, 0), ("pubmed", "citation", 1, 0, 0, 1),
    ]  # fmt: skip
    assert (found.checking.first_at, found.checking.last_at) == (NOW, NOW)


def test_those_with_an_identifier_and_those_of_some_responses_can_be_asked_for(small, references):
    for name in ("r1", "r2"):
        small.response(name, 1)
        references.add(name, "match", "other_work")
        references.add(name, "not_found", "not_found", identified=False)

    assert report(references, identified=True).whole.verdicts["not_found"] == 0
    assert report(references, identified=True).whole.share("match").value == 1 / 2
    assert report(references, responses=["r2"]).whole.found == 4
    assert reference_report(references.study.reader, FEW, responses=[]) is None


@pytest.mark.parametrize("verdicts", [(), (None, None), ("match", "match"), ("not_found",)], ids=str)
def test_of_next_to_nothing_there_is_no_false_figure(small: SmallStudy, references: ReferenceRows, verdicts: tuple):
    small.response("r1", 1)
    references.add("r1", *verdicts)
    found = reference_report(references.study.reader, FEW)
    if not verdicts:
        assert found is None
        return
    assert found is not None
    for share in found.whole.shares:
        # One response cannot show how responses differ, and nothing checked tells nothing.
        assert share.low is None
        assert share.reason
        assert (share.value is None) == (verdicts[0] is None)
    assert found.differences == ()
    assert found.works == ()
    if verdicts[0] is None:
        assert found.whole.share("match").reason == "No reference was checked yet."
        told = printed(reference_parts(found))
        assert "0 checked" in told
        assert "undefined" not in told


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
    small.judge("r1.1 r1.2 r2.1 r3.1", amber="SSSP", source=1)
    small.judge("r1.1 r3.1", amber="SS", source=2)
    small.roll_up()
    found = study_figures(small.study.reader, full=False, resampling=FEW).other_work

    assert pages_of_other_works(small.study.reader) == {
        ("r1", "r1/1"): True, ("r1", "r1/2"): False, ("r2", "r2/1"): False, ("r3", "r3/1"): True,
    }  # fmt: skip
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
        assert (found.share.value, found.pairs) == (None, 0)
        assert "No source that supports a statement" in str(found.share.reason)
