"""Source verification (SourceCheckup, statement by source): whether a source supports a statement."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from medreview.judges.graded_score import graded
from medreview.judges.judge_answer import LocatedAnswer, answer_columns, answer_in, comes_to, located
from medreview.judges.prompt_texts import available_tokens, split_windows
from medreview.judges.prompts import Prompt
from medreview.judges.quote_grounding import Grounded, QuoteGrounder
from medreview.judges.tasks.task import (  # fmt: skip
    Rows,
    Task,
    TaskUnit,
    Unit,
    confidence_of,
    error_of,
    failure,
    raw_of,
)
from medreview.judges.votes import mapped
from medreview.judges.worked_examples import FIELD, WorkedExamples
from medreview.llm.call import ModelAnswer
from medreview.llm.settings import JudgeSettings
from medreview.sources.ocr_pages import ocr_note, ocr_pages
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.text import Span, in_words

NAME: Final = "source_verification"
_DECISIVE: Final = 1
"""The last rank that decides whatever the other parts of a source say."""
_ORDER: Final = {"supported": 0, "contradicted": _DECISIVE, "partial": 3, "not_addressed": 5, "cannot_judge": 6}
_SPARE: Final = " " * 600
"""Room for the lines between which texts stand."""


class PartAnswer(NamedTuple):
    """The answer on one part of what was too long. ``found``: all of it, its quotes looked up. ``unproven``: what these
    are instead of a proof, where it says that there is support."""

    value: Mapping[str, Any]
    verdict: str | None
    supported: bool | None
    found: LocatedAnswer
    unproven: str

    @property
    def rank(self) -> int:
        """The lowest one stands for the whole source. Unproven support is before partial."""
        return 2 if self.unproven else _ORDER[self.verdict] if self.verdict else 4

    @property
    def confidence(self) -> float | None:
        """As 0..1, ``None`` where it gave none."""
        return confidence_of(self.value.get("confidence"))


Look = Callable[[str, str | None, bool], Grounded]
"""Looks up a quote: the statement that it is to support, if any, and whether it is quoted against that."""


class SupportTask(Task):
    """What tasks have in common that ask whether sources support a statement; a long source is asked about in parts."""

    def __init__(self, study: Study, settings: JudgeSettings, prompt: Prompt) -> None:
        super().__init__(study, settings, prompt)
        self.quotes = QuoteGrounder(study.reader)

    def statement(self, statement_id: str) -> sqlite3.Row:
        """The statement's text, and the question that its response answers."""
        found: sqlite3.Row = self.study.reader.execute(
            """SELECT r.question, s.text AS statement FROM statement AS s
               JOIN response AS r USING (response_id) WHERE s.statement_id = ?""",
            (statement_id,),
        ).fetchone()
        return found

    def tokens_left(self, statement: sqlite3.Row, *more: str) -> int:
        """The tokens for sources beside the statement and ``more`` texts, rounded down: statements of nearly the same
        length get the same windows, so that their prompts share a prefix."""
        return available_tokens(self.settings, "".join((self.prompt.text, *statement, *more, _SPARE))) // 200 * 200

    def combined(
        self, given: Sequence[ModelAnswer], statement: str, look: Look
    ) -> tuple[dict[str, Any], PartAnswer | None, str]:
        """The columns that are made of the answers on all parts, the part that decides, and the outcome in words.

        Supported, with a grounded quote, if any part is; else contradicted if any is; else an abstention if a part has
        no usable answer; else partial; else not addressed. Of several the one that is most sure.
        """
        answers = [_within_bounds(answer) for answer in given]
        parts = [_part(answer.value or {}, statement, look) for answer in answers if answer.status == "ok"]
        best = min(parts, key=lambda part: (part.rank, -(part.confidence or 0.0)), default=None)
        failed = failure(answers)
        if failed and best and best.rank <= _DECISIVE:
            failed = None
        best = None if failed else best
        label = str(best.value["label"]) if best else ""
        columns = {
            "judge_run_id": self.run.judge_run_id,
            "raw_label": label,
            "verdict": best.verdict if best else None,
            "supported": best.supported if best else None,
            "confidence": best.confidence if best else None,
            "reason": str(best.value.get("reason", "")) if best else "",
            "raw_output": raw_of(answers),
            "error": error_of(failed),
        }
        outcome = failed.status if failed else f"{label}, quote {best.unproven}" if best and best.unproven else label
        return columns, best, outcome


def _within_bounds(answer: ModelAnswer) -> ModelAnswer:
    """The answer, or an abstention if it has more quotes than are looked up, which a prompt of one's own may allow."""
    try:
        answer_in(answer.value or {})
    except ValueError as error:
        return replace(answer, status="unparsable", error=str(error))
    return answer


def _part(value: Mapping[str, Any], statement: str, look: Look) -> PartAnswer:
    label = str(value["label"])
    supports = (mapped(label) or (None, None))[1]
    about = statement if supports else None
    found = located(answer_in(value), lambda quote, against: look(quote, about, against), supports=bool(supports))
    # Support counts only with a passage that proves it. The judge's raw label is kept, and the reviewer decides.
    unproven = in_words(found.doubt or found.status) if supports and not found.proves else ""
    return PartAnswer(value, *comes_to(label, found), found, unproven)


