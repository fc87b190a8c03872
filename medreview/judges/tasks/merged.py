"""Merged verification (SourceCheckup): whether all sources of a response together support what none supports alone."""

import json
from collections.abc import Sequence
from typing import Final

from medreview.judges.judge_answer import LocatedAnswer, quote_fields, whole_columns
from medreview.judges.prompt_texts import split_windows
from medreview.judges.quote_grounding import Grounded
from medreview.judges.tasks.task import Rows, TaskUnit, Unit
from medreview.judges.tasks.verification import SupportTask
from medreview.labels import PROVEN_QUOTES
from medreview.llm.call import ModelAnswer
from medreview.llm.costs import tokens_of
from medreview.sources.ocr_pages import OcrPage, ocr_note, ocr_pages
from medreview.study.ids import content_id

NAME: Final = "merged_verification"
_HEADING: Final = 40
_OCR_HEADING: Final = 60
"""Tokens for the heading of a source, and for what it says of pages that were read by OCR."""


class Merged(SupportTask):
    """The task for one judge run: units are the statements that the judges did not find supported.

    Only those whose response has at least two pages with text of their source: with one, verification has asked it.
    """

    def units_without(self, answer: str) -> list[Unit]:
        """(statement id,) by response."""
        found = self.study.reader.execute(
            f"""SELECT s.statement_id FROM verdict AS v JOIN statement_standing AS s USING (statement_id)
                JOIN response AS r USING (response_id)
                WHERE v.judgement_id IS NOT NULL AND coalesce(v.supported, 0) = 0 AND (
                    SELECT count(DISTINCT snapshot_id) FROM judged_pair AS p JOIN snapshot_current USING (source_id)
                    JOIN snapshot_content USING (snapshot_id, source_id)
                    WHERE p.statement_id = s.statement_id AND readable) >= 2
                AND NOT EXISTS (SELECT 1 FROM merged_judgement AS j WHERE j.judge_run_id = ?
                    AND j.statement_id = s.statement_id AND {answer})
                ORDER BY r.ordinal, s.ordinal""",
            (self.run.judge_run_id,),
        )
        return [tuple(row) for row in found]

    def unit(self, ids: tuple[str, ...]) -> TaskUnit:
        """The unit, with one request for all sources, or several when they exceed the judge's context together."""
        row = self.statement(*ids)
        sources = self._sources(*ids)
        texts = [(text, ocr_pages(self.study.reader, snapshot_id)) for snapshot_id, text in sources]
        windows = _windows(texts, self.tokens_left(row))
        requests = []
        for number, window in enumerate(windows, 1):
            note = {"sources": f"part {number} of {len(windows)}"} if len(windows) > 1 else None
            requests.append(self.request({"sources": window, **dict(row)}, row["statement"], note))
        return TaskUnit(ids, tuple(requests), {"snapshots": [snapshot_id for snapshot_id, _ in sources]})

    def rows(self, unit: TaskUnit, answers: Sequence[ModelAnswer]) -> Rows:
        """One row of ``merged_judgement``.

        Each quote is looked up in the source that has it best. What they come to together, the missing part and the
        opposite are as of a single source (``medreview.judges.judge_answer``).
        """
        snapshots = list(unit.more["snapshots"])
        statement = self.statement(*unit.ids)["statement"]
        found_in: dict[tuple[str, Grounded], str] = {}

        def look(quote: str, supports: str | None, against: bool) -> Grounded:
            order = (*PROVEN_QUOTES, "altered", "too_short", "absent")
            tried = [(self.quotes.ground(quote, page, supports=supports, against=against), page) for page in snapshots]
            found, page = min(tried, key=lambda place: (order.index(place[0].status), not place[0].proves))
            found_in[quote, found] = page
            return found

        columns, best, outcome = self.combined(answers, statement, look)
        given = best.found if best else LocatedAnswer()
        quotes = [
            {**quote_fields(one), "snapshot": found_in[one.quote, one.found] if one.found.spans else None}
            for one in given.quotes
        ]
        row = {
            "merged_judgement_id": content_id("m", self.run.judge_run_id, *unit.ids),
            "statement_id": unit.ids[0],
            "snapshots": json.dumps(snapshots),
            **columns,
            **whole_columns(given, statement),
            "quotes": json.dumps(quotes, ensure_ascii=False),
        }
        return Rows({"merged_judgement": [row]}, outcome, abstained=row["verdict"] is row["supported"] is None)

    def _sources(self, statement_id: str) -> list[tuple[str, str]]:
        rows = self.study.reader.execute(
            """SELECT snapshot_id, text FROM judged_pair AS p JOIN snapshot_current USING (source_id)
               JOIN snapshot_content USING (snapshot_id, source_id)
               WHERE p.statement_id = ? AND readable GROUP BY snapshot_id ORDER BY min(p.ordinal)""",
            (statement_id,),
        )
        return [tuple(row) for row in rows]


def _windows(texts: Sequence[tuple[str, Sequence[OcrPage]]], tokens: int) -> list[str]:
    """The texts under numbered headings, in as few windows as possible; a text that is too long is split.

    Each comes with those of its pages that were read by OCR: a heading says so.
    """
    pieces = []
    for number, (text, by_ocr) in enumerate(texts, 1):
        spans = split_windows(text, tokens - _HEADING - (_OCR_HEADING if by_ocr else 0))
        for part, span in enumerate(spans, 1):
            heading = f"Source {number}" + (f", part {part} of {len(spans)}" if len(spans) > 1 else "")
            heading += f", {note}" if (note := ocr_note(by_ocr, span)) else ""
            pieces.append(f"{heading}:\n{text[span.start : span.end].strip()}\n")
    windows: list[str] = []
    for piece in pieces:
        if windows and tokens_of(windows[-1] + "\n" + piece) <= tokens:
            windows[-1] += "\n" + piece
        else:
            windows.append(piece)
    return windows
