"""Answers whose statement lists are checked: what a parser made of them, and what two doctors mark in the lists."""

from collections.abc import Iterable
from typing import Final

from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build

RULES: Final = "split 9"
JUDGE: Final = "claude statement_parsing/2 run7"
HEAD: Final = "Septic shock"
TEXTS: Final = ("Norepinephrine comes first.", "The target is 65 mm Hg.", "Lactate is measured again.")
ANSWER: Final = f"{HEAD}\n\n{' '.join(TEXTS)} Ask your doctor."


def lists(study: Study, parsers: Iterable[str] = (RULES,), *, lacking: int = 0) -> list[str]:
    """An answer for each parser, with all its statements but the first ``lacking``; the units."""

    def fill(rows: StudyBuilder) -> None:
        for number, parser in enumerate(parsers, 1):
            name = f"r{number}"
            rows.response(name, ANSWER, parser=parser, left_out_by=RULES)
            for text in TEXTS[lacking:]:
                rows.statement(name, text)
            for text, reason in ((HEAD, "heading"), ("Ask your doctor.", "disclaimer")):
                start = ANSWER.index(text)
                rows.add("left_out", left_out_id=f"l{number}{start}", response_id=name, start=start,
                         end=start + len(text), reason=reason)  # fmt: skip

    build(study, fill)
    return [
        row[0] for row in study.reader.execute("SELECT 'statement_list:' || response_id FROM response ORDER BY ordinal")
    ]


def at(study: Study, unit: str, who: str = "kb", *, blind: bool = True) -> ReviewSession:
    """A session that stands at a list."""
    session = open_session(study, who, open_queue(study, "statement_lists", who, blind=blind))
    session.go(list(session.queue.units).index(unit))
    return session
