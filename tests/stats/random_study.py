"""Studies of any shape, from a seed: whatever a study can hold, in any mixture."""

import random
from typing import Final

from medreview.labels import EVIDENCE
from medreview.study.events import NewEvent
from tests.stats.small_study import SmallStudy
from tests.support.study_builder import build

_LEVELS: Final = [label.level for label in EVIDENCE]
_PAGES: Final = ("ok", "paywall", "http_error", None)


def fill(small: SmallStudy, seed: int) -> None:
    """Responses with and without statements, invalid and not parsed; judges by rules and others; labels of two people,
    blind and not, changed, put off, on statements that are none any more."""
    rng = random.Random(seed)
    units: list[str] = []
    for number in range(rng.randrange(1, 9)):
        name = f"r{number}"
        model, origin = rng.choice(("atlas", "ember", "")), rng.choice(("forum", "clinic"))
        match rng.randrange(8):
            case 0:
                small.invalid(name, rng.choice(("empty", "incomplete")), model=model)
            case 1:
                build(small.study, lambda rows, name=name: rows.response(name, "Text", parser=None))
            case _:
                sources = [rng.choice(_PAGES) for _ in range(rng.randrange(3))]
                count = rng.randrange(5)
                small.response(name, count, sources, model=model, origin=origin)
                of_this = [f"{name}.{place}" for place in range(1, count + 1)]
                units += of_this
                _judge(small, rng, of_this, sources)
                for unit in of_this:
                    if sources and rng.random() < 0.4:
                        small.cites(unit, rng.randrange(len(sources)) + 1)
    small.roll_up()
    for who in rng.sample(("anna", "ben"), rng.randrange(3)):
        _review(small, rng, who, units)
    _edit(small, rng, units)


def _judge(small: SmallStudy, rng: random.Random, units: list[str], sources: list[str | None]) -> None:
    for judge in ("offline", "amber", "basalt"):
        for place, page in enumerate(sources, 1):
            if page in ("ok", "paywall"):
                for unit in units:
                    if rng.random() < 0.6:
                        small.judged(judge, rng.choice([*_LEVELS[:4], "not found", "unsure"]), unit, source=place)


def _review(small: SmallStudy, rng: random.Random, who: str, units: list[str]) -> None:
    for unit in units:
        mode = rng.choice(("blind", "open"))
        block = "audit" if mode == "blind" else rng.choice(("flagged", "responses"))
        for _ in range(rng.randrange(3)):
            if rng.random() < 0.3:
                small.event(NewEvent("defer", unit, {}), who=who, mode=mode, block=block)
            else:
                small.said(rng.choice(_LEVELS), unit, who=who, mode=mode, block=block)


def _edit(small: SmallStudy, rng: random.Random, units: list[str]) -> None:
    """Some statements are none of the study any more."""
    for unit in units:
        if rng.random() < 0.1:
            row = {"statement_id": unit, "how": rng.choice(("split", "exclude")), "event_id": "01"}
            build(small.study, lambda rows, row=row: rows.add("retired_statement", **row))
