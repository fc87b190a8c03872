"""What is named beside figures: the state of the study they are of, and how they were made."""

from datetime import UTC, datetime

import medreview
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.provenance import Provenance
from medreview.stats.study_figures import study_figures
from medreview.study.events import NewEvent
from tests.stats.small_study import SmallStudy


def of(small: SmallStudy, seed: int = 5) -> Provenance:
    small.roll_up()
    return study_figures(small.study.reader, resampling=Resampling(replicates=99, seed=seed)).provenance


def test_figures_name_the_state_of_the_study_and_the_rules(small: SmallStudy) -> None:
    small.response("a", 3)
    small.judged("one", "supported", "a.1", "a.2")
    small.judged("two", "partial", "a.1", "a.2")
    small.said("supported", "a.1", mode="blind", block="audit")
    small.said("partial", "a.2", who="ben")
    last = small.event(NewEvent("shown", "a.3"), who="ben")
    found = of(small)

    assert found.study_id == small.study.meta("study_id")
    assert (found.events, found.event_head) == (3, newest(small, last.event_id))
    assert (found.version, found.label_set_version) == (medreview.__version__, "1")
    assert (found.seed, found.replicates, found.tie_rule) == (5, 99, "undecided")
    assert abs(datetime.now(UTC) - datetime.fromisoformat(found.made_at)).total_seconds() < 3600
    assert found.labels == {"anna": {"blind, random audit": 1}, "ben": {"assisted, other queues": 1}}
    # Each with two judges and, but where these are tied, with both together, on two scales; the judges with each other.
    assert found.comparisons == 10


def test_a_decision_more_is_another_state_and_the_same_state_is_the_same(small: SmallStudy) -> None:
    small.response("a", 1)
    empty = of(small)
    again = of(small)
    small.said("supported", "a.1")

    assert (empty.events, empty.event_head, empty.comparisons) == (0, "", 0)
    assert again == empty
    assert of(small).event_head not in ("", empty.event_head)


def newest(small: SmallStudy, event_id: str) -> str:
    row = small.study.reader.execute("SELECT hash FROM event WHERE event_id = ?", (event_id,)).fetchone()
    return str(row[0])
