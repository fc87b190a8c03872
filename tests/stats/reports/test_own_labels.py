"""What a reviewer's own labels say of the answers, and that it leads wherever that is asked."""

import pytest

from medreview.cli.reports.stats_screen import render_screen
from medreview.review.audit import draw
from medreview.review.home import home_figures
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.own_labels import OwnLabels
from medreview.stats.study_figures import study_figures
from medreview.study.events import NewEvent
from medreview.study.ids import unit_id
from tests.stats.small_study import SmallStudy

FEW = Resampling(replicates=99)


def own(small: SmallStudy) -> OwnLabels:
    found = home_figures(small.study.reader, "anna", judges=False).own
    assert found is not None
    assert found == study_figures(small.study.reader, full=False, resampling=FEW).reviewers[0].own
    return found


def screen(small: SmallStudy) -> str:
    small.roll_up()
    return render_screen(study_figures(small.study.reader, full=False, resampling=FEW), small.study.path)


def on_page(small: SmallStudy, unit: str, label: str, source: int) -> None:
    """A label with the page of a source open."""
    payload = {"axis": "evidence", "label": label, "exposure": {"judge_verdict": "before"}}
    small.event(NewEvent("decide", unit, payload, f"p-{unit.split('.')[0]}/{source}"))


@pytest.fixture
def decided(small: SmallStudy) -> SmallStudy:
    """Four responses of two statements each, all with a label; the rules find nothing supported."""
    for name in "abcd":
        small.response(name, 2)
        small.judged("offline", "not_addressed", f"{name}.1", f"{name}.2")
        small.said("supported", f"{name}.1")
        small.said("supported" if name in "ab" else "contradicted", f"{name}.2")
    return small


def test_labels_on_all_statements_say_how_many_are_supported_and_how_many_whole_responses(decided) -> None:
    found = own(decided)
    assert (found.basis, found.of_what, found.caution) == ("all", "all 8 of 8", "")
    assert (found.any_source.value, found.any_source.n, found.any_source.clusters) == (6 / 8, 8, 4)
    assert (found.responses.value, found.responses.n) == (2 / 4, 4)
    assert found.any_source.low is not None
    assert found.cited.value is None


def test_a_cited_source_supports_by_the_page_on_record_or_a_label_on_the_pair(small: SmallStudy) -> None:
    small.response("a", 5, ("ok", "ok"))
    for number in range(1, 6):
        small.cites(f"a.{number}", 1)
    on_page(small, "a.1", "supported", 1)
    on_page(small, "a.2", "supported", 2)  # by a page that it does not cite: what the cited one says is not told
    on_page(small, "a.3", "contradicted", 1)
    on_page(small, "a.4", "supported", 2)
    pair = {"axis": "support", "label": "supported", "exposure": {}}
    small.event(NewEvent("decide", unit_id("pair", "a.4", "a/1"), pair))
    small.said("cannot_judge", "a.5")
    found = own(small)
    assert (found.cited.value, found.cited.n, found.cited.dropped) == (2 / 3, 3, 2)
    assert (found.any_source.value, found.any_source.n, found.any_source.dropped) == (3 / 4, 4, 1)


def test_labels_from_triage_and_chosen_ones_say_that_they_hold_for_nothing_else(small: SmallStudy) -> None:
    small.response("a", 2)
    small.response("b", 2)
    small.said("supported", "a.1", block="flagged")
    assert (own(small).basis, own(small).of_what) == ("flagged", "1 of 4, from triage")
    small.said("partial", "a.2")
    assert (own(small).basis, own(small).of_what) == ("chosen", "2 of 4, chosen")
    text = " ".join(screen(small).split())
    assert "anna: 2 of 4, chosen" in text
    assert "anna: chosen, not drawn at random: they say nothing about the rest" in text


def test_labels_of_the_draw_count_without_those_of_other_queues(small: SmallStudy) -> None:
    for number in range(10):
        small.response(f"r{number}", 2)
    draw(small.study, "anna", size=5)
    drawn = [row[0] for row in small.study.reader.execute("SELECT statement_id FROM audit_item ORDER BY statement_id")]
    rest = [f"r{number}.1" for number in range(10) if f"r{number}.1" not in drawn]
    small.said("supported", *drawn[:3], mode="blind", block="audit")
    small.said("contradicted", *rest[:2])
    found = own(small)
    assert (found.basis, found.of_what, found.any_source.value) == ("drawn", f"3 of {len(drawn)} drawn at random", 1.0)


def test_a_persons_labels_lead_and_rules_answer_nothing(decided: SmallStudy) -> None:
    lines = screen(decided).splitlines()
    table = next(place for place, line in enumerate(lines) if line.startswith("How good are the answers?"))
    assert lines[table + 1].startswith("anna: all 8 of 8")
    assert [line.split()[:3] for line in lines if "any source supports it" in line] == [["any", "source", "supports"]]
    assert "75.0%" in next(line for line in lines if "any source supports it" in line)
    assert " 0.0%" not in "\n".join(lines[: table + 4])


def test_rules_alone_never_answer_how_good_the_answers_are(small: SmallStudy) -> None:
    small.response("a", 2)
    small.judged("offline", "supported", "a.1", "a.2")
    text = " ".join(screen(small).split())
    assert "supports it" not in text
    assert "no person and no model has judged yet; the rules compared words only, which is no verdict" in text


def test_judges_are_named_and_stand_below_a_persons_labels(decided: SmallStudy) -> None:
    decided.judged("model one", "supported", *(f"{name}.{number}" for name in "abcd" for number in (1, 2)))
    text = screen(decided)
    assert text.index("anna: all 8 of 8") < text.index("judges: model one")


def test_sources_of_a_text_that_nobody_split_are_not_called_unused(small: SmallStudy) -> None:
    from tests.support.study_builder import build

    def unsplit(rows) -> None:
        rows.page("page", "Words.")
        rows.response("a", "An answer.", cites=["page"], parser=None)

    build(small.study, unsplit)
    figures = study_figures(small.study.reader, resampling=FEW)
    (unused,) = [each for each in figures.support.strata[0].clustered if each.name == "unused sources"]
    assert (unused.value, unused.n) == (None, 0)
