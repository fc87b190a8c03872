"""What a queue can be narrowed by, and how a line with it can go on."""

import pytest

from medreview.errors import UserError
from medreview.review.queue import (
    LONGEST,
    MOST,
    delete_filter,
    filter_lines,
    kind_named,
    open_queue,
    open_saved,
    save_filter,
    saved_filters,
)
from medreview.review.queue_filters import FilterWords
from medreview.review.queue_kinds import Mode
from medreview.review.unit_queues import ALL
from medreview.study import Study
from medreview.study.ids import MADE_OF
from tests.support.unit_samples import SAMPLES


def words(study: Study, queue: str = "responses", mode: Mode = "open") -> FilterWords:
    return FilterWords(study.reader, kind_named(queue), mode)


def shown(words: FilterWords, line: str) -> list[str]:
    return [one.shown for one in words.completions(line)]


def test_names_are_completed_then_the_values_that_there_are(study: Study) -> None:
    found = words(study)
    assert shown(found, "me mo") == ["model="]
    assert found.completions("me m")[0].line == "me model="
    assert shown(found, "response=") == ["R01", "R02"]
    assert shown(found, "response=r01 mine=") == [
        "supported",
        "partial",
        "contradicted",
        "not_addressed",
        "cannot_judge",
        "open",
    ]
    assert shown(found, "page=t") == ["timeout"]
    assert "page2.example" in shown(found, "domain=p")
    badges = found.completions("state=open badge=")
    assert badges
    assert all(" · " not in one.shown for one in badges)
    spaced = next(one for one in badges if " " in one.shown)
    assert spaced.line == f"state=open badge='{spaced.shown}'"
    assert [one.shown for one in found.completions(spaced.line)] == [spaced.shown]
    assert open_queue(study, "responses", "kb", filter=spaced.line).units
    assert not found.completions("nosuch=")


def test_a_blind_queue_offers_and_takes_nothing_that_tells(study: Study) -> None:
    found = words(study, "audit", "blind")
    assert not {"model", "badge", "verdict", "merged"} & set(found.names)
    assert not any(found.values(name) for name in ("model", "badge", "verdict", "merged"))
    with pytest.raises(UserError, match="would show what is hidden"):
        open_queue(study, "responses", "kb", filter="model=atlas-2", blind=True)


def test_every_filter_of_every_queue_can_be_used_with_each_of_its_values(study: Study) -> None:
    for kind, sample in SAMPLES.items():
        if kind not in MADE_OF:
            sample(study)
    for queue in ALL:
        found = FilterWords(study.reader, queue, queue.mode)
        for name in found.names:
            for one in found.completions(f"{name}=")[:3]:
                assert open_queue(study, queue.name, "kb", filter=one.line).filter == one.line


def test_a_kind_of_unit_adds_filters_of_its_own(study: Study) -> None:
    SAMPLES["qa"](study)
    every = open_queue(study, "qa", "kb")
    found = words(study, "qa", "blind")
    types = found.values("type")
    assert types
    kept = [unit for value in types for unit in open_queue(study, "qa", "kb", filter=f"type={value}").units]
    assert sorted(kept) == sorted(every.units)


def test_a_filter_is_saved_by_name_counted_opened_replaced_and_deleted(study: Study) -> None:
    queue = open_queue(study, "responses", "kb", filter="response=R01")
    save_filter(study, "kb", "  first  answer ", queue)
    (line,) = filter_lines(study, "kb", blind=False)
    assert (line.saved.name, line.saved.title, line.size, line.open) == ("first answer", "by response", 3, 3)
    assert open_saved(study, "kb", line.saved).units == queue.units
    save_filter(study, "kb", "first answer", open_queue(study, "flagged", "kb", filter="badge=quote"))
    (line,) = filter_lines(study, "kb", blind=True)
    assert (line.hidden, line.size) == (True, 0)  # how many are flagged for their quote tells, while a block is open
    assert not saved_filters(study.reader, "other")
    delete_filter(study, "kb", "first answer")
    assert not saved_filters(study.reader, "kb")


def test_a_reviewer_has_fifty_saved_filters_and_may_replace_one_of_them(study: Study) -> None:
    queue = open_queue(study, "responses", "kb", filter="response=R01")
    for number in range(MOST):
        save_filter(study, "kb", f"f{number}", queue)
    with pytest.raises(UserError, match=f"There are {MOST} saved filters already"):
        save_filter(study, "kb", "one more", queue)
    save_filter(study, "kb", "f7", queue)
    save_filter(study, "other", "one more", queue)
    assert len(saved_filters(study.reader, "kb")) == MOST


def test_a_filter_that_was_saved_blind_opens_blind(study: Study) -> None:
    queue = open_queue(study, "responses", "kb", filter="response=R01", blind=True)
    assert open_saved(study, "kb", save_filter(study, "kb", "mine", queue)).mode == "blind"


def test_what_cannot_be_saved_or_deleted_is_said(study: Study) -> None:
    narrowed = open_queue(study, "responses", "kb", filter="give")
    with pytest.raises(UserError, match="1 to 40"):
        save_filter(study, "kb", " ", narrowed)
    with pytest.raises(UserError, match="1 to 40"):
        save_filter(study, "kb", "x" * (LONGEST + 1), narrowed)
    with pytest.raises(UserError, match="not narrowed"):
        save_filter(study, "kb", "all", open_queue(study, "responses", "kb"))
    save_filter(study, "kb", "given", narrowed)
    with pytest.raises(UserError, match="no saved filter 'give'; there are given"):
        delete_filter(study, "kb", "give")


def test_a_saved_filter_that_this_version_does_not_know_says_so_and_harms_nothing(study: Study) -> None:
    study.write(
        lambda connection: connection.execute(
            "INSERT INTO saved_filter VALUES ('kb', 'odd', 'responses', 'colour=red', '2026-01-01', 'open')"
        )
    )
    (line,) = filter_lines(study, "kb", blind=False)
    assert "cannot use 'colour'" in line.wrong
