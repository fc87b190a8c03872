"""Merged verification (SourceCheckup): whether all sources of a response together support what none supports alone."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from medreview.judges.prompt_texts import split_windows
from medreview.judges.quote_grounding import Grounded
from medreview.judges.tasks.task import Rows, TaskUnit, Unit, quote_json
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

        Support counts only when every quote given for it is in one of the sources, and one of them bears on it.
        """
        snapshots = list(unit.more["snapshots"])

        def look(value: Mapping[str, Any], supports: str | None) -> tuple[list[dict[str, Any]], str]:
            quotes = [str(quote) for quote in value["quotes"] if str(quote).strip()]
            tried = [self._best_place(quote, snapshots, supports) for quote in quotes]
            # Each of several quotes may show another part of the statement: one that bears on it is enough.
            located = any(found.proves for found, _ in tried) and all(
                found.proves or found.doubt == "off_topic" for found, _ in tried
            )
            return [quote for _, quote in tried], "" if located else "absent"

        statement = self.statement(*unit.ids)["statement"]
        columns, best, outcome = self.combined(answers, statement, look, lambda part: part.rank)
        row = {
            "merged_judgement_id": content_id("m", self.run.judge_run_id, *unit.ids),
            "statement_id": unit.ids[0],
            "snapshots": json.dumps(snapshots),
            **columns,
            "quotes": json.dumps(best.found if best else [], ensure_ascii=False),
        }
        return Rows({"merged_judgement": [row]}, outcome, abstained=row["verdict"] is row["supported"] is None)

    def _best_place(
        self, quote: str, snapshots: Sequence[str], supports: str | None
    ) -> tuple[Grounded, dict[str, Any]]:
        """The quote in the source with the best quote status, for Python and for the table."""
        order = (*PROVEN_QUOTES, "altered", "too_short", "absent")
        tried = [(self.quotes.ground(quote, page, supports=supports), page) for page in snapshots]
        found, snapshot_id = min(tried, key=lambda place: (order.index(place[0].status), not place[0].proves))
        found_in = snapshot_id if found.grounding and found.grounding.spans else None
        return found, quote_json(quote, found.status, found.grounding, snapshot=found_in, doubt=found.doubt)

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
