"""Questions made from texts (SourceCheckup): one question of each, its answer, and the words that hold it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from medreview.generators.ask import Ask, Checked, Item, Made, Work
from medreview.generators.checks import numbers_missing, points_at_its_text, quote_codes, words
from medreview.generators.generator import Generator
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.units.brought import Brought
from medreview.units.stored import NewUnit, load_passage

_PROMPT: Final = "question_generation"
_WORDS: Final = (5, 60)
"""How many words a question has, at least and at most."""
_LONGEST_ANSWER: Final = 40
"""Words of the answer."""


class Questions(Generator):
    """``generate questions``: the inputs are the study's passages; each product is a unit of the kind ``question``."""

    name = "questions"
    noun = "text"
    prompt_names: ClassVar[tuple[str, ...]] = (_PROMPT,)

    def __init__(self, study: Study, model: JudgeSettings, prompts: Path | None = None) -> None:
        super().__init__(study, model, prompts)

    def items(self) -> Sequence[Item]:
        """The passages of the study."""
        rows = self.study.reader.execute("SELECT passage_id, title FROM passage ORDER BY imported_at, passage_id")
        return [Item(row["passage_id"], row["title"] or row["passage_id"]) for row in rows]

    def work(self, item: Item) -> Work:
        """One question to the model."""
        passage = load_passage(self.study.reader, item.item_id)
        assert passage is not None
        texts = {"source": passage.text}
        if not self.fits(self.prompts[_PROMPT], texts):
            return Made(code="over_context")
        got = yield Ask("question", self.prompts[_PROMPT], texts, lambda value: check_question(value, passage.text))
        if not got.valid:
            return Made(code="invalid")
        content = {**got.value, "passage": item.item_id, "url": ""}
        unit = NewUnit("question", got.value["question"], content, origin="generated", belongs_to=item.item_id)
        return Made(Brought(units=(unit,)))


def check_question(value: Mapping[str, Any], text: str) -> Checked:
    """A question, its answer and quote against the text that it was made from."""
    made = {name: " ".join(str(value[name]).split()) for name in ("question", "answer")}
    made["quote"] = str(value["quote"]).strip()
    question, answer, quote = made["question"], made["answer"], made["quote"]
    codes = []
    if not question.endswith("?"):
        codes.append("no_question_mark")
    if not _WORDS[0] <= words(question) <= _WORDS[1]:
        codes.append("question_length")
    if points_at_its_text(question):
        codes.append("points_at_text")
    if not answer:
        codes.append("no_answer")
    elif words(answer) > _LONGEST_ANSWER:
        codes.append("answer_length")
    elif answer.casefold().strip(" .") in question.casefold():
        codes.append("answer_in_question")
    codes += quote_codes(quote, text)
    if numbers_missing(answer, quote):
        codes.append("number_not_in_quote")
    return Checked(tuple(codes), made)