class Verification(SupportTask):
    """The task for one judge run: units are (snapshot, statement), by snapshot, so that prompts share a prefix."""

    def __init__(self, study: Study, settings: JudgeSettings, prompt: Prompt) -> None:
        super().__init__(study, settings, prompt)
        self._source = lru_cache(maxsize=32)(self._read_source)
        self._windows = lru_cache(maxsize=32)(self._split)
        if settings.samples > 1:
            self.run = replace(self.run, params={**self.run.params, "samples": settings.samples})

    def show(self, examples: WorkedExamples) -> None:
        """Show examples with each question; their statements are not asked about."""
        self.examples, self.prompt = examples, examples.prompt(self.prompt)
        self.run = examples.run(self.run, self.prompt)

    def cited(self) -> frozenset[Unit]:
        """The pairs of a statement and the page of a source that a marker of it names."""
        found = self.study.reader.execute(
            """SELECT c.snapshot_id, m.statement_id FROM marker AS m JOIN snapshot_current AS c USING (source_id)"""
        )
        return frozenset(map(tuple, found))

    def about(self, unit: Unit) -> str:
        """The statement."""
        return unit[1]

    def units_without(self, answer: str) -> list[Unit]:
        """(snapshot id, statement id) of pairs, on pages that are their source, page by page."""
        found = self.study.reader.execute(
            f"""SELECT DISTINCT c.snapshot_id, s.statement_id
                FROM snapshot_current AS c JOIN snapshot_content AS n USING (snapshot_id)
                JOIN judged_pair USING (source_id) JOIN statement AS s USING (statement_id)
                WHERE n.readable AND NOT EXISTS (
                    SELECT 1 FROM judgement AS j WHERE j.judge_run_id = ? AND j.statement_id = s.statement_id
                    AND j.snapshot_id = c.snapshot_id AND {answer})
                ORDER BY c.snapshot_id, s.response_id, s.ordinal""",
            (self.run.judge_run_id,),
        )
        shown = self.examples.statements if self.examples else frozenset()
        return [tuple(row) for row in found if row["statement_id"] not in shown]

    def unit(self, ids: tuple[str, ...]) -> TaskUnit:
        """The unit, with one request, or one per window when the source exceeds the judge's context; each as often as
        the settings say."""
        snapshot_id, statement_id = ids
        row = self.statement(statement_id)
        source, url = self._source(snapshot_id)
        examples = self._examples_for(*ids)
        spans = self._windows(snapshot_id, self.tokens_left(row, *examples.values()))
        by_ocr = ocr_pages(self.study.reader, snapshot_id)
        requests = []
        for number, span in enumerate(spans, 1):
            which = f"part {number} of {len(spans)}" if len(spans) > 1 else ""
            note = {"source": ", ".join(filter(None, (which, ocr_note(by_ocr, span))))}
            texts = {"source": source[span.start : span.end], **dict(row), **examples}
            about = " ".join((f"{row['statement']} @ {url}", *((f"({which})",) if which else ())))
            asked = self.request(texts, about, note)
            requests += [replace(asked, attempt=sample) for sample in range(1, self.settings.samples + 1)]
        return TaskUnit(ids, tuple(requests))

    def rows(self, unit: TaskUnit, answers: Sequence[ModelAnswer]) -> Rows:
        """One row of the table ``judgement``."""
        snapshot_id, statement_id = unit.ids
        others = self._others(*unit.ids)

        def look(quote: str, supports: str | None, against: bool) -> Grounded:
            return self.quotes.ground(quote, snapshot_id, others, supports, against=against)

        statement = self.statement(statement_id)["statement"]
        standing, score = graded(answers, self.settings.samples)
        columns, best, outcome = self.combined(standing, statement, look)
        row = {
            "judgement_id": content_id("g", self.run.judge_run_id, statement_id, snapshot_id),
            "statement_id": statement_id,
            "snapshot_id": snapshot_id,
            **columns,
            **answer_columns(best.found if best else LocatedAnswer(), statement),
            "score": score if best else None,
        }
        return Rows({"judgement": [row]}, outcome, abstained=row["verdict"] is row["supported"] is None)

    def _examples_for(self, snapshot_id: str, statement_id: str) -> dict[str, str]:
        """The text of the examples that have nothing to do with a pair, by the prompt's field."""
        if self.examples is None:
            return {}
        query = """SELECT s.text, s.response_id, p.source_id, p.text_sha256 FROM statement AS s, snapshot AS p
                   WHERE s.statement_id = ? AND p.snapshot_id = ?"""
        pair = self.study.reader.execute(query, (statement_id, snapshot_id)).fetchone()
        return {FIELD: self.examples.text(self.prompt, *pair)}

    def _others(self, snapshot_id: str, statement_id: str) -> tuple[str, ...]:
        found = self.study.reader.execute(
            """SELECT DISTINCT c.snapshot_id FROM statement AS s JOIN citation USING (response_id)
               JOIN snapshot_current AS c USING (source_id) WHERE s.statement_id = ? AND c.snapshot_id <> ?""",
            (statement_id, snapshot_id),
        )
        return tuple(row[0] for row in found)

    def _read_source(self, snapshot_id: str) -> tuple[str, str]:
        """Its text and its address."""
        found = self.study.reader.execute(
            "SELECT text, url FROM snapshot JOIN source USING (source_id) WHERE snapshot_id = ?", (snapshot_id,)
        )
        text, url = found.fetchone()
        return text, url

    def _split(self, snapshot_id: str, tokens: int) -> list[Span]:
        return split_windows(self._source(snapshot_id)[0], tokens)
