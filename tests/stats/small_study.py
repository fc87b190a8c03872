"""A study that grows by hand, so that its figures can be worked out by hand."""

from collections.abc import Sequence
from typing import Any

from medreview.judges.verdicts import refresh
from medreview.study import Study
from medreview.study.events import NewEvent, Receipt, Recorder
from tests.support.study_builder import StudyBuilder, build

LABELS = {"S": "supported", "P": "partial", "C": "contradicted", "N": "not_addressed", "U": "unsure",
          "J": "cannot_judge", "F": "not found"}  # fmt: skip


class SmallStudy:
    """Responses with sources, judgements, decisions: each call is one transaction."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._recorders: dict[tuple[str, int], Recorder] = {}

    def response(
        self, name: str, statements: int, sources: Sequence[str | None] = ("ok",), model: str = "atlas",
        origin: str = "forum", question: str | None = None,
    ) -> None:  # fmt: skip
        """Statements ``name.1``, ``name.2``, ...; sources ``name/1``, ...: a page state, or None if not fetched.

        ``question``: one of its own without it.
        """
        asked = {} if question is None else {"question": question}

        def add(rows: StudyBuilder) -> None:
            rows.response(name, statements=["text"] * statements, model=model, origin=origin, **asked)
            for number, state in enumerate(sources, 1):
                source = f"{name}/{number}"
                rows.source(source, source, key=source, domain="page.example")
                rows.citation(name, source)
                if state:
                    lost = state == "http_error"
                    more = {"page_state": state, "status": 404 if lost else 200}
                    rows.snapshot(source, "" if lost else "words", f"p-{source}", **more)

        build(self.study, add)

    def invalid(self, name: str, why: str, model: str = "atlas") -> None:
        """A response that is none, or one whose text names no source (``why`` is empty then)."""
        text = "" if why == "empty" else "It beg"
        build(self.study, lambda rows: rows.response(name, text, invalid=why, parser=None, model=model))

    def judged(self, judge: str, label: str, *units: str, source: int = 1) -> None:
        """A judgement on each statement against a source of its response."""

        def add(rows: StudyBuilder) -> None:
            run = rows.judge_run(judge, model="")
            for unit in units:
                rows.judgement(judge, unit, f"p-{unit.split('.')[0]}/{source}", label, run=run)

        build(self.study, add)

    def judge(self, units: str, source: int = 1, **letters: str) -> None:
        """Judgements as a table: by judge a letter of LABELS for each statement, ``-`` for none."""
        for judge, given in letters.items():
            for label, names in _by_label(units, given):
                self.judged(judge, label, *names, source=source)

    def say(
        self, units: str, mode: str = "open", seen: str = "", block: str = "responses", kind: str = "decide",
        **letters: str,
    ) -> None:  # fmt: skip
        """Decisions as a table, by reviewer."""
        for who, given in letters.items():
            for label, names in _by_label(units, given):
                self.said(label, *names, who=who, mode=mode, seen=seen, block=block, kind=kind)

    def cites(self, unit: str, *sources: int) -> None:
        """The statement itself cites sources of its response."""

        def add(rows: StudyBuilder) -> None:
            for number in sources:
                rows.marker(unit, f"{unit.split('.')[0]}/{number}", number)

        build(self.study, add)

    def said(
        self, label: str, *units: str, who: str = "anna", mode: str = "open", seen: str = "",
        block: str = "responses", kind: str = "decide", pass_no: int = 1, **more: Any,
    ) -> None:  # fmt: skip
        """A decision on each statement; ``seen`` is the exposure to the judges' verdict."""
        seen = seen or ("no" if mode == "blind" else "before")
        payload = {"axis": "evidence", "label": label, "exposure": {"judge_verdict": seen}, "active_ms": 30_000}
        for unit in units:
            self.event(NewEvent(kind, unit, payload | more), who=who, mode=mode, block=block, pass_no=pass_no)

    def event(
        self, event: NewEvent, who: str = "anna", mode: str = "open", block: str = "responses", pass_no: int = 1
    ) -> Receipt:
        """Any event."""
        recorder = self._recorders.setdefault((who, pass_no), Recorder(who, pass_no=pass_no))
        return self.study.write(lambda connection: recorder.append(connection, event, block=block, mode=mode))

    def roll_up(self) -> None:
        """Fill the table of verdicts."""
        refresh(self.study)


def _by_label(units: str, letters: str) -> list[tuple[str, list[str]]]:
    given = list(zip(units.split(), letters, strict=True))
    return [(LABELS[it], [unit for unit, one in given if one == it]) for it in dict.fromkeys(letters) if it != "-"]
