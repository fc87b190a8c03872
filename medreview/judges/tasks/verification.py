"""Source verification (SourceCheckup, statement by source): whether a source supports a statement."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from medreview.judges.ocr_limits import ocr_note
from medreview.judges.prompt_texts import available_tokens, fence_key, split_windows
from medreview.judges.prompts import Prompt
from medreview.judges.quote_grounding import Grounded, QuoteGrounder, quote_columns
from medreview.judges.tasks.task import (  # fmt: skip
    DECISIVE,
    OneStep,
    Rows,
    TaskUnit,
    confidence_of,
    error_of,
    failure,
    is_answered,
    precedence,
    raw_of,
    request_of,
    run_of,
    save_rows,
)
from medreview.judges.votes import mapped
from medreview.llm.call import Answer
from medreview.llm.settings import JudgeSettings
from medreview.sources.ocr_pages import ocr_pages
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.text import in_words

NAME: Final = "source_verification"


@dataclass(frozen=True, slots=True)
class _PartAnswer:
    """The answer on one window of the source, with its quote looked up in the whole source."""

    answer: Answer
    label: str
    verdict: str | None
    supported: bool | None
    unproven: bool
    confidence: float | None
    quote: str
    found: Grounded
    reason: str


class _Pair(NamedTuple):
    snapshot_id: str
    statement_id: str


class Verification(OneStep):
    """The task for one judge run: units are (snapshot, statement), by snapshot, so that prompts share a prefix."""

    def __init__(self, study: Study, settings: JudgeSettings, prompt: Prompt) -> None:
        self.study = study
        self.run = run_of(settings, prompt)
        self._settings = settings
        self._prompt = prompt
        self._key = fence_key(study)
        self._quotes = QuoteGrounder(study.reader)
        self._text = lru_cache(maxsize=32)(self._read_text)
        self._windows = lru_cache(maxsize=32)(self._split)

    def waiting(self, *, again: bool = False) -> list[tuple[str, ...]]:
        """(snapshot id, statement id) of the pairs without a judgement of this run, on pages that are their source."""
        found = self.study.reader.execute(
            f"""SELECT DISTINCT c.snapshot_id, s.statement_id
                FROM snapshot_current AS c JOIN snapshot_content AS n USING (snapshot_id)
                JOIN judged_pair USING (source_id) JOIN statement AS s USING (statement_id)
                WHERE n.readable AND NOT EXISTS (
                    SELECT 1 FROM judgement AS j WHERE j.judge_run_id = ? AND j.statement_id = s.statement_id
                    AND j.snapshot_id = c.snapshot_id AND {is_answered("j", again)})
                ORDER BY c.snapshot_id, s.response_id, s.ordinal""",
            (self.run.judge_run_id,),
        )
        return [_Pair(*row) for row in found]

    def unit(self, ids: tuple[str, ...]) -> TaskUnit:
        """The unit, with one request, or one per window when the source exceeds the judge's context."""
        pair = _Pair(*ids)
        row = self.study.reader.execute(
            """SELECT s.text AS statement, r.question FROM statement AS s JOIN response AS r USING (response_id)
               WHERE s.statement_id = ?""",
            (pair.statement_id,),
        ).fetchone()
        texts = {"source": "", "question": row["question"], "statement": row["statement"]}
        source, url = self._text(pair.snapshot_id), self._url(pair.snapshot_id)
        # Rounded down, so that statements of nearly the same length get the same windows and prompts share a prefix.
        left = available_tokens(self._settings, "".join((self._prompt.text, *texts.values(), " " * 600)))
        spans = self._windows(pair.snapshot_id, left // 200 * 200)
        by_ocr = ocr_pages(self.study.reader, pair.snapshot_id)
        requests = []
        for number, span in enumerate(spans, 1):
            which = f"part {number} of {len(spans)}" if len(spans) > 1 else ""
            note = {"source": ", ".join(filter(None, (which, ocr_note(by_ocr, span))))}
            part = texts | {"source": source[span.start : span.end]}
            about = " ".join((f"{row['statement']} @ {url}", *((f"({which})",) if which else ())))
            requests.append(request_of(self._prompt, self._key, part, note, about=about))
        return TaskUnit(pair, tuple(requests))

    def rows(self, unit: TaskUnit, answers: Sequence[Answer]) -> Rows:
        """One row of the table ``judgement``.

        Over the windows of a long source: supported, with a grounded quote, if any window is; else contradicted if any
        is; else an abstention if a window has no usable answer; else partial; else not addressed.
        """
        pair = _Pair(*unit.ids)
        others = self._others(pair)
        statement = self._statement(pair)
        answers_read = [
            self._read_answer(answer, pair, statement, others) for answer in answers if answer.status == "ok"
        ]
        best = min(answers_read, key=_rank, default=None)
        failed = failure(answers)
        if failed is not None and (best is None or _rank(best)[0] > DECISIVE):
            best = None
        else:
            failed = None
        row: dict[str, Any] = {
            "judgement_id": content_id("g", self.run.judge_run_id, pair.statement_id, pair.snapshot_id),
            "judge_run_id": self.run.judge_run_id,
            "statement_id": pair.statement_id,
            "snapshot_id": pair.snapshot_id,
            "raw_label": best.label if best else "",
            "verdict": best.verdict if best else None,
            "supported": best.supported if best else None,
            "confidence": best.confidence if best else None,
            **quote_columns(best.quote if best else "", best.found if best else Grounded("none", None)),
            "reason": best.reason if best else "",
            "raw_output": raw_of(answers),
            "error": error_of(failed),
        }
        outcome = failed.status if failed else _unproven(best) if best and best.unproven else None
        return Rows(
            {"judgement": [row]}, outcome or str(row["raw_label"]), abstained=row["verdict"] is row["supported"] is None
        )

    def save(self, connection: sqlite3.Connection, rows: Sequence[Rows]) -> None:
        """Store rows; a stored abstention is replaced."""
        save_rows(connection, self.run, rows)

    def _read_answer(self, answer: Answer, pair: _Pair, statement: str, others: Sequence[str]) -> _PartAnswer:
        value = answer.value or {}
        label, quote = str(value["label"]), str(value["quote"])
        verdict, supported = mapped(label) or (None, None)
        found = self._quotes.ground(quote, pair.snapshot_id, others, supports=statement if supported else None)
        # Support counts only with a passage that proves it. The judge's raw label is kept, and the reviewer decides.
        unproven = supported is True and not found.proves
        return _PartAnswer(
            answer=answer,
            label=label,
            verdict=None if unproven else verdict,
            supported=None if unproven else supported,
            unproven=unproven,
            confidence=confidence_of(value.get("confidence")),
            quote=quote,
            found=found,
            reason=str(value.get("reason", "")),
        )

    def _statement(self, pair: _Pair) -> str:
        row = self.study.reader.execute("SELECT text FROM statement WHERE statement_id = ?", (pair.statement_id,))
        return str(row.fetchone()["text"])

    def _others(self, pair: _Pair) -> tuple[str, ...]:
        found = self.study.reader.execute(
            """SELECT DISTINCT c.snapshot_id FROM statement AS s JOIN citation USING (response_id)
               JOIN snapshot_current AS c USING (source_id) WHERE s.statement_id = ? AND c.snapshot_id <> ?""",
            (pair.statement_id, pair.snapshot_id),
        )
        return tuple(row[0] for row in found)

    def _read_text(self, snapshot_id: str) -> str:
        row = self.study.reader.execute("SELECT text FROM snapshot WHERE snapshot_id = ?", (snapshot_id,)).fetchone()
        return str(row["text"])

    def _url(self, snapshot_id: str) -> str:
        found = self.study.reader.execute(
            "SELECT url FROM snapshot JOIN source USING (source_id) WHERE snapshot_id = ?", (snapshot_id,)
        )
        return str(found.fetchone()["url"])

    def _split(self, snapshot_id: str, tokens: int) -> Any:
        return split_windows(self._text(snapshot_id), tokens)


def _unproven(said: _PartAnswer) -> str:
    return f"{said.label}, quote {in_words(said.found.doubt if said.found.doubt else said.found.status)}"


def _rank(answers_read: _PartAnswer) -> tuple[int, float]:
    return precedence(answers_read.verdict, unproven=answers_read.unproven), -(answers_read.confidence or 0.0)
