"""Questions made from texts (SourceCheckup): one question of each, its answer, and the words that hold it."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from medreview.generators.ask import Ask, Item, Made, Work
from medreview.generators.generator import Generator
from medreview.generators.question_checks import NOTHING, MadeQuestion, check_question
from medreview.generators.study_texts import StudyText, load_study_text, passages_in
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.units.brought import Brought
from medreview.units.stored import NewUnit

_PROMPT: Final = "question_generation"
ORIGIN: Final = "reference"
"""Where a question comes from that was made from a text: a stratum, as for questions of a forum."""


class Questions(Generator):
    """``generate questions``: the inputs are ``texts``, else the study's passages; each product is a unit of the kind
    ``question``.
    """

    name = "questions"
    noun = "text"
    prompt_names: ClassVar[tuple[str, ...]] = (_PROMPT,)

    def __init__(
        self,
        study: Study,
        model: JudgeSettings,
        prompts: Path | None = None,
        *,
        texts: Sequence[StudyText] | None = None,
    ) -> None:
        super().__init__(study, model, prompts)
        self._texts = {one.text_id: one for one in (passages_in(study.reader) if texts is None else texts)}

    def items(self) -> Sequence[Item]:
        """The texts."""
        return [Item(one.text_id, one.name) for one in self._texts.values()]

    def work(self, item: Item) -> Work:
        """One question to the model."""
        source = self._texts[item.item_id]
        text = load_study_text(self.study.reader, source)
        texts = {"source": text}
        if not self.fits(self.prompts[_PROMPT], texts):
            return Made(code="over_context")
        got = yield Ask("question", self.prompts[_PROMPT], texts, partial(check_question, text=text))
        if not got.valid:
            return Made(code="nothing_to_ask" if got.codes == (NOTHING,) else "invalid")
        return Made(Brought(units=(_unit(got.value, source),)))


def _unit(made: MadeQuestion, source: StudyText) -> NewUnit:
    of_page = source.kind == "snapshot"
    content = {
        "question": made.question,
        "answer": made.answer,
        "quote": made.quote,
        "passage": "" if of_page else source.text_id,
        "url": source.url if of_page else "",
        "snapshot": source.text_id if of_page else "",
        "quote_start": made.place.start,
        "quote_end": made.place.end,
    }
    return NewUnit("question", made.question, content, origin=ORIGIN, belongs_to=source.text_id)
