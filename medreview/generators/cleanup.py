"""Unsupported statements revised or removed (SourceCleanup), each revision judged anew."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

from medreview.generators.ask import JUDGE, Ask, Checked, Item, Made, Work
from medreview.generators.generator import Generator
from medreview.generators.revision_checks import REMOVE, revision_faults
from medreview.generators.unsupported import Unsupported, listed, unsupported
from medreview.judges.ocr_note import ocr_note
from medreview.judges.quote_grounding import Grounded, QuoteGrounder
from medreview.judges.raw_labels import mapped
from medreview.judges.tasks.task import confidence_of
from medreview.judges.tasks.verification import NAME as VERIFICATION
from medreview.llm.settings import JudgeSettings
from medreview.sources.ocr_pages import ocr_pages
from medreview.study import Study
from medreview.text import Span
from medreview.units.brought import Brought
from medreview.units.statement_view import load_text
from medreview.units.stored import NewOpinion, NewUnit

_PROMPT: Final = "statement_cleanup"
_AXIS: Final = "revision"


class Cleanup(Generator):
    """``generate cleanup``: the inputs are statements with a page that does not support them; each product is a unit of
    the kind ``revision``, and what a judge says of a revised text is an opinion on it.

    ``statements`` names a file that lists them (:func:`~medreview.generators.unsupported.listed`); all that are
    unsupported without one.
    """

    name = "cleanup"
    noun = "statement"
    lacking = "No statement is unsupported: reviewers and judges found none, or the file names none."
    prompt_names: ClassVar[tuple[str, ...]] = (_PROMPT, VERIFICATION)
    deviations: ClassVar[tuple[str, ...]] = (
        "a revision is kept only with a quote that stands in the page, and without a number, unit, medicine or "
        "negation that the quote lacks; the paper kept what the model wrote.",
        "a judge verifies each revision, beside the reviewers; in the paper experts did.",
    )

    def __init__(
        self, study: Study, model: JudgeSettings, prompts: Path | None = None, statements: Path | str | None = None
    ) -> None:
        """Raises also for a file that cannot be read."""
        super().__init__(study, model, prompts)
        reader = study.reader
        found = listed(reader, Path(statements))[0] if statements else unsupported(reader)
        self._statements = {f"{one.statement_id} {one.snapshot_id}".strip(): one for one in found}

    @cached_property
    def _quotes(self) -> QuoteGrounder:
        return QuoteGrounder(self.study.reader)

    def items(self) -> Sequence[Item]:
        """The statements, in the order of their responses or of the file."""
        return [Item(item_id, one.name) for item_id, one in self._statements.items()]

    def steps(self, item: Item) -> int:
        """The revision, and the judge's word on it."""
        return 2 if self._statements[item.item_id].snapshot_id else 0

    def work(self, item: Item) -> Work:
        """A revision or a removal by the model; a revision is verified."""
        one = self._statements[item.item_id]
        if not one.snapshot_id:
            return Made(code="no_page")
        page = load_text(self.study.reader, one.snapshot_id)
        texts = {"source": page, "statement": one.text}
        notes = {"source": ocr_note(ocr_pages(self.study.reader, one.snapshot_id), Span(0, len(page)))}
        if not self.fits(self.prompts[_PROMPT], texts):
            return Made(code="over_context")

        def ground(quote: str, supports: str) -> Grounded:
            return self._quotes.ground(quote, one.snapshot_id, supports=supports)

        got = yield Ask(
            "revision",
            self.prompts[_PROMPT],
            texts,
            lambda value: _checked(value, revision_faults(value, one.text, ground)),
            notes=notes,
        )
        if not got.valid:
            return Made(code="invalid")
        unit = _unit(got.value, one, self.model.name)
        if not got.value["text"]:
            return Made(Brought(units=(unit,)), report={"action": "remove"})
        asked = {"source": page, "question": one.question, "statement": got.value["text"]}
        prompt = self.prompts[VERIFICATION]
        judge = self.judge or self.model
        if not self.fits(prompt, asked, judge):
            return Made(Brought(units=(unit,)), report={"action": "revise", "judged": None})
        about = f"{got.value['text']} @ {one.url}"
        said = yield Ask(
            "verification", prompt, asked, lambda value: Checked(value=dict(value)), by=JUDGE, about=about, notes=notes
        )
        if not said.valid:
            return Made(Brought(units=(unit,)), report={"action": "revise", "judged": said.status})
        opinion = _opinion(unit.unit, judge, prompt.id, said.value, ground(said.value["quote"], got.value["text"]))
        report = {"action": "revise", "judged": opinion.label or f"{opinion.raw_label}, unproven"}
        return Made(Brought(units=(unit,), opinions=(opinion,)), report=report)


def _checked(value: Mapping[str, Any], codes: tuple[str, ...]) -> Checked:
    told = {name: str(value[name]).strip() for name in ("quote", "text", "changed")}
    return Checked(codes, {**told, "quote": ""} if value["action"] == REMOVE else told)


def _unit(value: Mapping[str, str], one: Unsupported, model: str) -> NewUnit:
    content = {
        "original": one.text,
        "revised": value["text"],
        "changed": value["changed"],
        "quote": value["quote"],
        "passage": "",
        "url": one.url,
        "statement": one.statement_id,
        "response": one.response_id,
    }
    return NewUnit(_AXIS, one.text, content, origin=one.origin, model=model, belongs_to=one.response_id)


def _opinion(unit: str, judge: JudgeSettings, prompt_id: str, value: Mapping[str, Any], found: Grounded) -> NewOpinion:
    """What the judge says of the revised text, by the rule of its judgements: support counts with a proof only."""
    raw = str(value["label"])
    supported = (mapped(raw) or (None, None))[1]
    label = {True: "supported" if found.proves else None, False: "not_supported", None: None}[supported]
    return NewOpinion(
        unit=unit,
        judge=judge.name,
        axis=_AXIS,
        raw_label=raw,
        label=label,
        model=judge.model,
        prompt_id=prompt_id,
        confidence=confidence_of(value.get("confidence")),
        reason=str(value.get("reason", "")),
        quote=str(value["quote"]),
    )
