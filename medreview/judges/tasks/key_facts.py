"""Key facts (MedFactEval): whether a response contains, or contradicts, the facts that a clinician expects."""

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from medreview.judges.tasks.task import Rows, Task, TaskUnit, Unit, error_of, raw_of, said
from medreview.labels import CATEGORY, PROVEN_QUOTES
from medreview.llm.call import ModelAnswer
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.study.unit_table import key_fact_id
from medreview.text import sha256

CATEGORIES: Final = tuple(label.level for label in CATEGORY)


class Fact(NamedTuple):
    """A key fact; ``category`` is one of :data:`CATEGORIES`."""

    text: str
    category: str = "other"


def add_facts(study: Study, question: str, facts: Iterable[Fact], added_by: str) -> int:
    """Store key facts of a question, for every response to it (idempotent); the number of new ones.

    Raises ``ValueError`` for an unknown category.
    """
    given = list(facts)
    if bad := {fact.category for fact in given} - set(CATEGORIES):
        raise ValueError(f"no category of key facts: {', '.join(sorted(bad))}; there are {', '.join(CATEGORIES)}")
    case = sha256(question)

    def change(connection: sqlite3.Connection) -> int:
        added = 0
        for fact in given:
            last = connection.execute(
                "SELECT coalesce(max(ordinal), 0) FROM key_fact WHERE question_sha256 = ?", (case,)
            ).fetchone()[0]
            row = {
                "key_fact_id": key_fact_id(case, fact.text),
                "question_sha256": case,
                "ordinal": last + 1,
                "category": fact.category,
                "added_by": added_by,
                "added_at": datetime.now(UTC).isoformat(timespec="seconds"),
                "text": fact.text,
            }
            new = insert(connection, "key_fact", [row])
            if not new:  # an imported key fact stays, whatever becomes of a suggestion with the same words
                connection.execute("UPDATE key_fact SET suggestion = '' WHERE key_fact_id = ?", (row["key_fact_id"],))
            added += new
        return added

    return study.write(change)


class KeyFacts(Task):
    """The task for one judge run: units are (response, fact). Presence and contradiction are separate tasks.

    Both may be true of one response.
    """

    def units_without(self, answer: str) -> list[Unit]:
        """(response id, key fact id), by response, so that prompts share a prefix; no invalid response."""
        facts: dict[str, list[str]] = {}
        for row in self.study.reader.execute(
            "SELECT question_sha256, key_fact_id FROM key_fact_in_force ORDER BY question_sha256, ordinal"
        ):
            facts.setdefault(row["question_sha256"], []).append(row["key_fact_id"])
        done = {
            tuple(row)
            for row in self.study.reader.execute(
                f"""SELECT response_id, key_fact_id FROM key_fact_vote AS j
                    WHERE judge_run_id = ? AND {answer}""",
                (self.run.judge_run_id,),
            )
        }
        if not facts:
            return []
        responses = self.study.reader.execute(
            "SELECT response_id, question FROM response WHERE invalid = '' ORDER BY ordinal"
        )
        pairs = ((row["response_id"], fact) for row in responses for fact in facts.get(sha256(row["question"]), ()))
        return [pair for pair in pairs if pair not in done]

    def unit(self, ids: tuple[str, ...]) -> TaskUnit:
        """The unit, with one request."""
        response_id, fact_id = ids
        fact = self.study.reader.execute("SELECT text FROM key_fact WHERE key_fact_id = ?", (fact_id,)).fetchone()[0]
        response = self.responses.get(response_id)
        texts = {"response": response.text, "fact": fact}
        return TaskUnit(ids, (self.request(texts, f"{fact} @ {response.name}"),))

    def rows(self, unit: TaskUnit, answers: Sequence[ModelAnswer]) -> Rows:
        """One row of ``key_fact_vote``; a yes counts only with a quote that is in the response."""
        response_id, fact_id = unit.ids
        value, failed = said(answers)
        quote = str(value.get("quote", ""))
        status, grounding = self.responses.ground(quote, response_id)
        spans = grounding.spans if grounding else ()
        raw = str(value.get("answer", ""))
        answer = {"yes": True, "no": False}.get(raw)
        unproven = answer is True and status not in PROVEN_QUOTES
        row = {
            "key_fact_vote_id": content_id("v", self.run.judge_run_id, fact_id, response_id),
            "judge_run_id": self.run.judge_run_id,
            "key_fact_id": fact_id,
            "response_id": response_id,
            "task": self.prompt.task,
            "raw_answer": raw,
            "answer": None if unproven else answer,
            "quote_status": status,
            "quote_start": spans[0].start if spans else None,
            "quote_end": spans[0].end if spans else None,
            "quote": quote,
            "reason": str(value.get("reason", "")),
            "raw_output": raw_of(answers),
            "error": error_of(failed),
        }
        outcome = failed.status if failed else f"{raw}, quote {status}" if unproven else raw
        return Rows({"key_fact_vote": [row]}, outcome, abstained=row["answer"] is None)
