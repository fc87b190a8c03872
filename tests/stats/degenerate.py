"""Studies in which something that figures need is missing: each is filled into an empty one."""

from collections.abc import Callable, Mapping
from typing import Final

from medreview.references.verdict import Verdict
from medreview.study.events import NewEvent
from tests.stats.small_study import SmallStudy
from tests.support.reference_rows import ReferenceRows
from tests.support.study_builder import build


def _judged(small: SmallStudy, responses: int = 3) -> list[str]:
    """Responses of two statements, two judges who differ on one statement of each."""
    units = []
    for number in range(1, responses + 1):
        name = f"r{number}"
        small.response(name, 2)
        small.judged("amber", "supported", f"{name}.1", f"{name}.2")
        small.judged("basalt", "supported", f"{name}.1")
        small.judged("basalt", "contradicted", f"{name}.2")
        units += [f"{name}.1", f"{name}.2"]
    return units


def _nothing_decided(small: SmallStudy) -> None:
    _judged(small)


def _one_class(small: SmallStudy) -> None:
    for number in range(1, 4):
        small.response(f"r{number}", 2)
        for judge in ("amber", "basalt"):
            small.judged(judge, "supported", f"r{number}.1", f"r{number}.2")
        small.said("supported", f"r{number}.1", f"r{number}.2", mode="blind", block="audit")


def _one_response(small: SmallStudy) -> None:
    units = _judged(small, 1)
    small.said("supported", units[0], mode="blind", block="audit")
    small.said("partial", units[1])


def _all_deferred(small: SmallStudy) -> None:
    for unit in _judged(small):
        small.event(NewEvent("defer", unit, {}))


def _judge_missing(small: SmallStudy) -> None:
    """A judge was asked of a page that is another now, so that it has no word."""
    units = _judged(small)
    build(small.study, lambda rows: rows.judge_run("silent"))
    small.response("r9", 1, ["ok"])
    small.said("supported", *units, "r9.1", mode="blind", block="audit")


def _no_overlap(small: SmallStudy) -> None:
    units = _judged(small)
    small.said("supported", *units[:3], who="anna", mode="blind", block="audit")
    small.said("partial", *units[3:], who="ben", mode="blind", block="audit")


def _no_statements(small: SmallStudy) -> None:
    small.response("r1", 0)
    build(small.study, lambda rows: rows.response("r2", "Text", parser=None))


def _no_judges(small: SmallStudy) -> None:
    small.response("r1", 2)
    small.response("r2", 1, [])
    small.said("supported", "r1.1", "r2.1", mode="blind", block="audit")


def _only_invalid(small: SmallStudy) -> None:
    small.invalid("r1", "empty")
    small.invalid("r2", "incomplete", model="ember")


def _all_cannot_judge(small: SmallStudy) -> None:
    small.said("cannot_judge", *_judged(small), mode="blind", block="audit")


def _only_rules(small: SmallStudy) -> None:
    small.response("r1", 2)
    small.judged("offline", "supported", "r1.1", "r1.2")
    small.said("supported", "r1.1", "r1.2", mode="blind", block="audit")


def _references(small: SmallStudy, verdict: Verdict | None) -> None:
    for name in ("r1", "r2", "r3"):
        small.response(name, 1)
        ReferenceRows(small.study).add(name, verdict, verdict)


DEGENERATE: Final[Mapping[str, Callable[[SmallStudy], None]]] = {
    "empty": lambda small: None,
    "nothing decided": _nothing_decided,
    "one class": _one_class,
    "one response": _one_response,
    "all deferred": _all_deferred,
    "a judge without a word": _judge_missing,
    "two reviewers without overlap": _no_overlap,
    "no statements": _no_statements,
    "no judges": _no_judges,
    "only invalid responses": _only_invalid,
    "all cannot judge": _all_cannot_judge,
    "only the offline judge": _only_rules,
    "references that nobody checked": lambda small: _references(small, None),
    "references of one verdict": lambda small: _references(small, "not_found"),
}
