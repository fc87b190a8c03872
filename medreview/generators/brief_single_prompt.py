"""``generate brief --single-prompt``: the same summary in one call, which briefs in stages are compared with."""

from functools import partial
from typing import ClassVar, Final

from medreview.generators.ask import Ask, Item, Made, Work
from medreview.generators.brief_generator import HEADING_FIELDS, Brief
from medreview.generators.brief_rules import check_single, is_own_advice
from medreview.generators.brief_text import Sections, brief_text, notes_of, printed, response_of
from medreview.units.cases import case_of
from medreview.units.new_units import Brought

STRATEGY: Final = "single prompt"
_PROMPT: Final = "brief_single"


class SinglePrompt(Brief):
    """All notes in the order of their dates, one question; each product is a response of ``M (single prompt)``.

    Nothing is verified and nothing is deleted: what it advises beyond its notes is named in the report.
    """

    name = "brief --single-prompt"
    prompt_names: ClassVar[tuple[str, ...]] = (_PROMPT,)
    deviations: ClassVar[tuple[str, ...]] = ("notes that do not fit into the model's context are refused, not cut.",)

    def steps(self, item: Item) -> int:
        """One."""
        return 1

    def work(self, item: Item) -> Work:
        """One question to the model."""
        notes = notes_of(self.study.reader, item.item_id)
        case = case_of(self.study.reader, item.item_id)
        assert case is not None
        texts = {"notes": printed(notes), "question": case.question}
        if not self.fits(self.prompts[_PROMPT], texts):
            return Made(code="over_context")
        check = partial(check_single, notes=notes)
        got = yield Ask("single prompt", self.prompts[_PROMPT], texts, check, headings=HEADING_FIELDS)
        if not got.valid:
            return Made(code="invalid")
        sections: Sections = got.value
        parts = [*sections.summary, *sections.course, *(part for _, those in sections.problems for part in those)]
        advice = [part.text for part in parts if is_own_advice(part.text, [note.text for note in notes])]
        answer = response_of(case, notes, brief_text(sections), f"{self.model.name} ({STRATEGY})")
        return Made(Brought(answers=(answer,)), report={"own_advice": list(dict.fromkeys(advice))})
