"""A model writes: one generator, run with the first of the named models or with each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from medreview import pipeline
from medreview.generators.counts import GenerationCounts
from medreview.judges.own_work import verifies_its_own
from medreview.llm.settings import JudgeSettings
from medreview.pipeline import Generated, Generating
from medreview.pipeline.generating import Make, counts_of
from medreview.replays.replay import Given, Outcome, Plan, Step
from medreview.words import in_words


@dataclass(frozen=True, slots=True)
class Generate(Step):
    """``make`` sets the generator up. ``by``: which of the models write. ``waits``: what there must be before.

    ``verified``: a judge verifies what they write, one of another model where there is one.
    """

    name: str
    about: str
    make: Make
    waits: str
    by: Literal["first", "each"] = "first"
    verified: bool = False

    @property
    def deviations(self) -> tuple[str, ...]:
        """Those of the generator, as sentences."""
        generator = self.make.func if isinstance(self.make, partial) else self.make
        told = (sentence.rstrip(".") for sentence in getattr(generator, "deviations", ()))
        return tuple(f"{sentence[0].upper()}{sentence[1:]}." for sentence in told)

    def plan(self, given: Given) -> Plan:
        """Inputs, calls and cost of each model."""
        if not given.writers:
            return Plan()
        found = [
            pipeline.plan_generation(given.study, one, limit=given.limit, progress=given.progress)
            for one in self._each(given)
        ]
        waiting = [(plan, later) for plan, later in found if plan.units]
        return Plan(tuple(plan for plan, _ in waiting), sum(later for _, later in waiting))

    def run(self, given: Given) -> Outcome:
        """Let them write what they have not written yet; a second time nothing is asked."""
        if not given.writers:
            return Outcome("left", "no model is named: --model NAME")
        did, there = [], []
        for one in self._each(given):
            task = one.task(given.study)
            if task.waiting(again=one.again):
                did.append(
                    pipeline.generate(
                        given.study, one, limit=given.limit, progress=given.progress, on_wait=given.on_wait
                    )
                )
            elif task.generator.items():
                there.append(counts_of(given.study, task))
        if did:
            return _outcome(did)
        if not there:
            return Outcome("waits", self.waits)
        return Outcome("done", f"{_made(there)} there", counts=tuple(there))

    def _each(self, given: Given) -> list[Generating]:
        writers: Sequence[JudgeSettings] = given.writers[:1] if self.by == "first" else given.writers
        return [Generating(self.make, one, self._verifier(one, given), given.prompts, given.again) for one in writers]

    def _verifier(self, writer: JudgeSettings, given: Given) -> JudgeSettings | None:
        """The first judge that does not verify what its own model wrote; else the first one, else the writer."""
        if not self.verified:
            return None
        others = (judge for judge in given.judges if not verifies_its_own(writer, judge))
        return next(others, given.judges[0] if given.judges else writer)


def _outcome(done: Sequence[Generated]) -> Outcome:
    units, failed = sum(one.tally.units for one in done), sum(one.tally.failed for one in done)
    costs = [one.tally.cost for one in done if one.tally.cost is not None]
    waiting = sum(one.waiting for one in done)
    return Outcome(
        "failed" if failed and failed == units else "did",
        f"made so far: {_made([one.counts for one in done])}"
        + (f"; {waiting:,} inputs wait, the same command goes on" if waiting else ""),
        asked=sum(one.tally.calls for one in done),
        failed=failed,
        cost=sum(costs) if costs else None,
        tallies=tuple(one.tally for one in done),
        counts=tuple(one.counts for one in done),
    )


def _made(counts: Sequence[GenerationCounts]) -> str:
    """What came of all inputs: products by kind, or of how many inputs something for a report."""
    products: dict[str, int] = {}
    for one in counts:
        for kind, number in one.products.items():
            products[kind] = products.get(kind, 0) + number
    named = ", ".join(f"{number:,} {in_words(kind)}" for kind, number in products.items())
    reports = sum(one.made for one in counts)
    return named or (f"{reports:,} for the report" if reports else "nothing")
